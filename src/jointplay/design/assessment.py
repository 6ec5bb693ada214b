"""From the end of a fit to what is reported about it: errors, warnings, a sentence."""

from __future__ import annotations

import logging

import numpy as np

from .fitted import Fitted
from .identify import Knowledge, knowledge_of
from .loss import influence
from .misfit import Misfit
from .runs import Point

log = logging.getLogger("jointplay")

UNLIKELY = 1e-3  # chance of residuals this large, below which sigma or model are doubted


def fitted_of(misfit: Misfit, best: Point, *, loss: str, known: bool, ended: bool, message: str) -> Fitted:
    """Judge the best point of a finished search."""
    variables, runs = misfit.variables, misfit.runs
    off = misfit.weighted(best)
    held = misfit.held(best)
    knowledge, covariance = _errors(misfit, best, loss, set(held))
    freedom = misfit.count - len(variables.names)
    chi2 = float(np.sum(off**2)) / freedom
    warnings = [*knowledge.warnings, *_doubts(chi2, freedom, known and loss == "linear")]
    for warning in warnings:
        log.warning("fit: %s", warning)
    names = [one.name for one in misfit.channels]
    count = f"{len(runs.points)} runs"
    return Fitted(
        ok=ended,
        outcome=f"fitted after {count}"
        if ended
        else f"not finished after {count}: {message}. The best so far is given",
        parameters=variables.named(best.p),
        errors=variables.named(np.sqrt(np.diag(covariance))),
        covariance=covariance,
        freedom=freedom,
        condition=knowledge.condition,
        residuals=dict(zip(names, [-one for one in misfit.raw(best)], strict=True)),
        sigma=dict(zip(names, misfit.sigma, strict=True)),
        sigma_known=known,
        reduced_chi2=chi2,
        history=_table(misfit),
        derivative=runs.derivative,
        loss=loss,
        warnings=warnings,
        notes=[*runs.notes, *_remarks(misfit, best, held)],
        _misfit=misfit,
        _best=best,
    )


def _errors(misfit: Misfit, best: Point, loss: str, held: set[str]) -> tuple[Knowledge, np.ndarray]:
    """What is known about the parameters that are free to move; the others have no error (NaN)."""
    variables = misfit.variables
    free = [k for k, name in enumerate(variables.names) if name not in held]
    names = [variables.names[k] for k in free]
    size = np.where(best.p == 0.0, variables.scale, np.abs(best.p))
    curves = {}
    if loss != "linear":
        curves = dict(zip(("bread", "filling"), influence(loss, misfit.weighted(best)), strict=True))
    knowledge = knowledge_of(misfit.slopes(best)[:, free], names, size[free], **curves)
    covariance = np.full((len(size), len(size)), np.nan)
    covariance[np.ix_(free, free)] = knowledge.covariance
    return knowledge, covariance


def _doubts(chi2: float, freedom: int, testable: bool) -> list[str]:
    from scipy.stats import chi2 as distribution

    if not testable or distribution.sf(chi2 * freedom, freedom) > UNLIKELY:
        return []
    return [
        f"the residuals are larger than sigma allows (reduced chi2 {chi2:.3g}): the model or sigma is wrong, and "
        "the errors given are too small"
    ]


def _remarks(misfit: Misfit, best: Point, held: dict[str, str]) -> list[str]:
    notes = [f"{name} lies on its {side} bound; no error is given for it" for name, side in held.items()]
    failed = [point for point in misfit.runs.points if not point.ok]
    if failed:
        notes.append(f"{len(failed)} of the runs failed and were stepped back from; the first: {failed[0].problem}")
    blind = misfit.blind(best)
    if blind:
        notes.append(f"{blind} measurements lie where a derivative does not exist; errors are given without them")
    return [*notes, *best.remarks]


def _table(misfit: Misfit) -> np.ndarray:
    """One line per run: number, parameters, chi2 under the final weights, outcome."""
    names = misfit.variables.names
    kinds = [("run", int), *((name, float) for name in names), ("chi2", float), ("ok", bool), ("message", object)]
    lines = np.zeros(len(misfit.runs.points), dtype=kinds)
    for line, point in zip(lines, misfit.runs.points, strict=True):
        for name, value in zip(names, point.p, strict=True):
            line[name] = value
        line["chi2"] = float(np.sum(misfit.weighted(point) ** 2)) if point.ok else np.nan
        line["run"], line["ok"], line["message"] = point.number, point.ok, point.problem
    return lines
