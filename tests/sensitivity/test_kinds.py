"""Every kind of joint, bushing, spring and contact, on random mechanisms: direct = complex step, adjoint = direct.

For every method of the registry that records its steps (methods/tape.py). A complex run shares no formula with the
linearised stages. That the runs themselves are right is tested elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import COUPLINGS, JOINTS, SIZES, coupling_arguments, rotation, turn

import jointplay as jp
from jointplay.cli.examples import entries
from jointplay.joints.registry import KINDS
from jointplay.methods.base import Method
from jointplay.methods.registry import REGISTRY

RECORDED = [one.key for one in REGISTRY if one.recorder is not None]
# Derivatives of controlled steps agree with complex steps to the tolerance; those of Verlet to the second order of the
# correction that closes a step, which falls with h^2 (2e-7 of the kinetic energy at 1 ms in seed 7, 2e-8 at 0.25 ms).
TIGHT: dict[str, Method] = {
    "explicit": jp.Explicit(rtol=1e-12, atol=1e-13),
    "implicit": jp.Implicit(rtol=1e-11, atol=1e-12),
    "verlet": jp.Verlet(step=2.5e-4),
}
UNTIL, STEP, SAVE = 0.1, 1e-3, 0.01
LAWS: dict[str, Callable[[float], Any]] = {  # with a stiffness
    "hertz": lambda k: jp.Hertz(stiffness=k),
    "hunt_crossley": lambda k: jp.HuntCrossley(stiffness=k, restitution=0.6),
    "lankarani_nikravesh": lambda k: jp.LankaraniNikravesh(stiffness=k, restitution=0.6),
    "flores": lambda k: jp.Flores(stiffness=k, restitution=0.6),
    "gonthier": lambda k: jp.Gonthier(stiffness=k, restitution=0.6),
    "kelvin_voigt": lambda k: jp.KelvinVoigt(stiffness=k, damping=20.0),
    "bushing": lambda k: jp.Bushing(stiffness=k, damping=20.0),
}


def agree(build: Any, wrt: Any, of: list[str], other: str = "complex-step", within: float = 1e-7, **given: Any) -> None:
    """Compare direct derivatives with those of ``other``, relative to the largest of each over time.

    Where a change by 100 % would change a quantity by less than 1e-4 of itself, that is the scale.
    """
    settings = {"until": UNTIL, "method": jp.Index1(step=STEP), "save": SAVE} | given
    one, two = (jp.sensitivities(build, wrt, of, derivative=kind, **settings) for kind in ("direct", other))
    assert not one.invalid and not two.invalid
    for name in of:
        most = np.max(np.abs(one.values[name]))
        least = 1e-4 * most + 1e-6
        if most < 1e-9:
            continue  # rounding: a body that is held, the torque of a rod
        for key, p in one.parameters.items():
            size, off = (abs(p) * np.max(np.abs(x)) for x in (two[name][key], one[name][key] - two[name][key]))
            assert off < within * max(size, least), (name, key)


def transposed(build: Any, wrt: Any, of: list[str], within: float = 1e-9, **given: Any) -> None:
    """Compare adjoint derivatives of final values with direct ones, relative to what a change by 100 % would do."""
    settings = {"until": UNTIL, "method": jp.Index1(step=STEP), "save": SAVE} | given
    one = jp.sensitivities(build, wrt, of, **settings)
    parts: dict[str, tuple[str, Any]] = {}
    for name in of:
        values = one.values[name]
        if np.max(np.abs(values)) > 1e-9:  # else rounding: a body that is held, the torque of a rod
            inner = range(values.shape[1]) if values.ndim > 1 else [()]
            parts |= {f"{name}[{k}]" if values.ndim > 1 else name: (name, k) for k in inner}
    two = jp.sensitivities(build, wrt, [jp.Final(key) for key in parts], derivative="adjoint", **settings)
    assert not one.invalid and not two.invalid
    for key, (name, k) in parts.items():
        sizes = [abs(p) * np.max(np.abs(one[name][q][-1])) for q, p in one.parameters.items()]
        scale = max(*sizes, 1e-4 * float(np.max(np.abs(one.values[name]))))
        for q, p in one.parameters.items():
            assert abs(p) * abs(two[jp.Final(key)][q] - one[name][q][-1][k]) < within * scale, (key, q)


def method_of(key: str) -> Method:
    """A method with steps so small that its derivatives can be compared."""
    found = TIGHT.get(key) or next(one for one in REGISTRY if one.key == key)(step=STEP)  # type: ignore[call-arg]
    assert isinstance(found, Method)
    return found


class Scene:
    """A random mechanism, and the paths of numbers to vary."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.system = jp.System(f"random {seed}", gravity=[1.0, -2.0, -9.0])
        self.bodies: list[Any] = [self.system.ground]
        self.names = ["gravity[2]"]
        self.of = ["energy.kinetic", "energy.potential"]

    def vector(self, size: float = 1.0) -> np.ndarray:
        return size * self.random.uniform(-1.0, 1.0, 3)

    def body(self, centre: np.ndarray) -> None:
        Q = rotation(turn(self.vector(), self.random.uniform(0, 3)))
        J = Q @ np.diag(self.random.uniform(0.06, 0.1, 3)) @ Q.T
        orientation = turn(self.vector(), self.random.uniform(0, 3))
        name = f"b{len(self.bodies)}"
        given = {"mass": float(self.random.uniform(0.5, 2.0)), "position": centre.tolist(), "inertia": J.tolist()}
        self.bodies.append(self.system.body(name, orientation=orientation.tolist(), **given))
        # an offset of the centre of mass follows from its position: joints are drawn in space
        self.names += [f"bodies.{name}.mass", f"bodies.{name}.position[{self.random.integers(3)}]"]
        self.of += [f"{name}.position", f"{name}.velocity", f"{name}.orientation", f"{name}.angular_velocity"]
        self.of += [f"{name}.acceleration"]

    def joint(self, kind: str, a: int, b: int, point: np.ndarray, **laws: Any) -> None:
        if kind in COUPLINGS:
            self.couple(kind, a, b, point)
            return
        facts, axis = KINDS[kind], self.vector()
        given: dict[str, Any] = {}
        name = f"J{len(self.system.joints)}"
        for key, unit in facts.arguments.items():
            if unit:
                given[key] = (point + (self.vector(0.4) if key == "point_b" else 0.0)).tolist()
            else:
                given[key] = (np.cross(axis, self.vector()) if key == "axis_b" else axis).tolist()
            self.names.append(f"joints.{name}.{key}[{self.random.integers(3)}]")
        for key in facts.free:
            if self.random.uniform() < 0.6:
                k, c = (float(x) for x in (self.random.uniform(1, 10), self.random.uniform(0.05, 0.5)))
                given[key] = jp.Spring(stiffness=k, damping=c)
                self.names.append(f"joints.{name}.{key}.spring.stiffness")
        self.system.joint(kind, name, self.bodies[a], self.bodies[b], **given, **laws)
        self.of += [f"{name}.force", f"{name}.torque"]

    def couple(self, kind: str, a: int, b: int, point: np.ndarray) -> None:
        name, args = f"J{len(self.system.joints)}", coupling_arguments(kind, point, self.vector)
        given = {key: x.tolist() for key, x in args.items()}
        self.system.joint(kind, name, self.bodies[a], self.bodies[b], **given, **SIZES[kind])
        # axes that must meet, or be at right angles to a rack, cannot be varied one by one
        vary = [] if "axis_b" in given else [key for key in given if "along" not in given or key == "point"]
        self.names += [f"joints.{name}.{key}[{self.random.integers(3)}]" for key in vary]
        sizes = [key for key in SIZES[kind] if key != "teeth"]
        self.names += [f"joints.{name}.{key}{'[0]' if key == 'radii' else ''}" for key in sizes]
        self.of += [f"{name}.force", f"{name}.torque"]

    def spring(self, a: int, b: int) -> None:
        ends = {f"point_{end}": self.vector().tolist() for end in "ab"}
        given = {"stiffness": float(self.random.uniform(5, 50)), "damping": float(self.random.uniform(0.1, 1.0))}
        self.system.spring("k", self.bodies[a], self.bodies[b], **ends, **given)
        self.names += ["springs.k.stiffness", "springs.k.damping", "springs.k.point_a[1]"]
        self.of.append("k.force")

    def load(self, b: int, axes: str) -> None:
        given = {"force": self.vector(4.0).tolist(), "point": self.vector(0.5).tolist(), "axes": axes}
        self.system.force("f", self.bodies[b], **given)
        self.system.torque("t", self.bodies[b], torque=self.vector(2.0).tolist(), axes=axes)
        self.names += ["forces.f.force[0]", "forces.f.point[2]", "torques.t.torque[1]"]


