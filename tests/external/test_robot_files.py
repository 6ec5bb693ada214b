"""Public robot files: every element accounted for; motion, accelerations and reactions beside MuJoCo's own reader.

MuJoCo reads 14 of the 21 files as they are (without pictures and contact shapes). The others have links with moments of
inertia that no body has, or links that move without mass. For these, links that fixed joints hold together are summed
here, in another way than ours: by 4x4 pseudo-inertias P = [[S, m c], [m c^T, m]], which a frame T turns into T P T^T.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from mujoco_side import Mujoco, without_set_laws
from refs import REFS, reference

import jointplay as jp
from jointplay.robots.origins import from_rpy
from jointplay.robots.possible import is_possible, nearest
from jointplay.robots.report import RobotFileError

FOLDER = "robot_files"
FILES = sorted(path.name for path in (REFS / FOLDER).glob("*.urdf")) or ["none"]
MENDED = (  # MuJoCo refuses these as they are
    "allegro_right_hand", "anymal", "bluevolta_bravo7_gripper", "finger_edu", "hyq_no_sensors", "pr2", "romeo_small",
)  # fmt: skip
ALLOW = (
    "collision", "contact", "gazebo", "transmission", "safety_controller", "mimic", "inertia", "massless", "limit",
    "dynamics",
)  # fmt: skip
MOVING = ("revolute", "continuous", "prismatic")


def robot_file(name: str) -> Path:
    folder = reference(FOLDER)
    if name == "none":
        pytest.skip("no robot files in ../shared/refs/robot_files")
    return folder / name


@pytest.mark.parametrize("name", FILES)
def test_every_element_is_accounted_for(name: str) -> None:
    file = robot_file(name)
    elements = [element.tag.rpartition("}")[2] for element in ET.parse(file).getroot().iter()]
    system, report = jp.read(file, allow=ALLOW)
    assert [row.element.rpartition(":")[2] for row in report.rows] == elements
    assert report.counts["refused"] == 0
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(f"<{row.element}" in lines[row.line - 1] for row in report.rows)
    assert jp.System.from_tree(system.to_tree()).to_tree() == system.to_tree()
    try:
        jp.read(file)
    except RobotFileError as error:  # the same account, with what is refused
        assert [row.element.rpartition(":")[2] for row in error.report.rows] == elements
        assert all(problem.line for problem in error.problems)
        told = {problem.message.split("allow=")[1].split('"')[1] for problem in error.problems}
        assert jp.read(file, allow=told)[1].counts["refused"] == 0  # the sentences say all that is needed
    else:
        assert not {"collision", "gazebo", "transmission"} & set(elements)


@pytest.mark.parametrize("name", FILES)
def test_accelerations_and_reactions_are_those_of_mujoco(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where MuJoCo leaves its log
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'jointplay[mujoco]'")
    file = robot_file(name)
    root = ET.parse(file).getroot()
    start, rates = random_state(root, seed=len(name))
    for link in root.iter("link"):
        for part in [*link.findall("visual"), *link.findall("collision"), *link.findall("contact")]:
            link.remove(part)
    if file.stem in MENDED:
        lost = summed(root)
        start = {name: q for name, q in start.items() if name not in lost}
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    spec.compiler.fusestatic = False
    system, _ = jp.read(file, allow=ALLOW, start=start, rates={name: rates[name] for name in start})
    Mujoco(spec.compile(), start, rates).agree(without_set_laws(system), 1e-9)


@pytest.mark.parametrize("name", ["solo12.urdf", "simple_humanoid.urdf"])
def test_a_floating_base_is_that_of_mujoco(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install 'jointplay[mujoco]'")
    monkeypatch.chdir(tmp_path)
    file = robot_file(name)
    root = ET.parse(file).getroot()
    start, rates = random_state(root, seed=7)
    for link in root.iter("link"):
        for part in [*link.findall("visual"), *link.findall("collision"), *link.findall("contact")]:
            link.remove(part)
    spec = mujoco.MjSpec.from_string(ET.tostring(root, encoding="unicode"))
    spec.compiler.fusestatic = False
    base = spec.worldbody.first_body()
    base.add_freejoint(name="floats")
    model = spec.compile()
    motion = [0.3, -0.2, 0.5, 1.1, -0.7, 0.4]  # velocity, spin in body axes
    place = [0.1, 0.2, 0.9, 0.8, 0.0, 0.6, 0.0]
    system, _ = jp.read(
        file, allow=ALLOW, base="floating", start=start | {base.name: place}, rates=rates | {base.name: motion}
    )
    side = Mujoco(model, start, rates)
    free = model.joint("floats")
    side.d.qpos[free.qposadr[0] : free.qposadr[0] + 7] = place
    side.d.qvel[free.dofadr[0] : free.dofadr[0] + 6] = motion
    side.forward()
    side.agree(without_set_laws(system), 1e-9)


@pytest.mark.parametrize("name", FILES)
def test_a_run_from_the_start_of_the_file(name: str) -> None:
    """With stops, friction and damping as they came; the energy ledger at a tight tolerance."""
    system, _ = jp.read(robot_file(name), allow=ALLOW)
    assert system.check().ok
    usual = jp.simulate(system, until=0.02, save=1e-3)
    tight = jp.simulate(system, until=0.02, save=1e-3, method=jp.Moreau(rtol=1e-9))
    assert usual.outcome.ok and tight.outcome.ok
    size = max(float(np.abs(tight["energy.kinetic"]).max()), 1e-3)
    # saves lie inside steps; the worst of the 21 files is 3e-6 at rtol 1e-9 (hyq), 2.6e-4 at 1e-7, 6e-4 by default
    assert np.abs(tight["energy.error"]).max() < 1e-5 * size


def test_play_in_the_elbow_of_a_robot() -> None:
    bearing = {"radial": jp.Clearance("50 um", contact=jp.Rigid(restitution=0.2)), "length": "40 mm"}
    file = robot_file("ur5_robot.urdf")
    loose, _ = jp.read(file, allow=ALLOW, play={"elbow_joint": bearing})
    sol = jp.simulate(loose, until=0.05, save=1e-3, method=jp.Moreau(step=1e-4))
    assert sol.outcome.ok, sol.outcome.message
    gaps = sol["elbow_joint.gap"]
    assert gaps.min() > -1e-8 and gaps.max() <= 1e-4 + 1e-8
    assert len(sol.impacts)


def random_state(root: ET.Element, seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates inside their limits, and rates."""
    rng = np.random.default_rng(seed)
    start, rates = {}, {}
    for joint in root.findall("joint"):
        if joint.get("type") in MOVING:
            limit = joint.find("limit")
            ends = (-2.0, 2.0) if limit is None else tuple(float(limit.get(key, 0.0)) for key in ("lower", "upper"))
            low, high = ends if ends[0] < ends[1] and joint.get("type") != "continuous" else (-2.0, 2.0)
            start[joint.get("name", "")] = float(rng.uniform(low + 0.1 * (high - low), high - 0.1 * (high - low)))
            rates[joint.get("name", "")] = float(rng.uniform(-1.0, 1.0))
    return start, rates


