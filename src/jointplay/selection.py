"""Which method suits a model: by the regimes of its laws and by how stiff they are; and why.

    rigid contact or friction with stick        Moreau
    else, w = fastest rate of forces that follow from the motion (springs, bushings, compliant contacts and their
    friction, dampers)
        w until / 5 <= 2e5                      Explicit: that many steps at most, and the most exact ones
        more                                    Implicit

The rate of a law on a row w of bodies with mass matrix M is max(sqrt(k m), c m) with k = -d lam/dg, c = -d lam/d rate
and m = w M^-1 w, as two free bodies would feel it. Contacts are judged at a depth that carries ten times the weight of
the whole mechanism.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .arrays import NONE, SPARE, Work
from .assemble.compliant_contacts import answers_of
from .assemble.dynamics import derivative
from .assemble.interactions import lightness
from .assemble.sensing import sensed_stiffness
from .codes import Regime
from .compile.pack import Compiled
from .compile.work import scratch
from .laws.registry import evaluate_friction, evaluate_law, evaluate_rub
from .methods.base import Method
from .methods.explicit import Explicit
from .methods.implicit import Implicit
from .methods.moreau import Moreau

STABLE = 5.0  # rad, about what a step of Explicit may pass
MANY = 2e5  # steps
CREEP = 1e-12  # m/s, as good as rest
LOADED = 10.0  # of the weight of the mechanism


def choose_method(compiled: Compiled, until: float) -> tuple[Method, str]:
    """The method for a run until ``until`` (s), and the reason in words."""
    rigid = [one.name for one in compiled.interactions if one.regime is Regime.SET]
    if rigid:
        return Moreau(), f"{rigid[0]} is rigid contact or friction with stick"
    rate, name = max(rates(compiled), default=(0.0, ""))
    if rate * until > STABLE * MANY:
        return Implicit(), f"{name} is stiff: an explicit method would need steps of {STABLE / rate:.1g} s"
    if rate > 0.0:
        return Explicit(), f"the stiffest force, {name}, allows steps of about {STABLE / rate:.1g} s"
    return Explicit(), "nothing is stiff"


def rates(compiled: Compiled) -> Iterator[tuple[float, str]]:
    """Rate (rad/s) and name of every force that follows from the motion, at the start."""
    with scratch(compiled) as work:
        yield from _rates(compiled, work)


def _rates(compiled: Compiled, work: Work) -> Iterator[tuple[float, str]]:
    model, state = compiled.model, compiled.state
    derivative(model, 0.0, state.y, state.memory, work, state.dy.copy())

    def light(row: int) -> float:
        """w M^-1 w."""
        fact = model.row[row]
        return float(lightness(model.body, fact["i"], fact["j"], work.row[row]["w"]))

    def rate(k: float, c: float, m: float) -> float:
        return max(float(np.sqrt(max(k, 0.0) * m)), max(c, 0.0) * m)

    z = state.y[13 * len(compiled.system.bodies) :]

    def answers(pad: np.void, depth: float) -> tuple[float, ...]:
        """Answers of a contact law at rest."""
        given = model.law, model.constant, depth, 0.0, 1.0, 0.0, 0.0, z, work.inner[SPARE], True
        return answers_of(pad, *given)

    for row in range(int(model.info[0]["bilateral"]), int(model.info[0]["force"])):
        fact, c = model.row[row], work.row[row]
        if fact["law"] != NONE:
            _, k, d, _, _ = evaluate_law(model.law[fact["law"]], model.constant, c["g"], c["rate"], 0.0, z, True)
            yield rate(-k, -d, light(row)), compiled.interactions[fact["relation"]].name
    weight = LOADED * 9.81 * sum(body.mass for body in compiled.system.bodies)
    for number, (pad, name) in enumerate(zip(model.pad, compiled.pads, strict=True)):
        # where the gap is the whole clearance a row of a round bearing may have no direction: take that of its bodies
        m = light(int(pad["row"][0])) or sum(float(np.max(model.body[pad[b]]["minv"])) for b in ("i", "j"))
        depth, k, d = 1e-12, 0.0, 0.0
        if pad["anywhere"]:  # as it is at the start; closer, a film is stiffer
            depth = -float(work.press[number]["gap"])
            _, k, d, _, _ = answers(pad, depth)
            yield rate(k, d, m), name
            continue
        while depth < 1.0:
            force, k, d, _, _ = answers(pad, depth)
            if force > weight:
                break
            depth *= 2.0
        yield rate(k, d, m), name
        if pad["friction"] != NONE:  # steepest at rest
            _, _, quotient = evaluate_friction(model.law[pad["friction"]], model.constant, 0.0, weight, 0.0, True)
            along = max(light(int(row)) for row in pad["row"][1 : 1 + int(pad["tangents"])])
            yield rate(0.0, quotient * weight, along or m), f"friction of {name}"
    for k in range(int(model.info[0]["rubs"])):
        rub, slide = model.rub[k], work.slide[k]
        states = (
            float(x) for x in [*z[int(model.law[rub["law"]]["inner"]) :][: int(rub["states"])], 0.0, 0.0, 0.0][:3]
        )
        pressed = max(float(slide["normal"]), 0.1 * weight)
        drag = -evaluate_rub(model.law[rub["law"]], model.constant, CREEP, 0.0, pressed, 0.0, *states)[0] / CREEP
        for row, lever in zip(rub["row"][: int(rub["count"])], rub["lever"], strict=False):
            name = f"friction of {compiled.interactions[model.row[row]['relation']].name}"
            yield rate(0.0, drag, light(int(row)) * float(lever) ** 2), name
    if len(model.sense):
        lines = np.zeros((7, 12))
        k, d = sensed_stiffness(model, 0.0, work.kin, work.row, work.stack, lines)
        yield max(float(np.sqrt(k)), float(d)), "a force that follows the motion"
    for bundle in model.bundle:
        for n, row in enumerate(bundle["row"]):
            of = compiled.interactions[model.row[row]["relation"]].name
            yield rate(bundle["stiffness"][n, n], bundle["damping"][n, n], light(int(row))), of