def draw(seed: int, kinds: list[str]) -> Scene:
    """A tree with the joints of ``kinds``, closed by a rod if the seed is odd."""
    scene = Scene(seed)
    centres = [np.zeros(3)]
    for k, kind in enumerate(kinds, start=1):
        parent = int(scene.random.integers(0, k))
        centres.append(centres[parent] + scene.vector())
        scene.body(centres[k])
        scene.joint(kind, parent, k, (centres[parent] + centres[k]) / 2)
    if seed % 2:
        scene.joint("distance", 0, len(kinds), centres[-1] + scene.vector(0.2))
    scene.spring(0, len(kinds))
    scene.load(1, "body" if seed % 3 else "global")
    return scene


@pytest.mark.parametrize("kind", [*sorted(JOINTS), *sorted(COUPLINGS)])
def test_every_kind_of_joint(kind: str) -> None:
    """Between ground and a body, and between that and another that hangs on a ball joint."""
    seed = 2 * [*sorted(JOINTS), *sorted(COUPLINGS)].index(kind)
    scene = draw(seed, [kind, "spherical"])
    agree(scene.system, scene.names, scene.of)


@pytest.mark.parametrize("key", RECORDED)
@pytest.mark.parametrize("kind", COUPLINGS)
def test_couplings(kind: str, key: str) -> None:
    """Between two bodies on ball joints: direct = complex step, adjoint = direct."""
    scene = draw(2 * COUPLINGS.index(kind), ["spherical", "spherical"])
    scene.couple(kind, 1, 2, scene.vector())
    # Verlet closes positions by iterations, each with the rows of its own place; its derivative takes those of the last
    # one. The azimuths of a belt bend so much within a step that this shows: 4.4e-6 at a step of 1 ms, 1.5e-6 at half
    # of it, where the rule itself is off by 7e-4.
    within = 1e-5 if key == "verlet" else 1e-7
    agree(scene.system, scene.names, scene.of, "complex-step", within, method=method_of(key))
    transposed(scene.system, scene.names, scene.of, method=method_of(key), save=[0.4 * UNTIL, UNTIL])


