"""Tables of the reference that are made from the package, so that they cannot disagree with it (a MkDocs hook).

``{{ name }}`` in a page below reference/ is replaced by what the function under that name in ``PARTS`` returns.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING
from functools import partial
from typing import Any

from mkdocs.structure.pages import Page
from typer.testing import CliRunner

from jointplay.cli.app import app
from jointplay.codes import MESSAGES, Code
from jointplay.joints.registry import KINDS
from jointplay.laws.base import Law
from jointplay.laws.materials import MATERIALS
from jointplay.methods.parse import options_of, unit_of
from jointplay.methods.registry import METHODS
from jointplay.model.body import BODY, MARKER
from jointplay.model.entry import Field
from jointplay.model.files import HEAD, RUN
from jointplay.model.force import FORCE, SPRING, TORQUE
from jointplay.model.joint import CLEARANCE, joint_fields
from jointplay.model.lawtree import LAWS, default, parts
from jointplay.model.state import STATE
from jointplay.model.switch import SWITCH
from jointplay.model.system import System
from jointplay.numerics.signals import OF_ONE, OF_TWO
from jointplay.quantities.registry import COMMON
from jointplay.results import layout
from jointplay.results.solution import DERIVED

SHAPES = {
    "quantity": "a quantity",
    "vector": "3 quantities (planar: 2 or 3)",
    "direction": "3 numbers (planar: 2 or 3), not all zero",
    "inertia": "1 quantity, 3, or 3 x 3",
    "orientation": "one of several forms",
    "spin": "3 quantities (planar: 1)",
    "name": "a name",
    "pair": "two names",
    "text": "a text",
    "unit": "a unit, such as `rad*s`",
    "flag": "true or false",
    "version": "1",
    "axes": "`global` or `body`",
    "parameters": "names and quantities",
    "inputs": "names, each with a unit or with `{unit, value}`",
    "signal": "a function of time and motion",
    "signals": "3 functions of time",
    "method": "a method",
    "closed_law": "a law",
    "free_laws": "a law, or a list of laws",
    "length_or_law": "a quantity, or a law",
    "points": "a list of points",
    "end": "`first` or `second`",
    "end_of_run": "a quantity, or a condition",
    "conditions": "a condition, a list of conditions, or conditions by name",
    "shapes": "a shape, or a list of shapes",
    "colour": "`'#rrggbb'`",
}

# what a field of a law may hold, by its metadata (laws/base.py)
HOLDS = {
    "signal": "a function of time",
    "law": "a law",
    "pairs": "a list of points [x, force]",
    "series": "a list of quantities",
    "named": "names and quantities",
    "states": "states by name, each with unit, rate and start",
    "material": "a name, `{E: ..., nu: ...}`, or a list of two of these",
}


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fill in the parts of a reference page."""
    if not page.file.src_uri.startswith("reference/"):
        return markdown
    return re.sub(r"\{\{ (\w+) \}\}", lambda found: PARTS[found[1]](), markdown)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    return f"{text[0].upper()}{text[1:]}." if text else ""


def summary(thing: type) -> str:
    """First line of the docstring."""
    return (thing.__doc__ or "").splitlines()[0]


def keys(fields: Mapping[str, Field]) -> str:
    """The keys of an entry."""
    rows = [
        (f"`{key}`", SHAPES[facts.shape], facts.unit, ("Required. " if facts.required else "") + sentence(facts.about))
        for key, facts in fields.items()
    ]
    return table(("key", "value", "unit", "meaning"), rows)


def joints() -> str:
    """Every kind with its geometry, closed directions and free coordinates."""
    out = []
    for kind in KINDS.values():
        own = {key: f for key, f in joint_fields(kind).items() if key in (*kind.arguments, *kind.closed, *kind.free)}
        out.append(f"### `{kind.key}`\n\n{sentence(kind.summary)}\n\n{keys(own)}")
    return "\n\n".join(out)


def joint_methods() -> str:
    """The method of every kind, as Python shows it: its call, then what each keyword takes."""
    out = []
    for kind in KINDS.values():
        name = f"{kind.key}_joint" if hasattr(System, f"{kind.key}_joint") else kind.key
        fields = joint_fields(kind)
        own = [*kind.arguments, *kind.closed, *kind.free]
        needed = "".join(f", {key}=..." for key in kind.arguments)
        rows = [(f"`{key}`", SHAPES[fields[key].shape], fields[key].unit, sentence(fields[key].about)) for key in own]
        others = [key for key in inspect.signature(getattr(System, name)).parameters if key in fields]
        rest = listed(key for key in others if key not in own)
        out.append(
            f"#### `System.{name}` {{ #jointplay.System.{name} }}\n\n"
            f'```python title="call"\ns.{name}(name, a, b{needed})\n```\n\n{sentence(kind.summary)}\n\n'
            f"{table(('keyword', 'value', 'unit', 'meaning'), rows)}" + (f"\n\nAlso: {rest}." if rest else "")
        )
    return "\n\n".join(out)


def law(kind: type[Law]) -> str:
    """A law and its fields."""
    all_places = (
        ("on closed directions", kind.closes),
        ("on free coordinates", kind.drives),
        ("as the contact of a clearance or stop", kind.role == "contact"),
        ("as the friction of a clearance", kind.role == "friction"),
    )
    places = [text for text, holds in all_places if holds]
    rows = []
    for part in parts(kind):
        facts, usual = part.metadata, default(part)
        least, above = facts.get("least"), facts.get("above")
        inside = f"≥ {least:g}" if least is not None else f"> {above:g}" if above is not None else ""
        rows.append((f"`{part.name}`", held_by(facts), unit_in(facts), inside, shown_default(usual)))
    fields = table(("field", "value", "unit", "range", "default"), rows) if rows else "It has no fields."
    stands = f"Stands {', '.join(places)}. In Python: `jp.{kind.__name__}`."
    return f"### `{kind.key}`\n\n{summary(kind)} {stands}\n\n{fields}"


