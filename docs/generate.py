"""Pages of the reference that are made from the package, so that they cannot disagree with it (a MkDocs hook)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import MISSING
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.testing import CliRunner

from jointplay.cli.app import app
from jointplay.codes import MESSAGES, Code
from jointplay.joints.registry import KINDS
from jointplay.laws.base import Law
from jointplay.methods.parse import options_of, unit_of
from jointplay.methods.registry import METHODS
from jointplay.model.body import BODY, MARKER
from jointplay.model.entry import Field
from jointplay.model.files import HEAD, RUN
from jointplay.model.force import FORCE, SPRING, TORQUE
from jointplay.model.joint import joint_fields
from jointplay.model.lawtree import LAWS, default, parts
from jointplay.numerics.signals import OF_ONE, OF_TWO
from jointplay.quantities.registry import COMMON
from jointplay.results.layout import BODY as BODY_RESULTS
from jointplay.results.layout import ENERGY, JOINT, MARKER as MARKER_RESULTS
from jointplay.results.solution import DERIVED

MADE = "<!-- made by docs/generate.py from the package -->\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {
        "reference/model.md": model_page,
        "reference/cli.md": cli_page,
        "reference/results.md": results_page,
        "reference/outcomes.md": outcomes_page,
    }
    for path, make in pages.items():
        files.append(File.generated(config, path, content=MADE + make()))
    return files


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}." if text else ""


# --- model file ----------------------------------------------------------------------------------------------------

SHAPES = {
    "quantity": "a quantity",
    "vector": "3 quantities (planar: 2 or 3)",
    "direction": "3 numbers (planar: 2 or 3), any length but zero",
    "points": "a list of points",
    "inertia": "1 quantity, 3, or 3 x 3",
    "orientation": "one of these",
    "spin": "3 quantities (planar: 1)",
    "name": "a name",
    "pair": "two names",
    "text": "a text",
    "flag": "true or false",
    "version": "1",
    "axes": "`global` or `body`",
    "parameters": "name: quantity",
    "signals": "3 functions of time",
    "method": "see [methods](#methods)",
    "closed_law": "a law",
    "free_laws": "a law, or a list of laws",
    "length_or_law": "a quantity, or a law",
}


def fields_table(fields: Mapping[str, Field], skip: Iterable[str] = ()) -> str:
    """The keys of an entry."""
    rows = [
        (
            f"`{key}`" + (" (required)" if facts.required else ""),
            SHAPES[facts.shape],
            facts.unit or "",
            sentence(facts.about),
        )
        for key, facts in fields.items()
        if key not in skip
    ]
    return table(("key", "value", "unit", "meaning"), rows)


def range_of(facts: Mapping[str, Any]) -> str:
    """The range of a law's field."""
    if facts.get("above") is not None:
        return f"> {facts['above']:g}"
    return f"≥ {facts['least']:g}" if facts.get("least") is not None else ""


def law_section(law: type[Law]) -> str:
    """A law and its fields."""
    places = [text for text, holds in (("closed directions", law.closes), ("free coordinates", law.drives)) if holds]
    out = f"### `{law.key}`\n\n{(law.__doc__ or '').splitlines()[0]} Stands on {' and '.join(places)}. "
    out += f"In Python: `jp.{law.__name__}`.\n\n"
    rows = []
    for part in parts(law):
        facts, usual = part.metadata, default(part)
        unit = facts.get("signal") or facts.get("unit", "")
        kind = "a function of time" if "signal" in facts else "a quantity"
        rows.append(
            (f"`{part.name}`", kind, unit, range_of(facts), "required" if usual is MISSING else f"`{usual:g}`")
        )
    return out + (table(("field", "value", "unit", "range", "default"), rows) if rows else "It has no fields.\n")