@pytest.mark.parametrize("key", RECORDED)
@pytest.mark.parametrize("seed", range(12))
def test_random_mechanisms(seed: int, key: str) -> None:
    random = np.random.default_rng(1000 + seed)
    scene = draw(seed, [str(random.choice(sorted(JOINTS))) for _ in range(3)])
    agree(scene.system, scene.names, scene.of, method=method_of(key))


@pytest.mark.parametrize("key", RECORDED)
@pytest.mark.parametrize("seed", range(4))
def test_adjoint_is_direct_transposed(seed: int, key: str) -> None:
    random = np.random.default_rng(1000 + seed)
    scene = draw(seed, [str(random.choice(sorted(JOINTS))) for _ in range(3)])
    transposed(scene.system, scene.names, scene.of, method=method_of(key), save=[0.4 * UNTIL, UNTIL])


@pytest.mark.parametrize("key", RECORDED)
def test_differences_say_the_same(key: str) -> None:
    scene = draw(3, ["universal", "cylindrical"])
    agree(scene.system, scene.names, scene.of, "differences", 1e-5, method=method_of(key))


def arm(
    radial: float = 2e4, axial: float = 1e4, tilt: float = 300.0, damping: float = 5.0, out: float = 0.3
) -> jp.System:
    """A bar on a hinge that is soft in all directions."""
    s = jp.System("arm on bushings", gravity=(0, 1.0, -9.81))
    body = s.body("arm", mass=3.0, inertia=(0.02, 0.05, 0.05), position=(out, 0, 0))
    soft = {key: jp.Bushing(k, damping=damping) for key, k in (("radial", radial), ("axial", axial), ("tilt", tilt))}
    s.revolute("P", s.ground, body, point=(0, 0, 0), axis=(0, 1, 0), **soft, angle=jp.Bushing(20.0, damping=0.2))
    return s


