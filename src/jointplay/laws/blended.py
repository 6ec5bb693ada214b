"""Blended: play, then a bushing, then hard contact (paper C eq. 50).

With x the depth after the play is used up (delta_1 = x), the bushing is compressed by ``travel`` = delta_b - delta_c
before the hard parts touch (delta_2 = x - travel), and one law passes into the other over the length ``blend`` = eps:

    N = (1 - w) N_b(x, rate) + w N_c(x - travel, rate),      w = (x - travel)/eps, held within 0 ... 1

Lengths in X. N >= 0 because both parts are. Both parts see the ``onset`` speed of the whole contact.

Energy: the elastic part of N depends on x alone, so it has a potential. With V_b, V_c those of the parts,

    V = (1 - w) V_b(x) + w V_c(x - travel) + 1/eps integral_0^r [V_b(travel + s) - V_c(s)] ds,   r = eps w

(integration by parts of the weighted elastic forces). The integral is a seven-point Gauss rule in sqrt(s), exact for
V ~ x^m with 2m a whole number up to 12 (linear and Hertz contacts, curves without a knot in the blend), and to about
1e-9 of V for other powers. The loss is (1 - w) times that of the bushing plus w times that of the hard contact, hence
never negative.

Range of validity: N_c(0) = 0, so the printed weights let N dip at the begin of the blend, and N ends below the force
of the bushing if the hard contact is weaker at the depth eps (``remark`` warns of it). Choose eps so that
N_c(eps) is many times N_b(travel): N then dips by about 0.33 (N_b/N_c)^(2/3) of itself with a Hertz contact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..numerics.jit import jit, link
from .base import nested, quantity
from .bushing import Bushing
from .compliant import Compliant, Sizes

BLEND = 0.01  # of the travel
HEAD = 6  # constants before those of the two parts

_nodes, _weights = np.polynomial.legendre.leggauss(7)
ROOTS = tuple((0.5 + 0.5 * _nodes).tolist())  # sqrt(s/r) of the Gauss points
WEIGHTS = tuple((_weights * (0.5 + 0.5 * _nodes)).tolist())  # with ds = 2 r root d(root)
POINTS = len(ROOTS)


@jit
def weight(p, x):
    """Weight of the hard contact (eq. 50) and its derivative by x."""
    travel, blend = p[0], p[1]
    w = (x - travel) / blend
    if w.real <= 0.0:
        return 0.0 * w, 0.0 * w
    if w.real >= 1.0:
        return 0.0 * w + 1.0, 0.0 * w
    return w, 0.0 * w + 1.0 / blend


def make_normal(normal_of: Callable[..., Any]) -> Any:
    """The kernel ``normal`` of this law; ``normal_of(kind, p, x, rate, onset, t)`` runs that of another contact law."""

    @link
    def normal(p, x, rate, onset, t):
        """N, its partials, stored energy and dissipated power."""
        w, dw = weight(p, x)
        zero = 0.0 * (w + rate)
        force, stiffness, damping, stored, loss = zero, zero, zero, zero, zero
        first = HEAD
        for part in range(2):  # the bushing, then the hard contact
            kind, count = int(p[2 + 2 * part].real), int(p[3 + 2 * part].real)
            share, sign, start = (1.0 - w, 1.0, p[0] + zero) if part == 0 else (w, -1.0, zero)
            for k in range(POINTS + 1):
                # Gauss points of the energy first, the contact itself last
                last = k == POINTS
                if not last and w.real <= 0.0:
                    continue
                depth = x - p[0] * part + zero if last else start + p[1] * w * ROOTS[k] ** 2
                N, by_x, by_rate, V, D = normal_of(
                    kind, p[first : first + count], depth, rate if last else zero, onset, t
                )
                if last:
                    force += share * N
                    stiffness += share * by_x - sign * dw * N
                    damping += share * by_rate
                    stored += share * V
                    loss += share * D
                else:
                    stored += sign * w * WEIGHTS[k] * V
            first += count
        return force, stiffness, damping, stored, loss

    return normal


@dataclass(frozen=True)
class Blended(Compliant):
    """A bushing that passes into a hard contact where it is compressed by ``travel``."""

    key: ClassVar[str] = "blended"

    bushing: Bushing = nested("contact")
    travel: float | str = quantity("X", above=0.0)
    hard: Compliant = nested("contact")
    blend: float | str | None = quantity("X", None, above=0.0)

    def __post_init__(self) -> None:
        if not isinstance(self.bushing, Bushing):
            raise ValueError(f"'bushing' must be a bushing, not {_named(self.bushing)}")
        if not isinstance(self.hard, Compliant) or isinstance(self.hard, Blended):
            raise ValueError(f"'hard' must be a compliant contact law such as hertz, not {_named(self.hard)}")
        if self.hard.inner:
            raise ValueError(f"'hard' must be a law without states, but {_named(self.hard)} has some")
        if self.hard.anywhere:
            raise ValueError(f"'hard' must act in touch alone, but {_named(self.hard)} acts at any gap")

    def resolved(self, sizes: Sizes) -> Blended:
        """The law of one strip, all numbers known."""
        blend = BLEND * float(self.travel) if self.blend is None else float(self.blend)
        return replace(self, bushing=self.bushing.resolved(sizes), hard=self.hard.resolved(sizes), blend=blend)

    def numbers(self) -> tuple[float, ...]:
        """Not without the numbers of the parts' kernels: ``numbers_with``."""
        raise NotImplementedError("the constants of Blended name the kernels of its parts: use numbers_with(kind_of)")

    def numbers_with(self, kind_of: Callable[[Compliant], int]) -> tuple[float, ...]:
        """Travel, eps, (kernel, count) of the bushing and of the hard contact, then their constants.

        ``kind_of`` gives the number by which ``normal_of`` knows the kernel of a law.
        """
        if self.blend is None:
            raise ValueError("call resolved() first")
        b, h = self.bushing.numbers(), self.hard.numbers()
        head = (float(self.travel), float(self.blend))
        return (*head, float(kind_of(self.bushing)), float(len(b)), float(kind_of(self.hard)), float(len(h)), *b, *h)

    def remark(self) -> str:
        """What is odd about a resolved law, in a sentence; empty if nothing is."""
        if self.blend is None:
            raise ValueError("call resolved() first")
        soft = self.bushing.normal(np.array(self.bushing.numbers()), float(self.travel), 0.0, 1.0, 0.0)[0]
        hard = self.hard.normal(np.array(self.hard.numbers()), float(self.blend), 0.0, 1.0, 0.0)[0]
        if hard >= soft:
            return ""
        return (
            f"the force falls from {soft:.3g} to {hard:.3g} where the bushing passes into the hard contact, "
            "because that is weaker at the depth 'blend'; a larger 'blend' or a stiffer 'hard' law mends it"
        )

    def summary(self, x: str = "m") -> str:
        """Both parts."""
        return f"{self.bushing.summary(x)}; after {float(self.travel):.6g} {x} {self.hard.summary(x)}"


def _named(law: Any) -> str:
    return f"'{law.key}'" if hasattr(law, "key") else repr(law)
