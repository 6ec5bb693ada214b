"""Which kernels a run of a method needs, so that progress has a true total: all that its code calls, directly or not.

Kernels call each other by name. Here their names are followed as Python would: through globals, modules, and the
closures of functions that are made inside functions (numerics/switch.py).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from .names import Name, kernel_names

CALLERS = ("jointplay.compile.", "jointplay.simulation")  # Python that calls kernels before and while a run goes


def needed_for(method: str) -> frozenset[Name]:
    """Kernels of a run with this method; a few more may be needed to choose one."""
    from .. import simulation
    from ..methods.registry import METHODS

    assert simulation  # with it all that calls kernels is imported
    called = [thing for module in _callers() for thing in vars(module).values()]
    functions = _below([METHODS[method]().run, *called])
    names = {(one.__module__.removeprefix("jointplay."), one.__name__) for one in functions}
    return kernel_names(derivatives=False) & names


def _callers() -> list[ModuleType]:
    return [module for name, module in list(sys.modules.items()) if name.startswith(CALLERS)]


def _below(roots: Iterable[Any]) -> set[FunctionType]:
    """The functions behind compiled things, and behind all that they call."""
    found: set[FunctionType] = set()
    waiting = list(roots)
    while waiting:
        function = getattr(waiting.pop(), "py_func", None)
        if isinstance(function, FunctionType) and function not in found:
            found.add(function)
            waiting += _mentioned(function)
    return found


def _mentioned(function: FunctionType) -> Iterator[Any]:
    """What the code of a function names."""
    codes, names = [function.__code__], set[str]()
    for code in codes:
        names.update(code.co_names)
        codes += [one for one in code.co_consts if isinstance(one, CodeType)]
    space = function.__globals__
    for name in names & space.keys():
        yield space[name]
        if isinstance(space[name], ModuleType):
            yield from (getattr(space[name], one, None) for one in names)
    for cell in function.__closure__ or ():
        yield from cell.cell_contents if isinstance(cell.cell_contents, tuple | list) else (cell.cell_contents,)
