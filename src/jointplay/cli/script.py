"""Run a script of the gallery: its pictures and its result go into one folder."""

from __future__ import annotations

import json
import sys
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from textwrap import fill
from time import perf_counter

from .. import __version__
from ..errors import InputError, Problem
from ..gallery import Case
from ..writing import write_whole
from .console import DEFECT, OK, echo, emit, warn

RESULT = "result.json"


def play(case: Case, folder: Path, as_json: bool) -> int:
    """Run ``case.script``; exit code. What it prints goes to stderr if stdout belongs to a JSON object."""
    if folder.exists() and not folder.is_dir():
        raise InputError(Problem("output", "is a file, and a script needs a folder for its pictures", str(folder)))
    folder.mkdir(parents=True, exist_ok=True)
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    echo(f"{case.head.title}\n", as_json)
    began = perf_counter()
    program = import_module(f"jointplay.gallery.{case.name}")
    try:
        with redirect_stdout(sys.stderr if as_json else sys.stdout):
            number = program.main(out=folder)
    except AssertionError as error:
        warn(f"the number of {case.name} does not hold: {error or 'see jointplay examples show ' + case.name + '.py'}")
        if as_json:
            emit({"ok": False, "name": case.name, "message": "its number does not hold"})
        return DEFECT
    made = sorted(file for file in folder.iterdir() if before.get(file) != file.stat().st_mtime_ns)
    result = {
        "ok": True,
        "name": case.name,
        "value": number,
        "number": case.head["Number"],
        "answer": case.head["Answer"],
        "seconds": round(perf_counter() - began, 2),
        "version": __version__,
        "files": [str(file) for file in made if file.name != RESULT],
    }
    write_whole(folder / RESULT, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    lines = {"answer": case.head["Answer"], "number": f"{case.head['Number']} Here: {number:.6g}."}
    lines["result"] = f"{folder / RESULT}, {len(made)} other files, {result['seconds']:.0f} s"
    echo("", as_json)
    for word, text in lines.items():
        echo(fill(f"{word:<10}{text}", 100, subsequent_indent=" " * 10, break_on_hyphens=False), as_json)
    for file in made:
        if file.suffix == ".nc":
            echo(f"next      jointplay view {file}", as_json)
    if as_json:
        emit(result)
    return OK
