"""The files that kernels are written in, and whether a library was made from them as they are.

A file is known by two hashes: of its bytes, and of its code without comments and docstrings. The second one is looked
at only where the first one differs.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent
ENGINE_FOLDERS = ("numerics", "relations", "laws", "assemble", "methods")
UPPER_FOLDERS = ("tangent",)  # kernels that call those of the engine, which know nothing of them
ALL_FOLDERS = (*ENGINE_FOLDERS, *UPPER_FOLDERS)
LIBRARIES = {  # folders that each is made of
    "engine": ENGINE_FOLDERS,
    "derivatives": ALL_FOLDERS,
    "contact_derivatives": ALL_FOLDERS,
    "complex": ALL_FOLDERS,
}

Hashes = dict[str, list[str]]  # by file


def kernel_files(library: str) -> list[Path]:
    """Every file that a library may depend on."""
    files = [PACKAGE / "arrays.py", PACKAGE / "codes.py"]
    for folder in LIBRARIES[library]:
        files += sorted((PACKAGE / folder).glob("*.py"))
    return files


def hashes(library: str) -> Hashes:
    """Both hashes of each file, to be kept beside a library."""
    found = {}
    for file in kernel_files(library):
        text = file.read_bytes()
        found[_name(file)] = [_of_bytes(text), _of_code(text)]
    return found


def are_unchanged(library: str, known: Hashes) -> bool:
    """True if the sources are those of which ``known`` was written down."""
    files = {_name(file): file for file in kernel_files(library)}
    return files.keys() == known.keys() and all(_is_same(file, known[name]) for name, file in files.items())


def _is_same(file: Path, known: list[str]) -> bool:
    text = file.read_bytes()
    return _of_bytes(text) == known[0] or _of_code(text) == known[1]


def _name(file: Path) -> str:
    return file.relative_to(PACKAGE).as_posix()


@cache
def _of_bytes(text: bytes) -> str:
    return hashlib.sha256(text.replace(b"\r\n", b"\n")).hexdigest()[:16]


def _of_code(text: bytes) -> str:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # whoever imports it gets the error
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            del node.body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]
