"""Algebra of small blocks of two, three or five rows, held as tuples: registers instead of loops over memory.

A matrix block is a tuple of its rows one after the other. ``t`` is the unit lower triangle of a diagonal block, row by
row without its diagonal; ``d`` holds the reciprocals of its pivots. Each function is written out, term by term, for
each size; numerics/ldl.py is written once, for a ``Kit`` of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .jit import link

Function = Callable[..., Any]


class Meeting(NamedTuple):
    """Entries of N: w_r . v_s of two lists of rows, six numbers of w from a and of v from b, written at ``at``."""

    cross: Function  # (w, v, a, b, entry, at)
    add_cross: Function  # the same, added
    square: Function  # (w, v, a, entry, at): of one list of rows, the lower triangle; six numbers from a
    squares: Function  # (w, v, a, b, entry, at): the same of two bodies, from a and from b


class Kit(NamedTuple):
    """What the factorisation needs of blocks of one size."""

    size: int
    get: Function  # (a, at): a matrix block from an array
    put: Function  # (a, at, m)
    get_vector: Function  # (a, at)
    put_vector: Function  # (a, at, z)
    get_triangle: Function  # (a, at)
    pick: Function  # (a, rows): numbers of an array at these places
    drop: Function  # (a, rows, z): and back
    reduce: Function  # (y, t): y times the inverse of the transposed triangle
    less_product: Function  # (s, x, y): s - x y^T
    less_times: Function  # (z, m, x): z - m x
    less_transposed: Function  # (z, m, x): z - m^T x
    ahead: Function  # (z, t): the triangle solved
    back: Function  # (z, t): its transpose
    times: Function  # (z, d): component by component
    put_lower: Function  # (a, at, m): the lower triangle of a block
    clear_lower: Function  # (a, at): zero there
    eliminate: Function  # (a, at, t, d, lower, to, s, own): x = a reduced, lower = x scaled, s less their product
    rows_of: Function  # (row, weighed, r, s): w of rows r, and M^-1 w of rows s
    full: Meeting
    light: Meeting  # where rows behind the third move no body along, but only turn it


def _made(name: str, arguments: str, before: Iterable[str] = (), results: Sequence[str] = ()) -> Function:
    """A function of these lines that returns the tuple of these results."""
    lines = [*before, *([f"return ({', '.join(results)},)"] if results else [])]
    space: dict[str, Any] = {"__name__": __name__}
    exec(f"def {name}({arguments}):\n    " + "\n    ".join(lines), space)
    return link(space[name])


def _minus(start: str, products: Iterable[str]) -> str:
    return " - ".join([start, *products])


def _meeting(n: int, moving: int) -> Meeting:
    """Of n rows of which the first ``moving`` may move bodies along."""
    views = [f"w{a}, v{a} = w[{a}], v[{a}]" for a in range(n)]

    def terms(a: int, b: int) -> range:
        return range(0 if max(a, b) < moving else 3, 6)

    def half(a: int, name: str, at: str) -> str:
        count = terms(a, 0)
        return f"{', '.join(f'{name}{m}' for m in count)} = {', '.join(f'w{a}[{at} + {m}]' for m in count)}"

    def dot(a: int, b: int, name: str, at: str) -> str:
        return " + ".join(f"{name}{m} * v{b}[{at} + {m}]" for m in terms(a, b))

    # row after row, each written before the next is read: more than that does not fit into registers
    def crossed(sign: str) -> list[str]:
        lines = [[half(a, "x", "a"), *(f"entry[at + {n * a + b}] {sign} {dot(a, b, 'x', 'b')}" for b in range(n))]
                 for a in range(n)]  # fmt: skip
        return [*views, *(line for each in lines for line in each)]

    def squared(both: bool) -> list[str]:
        lines = []
        for a in range(n):
            lines += [half(a, "x", "a"), *([half(a, "y", "b")] if both else [])]
            for b in range(a + 1):
                second = f" + ({dot(a, b, 'y', 'b')})" if both else ""
                lines.append(f"entry[at + {n * a + b}] = {dot(a, b, 'x', 'a')}{second}")
        return [*views, *lines]

    def named(name: str, arguments: str, lines: list[str]) -> Function:
        return _made(f"{name}{n}{'' if moving == n else '_light'}", arguments, lines)

    return Meeting(
        cross=named("cross", "w, v, a, b, entry, at", crossed("=")),
        add_cross=named("add_cross", "w, v, a, b, entry, at", crossed("+=")),
        square=named("square", "w, v, a, entry, at", squared(False)),
        squares=named("squares", "w, v, a, b, entry, at", squared(True)),
    )


def _kit(n: int) -> Kit:
    """The functions of blocks of n rows. Sums end with what a solution finds last, so that nothing waits for them."""
    one, area, triangle = range(n), range(n * n), range(n * (n - 1) // 2)
    each = [(a, b) for a in one for b in one]
    below = [n * a + b for a, b in each if b <= a]

    def t(a: int, b: int) -> str:
        return f"t[{a * (a - 1) // 2 + b}]"

    def named(name: str, arguments: str, before: Iterable[str] = (), results: Sequence[str] = ()) -> Function:
        return _made(f"{name}{n}", arguments, before, results)

    def taken(name: str, count: range) -> Function:
        return named(name, "a, at", results=[f"a[at + {k}]" for k in count])

    def written(name: str, count: range) -> Function:
        return named(name, "a, at, m", [f"a[at + {k}] = m[{k}]" for k in count])

    def less(a: int, b: int) -> str:
        return _minus(f"s[{n * a + b}]", [f"x[{n * a + c}] * y[{n * b + c}]" for c in one])

    def eliminated() -> list[str]:
        lines = []
        for a in one:
            lines += [f"x{b} = " + _minus(f"a[at + {n * a + b}]", [f"x{c} * {t(b, c)}" for c in range(b)]) for b in one]
            lines += [f"lower[to + {n * a + b}] = x{b} * d[{b}]" for b in one]
            for b in range(a + 1):
                products = [f"x{c} * lower[to + {n * b + c}]" for c in one]
                lines.append(f"s[own + {n * a + b}] = " + _minus(f"s[own + {n * a + b}]", products))
        return lines

    p = [f"p{a}_{b}" for a, b in each]
    reduced = [f"p{a}_{b} = " + _minus(f"y[{n * a + b}]", [f"p{a}_{c} * {t(b, c)}" for c in range(b)]) for a, b in each]
    q = [f"q{a}" for a in one]
    forward = [f"q{a} = " + _minus(f"z[{a}]", [f"{t(a, b)} * q{b}" for b in range(a)]) for a in one]
    backward = [
        f"q{a} = " + _minus(f"z[{a}]", [f"{t(b, a)} * q{b}" for b in reversed(range(a + 1, n))]) for a in reversed(one)
    ]
    return Kit(
        size=n,
        get=taken("get", area),
        put=written("put", area),
        get_vector=taken("get_vector", one),
        put_vector=written("put_vector", one),
        get_triangle=taken("get_triangle", triangle),
        pick=named("pick", "a, rows", results=[f"a[rows[{k}]]" for k in one]),
        drop=named("drop", "a, rows, z", [f"a[rows[{k}]] = z[{k}]" for k in one]),
        reduce=named("reduce", "y, t", reduced, p),
        less_product=named("less_product", "s, x, y", results=[less(a, b) for a, b in each]),
        less_times=named(
            "less_times",
            "z, m, x",
            results=[_minus(f"z[{a}]", [f"m[{n * a + b}] * x[{b}]" for b in one]) for a in one],
        ),
        less_transposed=named(
            "less_transposed",
            "z, m, x",
            results=[_minus(f"z[{b}]", [f"m[{n * a + b}] * x[{a}]" for a in reversed(one)]) for b in one],
        ),
        ahead=named("ahead", "z, t", forward, q),
        back=named("back", "z, t", backward, q),
        times=named("times", "z, d", results=[f"z[{a}] * d[{a}]" for a in one]),
        put_lower=named("put_lower", "a, at, m", [f"a[at + {k}] = m[{k}]" for k in below]),
        clear_lower=named("clear_lower", "a, at", [f"a[at + {k}] = 0.0" for k in below]),
        eliminate=named("eliminate", "a, at, t, d, lower, to, s, own", eliminated()),
        rows_of=named(
            "rows_of",
            "row, weighed, r, s",
            results=[f"({', '.join(x.format(k) for k in one)})" for x in ("row[r[{}]].w", "weighed[s[{}]]")],
        ),
        full=_meeting(n, n),
        light=_meeting(n, min(n, 3)),
    )


TWO, THREE, FIVE = _kit(2), _kit(3), _kit(5)
