"""``method=`` says how to integrate, ``derivative=`` how derivatives are taken; earlier spellings are understood too.

Once ``method=`` was the kind of derivative and ``scheme=`` the integrator. The two cannot be taken for one another,
since no integrator is called like a kind of derivative.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..errors import InputError, Problem
from ..methods.parse import nearest

DIFFERENCES = "differences"
DERIVATIVES = ("direct", "adjoint", "complex-step", DIFFERENCES)
EARLIER = {"finite-difference": DIFFERENCES}


def note(text: str) -> None:
    """Tell the user, once for each place that calls."""
    # the caller of sensitivities, optimise or fit, which call through ``understood``
    warnings.warn(text, FutureWarning, stacklevel=4)


def kind_of(name: Any) -> str | None:
    """The kind of derivative that a name means, or None."""
    name = EARLIER.get(name, name) if isinstance(name, str) else None
    return name if name in DERIVATIVES else None


def understood(method: Any, derivative: Any, scheme: Any, usual: str | None = "direct") -> tuple[Any, Any]:
    """(how to integrate, kind of derivative); raises InputError with all that is wrong."""
    problems: list[Problem] = []
    if kind_of(method) is not None:
        if derivative is not None:
            problems.append(Problem("method", f"'{method}' is a kind of derivative, which derivative= says already"))
        else:
            note(f"method={method!r} is the kind of derivative: write derivative={kind_of(method)!r}")
        method, derivative = None, derivative if derivative is not None else kind_of(method)
    if scheme is not None:
        if method is not None:
            problems.append(Problem("scheme", "is the earlier name of method=, which is given too"))
        else:
            note("scheme= is the earlier name of method=, how to integrate: write method=")
        method = scheme
    kind = usual if derivative is None else kind_of(derivative)
    if derivative is not None and kind is None:
        known = nearest(str(derivative), DERIVATIVES)
        problems.append(Problem("derivative", f"there is no kind of derivative '{derivative}'{known}"))
    elif derivative in EARLIER:
        note(f"derivative={derivative!r} is called {kind!r}")
    if problems:
        raise InputError(problems)
    return method, kind
