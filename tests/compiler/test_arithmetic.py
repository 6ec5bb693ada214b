"""Functions of plain numbers lowered directly: the same numbers as Python's and Numba's own, over random functions."""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from jointplay.compiler.arithmetic import Uncovered
from jointplay.compiler.own import make_directly
from jointplay.compiler.own_numba import make as make_by_numba
from jointplay.laws.own_code import Shape, kernels_of
from jointplay.laws.own_source import for_imaginary_steps
from jointplay.native.arguments import signature_hash
from jointplay.native.library import Library
from jointplay.numerics.by_address import call_at

SHAPE = Shape("coordinate", (("argument", 0), ("argument", 1), ("argument", 2), ("number", 0), ("number", 1)))
STEP = 1e-20
ONE = ("sin({})", "np.cos({})", "np.exp(0.3 * {})", "np.tanh({})", "math.atan({})", "np.sqrt(2.0 + {}**2)", "abs({})")
ONE += ("np.log(1.5 + {}**2)", "-{}", "{}**3", "(1.1 + {}**2)**0.7", "np.arcsinh({})", "math.tan(0.2 * {})", "2 * {}")
ONE += ("np.cosh(0.5 * {})", "({} if {} > 0.1 else 0.5)", "np.arcsin(0.1 * np.tanh({}))", "math.sinh(0.4 * {})")
TWO = ("({} + {})", "({} - {})", "({} * {})", "({} / (2.5 + {}**2))", "max({}, {})", "min({}, {})", "({} + {} / 3)")
ONE += ("math.log1p({}**2)", "np.expm1(0.2 * {})", "math.log2(1.5 + {}**2)", "np.log10(1.2 + {}**2)", "math.erf({})")
ONE += ("math.floor(3 * {})", "np.cbrt(2 + {}**2)", "math.degrees(0.02 * {})", "float({})", "np.clip({}, -0.6, 0.8)")
ONE += (
    "math.erfc({})",
    "np.exp2({} / 9)",
    "np.radians(50 * {})",
    "round(2 * {})",
    "int(5 * {}) / 7",
    "np.square({} / 4)",
)
TWO += ("math.atan2({}, 1.2 + {}**2)", "math.fmod({}, 1.3 + {}**2)", "({} % (1.3 + {}**2))", "({} // (0.7 + {}**2))")
TWO += (
    "math.copysign({}, {})",
    "np.where({} > 0.3, {}, 0.2)",
    "np.heaviside({}, 0.5) * {}",
    "np.mod({}, -1.1 - {}**2)",
)
TWO += ("np.hypot({}, 1 + {}**2)", "(1 / (1 + 0.5j.imag + {}**2) - {})")


def expression(draw, depth):
    """A random expression of the arguments of a law."""
    if depth == 0:
        return str(draw.choice(["x", "v", "t", "k", "c", "0.7", "2"]))
    if draw.random() < 0.5:
        one = expression(draw, depth - 1)
        return str(draw.choice(ONE)).replace("{}", one)
    return str(draw.choice(TWO)).format(expression(draw, depth - 1), expression(draw, depth - 1))


def written(text, folder, name):
    """A function from a file, so that it has a source."""
    place = folder / f"{name}.py"
    place.write_text(f"import math\nfrom math import sin\n\nimport numpy as np\n\n\n{text}\n")
    space = {"__name__": name}
    exec(compile(place.read_text(), str(place), "exec"), space)
    return space["law"]


def entries(library_place, kernels):
    """Addresses of kernels in a library, which is kept."""
    library = Library(library_place)
    found = [library.entry(kernel.name, signature_hash(given), kernel.content_key) for kernel, given in kernels]
    return [ctypes.cast(one.function, ctypes.c_void_p).value for one in found], library


def random_law(draw):
    """With local names, a branch, a loop that counts, and names whose kind grows."""
    first, second, third = (expression(draw, 3) for _ in range(3))
    return "\n".join(
        [
            "def law(x, v, t, k, c):",
            f"    first, total = {first}, 0",
            f"    if first > 0.2 and not (v < -1.0 or 1 < t <= 2):\n        second = {second}",
            "    else:\n        second = 1",
            "    for n in range(1, 4):\n        total += n * second / 6",
            f"    return total - 0.3 * ({third})",
        ]
    )


