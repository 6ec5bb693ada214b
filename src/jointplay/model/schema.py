"""The JSON Schema of model files, made from the same facts that read them.

Editors complete keys and show meanings with it. It describes what a file may look like; units, names and physics are
judged when the file is read (a schema cannot check that a body exists).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any

from ..joints.registry import KINDS
from ..laws.base import Law
from .body import BODY, MARKER
from .entry import Field
from .files import HEAD, RUN
from .force import FORCE, SPRING, TORQUE
from .joint import joint_fields
from .lawtree import LAWS, MATRICES, default, parts
from .shape import COLOUR, COMMON, SHAPES
from .state import STATE
from .switch import SWITCH

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def ref(name: str) -> dict[str, Any]:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def any_of(*options: dict[str, Any]) -> dict[str, Any]:
    """One of several shapes."""
    return {"anyOf": list(options)}


def array(of: dict[str, Any], least: int, most: int | None = None) -> dict[str, Any]:
    """A list with so many items."""
    out = {"type": "array", "items": of, "minItems": least}
    return out if most is None else out | {"maxItems": most}


def entry(fields: Mapping[str, Field]) -> dict[str, Any]:
    """An object with the keys of an entry."""
    required = [key for key, facts in fields.items() if facts.required]
    properties = {key: _property(facts) for key, facts in fields.items()}
    out: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return out | {"required": required} if required else out


def _property(facts: Field) -> dict[str, Any]:
    about = facts.about + (f" [{facts.unit}]" if facts.unit else "")
    return ref(facts.shape) | ({"description": about} if about else {})


def _shapes() -> dict[str, Any]:
    """What a Field calls its shape."""
    quantity = ref("quantity")
    points, kinds = array(array(quantity, 2, 2), 2), {"kind": {"enum": ["linear", "cubic"]}}
    row = array(quantity, 3, 3)
    matrix = array(row, 3, 3)
    one_input = entry({"unit": Field("text", "", "unit"), "value": Field("quantity", "", "value until it is set")})
    turn = entry({"axis": Field("direction", required=True), "angle": Field("quantity", "rad", required=True)})
    return {
        "quantity": {
            "type": ["number", "string"],
            "description": "a number in SI, a text with a unit, or an expression",
        },
        "vector": array(quantity, 2, 3),
        "direction": array(quantity, 2, 3),
        "points": array(ref("vector"), 3),
        "inertia": any_of(quantity, row, matrix),
        "orientation": any_of(quantity, array(quantity, 4, 4), matrix, turn),
        "spin": any_of(quantity, row),
        "name": {"type": "string", "minLength": 1},
        "pair": array(ref("name"), 2, 2),
        "two": array(quantity, 2, 2),
        "text": {"type": "string"},
        "unit": {"type": "string", "description": "a unit such as N*m, rad*s or A"},
        "flag": {"type": "boolean"},
        "colour": {"type": "string", "pattern": COLOUR.pattern.replace("\\Z", "$")},
        "shape": any_of(*[_kind_of_shape(kind) for kind in SHAPES]),
        "shapes": any_of(ref("shape"), {"type": "array", "items": ref("shape")}),
        "version": {"const": 1},
        "axes": {"enum": ["global", "body"]},
        "end": {"enum": ["first", "second"]},
        "parameters": {"type": "object", "additionalProperties": quantity},
        "inputs": {"type": "object", "additionalProperties": any_of({"type": ["string", "null"]}, one_input)},
        "table": any_of(points, {"type": "object", "properties": kinds | {"table": points}, "required": ["table"]}),
        "signal": any_of(quantity, ref("table")),
        "signals": any_of(array(ref("signal"), 1, 3), ref("signal")),
        "end_of_run": any_of(quantity, {"type": "string"}),
        "conditions": any_of(
            {"type": "string"},
            array({"type": "string"}, 0),
            {"type": "object", "additionalProperties": {"type": "string"}},
        ),
        "method": any_of({"type": "string"}, {"type": "object", "minProperties": 1, "maxProperties": 1}),
        "closed_law": any_of(*[ref(f"law_{law.key}") for law in LAWS.values() if law.closes]),
        "free_law": any_of(*[ref(f"law_{law.key}") for law in LAWS.values() if law.drives]),
        "free_laws": any_of(ref("free_law"), {"type": "array", "items": ref("free_law")}),
        "contact_law": any_of(*[ref(f"law_{law.key}") for law in LAWS.values() if law.role == "contact"]),
        "friction_law": any_of(*[ref(f"law_{law.key}") for law in LAWS.values() if law.role == "friction"]),
        "any_law": any_of(*[ref(f"law_{key}") for key in LAWS]),
        "length_or_law": any_of(quantity, ref("closed_law")),
    }


def _kind_of_shape(kind: str) -> dict[str, Any]:
    """A shape with the keys of its kind."""
    shape = entry(COMMON | SHAPES[kind])
    shape["properties"]["type"] = {"const": kind}
    return shape


def _law(law: type[Law]) -> dict[str, Any]:
    """The three ways to write a law (lawtree.py)."""
    fields: dict[str, Any] = {}
    for part in parts(law):
        facts = part.metadata
        unit = facts.get("signal", facts.get("unit", ""))
        about = {"description": f"[{unit}], X: unit of the coordinate, F: of its force"} if unit else {}
        shape = _shape(facts)
        if part.name in MATRICES.get(law, ()):
            row = array({"type": "number"}, 1)
            shape = any_of(shape, row, array(row, 1))
        fields[part.name] = shape | about
    full = {"type": "object", "properties": fields, "additionalProperties": False}
    first = next(iter(fields.values()), None)
    others = dict(list(fields.items())[1:])
    options = [_object({law.key: full}, law)]
    if first is not None:
        options.append(_object({law.key: first} | others, law))
    if all(default(part) is not MISSING for part in parts(law)):
        options.append({"const": law.key})
    return any_of(*options)


def _shape(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Shape of a law's field, by its metadata."""
    if "choice" in facts:
        return {"enum": list(facts["choice"])}
    if "pairs" in facts:
        return array(array(ref("quantity"), 2, 2), 2)
    if "series" in facts:
        return any_of(ref("quantity"), array(ref("quantity"), 1))
    if "material" in facts:
        one = any_of({"type": "string"}, {"type": "object"})
        return any_of(one, array(one, 2, 2))
    if "states" in facts:
        return {"type": "object", "additionalProperties": entry(STATE)}
    if "named" in facts:
        return {"type": "object", "additionalProperties": ref("quantity")}
    if "unit" in facts:
        return ref("quantity")
    return ref("signal" if "signal" in facts else f"{facts['law']}_law")


