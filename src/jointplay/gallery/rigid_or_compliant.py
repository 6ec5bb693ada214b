"""Two mechanisms with rigid and with compliant contact, and how one tends to the other.

Subject:   choices
Question:  does it matter for the motion whether contact is rigid or compliant?
Answer:    less and less as the contact grows stiffer: with 1e11 N/m^1.5 the crank is 0.17 mrad from that with rigid
           contact after two turns, with 1e6 it is 59 mrad. Take rigid contact for the motion of stiff parts and
           compliant contact where forces, deformations or soft parts are of interest.
Number:    12.648600 rad after two turns with 1e8 N/m^1.5, integrated apart in coordinates without constraints.
Models:    slider_crank_clearance, clearance_pendulum

Rigid walls return e = 0.4 of the speed at once; compliant ones (Hunt-Crossley in its exact form) do so within the
duration of a contact. Nothing but the contact law of one joint is changed, and the compliant runs choose their own
method. Two lengths of the compliant world go to zero: the depth under a load, as K^(-2/3), and the duration of an
impact, as K^(-2/5). So the largest difference falls as K^(-2/3) while the load counts, and as K^(-2/5) in the end,
when it is that between a jump and a fast change at the instants of impacts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.gallery import entries
from jointplay.gallery.drawing import BLUE, GREEN, GREY, ORANGE, OUT, RED, keep, panels

E = 0.4
FINE = jp.Moreau(rtol=1e-8, atol=1e-11)


@dataclass(frozen=True)
class Case:
    """A mechanism of the gallery, its joint with play, and what to look at."""

    model: str
    joint: str
    settings: dict[str, Any]
    until: float  # s
    stiffness: np.ndarray  # N/m^1.5
    look: Callable[[jp.Solution], np.ndarray]
    unit: str
    title: str
    shown: tuple[float, ...]  # stiffnesses drawn over time
    window: tuple[float, float]  # s, of these

    def run(self, contact: Any, method: Any = None) -> jp.Solution:
        """With the contact law ``contact`` in its play, without friction."""
        play = {f"joints.{self.joint}.radial": jp.Clearance("gap", contact=contact)}
        system = jp.load_model(entries()[self.model], overrides=self.settings | play)
        instants = np.union1d(np.linspace(0.0, self.until, 1401), np.linspace(*self.window, 801))
        sol = jp.simulate(system, self.until, method, save=instants, progress=True)
        assert sol.outcome.ok, sol.outcome.message
        return sol


CASES = (
    Case(
        "slider_crank_clearance",
        "D",
        {},
        0.1375545,
        np.logspace(6, 11, 6),
        lambda sol: sol["A.angle"],
        "rad",
        "slider-crank, two turns: crank angle",
        (1e6, 1e7, 1e8),
        (2e-3, 9e-3),
    ),
    Case(
        "clearance_pendulum",
        "P",
        {"parameters.aside": 0.0},
        10.0,
        np.logspace(3, 10, 8),
        lambda sol: sol["pendulum.position"],
        "m",
        "pendulum, 10 s: centre of mass",
        (1e3, 1e4, 1e5),
        (0.1, 0.6),
    ),
)


def main(out: Path = OUT) -> float:
    """Run both mechanisms over all stiffnesses, draw, and check how differences fall. Returns a crank angle in rad."""
    figure, axes = panels(2, 2, (11.0, 8.0))
    for case, (above, below) in zip(CASES, axes.T, strict=True):
        rigid = case.run(jp.Rigid(restitution=E), FINE)
        inside = (rigid.time >= case.window[0]) & (rigid.time <= case.window[1])
        milli = 1e3 * rigid.time[inside]
        below.plot(milli, 1e3 * rigid[f"{case.joint}.gap"][inside, 0], color=GREY, linewidth=2.5, label="rigid")
        differences = []
        for K in case.stiffness:
            soft = case.run(jp.HuntCrossley(stiffness=float(K), restitution=E, form="exact"))
            apart = np.reshape(case.look(soft) - case.look(rigid), (len(rigid.time), -1))
            differences.append(np.max(np.linalg.norm(apart, axis=1)))
            print(
                f"{case.model}: K = {K:.0e}, {differences[-1]:.2e} {case.unit} from the rigid one, "
                f"{soft.stats['onsets']} contacts, {soft.stats['steps']} steps"
            )
            if K in case.shown:
                colour = (RED, ORANGE, GREEN)[case.shown.index(K)]
                gap = 1e3 * soft[f"{case.joint}.gap"][inside, 0]
                below.plot(
                    milli, gap, color=colour, linewidth=1.2, label=f"K = $10^{{{np.log10(K):.0f}}}$ N/m$^{{3/2}}$"
                )
        above.loglog(case.stiffness, differences, "o-", color=BLUE)
        for power, label, at, reach in (
            (-2 / 3, "$K^{-2/3}$", -4, case.stiffness[:-2]),
            (-2 / 5, "$K^{-2/5}$", -2, case.stiffness[-3:]),
        ):
            line = 1.7 * differences[at] * (reach / case.stiffness[at]) ** power
            above.loglog(reach, line, ":", color=GREY)
            above.annotate(label, (reach[1], line[1]), (6, 6), color=GREY, textcoords="offset points")
        above.set(title=case.title, xlabel="stiffness K [N/m$^{3/2}$]", ylabel=f"largest difference [{case.unit}]")
        below.set(xlabel="time [ms]", ylabel="gap [mm]")
        below.legend(frameon=False)
        assert np.all(np.diff(differences) < 0.0)
        last = np.log10(differences[-1] / differences[-2])
        assert abs(last + 0.4) < 0.05, last
    keep(figure, out, "rigid_or_compliant", "Compliant contact tends to the rigid one as its stiffness grows")

    crank = CASES[0].run(jp.HuntCrossley(stiffness=1e8, restitution=E, form="exact"))
    print(f"crank angle after two turns with K = 1e8: {crank['A.angle'][-1]:.9f} rad")
    assert abs(crank["A.angle"][-1] - 12.648599735) < 1e-6  # integrated apart, in coordinates without constraints
    return float(crank["A.angle"][-1])


if __name__ == "__main__":
    main()
