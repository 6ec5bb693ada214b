"""``jointplay examples``: the gallery that is shipped inside the package, models and scripts."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError, Problem
from ..gallery import FOLDER as GALLERY
from ..gallery import SUBJECTS, Case, cases, entries
from ..writing import cannot_write, reason, writing
from .completion import example_names
from .console import OK, Json, command, echo, emit

__all__ = ["GALLERY", "app", "entries", "find"]

app = typer.Typer(help="Models and scripts to look at, copy and run.", rich_markup_mode=None)

Name = Annotated[
    str,
    typer.Argument(
        help="Name of an example, as the list shows it; NAME.py means its script.", autocompletion=example_names
    ),
]


def find(name: str) -> tuple[Case, Path]:
    """An example and the file that is meant: its model, or its script if that is named or there is nothing else."""
    known = cases()
    stem, suffix = (name[: -len(end)], end) if (end := Path(name).suffix) in (".yaml", ".py", ".urdf") else (name, "")
    if stem not in known:
        from difflib import get_close_matches

        near = get_close_matches(stem, known, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
        raise InputError(Problem("", f"there is no example '{name}'; {hint}"))
    case = known[stem]
    for file in case.files:
        if suffix in ("", file.suffix):
            return case, file
    raise InputError(Problem("", f"there is no '{name}'; did you mean '{case.files[0].name}'?"))


def facts(case: Case) -> dict[str, Any]:
    """An example for machines."""
    return {
        "name": case.name,
        "title": case.head.title,
        "question": case.head["Question"],
        "answer": case.head["Answer"],
        "number": case.head["Number"],
        "subject": SUBJECTS[case.subject],
        "source": case.source,
        "files": [file.name for file in case.files],
    }


@app.callback(invoke_without_command=True)
def default(context: typer.Context, as_json: Json = False) -> None:
    """Models and scripts to look at, copy and run; the list if nothing else is given."""
    if context.invoked_subcommand is None:
        listing(as_json=as_json)


@app.command("list")
@command
def listing(as_json: Json = False) -> int:
    """Show the names and the question of each, by subject."""
    known = cases()
    width = max(map(len, known))
    for key, heading in SUBJECTS.items():
        echo(heading, as_json)
        for case in known.values():
            if case.subject == key:
                figures = f" ({case.figures})" if case.figures else ""
                echo(f"  {case.name:<{width}}  {case.head.question}{figures}", as_json)
        echo("", as_json)
    echo("jointplay examples run NAME   (show NAME prints it, copy NAME DIR makes it yours)", as_json)
    if as_json:
        emit({"ok": True, "examples": [facts(case) for case in known.values()]})
    return OK


@app.command("show")
@command
def show(name: Name, as_json: Json = False) -> int:
    """Print the model file or the script."""
    _, file = find(name)
    text = file.read_text(encoding="utf-8")
    echo(text.rstrip("\n"), as_json)
    if as_json:
        emit({"ok": True, "name": file.stem, "file": file.name, "text": text})
    return OK


@app.command("copy")
@command
def copy(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put it.")] = Path("."),
    as_json: Json = False,
) -> int:
    """Copy an example, to be changed: the model and the script of that name, or the one that is named."""
    case, file = find(name)
    sources = [file] if Path(name).suffix in (".yaml", ".py", ".urdf") else case.files
    targets = [folder / source.name for source in sources]
    there = [target for target in targets if os.path.lexists(target)]
    if there:
        raise InputError([Problem("", "is there already; it was not replaced", str(target)) for target in there])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, reason(error), "") from None
    with ExitStack() as together:  # both or none
        for source, target in zip(sources, targets, strict=True):
            together.enter_context(writing(target, "")).write_bytes(source.read_bytes())
    for target in targets:
        start = {".py": "python", ".urdf": "jointplay import"}.get(target.suffix, "jointplay run")
        echo(f"copied to {target}; now: {start} {target}", as_json)
    if as_json:
        emit({"ok": True, "file": str(targets[0]), "files": [str(target) for target in targets]})
    return OK


@app.command("run")
@command
def run(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Result file of a model (NAME.nc here), folder of a script (NAME here)."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Run the example as it is: a model and sum up, or a script, which leaves pictures and its result."""
    from .model_input import read_job
    from .run import perform
    from .script import play

    case, file = find(name)
    if file.suffix == ".py":
        return play(case, output or Path(case.name), as_json)
    code = perform(read_job(file), output or Path(f"{file.stem}.nc"), as_json)
    if case.script and code == OK:
        echo(f"with pictures and an answer: jointplay examples run {case.name}.py", as_json)
    return code
