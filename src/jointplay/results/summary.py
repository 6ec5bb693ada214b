"""What to know about a run at a glance: how it ended, what it cost, how exact it is, what the joints carry."""

from __future__ import annotations

import shlex
from typing import Any

import numpy as np

from .impulsive import WHY
from .layout import ENERGY
from .means import default_window, mean_loads
from .missed import missed_peaks
from .peaks import joints_of
from .solution import Solution

MOST_EVENTS = 5  # that a summary lists one by one
MOST_JOINTS = 10
ROUNDING = 1e-13  # m: a torque smaller than a joint's largest force at this arm is none; and of what was lost in all


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
        "impacts": impact_figures(solution),
        "events": [event._asdict() for event in solution.events],
        "peaks": peaks(solution),
        "stop_peaks": stop_peaks(solution),
        "mean_forces": mean_figures(solution),
        "multipliers": solution.meta.get("multipliers", "unique"),
        "notes": [*solution.meta.get("notes", []), *missed_peaks(solution)],
    }


def impact_figures(solution: Solution) -> dict[str, Any] | None:
    """Impacts in numbers; None for a run without contacts.

    ``count`` counts instants, of which each may concern several contacts. The energies are those between the first and
    the last saved instant: what impacts took, and all the rest that was lost (friction, dampers).
    """
    if not solution.layout.contacts:
        return None
    table, stats = solution.impacts, solution.stats
    hardest = table[np.argmin(table["speed_before"])] if len(table) else None
    strongest = table[np.argmax(table["impulse"])] if len(table) else None
    impacts = other = 0.0
    if len(solution.time):
        inside = (table["time"] > solution.time[0]) & (table["time"] <= solution.time[-1])
        impacts = float(table["energy_loss"][inside].sum())
        lost = solution["energy.dissipated"]
        other = float(lost[-1] - lost[0]) - impacts
        if abs(other) < ROUNDING * max(impacts, float(lost[-1])):
            other = 0.0
    return {
        "count": int(stats.get("impacts", len(np.unique(table["impact"])))),
        "hardest": None
        if hardest is None
        else {
            "speed": max(-float(hardest["speed_before"]), 0.0),
            "joint": str(hardest["joint"]),
            "contact": str(hardest["contact"]),
            "time": float(hardest["time"]),
        },
        "strongest": None
        if strongest is None
        else {
            "impulse": float(strongest["impulse"]),
            "unit": "N m s" if ".angle[" in strongest["contact"] else "N s",
            "contact": str(strongest["contact"]),
            "time": float(strongest["time"]),
        },
        "energy_loss": impacts,
        "other_loss": other,
        "worst_penetration": max(float(stats["worst_penetration"]), 0.0) if "worst_penetration" in stats else None,
    }


def peaks(solution: Solution) -> list[dict[str, Any]]:
    """Largest force and torque of every joint with their times, the largest force first.

    Joints that carry impulses of rigid contacts have none (results/impulsive.py).
    """
    found = []
    for joint in joints_of(solution.layout) if len(solution.time) else ():
        force, torque = solution.peaks[f"|{joint}.force|"], solution.peaks[f"|{joint}.torque|"]
        if force.impulsive:
            continue
        none = torque.greatest < ROUNDING * force.greatest
        found.append(
            {
                "joint": joint,
                "force": float(force.greatest),
                "force_time": float(force.greatest_time),
                "torque": 0.0 if none else float(torque.greatest),
                "torque_time": float(solution.time[0] if none else torque.greatest_time),
                "every_step": force.every_step,
            }
        )
    return sorted(found, key=lambda one: -one["force"])


def stop_peaks(solution: Solution) -> list[dict[str, Any]]:
    """Largest force or torque of every compliant stop, with its time."""
    found = []
    for name in solution.names if len(solution.time) else []:
        if name.partition(".")[2].startswith(("stop_force", "stop_torque")):
            peak = solution.peaks[name]
            if not peak.impulsive:
                time = float(peak.size_time)
                found.append(
                    {
                        "name": name,
                        "peak": float(peak.size),
                        "unit": peak.unit,
                        "time": time,
                        "every_step": peak.every_step,
                    }
                )
    return found


def mean_figures(solution: Solution) -> dict[str, Any] | None:
    """In place of peaks where contacts are rigid: largest mean forces over a window; None for other runs."""
    window = default_window(solution)
    loads = mean_loads(solution, window)
    return {"window": window, "loads": [one._asdict() for one in loads], "why": WHY} if loads else None


def summary(solution: Solution, *, commands: str = "python") -> str:
    """A page of text that ends with what to do next, in ``commands`` of "python" or of the "shell"."""
    facts = figures(solution)
    lines = [f"{facts['name'] or 'run'}: {facts['outcome']['message']}"]
    lines += _cost(facts)
    lines += _exactness(facts)
    lines += _impacts(facts["impacts"])
    lines += _events(facts["events"])
    lines += _onsets(facts["stats"])
    lines += _peak_table(facts["peaks"])
    lines += [_stop_line(one) for one in facts["stop_peaks"]]
    lines += _mean_table(facts["mean_forces"])
    lines += [note if note.startswith("warning: ") else f"note: {note}" for note in facts["notes"]]
    if facts["multipliers"] != "unique" and not any("least norm" in note for note in facts["notes"]):
        lines.append(f"note: joint reactions are not unique; these are {facts['multipliers']}")
    return "\n".join(lines + following(solution, commands))