def place(element: ET.Element) -> np.ndarray:
    """The 4x4 frame of an origin."""
    T = np.eye(4)
    origin = element.find("origin")
    if origin is not None:
        T[:3, 3] = [float(x) for x in origin.get("xyz", "0 0 0").split()]
        T[:3, :3] = from_rpy(np.array([float(x) for x in origin.get("rpy", "0 0 0").split()]))
    return T


def pseudo(link: ET.Element) -> np.ndarray:
    """The pseudo-inertia of a link in its frame; zero without an inertial element."""
    inertial = link.find("inertial")
    if inertial is None:
        return np.zeros((4, 4))
    keys = ("ixx", "ixy", "ixz", "ixy", "iyy", "iyz", "ixz", "iyz", "izz")
    J = np.array([float(inertial.find("inertia").get(key)) for key in keys]).reshape(3, 3)  # type: ignore[union-attr,arg-type]
    P = np.zeros((4, 4))
    P[:3, :3] = 0.5 * np.trace(J) * np.eye(3) - J
    P[3, 3] = float(inertial.find("mass").get("value"))  # type: ignore[union-attr,arg-type]
    T = place(inertial)
    return np.asarray(T @ P @ T.T)


def summed(root: ET.Element) -> set[str]:
    """Put the inertia of links that are held together into the first; names of joints of massless ends, taken out."""
    links = {link.get("name"): link for link in root.findall("link")}
    joints = {joint.find("child").get("link"): joint for joint in root.findall("joint")}  # type: ignore[union-attr]

    def first(name: str | None) -> tuple[str | None, np.ndarray]:
        T = np.eye(4)
        while name in joints and joints[name].get("type") == "fixed":
            T = place(joints[name]) @ T
            name = joints[name].find("parent").get("link")  # type: ignore[union-attr]
        return name, T

    total: dict[str | None, np.ndarray] = {}
    for name, link in links.items():
        top, T = first(name)
        total[top] = total.get(top, np.zeros((4, 4))) + T @ pseudo(link) @ T.T
        for inertial in link.findall("inertial"):
            link.remove(inertial)
    lost = set()
    for name, P in total.items():
        if name not in joints:
            continue  # stands on the ground
        if P[3, 3] == 0.0:
            lost.add(joints[name].get("name", ""))
            root.remove(joints[name])
            root.remove(links[name])
            continue
        mass, centre = P[3, 3], P[:3, 3] / P[3, 3]
        S = P[:3, :3] - mass * np.outer(centre, centre)
        J = np.trace(S) * np.eye(3) - S
        write(links[name], mass, centre, J if is_possible(J) else nearest(J))  # type: ignore[arg-type]
    return lost


def write(link: ET.Element, mass: float, centre: np.ndarray, J: np.ndarray) -> None:
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "origin", xyz=" ".join(repr(float(x)) for x in centre))
    ET.SubElement(inertial, "mass", value=repr(float(mass)))
    keys = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
    ET.SubElement(inertial, "inertia", {key: repr(float(J[at])) for key, at in keys.items()})
