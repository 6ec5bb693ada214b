"""From kernels to machine code. Lowering needs Numba; libraries of LLVM code that is there need llvmlite alone.

lowering.py      a kernel by itself: typed and lowered to LLVM code by Numba, whose private parts are met here
store.py         pieces on disk, by what they are made of
entries.py       what Python calls: arguments by raw pointers, and the layout of the result
module.py        pieces linked into one LLVM module, optimised, made an object file
helpers.py       what Numba's code takes from its own library
linker.py        object file to shared library, by the system's compiler or the one in the ziglang wheel
written.py       an LLVM module made a library, with its manifest
shared.py        all of this: a library of entries
arithmetic.py    functions of plain numbers as LLVM code, without Numba: laws that users write
own.py           the library of such a law; own_numba.py where it is more than plain arithmetic
on_demand.py     a library of one kernel, for arguments that no other library has
kernel_locks.py  several processes at work: each piece is made by one of them
numbaversion.py  which versions of Numba will do
"""

from . import numbaversion  # noqa: F401  raises where a Numba is installed that will not do
