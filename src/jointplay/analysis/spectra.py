"""Spectra of saved quantities.

Saved states need not be equally far apart; they are brought onto an equal grid by straight lines, as fine as the median
interval. The mean is taken off, the window w applied, and with X the transform of N samples at the rate f_s

    amplitude  A_k = 2 |X_k| / sum w                      a sine of amplitude a shows a peak of height a
    density    S_k = 2 |X_k|^2 / (f_s sum w^2)            the integral over frequency is the mean square

each averaged (in the square) over segments that overlap by half, if several are requested. Frequencies above half the
rate f_s are not seen: they appear as lower ones, so save often enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import InputError, Problem

WINDOWS = ("hann", "flattop", "none")
LEAST = 8  # samples of a segment
FLATTOP = (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)
EQUAL = 1e-6  # of the interval: saves that differ by less are equally far apart


@dataclass(frozen=True)
class Spectrum:
    """One-sided spectrum of a series x."""

    frequency: np.ndarray  # Hz
    amplitude: np.ndarray  # unit of x
    density: np.ndarray  # unit of x squared, per Hz
    rate: float  # Hz, of the samples
    window: str
    segments: int
    resampled: bool

    @property
    def resolution(self) -> float:
        """Distance of two frequencies, in Hz."""
        return float(self.frequency[1])


def window_of(name: str, count: int) -> np.ndarray:
    """Weights of a window with ``count`` samples, periodic."""
    turn = 2.0 * np.pi * np.arange(count) / count
    if name == "hann":
        return np.asarray(0.5 - 0.5 * np.cos(turn))
    if name == "flattop":
        return np.asarray(sum((-1) ** k * a * np.cos(k * turn) for k, a in enumerate(FLATTOP)))
    return np.ones(count)


def spectrum(time: np.ndarray, values: np.ndarray, *, window: str = "hann", segments: int = 1) -> Spectrum:
    """Spectrum of ``values`` saved at ``time`` (s).

    Args:
        time: instants, in order.
        values: one number for each.
        window: "hann"; "flattop" for exact heights of peaks; "none" for whole periods.
        segments: pieces to average over, which overlap by half: fewer frequencies, less scatter.
    """
    problems = []
    if window not in WINDOWS:
        problems.append(Problem("window", f"there is no window '{window}'; known: {', '.join(WINDOWS)}"))
    if segments < 1:
        problems.append(Problem("segments", f"must be at least 1, is {segments}"))
    length = int(2 * len(time) / (max(segments, 1) + 1))
    if length < LEAST:
        problems.append(Problem("", f"{len(time)} saved states are too few for a spectrum of {segments} segment(s)"))
    if problems:
        raise InputError(problems)
    steps = np.diff(time)
    interval = float(np.median(steps))
    if abs(steps[-1] - interval) > EQUAL * interval:  # the end of a run need not be a multiple of the interval
        time, values, steps = time[:-1], values[:-1], steps[:-1]
        length = int(2 * len(time) / (segments + 1))
    resampled = bool(np.max(np.abs(steps - interval)) > EQUAL * interval)
    if resampled:
        grid = time[0] + interval * np.arange(int((time[-1] - time[0]) / interval * (1.0 + 1e-12)) + 1)
        values = np.interp(grid, time, values)
        length = int(2 * len(values) / (segments + 1))
    weight = window_of(window, length)
    level, square = values - np.mean(values), np.zeros(length // 2 + 1)
    for k in range(segments):
        first = k * length // 2
        square += np.abs(np.fft.rfft(weight * level[first : first + length])) ** 2 / segments
    both = np.full(len(square), 2.0)  # of a positive and a negative frequency; zero and the last have one
    both[0] = 1.0
    if length % 2 == 0:
        both[-1] = 1.0
    rate = 1.0 / interval
    return Spectrum(
        frequency=np.fft.rfftfreq(length, interval),
        amplitude=both * np.sqrt(square) / weight.sum(),
        density=both * square / (rate * (weight**2).sum()),
        rate=rate,
        window=window,
        segments=segments,
        resampled=resampled,
    )