def model_page() -> str:
    """Every key of a model file."""
    out = """# Model file

A model file is YAML, or JSON with the same tree. It is data: nothing in it is executed. `jointplay schema` prints a JSON
Schema of it for editors; this page is made from the same facts.

* A **quantity** is a number in SI, a text with a unit (`0.1 mm`), or an expression over the parameters
  (`0.12 m + crank/2`). See [units and parameters](../how-to/units.md).
* A **function of time** is a quantity, an expression in `t`, or a table: `[[0 s, 0], [1 s, 5 N]]`, or
  `{table: [[...], ...], kind: linear}`. Tables are cubic splines unless they say `linear`.
* Points and directions of joints, springs and forces are in **global axes, in the configuration as drawn**.
* Names are unique over the whole file. `ground` is the body that does not move.
* All problems of a file are told in one go, each with file, line and path.

"""
    out += "## Top\n\n" + fields_table(HEAD)
    out += "\nGravity is (0, 0, -9.81) m/s², in planar models (0, -9.81, 0), unless given.\n\n"
    out += "## bodies\n\nOne entry per body, by name.\n\n" + fields_table(BODY)
    out += "\nVelocities that are left out of a body follow from the given ones of other bodies.\n\n"
    out += "## markers\n\nFrames fixed on bodies: recorded points, and ends of joints and springs.\n\n" + fields_table(MARKER)
    out += "\n## joints\n\n`type` names the kind, `between` two bodies or two markers. "
    out += "A closed direction takes one law (`ideal` unless given), a free coordinate any number of laws.\n\n"
    for kind in KINDS.values():
        fields = joint_fields(kind)
        own = {key: facts for key, facts in fields.items() if key in (*kind.arguments, *kind.closed, *kind.free)}
        out += f"### `{kind.key}`\n\n{sentence(kind.summary)}\n\n" + fields_table(own) + "\n"
    out += "With two markers in `between`, the geometry is theirs and is left out: the joint axis is the z axis of a marker. "
    out += "`friction`, `radius`, `width`, `section` and (where it is no closed direction) `length` are reserved for "
    out += "clearance and friction.\n\n"
    out += "## Laws\n\nA law is written `ideal`, `{spring: {stiffness: 15 N/mm, damping: 3}}`, or with its first field as "
    out += "value, `{spring: 15 N/mm, damping: 3}`. In units, `X` is the unit of the coordinate (m or rad) and `F` that "
    out += "of its force (N or N·m).\n\n"
    out += "\n".join(law_section(law) for law in LAWS.values())
    out += "\n## springs\n\nSpring-dampers along the line between two points.\n\n" + fields_table(SPRING)
    out += "\n## forces\n\n" + fields_table(FORCE)
    out += "\n## torques\n\n" + fields_table(TORQUE)
    out += "\n## run\n\nWhat `jointplay run` does unless its options say otherwise.\n\n" + fields_table(RUN)
    return out + "\n" + methods_section() + expressions_section()


def methods_section() -> str:
    """Methods and their options."""
    out = "## Methods\n\nWritten `explicit`, or with options `{explicit: {rtol: 1e-8}}`.\n\n"
    for key, method in METHODS.items():
        out += f"### `{key}`\n\n{(method.__doc__ or '').splitlines()[0]} Order {method.order}. "
        out += f"In Python: `jp.{method.__name__}`.\n\n"
        rows = [(f"`{one.name}`", unit_of(one), f"`{one.default:g}`") for one in options_of(method)]
        out += table(("option", "unit", "default"), rows) + "\n"
    return out


def expressions_section() -> str:
    """What an expression may hold."""
    functions = ", ".join(f"`{name}`" for name in (*OF_ONE, *(name for name in OF_TWO if name.isalnum())))
    return (
        "## Expressions\n\nOperators `+ - * / ^` (also `**`) and brackets; constants `pi` and `tau`; parameters by name; `t` "
        f"in functions of time.\n\nFunctions: {functions}.\n\n`step(x)` is 0 below x = 0 and 1 from there on.\n\n"
        "Common units: " + ", ".join(f"`{unit}`" for unit in COMMON) + ".\n"
    )


# --- command line --------------------------------------------------------------------------------------------------


def help_of(*words: str) -> str:
    """What ``jointplay ... --help`` prints."""
    result = CliRunner().invoke(app, [*words, "--help"], prog_name="jointplay", env={"COLUMNS": "100", "NO_COLOR": "1"})
    if result.exit_code:
        raise RuntimeError(f"jointplay {' '.join(words)} --help failed: {result.output}")
    return "\n".join(line.rstrip() for line in result.output.splitlines()).strip()