@pytest.mark.parametrize("seed", range(24))
def test_random_functions(seed, tmp_path):
    """Values as Python has them; partials and complex values by the imaginary step of Python itself, and as Numba."""
    draw = np.random.default_rng(seed)
    law = written(random_law(draw), tmp_path, f"random{seed}")
    kernels = kernels_of(law, SHAPE)
    make_directly(kernels, tmp_path / "direct.json")
    places, library = entries(tmp_path / "direct.json", kernels)
    if seed < 2:  # Numba takes its time
        make_by_numba(kernels, tmp_path / "numba.json")
        others, other_library = entries(tmp_path / "numba.json", kernels)
        assert other_library is not library
    else:
        others = places
    checked = 0
    for _ in range(40):
        a = draw.uniform(-1.5, 1.5, 3)
        p = draw.uniform(0.2, 2.0, 2)
        value = law(*a, *p)
        result = call_at(places[1], p, np.zeros(0), *a)
        # conditioning: how far the value moves with the last digits of what goes in
        scale = 1.0 + max(abs(law(*(a * (1.0 + e)), *p) - value) for e in (1e-6, -1e-6)) / 1e-6 + abs(value)
        if scale > 1e4:
            continue  # a jump of a branch just here
        checked += 1
        assert abs(result[0] - value) <= 1e-14 * scale * 50
        assert result[0] == pytest.approx(call_at(places[0], p, np.zeros(0), *a)[0], abs=1e-14 * scale * 50)
        for k in (0, 1):
            ends = [law(*(a + side * 1e-6 * np.eye(3)[k]), *p) for side in (-2.0, -1.0, 1.0, 2.0)]
            slope, wide = (ends[2] - ends[1]) / 2e-6, (ends[3] - ends[0]) / 4e-6
            if abs(slope - wide) < 1e-5 * (1.0 + abs(slope)):
                assert abs(result[1 + k] - slope) <= 1e-4 * (1.0 + abs(slope))
        for one, other in zip(result, call_at(others[1], p, np.zeros(0), *a), strict=True):
            assert abs(one - other) <= 1e-12 * scale
        moved = a + 1j * STEP * draw.uniform(-1.0, 1.0, 3)
        pairs = call_at(places[2], p, np.zeros(0), *moved), call_at(others[2], p, np.zeros(0), *moved)
        along = sum(result[1 + k] * moved[k].imag for k in (0, 1))
        still = call_at(places[2], p, np.zeros(0), *a[:2], complex(moved[2]))[0]
        assert pairs[0][0].real == pytest.approx(value, abs=1e-12 * scale)
        assert abs(pairs[0][0].imag - along - still.imag) <= 1e-10 * STEP * scale
        assert abs(pairs[0][0] - pairs[1][0]) <= 1e-12 * scale
        assert abs((pairs[0][0] - pairs[1][0]).imag) <= 1e-10 * STEP * scale
    assert checked > 20


def test_quotients_do_not_overflow(tmp_path):
    """A quotient of numbers whose squares are beyond the range of doubles."""
    law = written("def law(x, v, t, k, c):\n    return x / v", tmp_path, "quotient")
    kernels = kernels_of(law, SHAPE)
    make_directly(kernels, tmp_path / "direct.json")
    places, _library = entries(tmp_path / "direct.json", kernels)
    draw, p = np.random.default_rng(1), np.ones(2)
    for _ in range(200):
        a, b = (complex(*draw.normal(size=2)) * 10.0 ** draw.integers(-200, 200) for _ in range(2))
        if 1e-250 < abs(a) / abs(b) < 1e250:
            assert call_at(places[2], p, np.zeros(0), a, b, 0j)[0] == pytest.approx(a / b, rel=1e-14)


@pytest.mark.parametrize(
    "body",
    [
        "return divmod(x, 2.0)[0]",
        "for n in (1, 2):\n        x += n\n    return x",
        "while x < 0.5:\n        x += 1.0\n        if x > v:\n            break\n    return x",
        "if x > 0.0:\n        y = 1.0\n    return y",
        "if x > 0.0:\n        return x",
        "return [x, v][0]",
        "return np.linalg.norm(x)",
        "return sorted((x, v))[0]",
        "return x or v",
    ],
)
def test_what_is_not_plain_arithmetic(body, tmp_path):
    """It is left to Numba, which takes it or says why not."""
    law = written(f"def law(x, v, t, k, c):\n    {body}", tmp_path, "strange")
    with pytest.raises(Uncovered):
        make_directly(kernels_of(law, SHAPE), tmp_path / "direct.json")


def test_the_source_goes_with_the_function():
    """What the imaginary step needs is in the text that is lowered."""

    def law(x):
        return abs(x) ** 3 + math.sin(x)

    text = for_imaginary_steps(law).text
    assert "_power_(_absolute_(x), 3)" in text and "_numpy_.sin(x)" in text


PROGRAM = """
import sys
import jointplay as jp

@jp.law(k="F/X", c="F*s/X")
def spring(x, v, k, c):
    return -k * x**3 - c * abs(v) * v + 0.1 * max(x, 0.0)

s = jp.System("slide", gravity=(0.0, -9.81, 0.0))
b = s.body("B", mass=1.0, inertia=(1.0, 1.0, 1.0), velocity=(1.0, 0.0, 0.0))
s.prismatic("rail", s.ground, b, point=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), displacement=spring(5.0, 0.1))
solution = jp.simulate(s, "1 ms")
print("numba" in sys.modules, solution.outcome.ok)
"""


def test_a_plain_law_does_not_import_numba(tmp_path):
    """A new law in a new process, with nothing kept."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    there = {**os.environ, "JOINTPLAY_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=there, check=False)
    assert done.stdout.split() == ["False", "True"], done.stderr
