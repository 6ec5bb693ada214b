"""What to know about a run at a glance: how it ended, what it cost, how exact it is, what the joints carry."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from .layout import ENERGY
from .solution import Solution

MOST_JOINTS = 10
ROUNDING = 1e-13  # m: a torque smaller than a joint's largest force at this arm is none


def figures(solution: Solution) -> dict[str, Any]:
    """The numbers of a summary as plain data."""
    outcome, saved = solution.outcome, len(solution.time)
    ledger = {part: float(solution[f"energy.{part}"][-1]) for part, _ in ENERGY} if saved else {}
    worst = [(float(np.max(solution[name], initial=0.0)), name) for name in _joint_names(solution, "residual")]
    return {
        "ok": outcome.ok,
        "name": solution.meta.get("name", ""),
        "outcome": {"code": outcome.code.name.lower(), "time": outcome.time, "message": outcome.message},
        "method": solution.meta.get("method", ""),
        "saved": saved,
        "result": str(solution.path) if solution.path else None,
        "stats": dict(solution.stats),
        "energy": ledger,
        "energy_scale": _energy_scale(solution),
        "worst_residual": dict(zip(("value", "name"), max(worst), strict=True)) if worst and saved else None,
        "peaks": peaks(solution),
        "multipliers": solution.meta.get("multipliers", "unique"),
        "notes": list(solution.meta.get("notes", [])),
    }


def peaks(solution: Solution) -> list[dict[str, Any]]:
    """Largest force and torque of every joint with their times, the largest force first."""
    found = []
    for name in _joint_names(solution, "force") if len(solution.time) else []:
        joint = name.removesuffix(".force")
        force = np.linalg.norm(solution[name], axis=1)
        torque = np.linalg.norm(solution[f"{joint}.torque"], axis=1)
        torque[torque < ROUNDING * np.max(force)] = 0.0
        at, turn_at = int(np.argmax(force)), int(np.argmax(torque))
        found.append(
            {
                "joint": joint,
                "force": float(force[at]),
                "force_time": float(solution.time[at]),
                "torque": float(torque[turn_at]),
                "torque_time": float(solution.time[turn_at]),
            }
        )
    return sorted(found, key=lambda one: -one["force"])


def summary(solution: Solution) -> str:
    """A page of text."""
    facts = figures(solution)
    lines = [f"{facts['name'] or 'run'}: {facts['outcome']['message']}"]
    lines += _cost(facts)
    lines += _exactness(facts)
    lines += _peak_table(facts["peaks"])
    lines += [f"note: {note}" for note in facts["notes"]]
    if facts["multipliers"] != "unique" and not any("least norm" in note for note in facts["notes"]):
        lines.append(f"note: joint reactions are not unique; these are {facts['multipliers']}")
    return "\n".join(lines + _next(solution))


def _joint_names(solution: Solution, quantity: str) -> list[str]:
    found = [v for v in solution.layout.variables if v.dimension == "joint" and v.name == quantity]
    return list(found[0].publics) if found else []


def _energy_scale(solution: Solution) -> float:
    """The largest energy that went to and fro, which an error is compared with."""
    if not len(solution.time):
        return 0.0
    potential = solution["energy.potential"]
    return float(max(np.max(solution["energy.kinetic"]), np.ptp(potential), np.max(np.abs(solution["energy.input"]))))


def _cost(facts: dict[str, Any]) -> list[str]:
    stats = facts["stats"]
    if not stats:
        return [f"method    {facts['method']}", f"saved     {facts['saved']} states"]
    return [
        f"method    {facts['method']}",
        f"steps     {stats['steps']} accepted, {stats['rejections']} rejected; {facts['saved']} states saved",
        f"time      {stats['run_time']:.3g} s running, {stats['wall_time']:.3g} s in all",
    ]


def _exactness(facts: dict[str, Any]) -> list[str]:
    lines = []
    if facts["energy"]:
        terms = {part: value for part, value in facts["energy"].items() if part != "error"}
        shown = ", ".join(f"{part} {value:.6g}" for part, value in terms.items() if value != 0.0)
        error, scale = facts["energy"]["error"], facts["energy_scale"]
        relative = f", {abs(error) / scale:.1e} of what is at play" if scale > 0.0 else ""
        lines += [f"energy    {shown or 'none'} J at the end", f"          error of the ledger {error:.2e} J{relative}"]
    if facts["worst_residual"]:
        worst = facts["worst_residual"]
        lines.append(
            f"joints    closed to {worst['value']:.1e} (m or rad), worst {worst['name'].removesuffix('.residual')}"
        )
    return lines


def _peak_table(found: list[dict[str, Any]]) -> list[str]:
    if not found:
        return []
    shown = found[:MOST_JOINTS]
    width = max(9, *(len(one["joint"]) for one in shown))
    lines = [f"{'joint':<{width}} {'peak force':>14} {'at':>10} {'peak torque':>16} {'at':>10}"]
    for one in shown:
        lines.append(
            f"{one['joint']:<{width}} {one['force']:>12.5g} N {one['force_time']:>8.4g} s "
            f"{one['torque']:>12.5g} N m {one['torque_time']:>8.4g} s"
        )
    if len(found) > len(shown):
        lines.append(f"and {len(found) - len(shown)} joints with smaller forces")
    return lines


def _next(solution: Solution) -> list[str]:
    """What one may do now."""
    if solution.path is None:
        return []
    file = shlex.quote(str(solution.path))
    names = _joint_names(solution, "force") or [name for name in solution.names if name.endswith(".position")]
    example = shlex.quote(names[0]) if names else "energy.kinetic"
    return [
        f"result    {solution.path}",
        "next      " + f"jointplay plot {file} {example}",
        "          " + f"jointplay plot {file} --list",
    ]