def _object(properties: dict[str, Any], law: type[Law]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [law.key], "additionalProperties": False}


def _named(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": ["object", "null"], "additionalProperties": of}


_NUMBER: dict[str, Any] = {"type": ["number", "string"]}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}
STUDY: dict[str, Any] = {
    "type": "object",
    "description": "tolerances, outputs, limits and plan of a study (jointplay study run)",
    "required": ["vary"],
    "additionalProperties": False,
    "properties": {
        "vary": {
            "type": "object",
            "description": "by parameter or path: a tolerance '153 mm +- 0.05 mm', a fit '12 H7/g6', or a distribution",
            "additionalProperties": any_of({"type": "string"}, {"type": "object", "minProperties": 1}),
        },
        "correlations": array({"type": "array", "minItems": 3, "maxItems": 3}, 0),
        "of": any_of(array({"type": "object", "minProperties": 1}, 1), {"type": "object", "minProperties": 1}),
        "limits": any_of(array({"type": "object", "minProperties": 1}, 0), {"type": "object", "minProperties": 1}),
        "plan": {
            "type": "object",
            "minProperties": 1,
            "properties": {
                **{word: _WHOLE for word in ("sobol", "random", "latin_hypercube", "saltelli", "seed", "replicates")},
                "corners": {"type": "boolean"},
                "grid": any_of(_WHOLE, {"type": "object", "additionalProperties": _WHOLE}),
                **{
                    word: any_of({"type": "string"}, {"type": "object"}, {"type": "array"})
                    for word in ("points", "table")
                },
            },
            "additionalProperties": False,
        },
        "stop": {
            "type": "object",
            "properties": {word: _NUMBER for word in ("yield_within", "mean_within", "level")},
            "additionalProperties": False,
        },
        "gradients": {"type": "boolean"},
        "keep": {"type": "string", "pattern": "^(none|failed|(worst|every) [1-9][0-9]*)$"},
    },
}


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of model files."""
    definitions = _shapes() | {f"law_{key}": _law(law) for key, law in LAWS.items()}
    for key, kind in KINDS.items():
        shape = entry(joint_fields(kind))
        shape["properties"]["type"] = {"const": key}
        definitions[f"joint_{key}"] = shape | {"description": kind.summary}
    sections = {
        "bodies": entry(BODY),
        "markers": entry(MARKER),
        "joints": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"enum": list(KINDS)}},
            "allOf": [{"if": {"properties": {"type": {"const": key}}}, "then": ref(f"joint_{key}")} for key in KINDS],
        },
        "states": entry(STATE),
        "springs": entry(SPRING),
        "forces": entry(FORCE),
        "torques": entry(TORQUE),
        "switches": entry(SWITCH),
    }
    top = {key: _property(facts) for key, facts in HEAD.items()}
    return {
        "$schema": DIALECT,
        "title": "jointplay model",
        "type": "object",
        "required": ["jointplay"],
        "properties": top
        | {key: _named(shape) for key, shape in sections.items()}
        | {"run": entry(RUN), "study": STUDY},
        "additionalProperties": False,
        "$defs": definitions,
    }
