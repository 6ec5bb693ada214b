"""``jointplay plot RESULT... [NAME...]``: quantities over time as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, Problem
from .say import OK, Json, command, emit, say

ENDINGS = (".nc", ".part")


@command
def plot(
    what: Annotated[list[str], typer.Argument(metavar="RESULT... [NAME...]", help="Result files, then quantities.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Picture: .png, .svg or .pdf.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Only list the names that can be drawn.")] = False,
    as_json: Json = False,
) -> int:
    """Draw quantities such as B.force, slider.position[0] or '|B.force|'; joint forces if none is named."""
    from ..results.file import load

    files = [Path(word) for word in what if word.endswith(ENDINGS) or Path(word).is_file()]
    names = [word for word in what if Path(word) not in files]
    if not files:
        raise InputError(Problem("", f"there is no result file '{what[0]}'"))
    solutions = [load(file) for file in files]
    if listed:
        known = {name: solutions[0].units[name] for name in solutions[0].names}
        say("\n".join(f"{name} [{unit}]" for name, unit in known.items()), as_json)
        if as_json:
            emit({"ok": True, "names": known})
        return OK
    from ..results.plot import default_names
    from ..results.plot import plot as draw

    names = names or default_names(solutions[0])
    target = output or Path(f"{files[0].name.removesuffix('.part').removesuffix('.nc')}.png")
    try:
        draw(solutions, names, target)
    except KeyError as error:
        raise InputError(Problem("", str(error.args[0]).replace("sol.names lists", "--list shows"))) from None
    say(f"drew {', '.join(names)} to {target}", as_json)
    if as_json:
        emit({"ok": True, "picture": str(target), "names": names})
    return OK
