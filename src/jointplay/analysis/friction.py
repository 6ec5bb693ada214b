"""How friction and the reactions that cause it settle at the start of a run (paper E sect. 4, Fig. 6).

The friction forces phi of joints press on the mechanism, its reactions make the normal forces N, and these make phi.
The fixed-point iteration

    phi <- F(v, N(lam_0 + Lambda phi), z),      phi = 0 at first

changes its error by G = dF/dN dN/dlam Lambda at each pass, so it shrinks with the spectral radius rho(G), where that
is below 1 (docs/theory/joint_friction.md). Newton's method finds the same phi in a few passes whatever rho(G) is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import LAM, Model, State, Work
from ..assemble.dynamics import derivative
from ..compile.build import compile_system
from ..compile.work import make_work
from ..errors import InputError, Problem
from ..model.system import System

COUPLINGS = ("fixed-point", "newton")


@dataclass(frozen=True)
class FrictionIterations:
    """What each pass changes, from the one without friction on; largest component of all."""

    multipliers: np.ndarray  # of the closed directions, N or N m
    accelerations: np.ndarray  # of all bodies, m/s2 or rad/s2
    rate: float  # rho(G) at the solution


def friction_iterations(system: System, passes: int = 20, coupling: str = "fixed-point") -> FrictionIterations:
    """Changes of multipliers and accelerations in each pass of the iteration for friction, at the start of a run.

    Args:
        system: a model with friction on a joint, that slides at the start.
        passes: how many to make.
        coupling: "fixed-point" as in paper E, or "newton", which runs use by default.
    """
    problems = []
    if coupling not in COUPLINGS:
        problems.append(Problem("coupling", f"must be one of {', '.join(COUPLINGS)}, is {coupling!r}"))
    if not (isinstance(passes, int) and passes >= 1):
        problems.append(Problem("passes", f"must be a whole number from 1 on, is {passes!r}"))
    if not isinstance(system, System):
        problems.append(Problem("system", f"needs a System, not {system!r}"))
    if problems:
        raise InputError(problems)
    compiled = compile_system(system)
    model, state = compiled.model, compiled.state
    if not model.info[0]["rubs"]:
        raise InputError(Problem("system", "no joint has smooth friction that follows its reaction"))
    model.info["fixed_point"] = int(coupling == "fixed-point")
    work, forces, motion = make_work(model, state), [], []
    for k in range(passes + 1):
        model.info["rub_iterations"] = k
        lam, a = _evaluate(model, state, work)
        forces.append(lam)
        motion.append(a)
    return FrictionIterations(_changes(forces), _changes(motion), _rate(model, work))


def _evaluate(model: Model, state: State, work: Work) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers and accelerations after as many passes as the model allows."""
    n, dy = int(model.info[0]["bodies"]) - 1, np.zeros_like(state.y)
    derivative(model, float(state.clock[0]["t"]), state.y, state.memory, work, dy)
    return work.vector[LAM].copy(), dy[7 * n : 13 * n]


def _changes(lines: list[np.ndarray]) -> np.ndarray:
    """Largest difference between each line and the one before."""
    return np.asarray(np.max(np.abs(np.diff(lines, axis=0)), axis=1, initial=0.0))


def _rate(model: Model, work: Work) -> float:
    """Spectral radius of G at the state just evaluated; columns are unit friction forces, two for each joint."""
    n = 2 * int(model.info[0]["rubs"])
    G = np.zeros((n, n))
    for f in range(n):
        slide, k = work.slide[f // 2], f // 2
        answers = work.reflex[n : 2 * n, 6 * k : 6 * k + 6]
        G[f] = slide["by_normal"][f % 2] * (answers @ slide["gradient"])
    return float(np.max(np.abs(np.linalg.eigvals(G))))
