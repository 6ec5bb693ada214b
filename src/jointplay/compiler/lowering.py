"""A kernel by itself, typed and lowered to LLVM code: a *piece*.

Numba makes machine code of every function, with all functions that it calls inside: what lies ten calls deep is
optimised ten times over, and each of the ten gets a wrapper for calls from Python. Here its way ends at LLVM code in
which other pieces are named, not copied; libraries are linked from pieces (module.py).

A piece is known by what it is made of: the content of its function and of all below (native/contents.py), and the types
of its arguments. It has its name from there too, so that pieces of several processes fit together.

The LLVM code of a piece depends on less: on its function, and on the types that its callees return. If only callees
have changed, and still return the same, the piece that was lowered before is taken with other names in it.

Kernels count from the front of an array, never from its end: no index is negative. So none is tested for its sign, as
Numba does at each access; that alone was a tenth of all instructions of a step.

All that touches private parts of Numba is in this file and in entries.py.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, NamedTuple

import llvmlite
import numba
from llvmlite import binding as llvm
from llvmlite import ir
from numba.core import typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher
from numba.core.types import intp, uintp, unliteral
from numba.np import arrayobj

from ..native.contents import COPIED, MERGED, number_of, own_content
from ..native.kernel import OPTIONS, Kernel, listeners
from .kernel_locks import claims_in
from .store import Store, store

Types = tuple[Any, ...]  # of arguments
LOWERING = 3  # changes with what this file does to a kernel


def keep_to_itself(module: Any, entry: str) -> None:
    """Make all functions of a module private but the one that others call.

    Numba names helper functions (such as complex division) by a number that counts in each process. Pieces come from
    many processes, and of two functions of one name a linker keeps the first, whatever is in the other.
    """
    for function in module.functions:
        if not function.is_declaration and function.name != entry:
            function.linkage = llvm.Linkage.private
    for variable in module.global_variables:
        if not variable.is_declaration:  # its environment too, which only a call from Python would fill
            variable.linkage = llvm.Linkage.private


class Code(JITCodeLibrary):
    """LLVM code of one piece, with what Numba itself adds to it; other pieces are named, not copied."""

    key: str
    calls: list[str]  # keys of the pieces that it calls
    entry: str  # name of the function that the piece is
    callees: list[Code]

    def finalize(self) -> None:
        """Take in what is no piece, for this piece alone."""
        libraries = dict.fromkeys(self._linking_libraries)
        self.callees = [one for one in libraries if isinstance(one, Code)]
        self.calls = [one.key for one in self.callees]
        for one in libraries:
            if not isinstance(one, Code):
                self._final_module.link_in(one._get_module_for_linking(), preserve=True)
        keep_to_itself(self._final_module, self.entry)
        self._finalized = True

    def rename(self, names: dict[str, str]) -> None:
        """Give functions other names: its own, and those of callees."""
        functions = {new: self._final_module.get_function(old) for old, new in names.items() if old != new}
        for function in functions.values():
            function.name = ""  # two may change places
        for new, function in functions.items():
            function.name = new
        self.entry = names[self.entry]

    def merge(self) -> None:
        """Have the optimiser put it into each caller."""
        self._final_module.get_function(self.entry).add_function_attribute("alwaysinline")

    @classmethod
    def read(cls, codegen: Any, key: str, entry: str, calls: list[str], bitcode: bytes) -> Code:
        """As it was kept on disk."""
        code = cls(codegen, entry)
        code.key, code.entry, code.calls, code._finalized = key, entry, calls, True
        code._final_module = llvm.parse_bitcode(bitcode)
        return code

    def alone(self) -> Any:
        """A module that holds only what is used."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """With everything below, for a function that is none of ours."""
        from .module import linked

        return linked(store(), [self.key], self.alone().clone())


class Piece(NamedTuple):
    """A kernel as other kernels see it."""

    signature: Any
    description: Any  # Numba's names for the function and its arguments
    code: Code


class Call(NamedTuple):
    """What a piece was lowered with: one of the kernels that its function calls."""

    number: int  # in ``own_content``
    types: Types
    returns: Any
    entry: str  # its name then; empty if types were only tried


def as_it_stands(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index of an array in LLVM code; in place of Numba's own, which lets negative ones count from the end."""
    if isinstance(index, ir.Constant) and kind.signed and index.constant < 0:
        raise TypeError("a kernel counts from the front of an array: no index may be negative")
    return context.cast(builder, index, kind, intp if kind.signed else uintp)


@contextmanager
def counted_from_the_front() -> Iterator[None]:
    """Meanwhile indices are taken as they stand. Under the lock of the compiler: code of others is not concerned."""
    kept = arrayobj.fix_integer_index
    arrayobj.fix_integer_index = as_it_stands
    try:
        yield
    finally:
        arrayobj.fix_integer_index = kept


