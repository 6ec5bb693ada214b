"""Where compiled kernels are kept: a folder that nobody else can write.

Kernels on disk are machine code and pickles. Whoever can put a file there runs code in every process that loads it, so
a folder is taken only if

* it, all that is in it, and what leads there belong to this user (or to root, who can do anything anyway), and
* nobody else can write it; a place that leads there may be shared if it keeps people's things apart (as /tmp does).

Folders are made for this user alone, whatever the umask. One that is refused is reported on stderr, and the next
candidate is taken; the last one is a fresh folder for this process only.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

VARIABLE = "JOINTPLAY_CACHE_DIR"
ROOT = 0
OTHERS = stat.S_IWGRP | stat.S_IWOTH


def kernel_folder(name: str, package: Path) -> Path:
    """The folder ``name`` for compiled kernels of the package, made if need be.

    Candidates are what JOINTPLAY_CACHE_DIR names, or else a place beside the package; then the user's own cache.
    """
    for parent, trusted in _candidates(package):
        folder = parent / name
        if not _made(folder):
            continue
        refusal = objection(folder, trusted)
        if not refusal:
            return folder
        _warn(f"{refusal}: compiled kernels there are not used; set {VARIABLE} to a folder that is yours alone")
    return Path(tempfile.mkdtemp(prefix="jointplay-kernels-"))


def _candidates(package: Path) -> Iterator[tuple[Path, Path | None]]:
    """Folders to try; and what leads to them, if that is to be trusted like the package itself."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        yield Path(chosen).absolute() / "kernels", None
    else:
        beside = package / "__pycache__"  # who can write it can change the package's code
        yield beside / "kernels", beside
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    yield Path(home).absolute() / "jointplay" / "kernels", None


def _made(folder: Path) -> bool:
    """Make a folder, for this user alone, and try to write in it."""
    try:
        for part in (*reversed(folder.parents), folder):
            if not part.exists():
                part.mkdir(mode=0o700, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError:
        return False
    return True


def objection(folder: Path, trusted: Path | None = None) -> str:
    """Why kernels in ``folder`` must not be run; nothing if they may. Ways are looked at up to ``trusted``."""
    if not hasattr(os, "getuid"):  # a system where folders of users are private
        return ""
    owners = {ROOT, os.getuid()} | ({trusted.stat().st_uid} if trusted else set())
    real = folder.resolve()
    for place in (real, *real.parents):
        if trusted and place == trusted.resolve():
            break
        shared_well = place != real and bool(place.stat().st_mode & stat.S_ISVTX)
        found = _fault(str(place), place.stat(), owners, shared_well)
        if found:
            return found
    return next(_faults_inside(real, owners), "")


def _faults_inside(folder: Path, owners: set[int]) -> Iterator[str]:
    """Things in a folder, and in folders in it, that others own or can write."""
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                facts = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # another process has taken its own away
                continue
            if entry.is_symlink():
                yield f"{entry.path} leads to another place"
            elif found := _fault(entry.path, facts, owners):
                yield found
            elif stat.S_ISDIR(facts.st_mode):
                yield from _faults_inside(Path(entry.path), owners)


def _fault(path: str, facts: os.stat_result, owners: set[int], shared_well: bool = False) -> str:
    if facts.st_uid not in owners:
        return f"{path} belongs to another owner"
    if facts.st_mode & OTHERS and not shared_well and not (_is_own(facts.st_gid) and not facts.st_mode & stat.S_IWOTH):
        return f"{path} is writable by others"
    return ""


def _is_own(group: int) -> bool:
    """True for the group that bears a user's name and has no other member, as many systems make one for each."""
    try:
        import grp
        import pwd

        me, found = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except (ImportError, KeyError):
        return False
    return group == me.pw_gid and found.gr_name == me.pw_name and set(found.gr_mem) <= {me.pw_name}


@cache
def _warn(text: str) -> None:
    """Warn once."""
    if sys.stderr is not None:
        print(f"warning: {text}", file=sys.stderr)
