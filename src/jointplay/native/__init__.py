"""Kernels as Python calls them, at run time and without a compiler.

kernel.py     what ``@jit`` makes of a function: finds its machine code and calls it
arguments.py  arguments as machine code takes them: slots of eight bytes
library.py    shared libraries that ship with the package, or were made here: found, checked, loaded
contents.py   a key of what a kernel does: its code and all that it calls, without comments and docstrings
sources.py    the files that kernels are written in, and whether a library was made from them
processor.py  which of the libraries this processor can run

Kernels are compiled by the package ``compiler``, which needs Numba; nothing here imports it unless a kernel is needed
that no library holds.
"""
