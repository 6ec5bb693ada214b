"""A result as text: one line per quantity and parameter, and a page that says how far to trust it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .result import Sensitivities

MOST = 10  # notes and limits shown


def _largest(values: Any) -> float:
    """Largest magnitude; vectors by their norm; NaN where nothing is known."""
    values = np.asarray(values, dtype=float)
    size = np.abs(values) if values.ndim < 2 else np.linalg.norm(values.reshape(len(values), -1), axis=1)
    return float(np.nanmax(size)) if np.isfinite(size).any() else float("nan")


def _last(values: Any) -> float:
    """At the end; of a vector its norm."""
    values = np.asarray(values, dtype=float)
    if values.ndim and not len(values):
        return float("nan")
    return float(values if values.ndim == 0 else values[-1] if values.ndim == 1 else np.linalg.norm(values[-1]))


def lines(result: Sensitivities) -> list[dict[str, Any]]:
    """The numbers of the table."""
    out = []
    for of in result.names:
        for parameter, derivative in result[of].items():
            rho = result.parameters[parameter]
            out.append(
                {
                    "of": of,
                    "parameter": parameter,
                    "value": rho,
                    "final": _last(derivative),
                    "largest": _largest(derivative),
                    "scaled": abs(rho) * _largest(derivative) if rho != 0.0 else None,
                    "unit": result.unit(of, parameter),
                    "scaled_unit": result.target(of).unit,
                    "step": result.steps.get(of, {}).get(parameter),
                    "error": result.errors.get(of, {}).get(parameter),
                }
            )
    return out


def figures(result: Sensitivities) -> dict[str, Any]:
    """All that a machine may want, but for the histories."""
    return {
        "ok": True,
        "name": result.name,
        "derivative": result.derivative,
        "method": repr(result.method),
        "saved": len(result.time),
        "parameters": result.parameters,
        "values": {of: value for of, value in result.values.items() if np.ndim(value) == 0},
        "derivatives": lines(result),
        "valid": [list(span) for span in result.valid],
        "invalid": [{"time": time, "reason": reason} for time, reason in result.invalid],
        "check": None if result.check is None else result.check.to_json(),
        "notes": result.notes,
        "stats": result.stats,
    }


def table(result: Sensitivities) -> str:
    """One line per pair; of vectors the norm."""
    rows = lines(result)
    by_differences = bool(result.steps)
    wide = max(2, *(len(row["of"]) for row in rows))
    name = max(9, *(len(row["parameter"]) for row in rows))
    head = f"{'of':<{wide}}  {'parameter':<{name}} {'value':>11} {'final':>13} {'largest':>12} {'scaled':>12}"
    head += f" {'step':>9} {'error':>8}" if by_differences else ""
    out = [f"{head}  unit"]
    for row in rows:
        scaled = "rho = 0" if row["scaled"] is None else f"{row['scaled']:.5g}"
        line = f"{row['of']:<{wide}}  {row['parameter']:<{name}} {row['value']:>11.6g} {row['final']:>13.6g}"
        line += f" {row['largest']:>12.6g} {scaled:>12}"
        line += f" {row['step']:>9.2g} {row['error']:>8.1e}" if by_differences else ""
        out.append(f"{line}  {row['unit']}")
    return "\n".join(out)


def page(result: Sensitivities) -> str:
    """Kind, method, check and limits, then the table."""
    stats = {key: value for key, value in result.stats.items() if isinstance(value, (int, float))}
    cost = ", ".join(f"{key.replace('_', ' ')} {value:.6g}" for key, value in stats.items())
    begin, end = (result.time[0], result.time[-1]) if len(result.time) else (0.0, 0.0)
    out = [
        f"sensitivities of {result.name or 'a system'}, {begin:g} to {end:g} s, {len(result.time)} saved instants",
        f"kind      {result.derivative}",
        f"method    {result.method!r}",
    ]
    out += [f"cost      {cost}"] if cost else []
    if result.check is None:
        out.append("check     none (check=True compares with other kinds)")
    elif not result.check.pairs:
        out.append("check     no other method could be asked")
    else:
        said = "agrees" if result.check.ok else "DOES NOT AGREE"
        others = " and ".join(sorted({pair.other for pair in result.check.pairs}))
        out.append(f"check     {said} with {others}, largest difference {result.check.worst:.1e}")
    out += [f"valid     until {time:.6g} s: {reason}" for time, reason in result.invalid[:MOST]]
    out += [f"note: {note}" for note in result.notes[:MOST]]
    more = len(result.notes) - MOST
    out += [f"and {more} notes more"] if more > 0 else []
    return "\n".join([*out, table(result)])
