"""jointplay: dynamics of mechanisms whose joints are not perfect."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public names and where they live; imported on first use, so that ``import jointplay`` is quick.
_HOMES = {
    "System": ".model.system",
    "load_model": ".model.files",
    "read": ".robots.read",
    "write": ".robots.write",
    "simulate": ".simulation",
    "sensitivities": ".sensitivity.solve",
    "Final": ".sensitivity.objectives",
    "Integral": ".sensitivity.objectives",
    "Peak": ".sensitivity.objectives",
    "optimise": ".design.optimise",
    "fit": ".design.fit",
    "AtLeast": ".design.limits",
    "AtMost": ".design.limits",
    "Cost": ".design.cost",
    "Mean": ".sensitivity.objectives",
    "Quantile": ".sensitivity.objectives",
    "Instant": ".sensitivity.objectives",
    "study": ".studies.study",
    "merge_studies": ".studies.merge",
    "load_study": ".studies.reopen",
    "Study": ".studies.answers",
    "Batch": ".studies.batch",
    "Until": ".studies.until",
    "Fit": ".studies.fits",
    "Uniform": ".studies.bounded",
    "Normal": ".studies.bell",
    "LogNormal": ".studies.bell",
    "Triangular": ".studies.bounded",
    "Measured": ".studies.measured",
    "Random": ".studies.plans",
    "LatinHypercube": ".studies.plans",
    "Sobol": ".studies.plans",
    "Saltelli": ".studies.plans",
    "Corners": ".studies.plans",
    "Grid": ".studies.plans",
    "Points": ".studies.plans",
    "Between": ".studies.limits",
    "Impacts": ".studies.outputs",
    "HardestImpact": ".studies.outputs",
    "first_order": ".studies.first_order",
    "reliability": ".studies.reliability",
    "worst_case": ".studies.worst_case",
    "load": ".results.file",
    "Solution": ".results.solution",
    "Outcome": ".codes",
    "State": ".arrays",
    "InputError": ".errors",
    "Table": ".quantities.table",
    "Ideal": ".laws.ideal",
    "Drive": ".laws.drive",
    "ForceLaw": ".laws.force_law",
    "law": ".laws.own_law",
    "Servo": ".laws.servo",
    "DCMotor": ".laws.dc_motor",
    "TorqueCurve": ".laws.torque_curve",
    "Stepper": ".stepper",
    "environment": ".environments",
    "Spring": ".laws.spring",
    "Clearance": ".laws.clearance",
    "Stop": ".laws.stop",
    "Rigid": ".laws.rigid",
    "Coulomb": ".laws.coulomb",
    "Bushing": ".laws.bushing",
    "Hertz": ".laws.hertz",
    "KelvinVoigt": ".laws.kelvin_voigt",
    "SqueezeFilm": ".laws.squeeze_film",
    "HuntCrossley": ".laws.hunt_crossley",
    "LankaraniNikravesh": ".laws.lankarani_nikravesh",
    "Flores": ".laws.flores",
    "Gonthier": ".laws.gonthier",
    "Pereira": ".laws.pereira",
    "Archard": ".laws.archard",
    "Blended": ".laws.blended",
    "BrownMcPhee": ".laws.brown_mcphee",
    "GonthierFriction": ".laws.gonthier_friction",
    "ConstantFriction": ".laws.constant_friction",
    "Explicit": ".methods.explicit",
    "Implicit": ".methods.implicit",
    "Index1": ".methods.index1",
    "Verlet": ".methods.verlet",
    "Moreau": ".methods.moreau",
    "OptimalStep": ".methods.optimal_step",
}

_PACKAGES = ("analysis", "figures")  # public as they are: jointplay.analysis.orbit, jointplay.figures.orbit

__all__ = [
    "Archard",
    "AtLeast",
    "AtMost",
    "Batch",
    "Between",
    "Blended",
    "BrownMcPhee",
    "Bushing",
    "Clearance",
    "ConstantFriction",
    "Corners",
    "Cost",
    "Coulomb",
    "DCMotor",
    "Drive",
    "Explicit",
    "Final",
    "Fit",
    "Flores",
    "Gonthier",
    "GonthierFriction",
    "Grid",
    "HardestImpact",
    "Hertz",
    "HuntCrossley",
    "Ideal",
    "Impacts",
    "Implicit",
    "Index1",
    "InputError",
    "Instant",
    "Integral",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "LatinHypercube",
    "LogNormal",
    "Mean",
    "Measured",
    "Moreau",
    "Normal",
    "OptimalStep",
    "Outcome",
    "Peak",
    "Pereira",
    "Points",
    "Quantile",
    "Random",
    "Rigid",
    "Saltelli",
    "Servo",
    "Sobol",
    "Solution",
    "ForceLaw",
    "Stepper",
    "environment",
    "Spring",
    "SqueezeFilm",
    "State",
    "Stop",
    "Study",
    "System",
    "Table",
    "TorqueCurve",
    "Triangular",
    "Uniform",
    "Until",
    "Verlet",
    "analysis",
    "figures",
    "first_order",
    "fit",
    "law",
    "load",
    "load_model",
    "load_study",
    "merge_studies",
    "optimise",
    "read",
    "reliability",
    "sensitivities",
    "simulate",
    "study",
    "worst_case",
    "write",
]

if TYPE_CHECKING:
    from . import analysis, figures
    from .arrays import State
    from .codes import Outcome
    from .design.cost import Cost
    from .design.fit import fit
    from .design.limits import AtLeast, AtMost
    from .design.optimise import optimise
    from .environments import environment
    from .errors import InputError
    from .laws.archard import Archard
    from .laws.blended import Blended
    from .laws.brown_mcphee import BrownMcPhee
    from .laws.bushing import Bushing
    from .laws.clearance import Clearance
    from .laws.constant_friction import ConstantFriction
    from .laws.coulomb import Coulomb
    from .laws.dc_motor import DCMotor
    from .laws.drive import Drive
    from .laws.flores import Flores
    from .laws.force_law import ForceLaw
    from .laws.gonthier import Gonthier
    from .laws.gonthier_friction import GonthierFriction
    from .laws.hertz import Hertz
    from .laws.hunt_crossley import HuntCrossley
    from .laws.ideal import Ideal
    from .laws.kelvin_voigt import KelvinVoigt
    from .laws.lankarani_nikravesh import LankaraniNikravesh
    from .laws.own_law import law
    from .laws.pereira import Pereira
    from .laws.rigid import Rigid
    from .laws.servo import Servo
    from .laws.spring import Spring
    from .laws.squeeze_film import SqueezeFilm
    from .laws.stop import Stop
    from .laws.torque_curve import TorqueCurve
    from .methods.explicit import Explicit
    from .methods.implicit import Implicit
    from .methods.index1 import Index1
    from .methods.moreau import Moreau
    from .methods.optimal_step import OptimalStep
    from .methods.verlet import Verlet
    from .model.files import load_model
    from .model.system import System
    from .quantities.table import Table
    from .results.file import load
    from .results.solution import Solution
    from .robots.read import read
    from .robots.write import write
    from .sensitivity.objectives import Final, Instant, Integral, Mean, Peak, Quantile
    from .sensitivity.solve import sensitivities
    from .simulation import simulate
    from .stepper import Stepper
    from .studies.answers import Study
    from .studies.batch import Batch
    from .studies.bell import LogNormal, Normal
    from .studies.bounded import Triangular, Uniform
    from .studies.first_order import first_order
    from .studies.fits import Fit
    from .studies.limits import Between
    from .studies.measured import Measured
    from .studies.merge import merge_studies
    from .studies.outputs import HardestImpact, Impacts
    from .studies.plans import Corners, Grid, LatinHypercube, Points, Random, Saltelli, Sobol
    from .studies.reliability import reliability
    from .studies.reopen import load_study
    from .studies.study import study
    from .studies.until import Until
    from .studies.worst_case import worst_case


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_nearest(name)}")


def _nearest(name: str) -> str:
    """Which public name was probably meant."""
    from difflib import get_close_matches

    by_lower = {one.lower(): one for one in __all__}
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6) if not name.startswith("_") else []
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
