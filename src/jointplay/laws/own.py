"""Kernels of laws that users have written: the numbers of such a law begin with the addresses of its machine code.

    p = [value, with partials, complex, rates, complex rates, own numbers ...]

All are made from one Python function (compiler/own.py) and called by address (numerics/by_address.py). Addresses are
whole numbers below 2^53 and so exact in a float; 0 where there is no such code.
"""

from __future__ import annotations

import numpy as np

from ..numerics.by_address import call_at, fill_at
from ..numerics.jit import jit

VALUE, FULL, COMPLEX, RATES, COMPLEX_RATES, HEAD = range(6)


@jit
def own_answers(p, z, a, b, c, wanted):
    """Five answers of an own law to its three arguments; partial derivatives only where they are wanted."""
    zero = (a + b + c + p[0]) * 0.0
    if np.iscomplexobj(zero):
        at = p[COMPLEX].real
    else:
        at = p[FULL].real if wanted else p[VALUE].real
    return call_at(np.int64(at), p[HEAD:], z, a + zero, b + zero, c + zero)


@jit
def own_rates(p, z, g, rate, t, out):
    """Rates of the states of an own law."""
    at = p[COMPLEX_RATES].real if np.iscomplexobj(out) else p[RATES].real
    fill_at(np.int64(at), p[HEAD:], z, g, rate, t, out)


@jit
def own_evolve(p, x, rate, s, z, out, wanted):
    """Five answers of an own contact law with states, and the rates of these."""
    zero = (x + rate + s + z[0]) * 0.0
    own_rates(p, z, x + zero, rate + zero, s + zero, out)
    return own_answers(p, z, x + zero, rate + zero, s + zero, wanted)


@jit
def own_coefficient(p, s, normal, t, wanted):
    """mu(s), d mu/ds and mu(s)/s of an own law of friction."""
    mu, by_s, quotient, _, _ = own_answers(p, p[:0], s, normal, t, wanted)
    return mu, by_s, quotient


@jit
def own_rub(p, v0, v1, normal, t):
    """F on an ideal joint, and rates of states that there are none of."""
    s = np.sqrt(v0 * v0 + v1 * v1)
    _, _, quotient = own_coefficient(p, s, normal, t, False)
    drag = quotient * normal
    zero = 0.0 * drag
    return -drag * v0, -drag * v1, zero, zero, zero
