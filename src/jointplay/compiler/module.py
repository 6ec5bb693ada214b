"""Pieces linked into one LLVM module, optimised as a whole and made an object file.

Seen as a whole all functions but the entries are private, and the optimiser may shape them as it likes. It is run
without its vectorisers: they take a third of its time, and kernels have no loops that gain by them. Nor does it look
for what calls by address may lead to: every argument is followed through every call, which takes half of the time that
is left in large modules, and those addresses are not known before a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from llvmlite import binding as llvm

from .helpers import HELPERS
from .store import Store

SPEED = 3  # how hard LLVM tries
POINTLESS = "called-value-propagation"
LEAVES_OUT = 22  # version of LLVM from which passes can be left out by name
TRIPLES = {
    "x86-64": "x86_64-unknown-linux-gnu",
    "x86-64-v2": "x86_64-unknown-linux-gnu",
    "x86-64-v3": "x86_64-unknown-linux-gnu",
    "aarch64": "aarch64-unknown-linux-gnu",
    "macos-arm64": "arm64-apple-macosx11.0",
}
PROCESSORS = {"aarch64": "generic", "macos-arm64": "apple-m1"}  # where that is not the name of the level


Report = Callable[[str], None]  # takes what is going on, in words


def silent(doing: str) -> None:
    """Report nothing."""


def callers_first(store: Store, roots: Iterable[str]) -> list[str]:
    """Keys of pieces and of all below, each once. A linker takes only what was named before: callees come later."""
    found: dict[str, None] = {}
    seen: set[str] = set()

    def visit(key: str) -> None:
        if key not in seen:
            seen.add(key)
            for one in store.calls(key):
                visit(one)
            found[key] = None

    for root in roots:
        visit(root)
    return list(reversed(found))


def linked(store: Store, roots: Iterable[str], whole: Any, report: Report = silent) -> Any:
    """``whole`` with all pieces below the roots in it."""
    keys = callers_first(store, roots)
    for done, key in enumerate(keys):
        report(f"{done} of {len(keys)} pieces put together")
        whole.link_in(llvm.parse_bitcode(store.bitcode(key)))
    needed = [function.name for function in whole.functions if function.is_declaration and function.name in HELPERS]
    for name in needed:
        whole.link_in(llvm.parse_assembly(HELPERS[name]))
    return whole


def hide(whole: Any, entries: set[str]) -> None:
    """Private, so that not even their names are seen: all functions but the entries."""
    for function in whole.functions:
        if not function.is_declaration and function.name not in entries:
            function.linkage = llvm.Linkage.private


@cache
def leave_out() -> None:
    """Set, once in a process, which pass LLVM need not run."""
    if llvm.llvm_version_info[0] >= LEAVES_OUT:
        llvm.set_option("jointplay", f"-opt-disable={POINTLESS}")


@cache
def machine(level: str) -> Any:
    """What LLVM knows of a processor."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLES[level])
    return target.create_target_machine(cpu=PROCESSORS.get(level, level), opt=SPEED, reloc="pic", codemodel="default")


def object_code(whole: Any, level: str, report: Report = silent) -> bytes:
    """Optimised machine code of a module, as an object file."""
    leave_out()
    made = machine(level)
    whole.triple, whole.data_layout = TRIPLES[level], str(made.target_data)
    options = llvm.create_pipeline_tuning_options(SPEED)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(made, options)
    report("optimising")
    builder.getModulePassManager().run(whole, builder)
    report("making machine code")
    return bytes(made.emit_object(whole))
