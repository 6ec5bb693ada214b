"""Kernels compiled in two halves, so that the costly one is done once.

Numba makes machine code of every function, with all functions that it calls inside: what lies ten calls deep is
optimised ten times over, and each of the ten gets a wrapper for calls from Python. Here

* a *piece* is one kernel by itself, typed and lowered to LLVM code; it is kept on disk and never runs;
* a *program* is a kernel as Python calls it: its piece and all pieces below, linked, optimised as a whole and made
  machine code, with the one wrapper.

A kernel becomes a program when Python calls it, and only then. Cold runs start twice as fast that way, and the code is
as fast as before: seen as a whole, all functions but one are private, and the optimiser may shape them as it likes.
"""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from llvmlite import binding as llvm
from numba.core import config, event, typing
from numba.core.caching import Cache, CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder, Flags, _make_subtarget, compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import _FunctionCompiler  # type: ignore[attr-defined]
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral

from .claims import claims_in

PREFIX = "piece."  # of file names
SPEED = 3  # how hard LLVM tries
SETTINGS: Any = config

Types = tuple[Any, ...]  # of arguments


class Place(NamedTuple):
    """Where a piece is found: a kernel, and the types of its arguments."""

    module: str
    name: str
    types: Types

    def code(self) -> Code:
        """The LLVM code, from memory or disk, or compiled now."""
        key = self.module, self.name
        if key not in KERNELS:
            importlib.import_module(self.module)
        return KERNELS[key].piece(self.types).code


def keep_to_itself(module: Any, entry: str) -> None:
    """Make all functions of a module private but the one that others call.

    Numba names helper functions (complex division, say) by a number that counts in each process. Pieces come from many
    processes, and of two functions of one name a linker keeps the first, whatever is in the other.
    """
    for function in module.functions:
        if not function.is_declaration and function.name != entry:
            function.linkage = llvm.Linkage.private


class Code(JITCodeLibrary):
    """LLVM code of one piece, with what Numba itself adds to it; other pieces are named, not copied."""

    place: Place
    calls: list[Place]
    entry: str  # name of the function that the piece is

    def finalize(self) -> None:
        """Take in what is no piece, for this piece alone."""
        libraries = dict.fromkeys(self._linking_libraries)
        self.calls = [one.place for one in libraries if isinstance(one, Code)]
        for one in libraries:
            if not isinstance(one, Code):
                self._final_module.link_in(one._get_module_for_linking(), preserve=True)
        keep_to_itself(self._final_module, self.entry)
        self._finalized = True

    @classmethod
    def read(cls, codegen: Any, place: Place, calls: list[Place], bitcode: bytes) -> Code:
        """As it was kept on disk."""
        code = cls(codegen, place.name)
        code.place, code.calls, code._finalized = place, calls, True
        code._final_module = llvm.parse_bitcode(bitcode)
        return code

    def alone(self) -> Any:
        """A module in which nothing is kept that nobody uses."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """With everything below: what a function asks for that is none of ours."""
        whole = self.alone().clone()
        for code in self.callers_first()[1:]:
            whole.link_in(code.alone(), preserve=True)
        return whole

    def callers_first(self) -> list[Code]:
        """This code and all below it, each once. A linker takes only what has been asked for: callees come later."""
        found: dict[Place, Code] = {}

        def visit(code: Code) -> None:
            if code.place not in seen:
                seen.add(code.place)
                for place in code.calls:
                    visit(place.code())
                found[code.place] = code

        seen: set[Place] = set()
        visit(self)
        return list(reversed(found.values()))


class Program(JITCodeLibrary):
    """Machine code of a kernel and of everything below it."""

    def take(self, code: Code) -> None:
        """Link, and hide from the outside what only pieces call.

        Private, so that not even their names are seen: the loader of machine code takes a local function for the one
        of that name which code of others asks for, although the optimiser may have changed its arguments.
        """
        for one in code.callers_first():
            self._final_module.link_in(one.alone(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage is llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.private

    def _optimize_final_module(self) -> None:
        """Once: Numba's first round is there for reference counts, which kernels have none of."""
        made = self._codegen._module_pass_manager(opt=SPEED)
        passes, *builder = made if isinstance(made, tuple) else (made,)  # Numba before 0.62 has no builder
        passes.run(self._final_module, *builder)


class Piece(NamedTuple):
    """A kernel as other kernels see it."""

    signature: Any
    description: Any  # Numba's names for the function and its arguments
    environment: Any
    code: Code

    @property
    def codegen(self) -> Any:
        """What it is compiled for; part of the key on disk."""
        return self.code.codegen


class PieceFiles(CompileResultCacheImpl):
    """A piece on disk."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Beside the programs of the same kernel."""
        return PREFIX + str(super().get_filename_base(fullname, abiflags))

    def check_cachable(self, data: Piece) -> bool:
        """Kernels hold no addresses of this process."""
        return True

    def reduce(self, data: Piece) -> tuple[Any, ...]:
        """As plain data."""
        data.description.typemap = data.description.calltypes = None  # large, and needed no more
        bitcode = data.code.alone().as_bitcode()
        return *data[:3], data.code.place, data.code.calls, bitcode

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Piece:
        """The other way round."""
        signature, description, environment, *code = payload
        return Piece(signature, description, environment, Code.read(target_context.codegen(), *code))


class Shared(Cache):
    """A cache that several processes fill at once: one at a time adds to an index."""

    def save_overload(self, sig: Any, data: Any) -> None:
        """As Numba does, alone."""
        with claimed(self.cache_path, self._cache_file._index_path):
            super().save_overload(sig, data)