@pytest.mark.parametrize("key", RECORDED)
def test_bushings(key: str) -> None:
    names = ["radial", "axial", "tilt", "damping", "out"]
    agree(arm, names, ["arm.position", "P.force", "P.torque", "P.bushing_torque"], method=method_of(key))


def test_differences_of_bushings() -> None:
    names = ["radial", "axial", "tilt", "damping", "out"]
    agree(arm, names, ["arm.position", "P.force"], "differences", 1e-6)


def mount(direct: float = 2e5, coupling: float = 1e4, turning: float = 3e3, damping: float = 1e-4) -> jp.System:
    s = jp.System("engine mount", gravity=(0, 0, -9.81))
    K = np.diag([direct, direct, 5e4, turning, turning, 1e3])
    K[0, 4] = K[4, 0] = coupling
    engine = s.body("engine", mass=40.0, inertia=(0.5, 0.5, 0.5), position=(0, 0, 0.1))
    bushing = jp.Bushing(stiffness=K, damping=damping * K)
    s.fixed("M", s.ground, engine, point=(0, 0, 0), axis=(0, 0, 1), bushing=bushing)
    s.force("push", engine, force=(300, 0, 0), point=(0, 0, 0))
    return s


@pytest.mark.parametrize("key", RECORDED)
def test_a_bushing_with_matrices(key: str) -> None:
    names, of = ["direct", "coupling", "turning", "damping"], ["engine.position", "engine.orientation", "M.force"]
    agree(mount, names, [*of, "M.torque"], method=method_of(key))
    transposed(mount, names, of, method=method_of(key), save=[0.04, UNTIL])


def test_differences_of_a_bushing_with_matrices() -> None:
    names = ["direct", "coupling", "turning", "damping"]
    agree(mount, names, ["engine.position", "M.force"], "differences", 1e-6)


@pytest.mark.parametrize("key", RECORDED)
def test_drives_and_redundant_joints(key: str) -> None:
    """A spatial four-bar with redundant joints and a driven crank."""
    of = ["rocker.velocity", "rocker.acceleration", "energy.kinetic"]
    agree(entries()["driven_four_bar_3d"], ["rho"], of, method=method_of(key))
    transposed(entries()["driven_four_bar_3d"], ["rho"], of, method=method_of(key), save=[0.04, UNTIL])


@pytest.mark.parametrize("key", RECORDED)
def test_friction_of_joints_under_their_reactions(key: str) -> None:
    """Through the reactions, and with v_t of a law that bends sharply; speeds at the start too."""
    names, of = ["crank", "rod", "mu_d", "mu_s", "v_t"], ["slider.velocity", "crank.angular_velocity", "B.force"]
    given: dict[str, Any] = {"until": 0.02, "save": [8e-3, 0.02]}
    given["method"] = method_of(key) if key in ("explicit", "implicit") else type(method_of(key))(step=1e-4)
    agree(entries()["slider_crank_friction"], names, of, **given)
    transposed(entries()["slider_crank_friction"], names, of, **given)


def pressed(law: str) -> Callable[..., jp.System]:
    """A ball in a compliant socket, pressed in from the start and let go out of balance."""

    def build(stiffness: float = 2e5, gap: float = 1e-3, mass: float = 2.0) -> jp.System:
        s = jp.System("pressed", gravity=(0, 0, -9.81))
        ball = s.body("ball", mass=mass, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, -1.1e-3))
        play = jp.Clearance(gap, contact=LAWS[law](stiffness))
        s.spherical(
            "S", s.marker("seat", s.ground, position=(0, 0, 0)), s.marker("centre", ball), radius=0.02, radial=play
        )
        return s

    return build


@pytest.mark.parametrize("law", sorted(LAWS))
def test_compliant_contacts_in_touch(law: str) -> None:
    """The force and its derivatives while a contact is pressed; the onset of a contact is not located by Index1."""
    build = pressed(law)
    given: dict[str, Any] = {"until": 0.01, "save": 1e-3, "method": jp.Index1(step=1e-4)}
    sol = jp.simulate(build(), 0.01, given["method"], save=1e-4)
    assert np.all(sol["S.gap"] < 0.0)
    of = ["ball.position[2]", "ball.velocity[2]", "S.force"]
    agree(build, ["stiffness", "gap", "mass"], of, "differences", 1e-6, **given)
    with pytest.raises(jp.InputError, match="'complex-step' is not available here"):
        agree(build, ["mass"], of, **given)