def _events(events: list[dict[str, Any]]) -> list[str]:
    """The first instants at which conditions became true, and how many there are."""
    lines = [f"event     {one['time']:.9g} s  {one['name']}" for one in events[:MOST_EVENTS]]
    more = len(events) - MOST_EVENTS
    return [*lines, f"          and {more} more in sol.events"] if more > 0 else lines


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


def _impacts(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    count, hardest = facts["count"], facts["hardest"]
    if hardest is None:
        lines = ["impacts   none"]
    else:
        # of an angle's stop the speed is in rad/s; those of clearances are m/s
        unit = "rad/s" if ".angle[" in hardest["contact"] else "m/s"
        lines = [
            f"impacts   {count}, the hardest at {hardest['contact']} with {hardest['speed']:.4g} {unit} "
            f"at t = {hardest['time']:.6g} s"
        ]
        strongest = facts["strongest"]
        lines.append(
            f"          the strongest at {strongest['contact']} with {strongest['impulse']:.4g} {strongest['unit']} "
            f"at t = {strongest['time']:.6g} s"
        )
    rest = "friction, dampers and compliant contacts"
    lines.append(f"losses    impacts {facts['energy_loss']:.4g} J, {rest} {facts['other_loss']:.4g} J")
    if facts["worst_penetration"] is not None:
        lines.append(f"contacts  pierced by {facts['worst_penetration']:.1e} (m or rad) at most")
    return lines


def _onsets(stats: dict[str, Any]) -> list[str]:
    """Compliant contacts, in a line."""
    if "onsets" not in stats:
        return []
    depth = f"{stats['deepest_onset']:.1e} (m or rad)"
    return [f"touches   compliant contacts began {stats['onsets']} times, with a penetration of at most {depth}"]


def _peak_table(found: list[dict[str, Any]]) -> list[str]:
    if not found:
        return []
    shown = found[:MOST_JOINTS]
    width = max(9, *(len(one["joint"]) for one in shown))
    head = f"{'joint':<{width}} {'peak force':>14} {'at':>10} {'peak torque':>16} {'at':>10}"
    steps = {one["every_step"] for one in shown}
    where = "over every step" if steps == {True} else "in saved states" if steps == {False} else "* in saved states"
    lines = [f"{head}   (reactions {where})"]
    for one in shown:
        lines.append(
            f"{one['joint']:<{width}} {one['force']:>12.5g} N {one['force_time']:>8.4g} s "
            f"{one['torque']:>12.5g} N m {one['torque_time']:>8.4g} s"
            f"{'' if one['every_step'] or len(steps) == 1 else ' *'}"
        )
    if len(found) > len(shown):
        lines.append(f"and {len(found) - len(shown)} joints with smaller forces")
    return lines


def _stop_line(one: dict[str, Any]) -> str:
    where = "over every step" if one["every_step"] else "in saved states"
    return f"{one['name']} {one['peak']:.5g} {one['unit']} at {one['time']:.4g} s ({where})"


def _mean_table(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    loads = facts["loads"]
    shown = loads[:MOST_JOINTS]
    width = max(9, *(len(one["name"]) for one in shown))
    lines = [f"{'joint':<{width}} {'mean force':>14}   (largest mean over {facts['window']:.3g} s; {facts['why']})"]
    for one in shown:
        which = "with impacts" if one["impacts"] else "between impacts"
        span = f"{one['start']:.4g} to {one['end']:.4g} s"
        lines.append(f"{one['name']:<{width}} {one['force']:>12.5g} {one['unit']:<3} {which}, {span}")
    if len(loads) > len(shown):
        lines.append(f"and {len(loads) - len(shown)} more")
    return lines


def following(solution: Solution, commands: str = "python") -> list[str]:
    """Two or three things to do next, in lines, with names that exist in this result."""
    kept = [f"result    {solution.path}"] if solution.path is not None else []
    if not len(solution.time):
        return kept
    if commands == "python":
        name = worth_showing(solution)
        steps = [f'sol.plot("{name}")', 'sol.view("run.html")', 'sol.find("force") lists names']
    elif solution.path is None:
        return kept
    else:
        file = shlex.quote(str(solution.path))
        clearances = [name.removesuffix(".gap") for name in solution.layout.names if name.endswith(".gap")]
        kind = (
            f"--kind gaps --joint {shlex.quote(clearances[0])}" if clearances else shlex.quote(worth_showing(solution))
        )
        steps = [
            f"jointplay view {file}",
            f"jointplay plot {file} {kind}",
            f"jointplay report {file} -o {shlex.quote(f'{solution.path.stem}_report.html')}",
        ]
    return [*kept, *(f"{'next' if k == 0 else '':<10}{step}" for k, step in enumerate(steps))]


def worth_showing(solution: Solution) -> str:
    """A name worth looking at first: the gap of a rigid clearance, the force of the most loaded joint, a position."""
    clearances = [name for name in solution.layout.names if name.endswith(".gap")]
    loads = peaks(solution)
    if clearances and solution.peaks[clearances[0].removesuffix("gap") + "normal_force"].impulsive:
        return clearances[0]
    if loads:
        return f"|{loads[0]['joint']}.force|"
    return next((name for name in solution.names if name.endswith(".position")), "energy.kinetic")
