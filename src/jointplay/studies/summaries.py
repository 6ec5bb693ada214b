"""A study in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .answers import Study

MOST = 8  # lines of a list


def summary(study: Study) -> str:
    """A few lines for people: rows, yield, outputs, what matters."""
    done, failed = len(study.done), len(study.failed)
    lines = [f"study     {done} of {study.count} samples, {study.plan!r}" + (f", {failed} failed" if failed else "")]
    lines += [f"          {count} x {text}" for text, count in list(study.failures().items())[:MOST]]
    if study.plan.samples and done:
        if study.limits:
            lines.append(f"yield     {study.yield_()}")
        for key in study.outputs:
            lines += _output(study, key)
    lines += [f"note      {note}" for note in study.notes]
    return "\n".join(lines)


def _output(study: Study, key: str) -> list[str]:
    unit = study.units[key]
    unit = "" if unit in ("", "1") else f" {unit}"
    mean, sigma = study.mean(key), study.sigma(key)
    if not mean.count:
        return [f"output    {key}: no sample is well"]
    text = f"{key}: mean {mean.value:.6g} +- {mean.half:.2g}{unit}, sigma {sigma.value:.4g}{unit}"
    low, high = study.ends_of(key)
    if np.isfinite(low) or np.isfinite(high):
        text += f", Cpk {study.cpk(key):.3f} (limits {low:g} to {high:g}{unit})"
    shares = {name: share for name, share in study.contributions(key).items() if np.isfinite(share)}
    ranked = sorted(shares.items(), key=lambda one: -one[1])[:MOST]
    parts = ", ".join(f"{name} {100 * share:.3g} %" for name, share in ranked)
    return [f"output    {text}"] + (
        [f"          {parts} of the variance (straight line: R2 {study.linearity(key):.3f})"] if parts else []
    )
