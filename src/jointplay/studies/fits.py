r"""Fit: the clearance of a hole and a pin, ``Fit("12 H7/g6")``.

.. math::  c = D - d, \qquad \text{gap} = c / 2 + \tfrac12 D_0 (\alpha_h \Delta T_h - \alpha_p \Delta T_p).

Tables give diameters, ``Clearance`` is radial: c is halved once, here. ``limits`` are the least and the greatest
diametral clearance in m; everything that an input gives (mean, sigma, values) is of the radial gap. Both diameters vary
on their own, each with sigma = IT/(6 Cp). A shift (Cpk < Cp) goes towards more clearance by default. Parts
that are inspected lie in their zones; the gap is then the convolution of two cut bell curves, tabled and inverted.

A warm aluminium housing around a cold steel pin gives play: ``Fit("12 H7/g6", hole="aluminium", pin="steel",
warmer="60 K")``; ``warmer`` is one rise of temperature, one each for hole and pin, or the name of another input.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InputError, Problem
from ..quantities.units import dimension_of, value_of
from .bell import Normal
from .capability import capability_tree, capability_words, check_capability
from .distributions import Input, refuse
from .expansion import EXPANSION
from .iso286 import zone

FIT = re.compile(
    r"\s*[Øø⌀]?\s*(\d+(?:\.\d+)?)\s*(?:mm)?\s*([A-Za-z]{1,2})(\d{1,2})\s*/\s*([A-Za-z]{1,2})(\d{1,2})\s*\Z"
)
SIDES = ("loose", "tight")
INTERFERENCE = ("refused", "ideal")
OPEN = 1e-6  # m, a gap that every model takes, for one that is left out because its fit interferes
FINE = 2049  # points of the table of a convolution
NODES = 64  # of its integrals


class Fit(Input):
    """The radial gap of a fit of ISO 286.

    Args:
        text: nominal size in mm and both zones, "12 H7/g6".
        cp: capability of both processes, IT / (6 sigma).
        cpk: the same on the nearer side; the shift goes towards more clearance.
        inspected: True if parts outside of their zones are thrown away.
        towards: "loose" or "tight", side of the shift.
        hole: material of the housing, for its expansion: a name, or a number in 1/K.
        pin: the same of the pin.
        warmer: rise of temperature over 20 degrees Celsius, "60 K"; of hole and pin, ("60 K", "20 K"); or the name
            of an input that varies.
        interference: what a pin that is larger than its hole means: "refused", a sample that failed, or "ideal", a
            joint without play.
    """

    word = "fit"

    def __init__(
        self,
        text: str,
        *,
        cp: float = 1.0,
        cpk: float | None = None,
        inspected: bool = False,
        towards: str = "loose",
        hole: str | float | None = None,
        pin: str | float | None = None,
        warmer: Any = None,
        interference: str = "refused",
    ) -> None:
        found = FIT.match(text) if isinstance(text, str) else None
        if found is None:
            raise refuse("Fit", f"{text!r} is no fit; write the size in mm and both zones, as in '12 H7/g6'")
        self.text = " ".join(text.split())
        self.size = float(found[1])  # mm
        if not found[2].isupper() or not found[4].islower():
            raise refuse("Fit", f"'{self.text}': the hole comes first, in capitals, then the shaft, as in '12 H7/g6'")
        try:
            self.hole = zone(self.size, found[2], int(found[3]))
            self.shaft = zone(self.size, found[4], int(found[5]))
        except ValueError as error:
            raise refuse("Fit", f"'{self.text}': {error}") from None
        check_capability("Fit", cp, cpk, towards, SIDES)
        if interference not in INTERFERENCE:
            raise refuse("Fit: interference", f"needs {' or '.join(map(repr, INTERFERENCE))}, not {interference!r}")
        self.interference = interference
        self.cp, self.cpk, self.inspected, self.towards = float(cp), cpk, bool(inspected), towards
        self.dimension = dimension_of("m")
        self.materials = (hole, pin)
        self._warm(warmer)
        self.mean, self.sigma = self._moments()

    # -- clearance -------------------------------------------------------------------------------------------------

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest diametral clearance of the drawing in m; negative where the pin is larger."""
        return self.hole[0] - self.shaft[1], self.hole[1] - self.shaft[0]

    @property
    def gaps(self) -> tuple[float, float]:
        """Least and greatest radial gap at the working temperature in m: half of it, and the expansion."""
        return tuple(0.5 * one + self.grown for one in self.limits)  # type: ignore[return-value]

    @property
    def nominal(self) -> float:
        """The gap in the middle."""
        return 0.5 * sum(self.gaps)

    @property
    def support(self) -> tuple[float, float]:
        """Everywhere, unless inspected."""
        return self.gaps if self.inspected else (-np.inf, np.inf)

    @cached_property
    def _parts(self) -> tuple[Normal, Normal]:
        """Deviations of both diameters from the nominal size."""
        out = []
        for (low, high), side in ((self.hole, "greater"), (self.shaft, "less")):
            towards = side if self.towards == "loose" else {"greater": "less", "less": "greater"}[side]
            half, middle = 0.5 * (high - low), 0.5 * (low + high)
            options: dict[str, Any] = {"cp": self.cp, "cpk": self.cpk, "inspected": self.inspected, "towards": towards}
            out.append(Normal(middle, tolerance=half, **options))
        return out[0], out[1]

    def _moments(self) -> tuple[float, float]:
        D, d = self._parts
        return 0.5 * (D.mean - d.mean) + self.grown, 0.5 * float(np.hypot(D.sigma, d.sigma))

    # -- as an input -----------------------------------------------------------------------------------------------

    @cached_property
    def _bell(self) -> Normal:
        """The gap of parts that are not inspected: two bell curves make one."""
        return Normal(self.mean, self.sigma)

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """Gaps and their probabilities, of parts that are inspected."""
        D, d = self._parts
        x, w = np.polynomial.legendre.leggauss(NODES)
        low, high = D.limits
        D_at = 0.5 * (low + high) + 0.5 * (high - low) * x
        weight = 0.5 * (high - low) * w * D.density(D_at)
        weight /= weight.sum()
        c = np.linspace(*self.limits, FINE)
        # P(D - d <= c) = integral f(D) (1 - F(D - c)) dD
        share = (weight[None, :] * (1.0 - d.probability(D_at[None, :] - c[:, None]))).sum(axis=1)
        share[0], share[-1] = 0.0, 1.0
        return 0.5 * c + self.grown, np.maximum.accumulate(np.clip(share, 0.0, 1.0))

    def at(self, u: np.ndarray) -> np.ndarray:
        """Gaps of probabilities."""
        if not self.inspected:
            return self._bell.at(u)
        gap, share = self._table
        return np.interp(u, share, gap)

    def of_scores(self, z: np.ndarray) -> np.ndarray:
        """Gaps of scores."""
        return super().of_scores(z) if self.inspected else self._bell.of_scores(z)

    @property
    def poincare(self) -> float:
        """Of a sum of independent numbers that of its terms together, at most."""
        D, d = self._parts
        return 0.25 * (D.poincare + d.poincare)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """Probability of gaps up to x."""
        if not self.inspected:
            return self._bell.probability(x)
        gap, share = self._table
        return np.interp(x, gap, share)

    def density(self, x: np.ndarray) -> np.ndarray:
        """Probability per metre of gap."""
        if not self.inspected:
            return self._bell.density(x)
        gap, share = self._table
        k = np.clip(np.searchsorted(gap, x, side="right") - 1, 0, FINE - 2)
        slope = np.diff(share) / np.diff(gap)
        return np.where((x < gap[0]) | (x > gap[-1]), 0.0, slope[k])

    def halved(self) -> Input:
        """The same middle with half of both tolerances."""
        twin = Fit.__new__(Fit)
        twin.__dict__.update({key: value for key, value in self.__dict__.items() if key[0] != "_"})
        twin.grown, twin.heat = self.grown, self.heat
        for name in ("hole", "shaft"):
            low, high = getattr(self, name)
            setattr(twin, name, (low + 0.25 * (high - low), high - 0.25 * (high - low)))
        twin.mean, twin.sigma = twin._moments()
        return twin

    def words(self, show: Callable[[float], str]) -> str:
        """In a few words."""
        warm = f", heated by {self.heat[0]}" if self.heat[0] else f", wider by {show(self.grown)}" if self.grown else ""
        return f"fit {self.text}{capability_words(self.cp, self.cpk, self.inspected)}{warm}"

    def tree(self) -> dict[str, Any]:
        """As in a model file."""
        out: dict[str, Any] = {"fit": self.text}
        out |= capability_tree(self.cp, self.cpk, self.inspected, self.towards, "loose")
        out |= {"interference": self.interference} if self.interference != INTERFERENCE[0] else {}
        out |= {key: value for key, value in zip(("hole", "pin"), self.materials, strict=True) if value is not None}
        return out | ({"warmer": self._warmer} if self._warmer is not None else {})

    # -- temperature -----------------------------------------------------------------------------------------------

    def _warm(self, warmer: Any) -> None:
        """Read materials and rises of temperature."""
        self._warmer = warmer
        self.grown, self.heat = 0.0, ("", 0.0)  # m of gap; name of the input that heats, and m of gap per K
        if warmer is None:
            if self.materials != (None, None):
                raise refuse("Fit: warmer", "is missing: materials matter where the parts get warmer")
            return
        rates = [self._expansion(word, given) for word, given in zip(("hole", "pin"), self.materials, strict=True)]
        half = 0.5e-3 * self.size
        if isinstance(warmer, str) and warmer.strip().isidentifier():
            self.heat = (warmer.strip(), half * (rates[0] - rates[1]))
            return
        given = list(warmer) if isinstance(warmer, tuple | list) else [warmer, warmer]
        if len(given) != 2:
            raise refuse("Fit: warmer", f"needs one rise of temperature, or those of hole and pin, not {warmer!r}")
        self.grown = half * sum(
            sign * rate * self._rise(raw) for sign, rate, raw in zip((1.0, -1.0), rates, given, strict=True)
        )

    @staticmethod
    def _expansion(word: str, given: Any) -> float:
        if isinstance(given, str):
            if given.strip().lower() in EXPANSION:
                return EXPANSION[given.strip().lower()]
            known = ", ".join(EXPANSION)
            raise refuse(
                f"Fit: {word}", f"the expansion of '{given}' is not known here; give it in 1/K, or one of {known}"
            )
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise refuse(f"Fit: {word}", f"needs a material or its expansion in 1/K, not {given!r}")
        return float(given)

    @staticmethod
    def _rise(raw: Any) -> float:
        try:
            value = value_of(raw)
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            raise refuse("Fit: warmer", str(error)) from None
        if value.dimension is not None and value.dimension != dimension_of("K"):
            raise InputError(Problem("Fit: warmer", f"needs a temperature in K, not {raw!r}"))
        return value.si

    def __repr__(self) -> str:
        low, high = (1e6 * one for one in self.limits)
        return f"Fit({self.text!r}: clearance {low:g} to {high:g} um)"
