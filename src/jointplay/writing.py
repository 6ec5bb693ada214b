"""Where a file may be written, and how.

Everything that is written for a user goes through here. A place that holds anything but a plain file (a device, a pipe,
a link, a directory) is refused. What is written is finished beside its place and then takes its name, so that a full
disk or Ctrl-C leaves what was there before, and nothing half-written.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from .errors import InputError, Problem

KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISLNK, "a link; name the file itself"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)
MEANINGS = {  # of endings
    ".nc": "a result",
    ".part": "a result that is being written",
    ".csv": "a table",
    ".tsv": "a table",
    ".txt": "a text",
    ".html": "a page",
    ".htm": "a page",
    ".png": "a picture",
    ".svg": "a picture",
    ".pdf": "a picture",
    ".mp4": "a film",
    ".webm": "a film",
    ".gif": "a film",
    ".yaml": "a model",
    ".yml": "a model",
    ".json": "JSON",
    ".xlsx": "a spreadsheet",
    ".parquet": "a table",
    ".py": "a program",
}


def obstacle(mode: int) -> str:
    """What something with this mode (``st_mode``) is, unless it is a plain file: then nothing."""
    if stat.S_ISREG(mode):
        return ""
    return next((word for test, word in KINDS if test(mode)), "no plain file")


def reason(error: BaseException) -> str:
    """Why the system refused, without the inner life of a file format."""
    number = getattr(error, "errno", None)
    if number:
        return os.strerror(number)
    found = re.search(r"error message = '([^']*)'", str(error))
    return found[1] if found else str(error).splitlines()[0] if str(error) else type(error).__name__


def cannot_write(path: str | PathLike[str], why: str, field: str = "output") -> InputError:
    """The error of a file that cannot be written."""
    return InputError(Problem(field, f"cannot write {path}: {why}"))


def refuse_place(path: str | PathLike[str], field: str = "output") -> Path:
    """The path, or an InputError if no file can or may be written there."""
    target = Path(path)
    try:
        kind = obstacle(os.lstat(target).st_mode)
        why = f"it is {kind}" if kind else ""
    except FileNotFoundError:
        why = "" if target.parent.is_dir() else f"there is no folder {target.parent}"
    except OSError as error:
        why = reason(error)
    except ValueError:  # a null character
        why = "no file can have this name"
    if why:
        raise cannot_write(path, why, field)
    return target


def refuse_ending(path: str | PathLike[str], own: tuple[str, ...], hint: str, field: str = "output") -> None:
    """InputError if a name ends like another kind of file; ``own`` endings, and those that mean nothing, may be."""
    ending = Path(path).suffix.lower()
    if ending in MEANINGS and ending not in own:
        raise cannot_write(path, f"the ending {ending} means {MEANINGS[ending]}; {hint}", field)


@contextmanager
def writing(path: str | PathLike[str], field: str = "output") -> Iterator[Path]:
    """A file of the same name in a folder of its own, to be written; it takes its place when the block has ended."""
    target = refuse_place(path, field)
    try:
        with TemporaryDirectory(prefix=".jointplay-", dir=target.parent, ignore_cleanup_errors=True) as folder:
            draft = Path(folder) / target.name
            yield draft
            refuse_place(target, field)  # again: it may have taken long
            if target.exists():
                os.chmod(draft, stat.S_IMODE(target.stat().st_mode))
            os.replace(draft, target)
    except OSError as error:
        raise cannot_write(path, reason(error), field) from None


def write_whole(path: str | PathLike[str], text: str | bytes, field: str = "output") -> Path:
    """Write a text (UTF-8) or bytes, whole or not at all."""
    with writing(path, field) as draft:
        draft.write_bytes(text.encode() if isinstance(text, str) else text)
    return Path(path)
