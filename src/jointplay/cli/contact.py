"""``jointplay contact PROBLEM``: solve a contact problem that was kept in a file, such as the one that ended a run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .console import OK, STOPPED, Json, command, echo, emit

MOST_CONTACTS = 20  # lines of the table


class Solver(StrEnum):
    """Solvers by name (numerics/contact.py)."""

    auto = "auto"
    newton = "newton"
    gauss_seidel = "gauss_seidel"
    lemke = "lemke"


@command
def contact(
    problem: Annotated[Path, typer.Argument(help="Contact problem, JSON.")],
    method: Annotated[Solver, typer.Option(help="Solver; lemke without friction or in a plane only.")] = Solver.auto,
    tolerance: Annotated[float, typer.Option(metavar="NUMBER", help="Of the residual, relative to |q|.")] = 1e-10,
    as_json: Json = False,
) -> int:
    """Solve a contact problem again: residual, iterations, time, impulses; ends with 0, or 3 if there is no answer."""
    from time import perf_counter

    from ..numerics.contact import read_problem, solve_contact

    W, q, mu, dim, note = read_problem(problem)
    # one contact first: compiles what is needed, so that the time is the solver's
    solve_contact(W[:dim, :dim], q[:dim], mu[:1], dim, method=method.value, tolerance=tolerance)
    began = perf_counter()
    answer = solve_contact(W, q, mu, dim, method=method.value, tolerance=tolerance)
    spent = perf_counter() - began
    lines = [
        f"{problem}: {mu.size} contacts of {dim} component(s)" + (f", {note}" if note else ""),
        f"method      {answer.method}",
        f"status      {answer.status.value}",
        f"residual    {answer.residual:.2e} of |q|",
        f"iterations  {answer.iterations}",
        f"time        {1e3 * spent:.3g} ms",
    ]
    heads = ("normal", "tangent 1", "tangent 2")[:dim]
    lines.append("".join(f"{head:>15}" for head in ("contact", *heads)) + f"{'normal speed':>15}   [N s, m/s]")
    for k in range(min(mu.size, MOST_CONTACTS)):
        numbers = (*answer.impulses[k], answer.velocities[k, 0])
        lines.append(f"{k:>15}" + "".join(f"{number:>15.6g}" for number in numbers))
    if mu.size > MOST_CONTACTS:
        lines.append(f"and {mu.size - MOST_CONTACTS} contacts more (--json has all)")
    echo("\n".join(lines), as_json)
    if as_json:
        facts = {
            "ok": answer.ok,
            "problem": str(problem),
            "note": note,
            "contacts": int(mu.size),
            "dim": dim,
            "method": answer.method,
            "status": answer.status.value,
            "residual": answer.residual,
            "iterations": answer.iterations,
            "time": spent,
            "impulses": answer.impulses.tolist(),
            "velocities": answer.velocities.tolist(),
        }
        emit(facts)
    return OK if answer.ok else STOPPED
