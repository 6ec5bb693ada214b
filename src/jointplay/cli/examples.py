"""``jointplay examples``: the gallery that is shipped inside the package."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, Problem
from .say import OK, Json, command, emit, say

GALLERY = Path(__file__).resolve().parent.parent / "gallery"

app = typer.Typer(help="Models to look at, copy and run.", rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="Name of an example, as the list shows it.")]


def entries() -> dict[str, Path]:
    """All examples by name."""
    return {file.stem: file for file in sorted(GALLERY.glob("*.yaml"))}


def find(name: str) -> Path:
    """The file of an example."""
    known = entries()
    name = name.removesuffix(".yaml")
    if name not in known:
        near = get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
        raise InputError(Problem("", f"there is no example '{name}'; {hint}"))
    return known[name]


def title(file: Path) -> str:
    """The first sentence of an example."""
    return file.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")


def question(file: Path) -> str:
    """What an example asks."""
    found = re.search(r"^# Question:\s*(.*(?:\n#\s{3,}.*)*)", file.read_text(encoding="utf-8"), re.MULTILINE)
    return re.sub(r"\n#\s+", " ", found[1]) if found else ""


@app.callback(invoke_without_command=True)
def default(context: typer.Context, as_json: Json = False) -> None:
    """Models to look at, copy and run; the list if nothing else is said."""
    if context.invoked_subcommand is None:
        listing(as_json=as_json)


@app.command("list")
@command
def listing(as_json: Json = False) -> int:
    """Show the names."""
    found = entries()
    width = max(map(len, found))
    say("\n".join(f"{name:<{width}}  {title(file)}" for name, file in found.items()), as_json)
    say("\njointplay examples run NAME", as_json)
    if as_json:
        facts = [{"name": name, "title": title(file), "question": question(file)} for name, file in found.items()]
        emit({"ok": True, "examples": facts})
    return OK


@app.command("show")
@command
def show(name: Name, as_json: Json = False) -> int:
    """Print the model file."""
    text = find(name).read_text(encoding="utf-8")
    say(text.rstrip("\n"), as_json)
    if as_json:
        emit({"ok": True, "name": name, "text": text})
    return OK


@app.command("copy")
@command
def copy(
    name: Name,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put it.")] = Path("."),
    as_json: Json = False,
) -> int:
    """Copy the model file, to be changed."""
    source = find(name)
    target = folder / source.name
    if target.exists():
        raise InputError(Problem("", "is there already; it was not replaced", str(target)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
    except OSError as error:
        raise InputError(Problem("", f"cannot be written: {error.strerror or error}", str(target))) from None
    say(f"copied to {target}; now: jointplay run {target}", as_json)
    if as_json:
        emit({"ok": True, "file": str(target)})
    return OK


@app.command("run")
@command
def run(
    name: Name,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Result file (NAME.nc here).")] = None,
    as_json: Json = False,
) -> int:
    """Run the example as it is, and sum up."""
    from .reading import read_job
    from .run import perform

    file = find(name)
    return perform(read_job(file), output or Path(f"{file.stem}.nc"), as_json)
