"""merge_studies: rows of several files of one study put together, as job arrays leave them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path

import numpy as np

from ..errors import InputError, Problem
from ..writing import cannot_write, reason
from .description import Description
from .store import DONE, StudyFile, refuse_output


def merge_studies(files: Sequence[str | PathLike[str]], output: str | PathLike[str]) -> Path:
    """Put the rows of several files of one study (shards) together in one; rows that several have must be the same."""
    paths = [Path(one) for one in files]
    if not paths:
        raise InputError(Problem("files", "names nothing to merge"))
    target = Path(output)
    refuse_output(target)
    if target.exists():
        raise cannot_write(target, "it is there; choose another name")
    opened: list[StudyFile] = []
    draft = target.with_name(f".{target.name}.merged.{os.getpid()}")
    try:
        for path in paths:
            opened.append(StudyFile(path, write=False))
        _refuse_others(opened)
        StudyFile.create(draft, max(one.count for one in opened), opened[0].columns, opened[0].texts)
        whole = StudyFile(draft, write=True)
        for one in opened:
            _copy(one, whole)
        whole.close()
        os.replace(draft, target)
    except OSError as error:
        raise cannot_write(target, reason(error)) from None
    finally:
        for one in opened:
            one.close()
        with suppress(OSError):
            draft.unlink()
    return target


def _refuse_others(opened: list[StudyFile]) -> None:
    """InputError for files that belong to another study, or were given other limits."""
    first, problems = opened[0], []
    for other in opened[1:]:
        if other.texts["key"] != first.texts["key"]:
            differences = Description(first.lines, {}).differences(other.lines)
            lines = "".join(f"\n    {line}" for line in differences)
            message = f"belongs to another study than {first.path}; these lines differ (-: of this file):{lines}"
            problems.append(Problem("", message, str(other.path)))
        elif other.texts["changing"] != first.texts["changing"]:
            message = f"has other limits than {first.path}: {other.texts['changing']} for {first.texts['changing']}"
            problems.append(Problem("", message, str(other.path)))
    if problems:
        raise InputError(problems)


def _copy(one: StudyFile, whole: StudyFile) -> None:
    """Rows of a file that are done; InputError where both have a row and it differs."""
    status = np.asarray(one.column("status")) == DONE
    both = np.flatnonzero(status & (np.asarray(whole.column("status"))[: one.count] == DONE))
    differ = both[np.asarray(one.column("checksum"))[both] != np.asarray(whole.column("checksum"))[both]]
    if len(differ):
        message = f"sample {differ[0]} is another one here than in the files before; one of them is not to be trusted"
        raise InputError(Problem("", message, str(one.path)))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], status.astype(np.int8), [0]])))
    for a, b in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        for column in one.columns:  # the status comes last
            whole._put(column.name, slice(a, b), one.column(column.name)[a:b])
