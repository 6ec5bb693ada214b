"""The list of commands. Importing it must stay cheap: ``jointplay --help`` answers at once."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from .. import __version__
from . import (
    check,
    contact,
    doctor,
    examples,
    export,
    import_file,
    plot,
    report,
    run,
    schema,
    sensitivity,
    study,
    view,
    warmup,
    write,
)
from .console import BAD_INPUT, DEBUG, warn
from .garbage import rare_searches
from .streams import hush, open_streams

app = typer.Typer(
    name="jointplay",
    help="Dynamics of mechanisms whose joints are not perfect.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("check")(check.check)
app.command("run")(run.run)
app.command("plot")(plot.plot)
app.command("view")(view.view)
app.command("report")(report.report)
app.command("export")(export.export)
app.command("sensitivity")(sensitivity.sensitivity)
app.add_typer(study.app, name="study")
app.command("import")(import_file.import_file)
app.command("write")(write.write)
app.command("contact")(contact.contact)
app.add_typer(examples.app, name="examples")
app.command("schema")(schema.schema)
app.command("warmup")(warmup.warmup)
app.command("doctor")(doctor.doctor)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"jointplay {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it and end.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")] = False,
) -> None:
    """Dynamics of mechanisms whose joints are not perfect: clearance, friction, stops, bushings."""


def main() -> None:
    """Entry point of the command."""
    open_streams()
    if "--debug" in sys.argv:  # welcome at any place on the line
        sys.argv.remove("--debug")
        os.environ[DEBUG] = "1"
    try:
        with rare_searches():
            app(prog_name="jointplay")
    except OSError as error:  # help that cannot be written
        hush(sys.stdout)
        warn(error.strerror or str(error))
        sys.exit(BAD_INPUT)
