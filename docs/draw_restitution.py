"""Restitution asked against obtained, by integration of free impacts: ``python docs/draw_restitution.py``.

Prints the table of docs/theory/laws/hysteresis.md and draws its picture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

from jointplay.laws.compliant import Compliant
from jointplay.laws.flores import Flores
from jointplay.laws.gonthier import Gonthier
from jointplay.laws.hunt_crossley import HuntCrossley
from jointplay.laws.kelvin_voigt import KelvinVoigt
from jointplay.laws.lankarani_nikravesh import LankaraniNikravesh
from jointplay.laws.pereira import Pereira

TARGET = Path(__file__).parent / "assets" / "restitution.png"
ASKED = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
PIN = {"length": 0.02, "radii": (0.01, 0.0101)}

# label, colour, line, law; the last one is asked for by the share of energy that returns
LAWS: list[tuple[str, str, str, Callable[[float], Compliant]]] = [
    ("LankaraniNikravesh, Pereira", "#D55E00", "-", lambda e: LankaraniNikravesh(stiffness=1e9, restitution=e)),
    ("HuntCrossley, original", "#E69F00", "-", lambda e: HuntCrossley(stiffness=1e9, restitution=e)),
    ("Gonthier", "#56B4E9", "-", lambda e: Gonthier(stiffness=1e9, restitution=e)),
    ("Flores", "#009E73", "-", lambda e: Flores(stiffness=1e9, restitution=e)),
    ("HuntCrossley, exact", "k", "--", lambda e: HuntCrossley(stiffness=1e9, restitution=e, form="exact")),
    ("KelvinVoigt, unloading = e²", "#CC79A7", ":", lambda e: KelvinVoigt(stiffness=1e6, unloading=e * e, v_0=0.01)),
]


def rebound(law: Compliant, speed: float = 1.0, mass: float = 1.0) -> float:
    """Speed after a free impact over the speed before."""
    p = np.array(law.numbers())

    def motion(t: float, y: np.ndarray) -> tuple[float, float]:
        return y[1], -law.normal(p, y[0], y[1], speed, t)[0] / mass

    def parted(t: float, y: np.ndarray) -> float:
        return float(y[0])

    parted.terminal, parted.direction = True, -1.0  # type: ignore[attr-defined]
    run = solve_ivp(motion, (0.0, 10.0), (0.0, speed), "DOP853", events=parted, rtol=1e-10, atol=1e-13)
    return float(-run.y_events[0][0][1] / speed)


def main() -> None:
    """Print the table, draw the picture."""
    columns = [*LAWS[:1], ("Pereira", "", "", lambda e: Pereira("steel", restitution=e, **PIN)), *LAWS[1:]]
    print("| asked | " + " | ".join(label for label, *_ in columns) + " |")
    for e in ASKED:
        print(f"| {e:g} | " + " | ".join(f"{rebound(make(e)):.4f}" for *_, make in columns) + " |")

    figure, axes = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
    asked = np.linspace(0.02, 1.0, 50)
    for label, colour, line, make in LAWS:
        axes.plot(asked, [rebound(make(e)) for e in asked], color=colour, ls=line, lw=2, label=label)
    axes.set(xlabel="restitution asked", ylabel="restitution obtained", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="lower right", frameon=False, fontsize=9)
    figure.savefig(TARGET, dpi=130)
    print(f"drew {TARGET}")


if __name__ == "__main__":
    main()