class PieceCache(Shared):
    """One index per kernel."""

    _impl_class = PieceFiles  # type: ignore[assignment]


class ProgramCache(Shared):
    """Another one."""

    _impl_class = CompileResultCacheImpl  # type: ignore[assignment]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """As Numba does, without importing first all that it can compile: machine code needs none of it."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def claimed(place: str, thing: str) -> AbstractContextManager[None]:
    """A claim on something that is kept in a folder (numerics/claims.py)."""
    claims = claims_in(Path(place).parent)  # one file for all folders of a cache
    return claims.on(thing) if claims else nullcontext()


class Lowering(CompilerBase):
    """Numba's way from Python to LLVM code, and no further."""

    def define_pipelines(self) -> list[Any]:
        """The usual passes, into a library of our own."""
        self.state.flags.no_compile = self.state.flags.no_cpython_wrapper = True
        self.state.library = Code(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


class Linking(_FunctionCompiler):
    """From pieces to a program."""

    def __init__(self, kernel: Kernel) -> None:
        super().__init__(kernel.py_func, kernel.targetdescr, kernel.targetoptions, {}, Lowering)
        self.kernel = kernel

    def _compile_core(self, args: Types, return_type: Any) -> CompileResult:
        piece, flags = self.kernel.piece(tuple(args)), Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        context = _make_subtarget(self.targetdescr.target_context, flags)
        library = Program(context.codegen(), self.py_func.__qualname__)
        library.enable_object_caching()
        context.create_cpython_wrapper(library, piece.description, piece.environment, None, flags.release_gil)
        library.take(piece.code)
        return compile_result(
            typing_context=self.targetdescr.typing_context,
            target_context=context,
            entry_point=context.get_executable(library, piece.description, piece.environment),
            library=library,
            signature=piece.signature,
            fndesc=piece.description,
            environment=piece.environment,
            typing_error=None,
            type_annotation=None,
            call_helper=None,
            objectmode=False,
            lifted=(),
            metadata={},
            reload_init=[],
        )


class Kernel(CPUDispatcher):
    """What ``@jit`` makes of a function: a piece for kernels that call it, a program for Python."""

    def __init__(self, function: Any, options: dict[str, Any], folder: str) -> None:
        super().__init__(function, targetoptions=options)
        self.place = function.__module__, function.__qualname__
        if "<locals>" in function.__qualname__:
            raise TypeError(f"{'.'.join(self.place)}: a kernel is found by its name, so it must stand by itself")
        KERNELS[self.place] = self
        self.pieces: dict[Types, Piece] = {}
        self.folder = folder
        del self._compiler, self._cache  # Numba's; ours are made on first use, since most kernels are never called

    @cached_property
    def _lowering(self) -> Any:
        return _FunctionCompiler(self.py_func, self.targetdescr, self.targetoptions, {}, Lowering)

    @cached_property
    def _compiler(self) -> Any:
        return Linking(self)

    @cached_property
    def _piece_cache(self) -> PieceCache:
        return self._kept(PieceCache)

    @cached_property
    def _cache(self) -> ProgramCache:
        return self._kept(ProgramCache)

    def _kept(self, kind: Any) -> Any:
        """A cache in the folder of this kernel; Numba takes the folder from a setting."""
        with global_compiler_lock:
            outside = SETTINGS.CACHE_DIR
            SETTINGS.CACHE_DIR = self.folder
            try:
                return kind(self.py_func)
            finally:
                SETTINGS.CACHE_DIR = outside

    def piece(self, types: Types) -> Piece:
        """The piece for these types of arguments, from memory or disk, or compiled now."""
        with global_compiler_lock:
            if types not in self.pieces:
                with claimed(self._cache.cache_path, f"piece {self.place}{types}"):
                    piece = self._piece_cache.load_overload(types, self.targetctx) or self._lower(types)
                self.targetctx.insert_user_function(piece.code, piece.description, [piece.code])
                self.pieces[types] = piece
            return self.pieces[types]

    def _lower(self, types: Types) -> Piece:
        with event.trigger_event("numba:compile", data={"dispatcher": self, "args": types}):
            result = self._lowering.compile(types, None)
        result.library.place, result.library.entry = Place(*self.place, types), result.fndesc.llvm_func_name
        result.library.finalize()
        piece = Piece(result.signature, result.fndesc, result.environment, result.library)
        self._piece_cache.save_overload(types, piece)
        return piece

    def compile(self, sig: Any) -> Any:
        """The program for these types of arguments, in the same way."""
        with global_compiler_lock:  # before the claim, or two threads of two processes might wait in a circle
            if sig in self.overloads:
                return super().compile(sig)
            with claimed(self._cache.cache_path, f"program {self.place}{sig}"):
                return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What Numba asks when a kernel calls this one.

        A constant is a value like any other; Numba would compile the callee and all below it for each one.
        """
        named = {name: unliteral(one) for name, one in kws.items()}
        parameters, types = self._lowering.fold_argument_types(tuple(map(unliteral, args)), named)
        self.piece(tuple(types))
        signatures = [piece.signature for piece in self.pieces.values()]
        name = self.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=signatures), parameters, types, {}

    def get_overload(self, sig: Any) -> Any:
        """What Numba asks next: a name for the code."""
        return self.piece(tuple(sig)).code


KERNELS: dict[tuple[str, str], Kernel] = {}  # by module and name
