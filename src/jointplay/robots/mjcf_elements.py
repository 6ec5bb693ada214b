"""What becomes of elements of MJCF that are no body, joint, geom, site or equality."""

from __future__ import annotations

from typing import Any

from .ledger import Ledger
from .xmltree import Node

SECTIONS = {  # at the top of a file, and in worldbody; MuJoCo's own reader has made of the used ones what they mean
    "compiler": ("used", "taken by MuJoCo's reader"),
    "default": ("used", "taken by MuJoCo's reader"),
    "size": ("ignored", "memory of another program"),
    "statistic": ("ignored", "for pictures"),
    "visual": ("ignored", "for pictures"),
    "custom": ("ignored", "numbers for other programs"),
    "asset": ("ignored", "for pictures and contact"),
    "mesh": ("used", ""),
    "sensor": ("ignored", "sensors"),
    "keyframe": ("ignored", "a start is given by start="),
    "camera": ("ignored", "for pictures"),
    "light": ("ignored", "for pictures"),
    "exclude": ("used", "pairs that do not touch"),
    "worldbody": ("used", ""),
    "frame": ("used", "taken by MuJoCo's reader"),
    "replicate": ("used", "taken by MuJoCo's reader"),
    "inertial": ("used", ""),
    "equality": ("used", ""),
    "contact": ("used", ""),
    "skin": ("ignored", "for pictures"),
}
LOST = {
    "actuator": "actuators have no place in a System",
    "tendon": "tendons have no place in a System",
    "flex": "deformable bodies have no place in a System",
    "flexcomp": "deformable bodies have no place in a System",
    "composite": "bodies made by a rule are not read",
    "deformable": "deformable bodies have no place in a System",
    "pair": "contact between parts is not in a System",
    "plugin": "a program that may act on the robot has no place in a System",
    "attach": "a part of another file is not read",
}
WHOLE = ("default", "compiler", "asset", "sensor", "keyframe", "visual", "custom", "size", "statistic")
FLUID = ("density", "viscosity", "wind")


def judge(root: Node, model: Any, off: set[str], ledger: Ledger) -> None:
    """Give every element its fate but those that are judged one by one."""
    ledger.used(root)
    for node in root.all():
        inside = [one.tag for one in node.above()]
        if node.parent is None or _around(node, ("equality",)):
            continue
        whole = next((tag for tag in inside if tag in WHOLE), None)
        if whole is not None:
            mark, note = SECTIONS["mesh" if whole == "asset" and node.tag == "mesh" else whole]
            getattr(ledger, mark)(node, note)
        elif node.tag == "option" or "option" in inside:
            _option(node, model, ledger)
        elif _around(node, ("actuator", "tendon", "deformable")):
            continue  # shares the fate of the section
        elif node.tag in LOST:
            if node.children or node.tag not in ("actuator", "tendon", "deformable"):
                topic = ("contact",) if node.tag == "pair" else ()
                ledger.lose(node, LOST[node.tag], node.tag, *topic)
            else:
                ledger.ignored(node, "empty")
        elif node.tag in SECTIONS:
            mark, note = SECTIONS[node.tag]
            getattr(ledger, mark)(node, note)
        elif node.tag == "extension":
            ledger.ignored(node, "what it names is judged by itself")


def _around(node: Node, tags: tuple[str, ...]) -> bool:
    return any(one.tag in tags for one in node.above())


def _option(node: Node, model: Any, ledger: Ledger) -> None:
    """Gravity and switches are taken; a fluid around the robot cannot be."""
    ledger.used(node, "gravity and switches" if node.tag != "option" else "gravity; methods are chosen here")
    if node.tag == "option":
        fluid = model.opt.density or model.opt.viscosity or any(model.opt.wind)
        if fluid:
            ledger.lose(node, "a fluid around the robot has no place in a System", *FLUID, "fluid", partly=True)