def held_by(facts: Mapping[str, Any]) -> str:
    """What a field of a law may hold, in words."""
    if "choice" in facts:
        return " or ".join(f"`{word}`" for word in facts["choice"])
    return next((words for key, words in HOLDS.items() if key in facts), "a quantity")


def unit_in(facts: Mapping[str, Any]) -> str:
    """Unit of a field of a law; a power that another field gives is written n."""
    unit = facts.get("signal") or facts.get("series") or facts.get("unit", "")
    unit = ", ".join(facts["pairs"]) if "pairs" in facts else unit
    return unit.replace("{exponent}", "n").replace("{k}", "k")


def shown_default(usual: Any) -> str:
    """The default of a field."""
    if usual is MISSING:
        return "required"
    if usual is None:
        return "none"
    if usual == {}:
        return "none"
    return f"`{usual.key}`" if isinstance(usual, Law) else f"`{usual:g}`" if isinstance(usual, float) else f"`{usual}`"


def methods() -> str:
    """Every method with its options."""
    out = []
    for key, method in METHODS.items():
        rows = [(f"`{one.name}`", unit_of(one), shown_default(one.default)) for one in options_of(method)]
        about = f"{summary(method)} Order {method.order}. In Python: `jp.{method.__name__}`."
        out.append(f"### `{key}`\n\n{about}\n\n{table(('option', 'unit', 'default'), rows)}")
    return "\n\n".join(out)


def help_of(*words: str) -> str:
    """What ``jointplay ... --help`` prints, as a section."""
    result = CliRunner().invoke(app, [*words, "--help"], prog_name="jointplay", env={"COLUMNS": "100", "NO_COLOR": "1"})
    if result.exit_code:
        raise RuntimeError(f"jointplay {' '.join(words)} --help failed: {result.output}")
    text = "\n".join(line.rstrip() for line in result.output.splitlines()).strip()
    return f"{'##' if len(words) < 2 else '###'} {' '.join(('jointplay', *words))}\n\n```text\n{text}\n```"


def commands() -> str:
    """All help texts."""
    out = [help_of(), *(help_of(str(command.name)) for command in app.registered_commands)]
    for group in app.registered_groups:
        out.append(help_of(str(group.name)))
        inner = group.typer_instance.registered_commands if group.typer_instance else []
        out += [help_of(str(group.name), str(command.name)) for command in inner]
    return "\n\n".join(out)


def results(whose: str, facts: Iterable[tuple[str, int, str, str]]) -> str:
    """Names, sizes and units of recorded quantities."""
    rows = [
        (f"`{whose}.{name.removeprefix('marker_')}`", str(width), unit, sentence(about))
        for name, width, unit, about in facts
    ]
    return table(("name", "components", "unit", "meaning"), rows)


def contact_results() -> str:
    """What is recorded of the contacts of a clearance, and what of compliant ones alone."""
    own = ((name, width, unit, f"compliant contacts: {about}") for name, width, unit, about in layout.COMPLIANT)
    return results("JOINT", (*layout.CONTACT, *own))


def materials() -> str:
    """The table of materials."""
    rows = [(f"`{name}`", f"{1e-9 * one.E:g}", f"{one.nu:g}") for name, one in MATERIALS.items()]
    return table(("material", "E in GPa", "Poisson's ratio"), rows)


def energy() -> str:
    """The ledger and the sums made of it."""
    rows = [(f"`energy.{name}`", "J", sentence(about)) for name, about in layout.ENERGY]
    rows += [(f"`{name}`", unit, f"{' + '.join(f'`{part}`' for part in of)}.") for name, (unit, of) in DERIVED.items()]
    return table(("name", "unit", "meaning"), rows)


def outcome(code: Code) -> str:
    """The sentence of an outcome, as a quotation."""
    words = {"time": "T", "detail": "X", "where": ", at JOINT.GROUP", "reason": "REASON"}
    text = re.sub(r"\{(\w+)[^}]*\}", lambda found: words[found[1]], MESSAGES[code])
    return f"> {sentence(text)}"


def listed(words: Iterable[str]) -> str:
    """Words as code, with commas."""
    return ", ".join(f"`{word}`" for word in words)


PARTS: dict[str, Callable[[], str]] = {
    "head": lambda: keys(HEAD),
    "bodies": lambda: keys(BODY),
    "markers": lambda: keys(MARKER),
    "joints": joints,
    "joint_methods": joint_methods,
    "laws": lambda: "\n\n".join(law(kind) for kind in LAWS.values()),
    "sizes": lambda: keys(CLEARANCE),
    "materials": materials,
    "springs": lambda: keys(SPRING),
    "forces": lambda: keys(FORCE),
    "torques": lambda: keys(TORQUE),
    "states": lambda: keys(STATE),
    "switches": lambda: keys(SWITCH),
    "run": lambda: keys(RUN),
    "methods": methods,
    "functions": lambda: listed(name for name in (*OF_ONE, *OF_TWO, "clip", "where") if name.isalnum()),
    "units": lambda: listed(COMMON),
    "commands": commands,
    "body_results": lambda: results("BODY", layout.BODY),
    "joint_results": lambda: results("JOINT", layout.JOINT),
    "contact_results": contact_results,
    "marker_results": lambda: results("MARKER", layout.MARKER),
    "energy_results": energy,
    **{f"outcome_{code.name}": partial(outcome, code) for code in Code if code is not Code.CONTINUE},  # no run ends so
}
