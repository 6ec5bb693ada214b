"""Places of the arrays of an HDF5 file, found by a process of its own.

HDF5 trusts the file: a damaged one can make it loop for ever, take all memory or crash. So files without a
seal (of older versions, or rewritten by other programs) are looked at in a process with limits, which reports where the
arrays are; the numbers themselves are then read without HDF5. Run as a program this file is that process; it imports
nothing of the package.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 3  # of work
PATIENCE = 60.0  # s of waiting, on a machine that is busy
MEMORY = 2 << 30  # bytes
LONGEST = 64 << 20  # bytes of an answer
FEW = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}  # threads: none is needed


def outline(path: Path) -> dict[str, Any]:
    """Our format's number (0: not ours), arrays as (offset, kind, shape), bytes of the State's parts; or ValueError."""
    if not sys.executable or getattr(sys, "frozen", False):  # a program of its own, not a Python
        raise ValueError("it has no seal, and there is no Python to look at it")
    command = [sys.executable, "-P", __file__, os.fspath(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=PATIENCE, check=False, stdin=subprocess.DEVNULL, env=os.environ | FEW
        )
    except (subprocess.TimeoutExpired, OSError):
        raise ValueError("HDF5 does not come to an end with it") from None
    if done.returncode != 0 or len(done.stdout) > LONGEST:
        raise ValueError("HDF5 cannot read it")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _limit() -> None:
    try:
        import resource
    except ImportError:  # no such limits on this system: the parent's patience must do
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _print_outline(path: str) -> None:
    _limit()
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        arrays = {}
        for name, entry in file.items():
            if isinstance(entry, h5py.Dataset) and entry.dtype.kind in "fiu":
                offset = entry.id.get_offset()
                arrays[name] = [0 if offset is None and not entry.size else offset, entry.dtype.str, list(entry.shape)]
        form = file.attrs["jointplay_format"].ravel() if "jointplay_format" in file.attrs else [0]
        sizes = file["state"].attrs["sizes"].tolist() if "state" in file else []
        print(json.dumps({"format": int(form[0]), "arrays": arrays, "sizes": sizes}))


if __name__ == "__main__":
    try:
        _print_outline(sys.argv[1])
    except Exception:  # whatever it is: the file is the cause
        sys.exit(1)