class Lowering(CompilerBase):
    """Numba's way from Python to LLVM code, and no further."""

    uid: int

    def define_pipelines(self) -> list[Any]:
        """The usual passes, into a library of our own, under a name that other processes would give it too."""
        self.state.flags.no_compile = self.state.flags.no_cpython_wrapper = self.state.flags.no_cfunc_wrapper = True
        self.state.func_id.unique_id = self.uid
        self.state.library = Code(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


@cache
def _made_by() -> str:
    return f"{LOWERING} {numba.__version__} {llvmlite.__version__} {sorted(OPTIONS.items(), key=str)}"


def piece_key(kernel: Kernel, types: Types) -> str:
    """Under which a piece is kept."""
    return _hashed(f"{kernel.content_key()} {kernel.manner} {types} {_made_by()}")


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class Dispatcher(CPUDispatcher):
    """A kernel as Numba knows it."""

    targetctx: Any
    _compiler: Any

    def __init__(self, kernel: Kernel) -> None:
        options = OPTIONS | ({"inline": "always"} if kernel.manner == COPIED else {})
        super().__init__(kernel.py_func, targetoptions=options)
        self.kernel = kernel
        self.pieces: dict[Types, Piece] = {}

    def piece(self, types: Types) -> Piece:
        """The piece for these types of arguments, from memory or disk, or lowered now."""
        with global_compiler_lock:
            if types not in self.pieces:
                key, kept = piece_key(self.kernel, types), store()
                claims = claims_in(kept.folder)
                with claims.on(f"piece {key}") if claims else nullcontext():
                    piece = self._read(kept, key) or self._make(kept, key, types)
                self.targetctx.insert_user_function(piece.code, piece.description, [piece.code])
                self.pieces[types] = piece
            return self.pieces[types]

    def _read(self, kept: Store, key: str) -> Piece | None:
        found = kept.read(key)
        if found is None:
            return None
        (signature, description), entry, calls, bitcode = found
        return Piece(signature, description, Code.read(self.targetctx.codegen(), key, entry, calls, bitcode))

    def _make(self, kept: Store, key: str, types: Types) -> Piece:
        """With callees as they are now: as lowered before, if that still holds, or lowered now."""
        content, callees = own_content(self.kernel.py_func)
        own = _hashed(f"{content} {self.kernel.manner} {types} {_made_by()}")
        piece = self._renewed(kept, own, key, callees)
        if piece is None:
            for listener in listeners:
                listener(self.kernel, False)
            piece, calls = self._lower(own, key, types, callees)
        else:
            calls = None
        code, facts = piece.code, (piece.signature, piece.description)
        kept.write(key, self.kernel.name, facts, code.entry, code.calls, code.alone().as_bitcode())
        if calls is not None:
            kept.set_latest(own, key, calls)
            for listener in listeners:
                listener(self.kernel, True)
        return piece

    def _renewed(self, kept: Store, own: str, key: str, callees: list[Kernel]) -> Piece | None:
        """The piece that was lowered last for the function, if its callees return what they returned then."""
        latest = kept.latest(own)
        piece = self._read(kept, latest[0]) if latest else None
        if latest is None or piece is None:
            return None
        names, calls = {piece.code.entry: self._entry(key)}, []
        for call in latest[1]:
            try:
                now = dispatcher_of(callees[call.number]).piece(call.types)
            except NumbaError:  # perhaps it is no longer called with these types
                return None
            if now.signature.return_type != call.returns:
                return None
            if call.entry:
                names[call.entry] = now.code.entry
                calls.append(now.code.key)
        piece.code.rename(names)
        piece.code.key, piece.code.calls = key, calls
        piece.description.mangled_name = piece.code.entry
        return piece

    def _lower(self, own: str, key: str, types: Types, callees: list[Kernel]) -> tuple[Piece, list[Call] | None]:
        """With all that it calls; the second is None if a call cannot be given by the number of the callee."""
        pipeline = type("Lowering", (Lowering,), {"uid": int(own[:15], 16)})
        compiler = _FunctionCompiler(self.py_func, self.targetdescr, self.targetoptions, {}, pipeline)
        _tried.append([])
        try:
            with counted_from_the_front():
                result = compiler.compile(types, None)
        finally:
            tried = _tried.pop()
        code, description = result.library, result.fndesc
        code.key, code.entry = key, description.llvm_func_name
        code.finalize()
        code.rename({code.entry: self._entry(key)})
        if self.kernel.manner == MERGED:
            code.merge()
        description.mangled_name = code.entry
        description.typemap = description.calltypes = None  # large, and needed no more
        return Piece(result.signature, description, code), _calls(code, tried, callees)

    def _entry(self, key: str) -> str:
        """Name of the function in LLVM code."""
        return f"{self.kernel.name} {key}"

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How Numba types a call of this one by a kernel.

        A constant is a value like any other; Numba would compile the callee and all below it for each one.
        """
        named = {name: unliteral(one) for name, one in kws.items()}
        parameters, types = self._compiler.fold_argument_types(tuple(map(unliteral, args)), named)
        piece = self.piece(tuple(types))
        if _tried:
            _tried[-1].append((self.kernel, tuple(types), piece))
        signatures = [piece.signature for piece in self.pieces.values()]
        name = self.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=signatures), parameters, types, {}

    def get_overload(self, sig: Any) -> Any:
        """What Numba takes next: a name for the code."""
        return self.piece(tuple(sig)).code


# calls for which types were sought, in each of the kernels that are being lowered
_tried: list[list[tuple[Kernel, Types, Piece]]] = []


def _calls(code: Code, tried: list[tuple[Kernel, Types, Piece]], callees: list[Kernel]) -> list[Call] | None:
    """All calls that had a say in the types of a piece, by the numbers of the callees."""
    found: dict[str, Call] = {}
    for kernel, types, piece in tried:
        number, entry = number_of(kernel, callees), piece.code.entry
        if number == len(callees):
            return None
        name = entry if piece.code.key in code.calls else ""
        found[piece.code.key] = Call(number, types, piece.signature.return_type, name)
    return list(found.values()) if all(key in found for key in code.calls) else None


_dispatchers: dict[Kernel, Dispatcher] = {}


def dispatcher_of(kernel: Kernel) -> Dispatcher:
    """The one of a kernel, made on first use."""
    with global_compiler_lock:
        if kernel not in _dispatchers:
            _dispatchers[kernel] = Dispatcher(kernel)
        return _dispatchers[kernel]