def cli_page() -> str:
    """All help texts."""
    out = """# Command line

`--json` on a command prints one machine-readable object on stdout; text for people then goes to stderr. `--debug` shows the
traceback of an unexpected error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | a defect of jointplay |
| 2 | bad input: every problem is told with file, line and path |
| 3 | the simulation stopped early; what was computed is saved |
| 130 | Ctrl-C; what was computed is saved |

"""
    groups = {group.name: group.typer_instance for group in app.registered_groups}
    commands = [command.name for command in app.registered_commands]
    out += f"## jointplay\n\n```text\n{help_of()}\n```\n\n"
    for name in commands:
        out += f"## jointplay {name}\n\n```text\n{help_of(str(name))}\n```\n\n"
    for name, group in groups.items():
        out += f"## jointplay {name}\n\n```text\n{help_of(str(name))}\n```\n\n"
        for command in group.registered_commands if group else []:
            out += f"### jointplay {name} {command.name}\n\n```text\n{help_of(str(name), str(command.name))}\n```\n\n"
    return out


# --- results -------------------------------------------------------------------------------------------------------


def results_page() -> str:
    """Names and units of what is recorded."""
    head = ("name", "components", "unit", "meaning")

    def rows(whose: str, facts: Iterable[tuple[str, int, str, str]]) -> list[tuple[str, ...]]:
        return [
            (f"`{whose}.{name.removeprefix('marker_')}`", str(width), unit, sentence(about))
            for name, width, unit, about in facts
        ]

    energy = [(f"`energy.{name}`", "1", "J", sentence(about)) for name, about in ENERGY]
    energy += [(f"`{name}`", "1", unit, f"{' + '.join(of)}.") for name, (unit, of) in DERIVED.items()]
    return f"""# Results

`sol[NAME]` is an array over `sol.time`; `sol["crank.position[2]"]` is one component. `sol.names` lists all names of a run,
`sol.find("force")` those with a word in them, `sol.units[NAME]` gives the unit. In plots, `|B.force|` is the magnitude.

## Bodies

{table(head, rows("BODY", BODY_RESULTS))}
## Joints

{table(head, rows("JOINT", JOINT))}
The reaction acts on the **second** body of `between`, at its joint point. See [read forces](../how-to/forces.md).

## Coordinates and laws

| name | unit | meaning |
| --- | --- | --- |
| `JOINT.COORDINATE` | m or rad | Free coordinate, such as `A.angle` or `D.displacement`; zero as drawn, turns counted. |
| `JOINT.COORDINATE_rate` | m/s or rad/s | Its rate. |
| `JOINT.LAW_force`, `JOINT.LAW_torque` | N or N m | Force of a law on a free coordinate, such as `A.drive_torque` or `D.spring_force`; positive drives the coordinate up. A second one of the same name ends in `_2`. |
| `SPRING.length`, `SPRING.length_rate` | m, m/s | Length of a spring along a line, and its rate. |
| `SPRING.force` | N | Force of a spring along its line; positive pushes the ends apart. |

## Markers

{table(head, rows("MARKER", MARKER_RESULTS))}
## Energy

{table(head, energy)}
## Statistics

`sol.stats` holds `steps`, `rejections`, `evaluations`, `factorisations`, `worst_position_residual` (m or rad),
`worst_velocity_residual` (m/s or rad/s), `run_time` and `wall_time` (s). `sol.meta` holds the model's name, its text as YAML,
the method, notes of the assembly, and versions.
"""


# --- outcomes ------------------------------------------------------------------------------------------------------

WHERE = {"{where}": ", at JOINT.GROUP", "{reason}": "REASON"}


def outcomes_page() -> str:
    """What a run may end with."""
    out = """# What went wrong

A run does not raise: it ends with an outcome. `sol.outcome.ok` is true when the end was reached, `sol.outcome.code` names the
outcome, `sol.outcome.message` is the sentence below with its numbers. Everything saved before is kept, in memory and in
the file, and `sol.state` is the last good state.

Mistakes in a model raise `jp.InputError` before anything runs; its `problems` hold one sentence each.

"""
    for code in Code:
        if code is Code.CONTINUE:  # between chunks; no run ends with it
            continue
        text = MESSAGES[code]
        for mark, word in WHERE.items():
            text = text.replace(mark, word)
        for name, symbol in (("time", "T"), ("detail", "X")):
            while "{" + name in text:
                begin = text.index("{" + name)
                text = text[:begin] + symbol + text[text.index("}", begin) + 1 :]
        out += f"## {code.name}\n\n{sentence(text)}\n\n"
    return out
