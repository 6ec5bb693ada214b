"""What URDF files hold beside links and joints: transmissions, and settings of simulators.

Which words are not physical is written down here; a word that is not in the table counts as physical.
"""

from __future__ import annotations

from .ledger import Ledger
from .xmltree import Node

EXTRAS = ("transmission", "gazebo", "sensor", "material", "ros2_control")

# inside <gazebo>: what is seen or measured, and settings that change no motion
NOT_PHYSICAL = {
    "material": "for pictures",
    "visual": "for pictures",
    "sensor": "a sensor",
    "provideFeedback": "a setting of a sensor",
    "bumperTopicName": "a setting of a sensor",
    "canonicalBody": "a setting of another program",
    "static": "a setting of another program",
}
CONTACT = {
    "mu", "mu1", "mu2", "kp", "kd", "fdir1", "minDepth", "maxVel", "maxContacts", "selfCollide", "self_collide",
    "collision", "dampingFactor",
}  # fmt: skip
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction", "gear_ratio", "screw_reduction")


def read_extra(node: Node, ledger: Ledger) -> None:
    """Take an element at the top of the file that is neither a link nor a joint."""
    if node.tag == "transmission":
        _transmission(node, ledger)
    elif node.tag == "gazebo":
        _gazebo(node, ledger)
    elif node.tag == "ros2_control":
        ledger.ignored(node, "interfaces of a controller, which the file does not have")
    elif node.tag == "sensor":
        ledger.ignored(node, "a sensor")


def _transmission(node: Node, ledger: Ledger) -> None:
    """A reduction between a motor and a joint: without the motor it moves nothing, but a rotor would be felt."""
    found = [one for one in node.all() if one.tag in REDUCTIONS or set(REDUCTIONS) & set(one.attributes)]
    ratios = [one.text for one in found if one.tag in REDUCTIONS]
    ratios += [one.attributes[key] for one in found for key in REDUCTIONS if key in one.attributes]
    if any(not _is_one(ratio) for ratio in ratios) or any(one.tag == "passive_joint" for one in node.all()):
        what = "a transmission with a reduction has no place in a System: its motor and rotor are not there"
        ledger.lose(node, what, "transmission")
    else:
        ledger.ignored(node, "a transmission without a reduction; its motor is not in the file")


def _is_one(text: str) -> bool:
    try:
        return float(text) == 1.0
    except ValueError:
        return False


def _gazebo(node: Node, ledger: Ledger) -> None:
    """Settings of a simulator, each judged by itself."""
    ledger.ignored(node, "settings of a simulator, each judged by itself")
    for child in node.children:
        word = child.tag.split(":")[0]
        if word in NOT_PHYSICAL:
            ledger.ignored(child, NOT_PHYSICAL[word])
        elif _is_off(child):
            ledger.ignored(child, "switched off")
        else:
            topic = ("contact",) if word in CONTACT else ()
            ledger.lose(child, "settings of a simulator that change the motion have no place here", "gazebo", *topic)


def _is_off(node: Node) -> bool:
    value = (node.attributes.get("value") or node.text).strip().lower()
    return node.tag in ("turnGravityOff", "selfCollide", "self_collide") and value in ("false", "0")
