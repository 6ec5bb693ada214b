"""Reading MJCF through MuJoCo's own reader: defaults, frames and inertia of geoms are what it makes of them.

The file is read twice: by us for its elements and lines, and by MuJoCo (MjSpec, compiled with static bodies kept) for
their meaning. MuJoCo's joint limits, friction losses and equalities give way (solref, solimp); ours do not, and are
reported as approximated.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..extras import needed
from ..model.geometry import rotation_matrix
from .attributes import HUGE
from .ledger import Ledger
from .mjcf_elements import judge
from .mjcf_geoms import Contacts, mesh_picture, picture
from .robot import BALL, HINGE, SLIDE, Closure, Connection, Freedom, Inertial, Link, Robot
from .urdf_geometry import MeshFiles
from .xmltree import Node

FREE, BALLS, SLIDES, HINGES = range(4)  # mjtJoint
CONNECT, WELD = 0, 1  # mjtEq
BODY = 1  # mjtObj
CONTACT = "contact between parts is not in a System"
OTHER_FILES = {"include": "file", "model": "file"}  # elements that bring in another robot file


def read_mjcf(root: Node, data: bytes, ledger: Ledger, meshes: MeshFiles) -> Robot:
    """The robot of a file; what is wrong is noted in the ledger."""
    robot = Robot(root.attributes.get("model", "robot"), root, sound=False)
    for node in root.all():
        if node.tag in OTHER_FILES and node.parent is not None and (node.tag != "model" or node.parent.tag == "asset"):
            name = node.attributes.get(OTHER_FILES[node.tag], "")
            ledger.fail(node, f"brings in another file, '{name}', which is not read: put all of it into one file")
    if ledger.broken:
        ledger.unread(root)
        return robot
    mujoco = needed("mujoco", "MJCF", "mujoco", file=ledger.file)
    places = Places(root)
    try:
        with _listening(mujoco, ledger):
            spec = mujoco.MjSpec.from_string(data.decode("utf-8-sig"))
            without_files(spec, places, meshes, ledger)
            if ledger.broken:
                ledger.unread(root)
                return robot
            spec.compiler.fusestatic = False
            model = spec.compile()
    except UnicodeDecodeError:
        ledger.fail(root, "is not a text in UTF-8")
        return robot
    except ValueError as error:
        message, line, name = _parsed(str(error))
        named = (node for node in root.all() if node.line == line or (name and not line and node.name == name))
        ledger.fail(next(named, root), message)
        ledger.unread(root)
        return robot
    if huge := _huge(model):
        ledger.fail(root, f"has numbers that are too large for a machine ({huge})")
        return robot
    _Reader(spec, model, robot, places, ledger, mujoco, meshes.folder).read()
    robot.sound = True
    return robot


def _huge(model: Any) -> str:
    """The name of an array of the model that has such numbers."""
    arrays = (*(f"body_{key}" for key in ("mass", "inertia", "pos", "ipos")), "jnt_pos", "jnt_range", "jnt_stiffness",
              "dof_damping", "dof_frictionloss", "site_pos", "eq_data", "qpos0", "qpos_spring")  # fmt: skip
    return next((name for name in arrays if not (np.abs(getattr(model, name)) < HUGE).all()), "")


@contextmanager
def _listening(mujoco: Any, ledger: Ledger) -> Iterator[None]:
    """Warnings of MuJoCo become remarks; it would print them and write a file MUJOCO_LOG.TXT where it runs."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: ledger.remark(f"MuJoCo warns: {text}"))
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        mujoco.set_mju_user_warning(before)
    for one in caught:
        ledger.remark(f"MuJoCo warns: {one.message}")


class Places:
    """Elements of the file by tag and line; several on one line are taken in turn."""

    def __init__(self, root: Node) -> None:
        self.root = root
        self._found: dict[tuple[str, int], list[Node]] = {}
        for node in root.all():
            self._found.setdefault((node.tag, node.line), []).append(node)
        self._turn: dict[tuple[str, int], int] = {}
        self._kept: list[Node] = []

    def keep(self, node: Node) -> None:
        """Remember the element of a geom that stays, in order."""
        self._kept.append(node)

    def geom(self, k: int) -> Node:
        """The element of geom number k of those that stayed."""
        return self._kept[k]

    def of(self, element: Any, *tags: str) -> Node:
        """The element of the file that something of MuJoCo came from; the root if that is not known."""
        found = re.search(r"line (\d+)", str(element.info))
        for tag in tags:
            key = (tag, int(found.group(1)) if found else 0)
            if key in self._found:
                turn = self._turn.get(key, 0)
                self._turn[key] = turn + 1
                return self._found[key][turn % len(self._found[key])]
        return self.root


def _parsed(text: str) -> tuple[str, int, str]:
    """MuJoCo's sentence, and the line and name of the element that it is about."""
    line, name = re.search(r"line (\d+)", text), re.search(r"Element name '([^']*)'", text)
    lines = [one.strip() for one in text.splitlines() if one.strip()]
    sentence = re.sub(r"^(XML )?Error:\s*", "", lines[0]) if lines else "cannot be read"
    return f"MuJoCo says: {sentence}", int(line.group(1)) if line else 0, name.group(1) if name else ""


def without_files(spec: Any, places: Places, meshes: MeshFiles, ledger: Ledger) -> None:
    """Take out what needs files that are not there; what only pictures need goes in any case."""
    spec.modelfiledir = str(meshes.folder)
    missing = set()
    for mesh in list(spec.meshes):
        node = places.of(mesh, "mesh")
        name = mesh.file or ""
        path = meshes.folder / spec.meshdir / name
        if name and not path.is_file():
            ledger.ignored(node, f"the mesh '{name}' was not found; it is not drawn")
            missing.add(mesh.name or name.rpartition("/")[2].rpartition(".")[0])
            spec.delete(mesh)
    for geom in list(spec.geoms):
        node = places.of(geom, "geom")  # in turn, whether it stays or not
        if geom.meshname in missing or geom.hfieldname:
            body = geom.parent
            weighed = not body.explicitinertial and body.name != "world" and geom.mass != 0.0 and geom.density != 0.0
            if weighed and not geom.hfieldname:
                ledger.fail(node, f"the mesh '{geom.meshname}' was not found, and the body has its mass from it")
            ledger.ignored(node, "not drawn")
            if geom.contype or geom.conaffinity:
                ledger.lose(node, CONTACT, "contact")
            spec.delete(geom)
        else:
            geom.material = ""
            places.keep(node)
    for things in (spec.skins, spec.hfields, spec.materials, spec.textures):
        for thing in list(things):
            spec.delete(thing)


class _Reader:
    """One model while it is read."""

    def __init__(
        self, spec: Any, model: Any, robot: Robot, places: Places, ledger: Ledger, mujoco: Any, folder: Path
    ) -> None:
        self.folder = folder
        self.spec, self.model, self.robot, self.places, self.ledger = spec, model, robot, places, ledger
        flags = int(model.opt.disableflags)
        bits = mujoco.mjtDisableBit
        self.off = {name for name in dir(bits) if name.startswith("mjDSBL_") and flags & int(getattr(bits, name))}

    def read(self) -> None:
        """All of it."""
        judge(self.places.root, self.model, self.off, self.ledger)
        self.robot.gravity = np.zeros(3) if "mjDSBL_GRAVITY" in self.off else np.array(self.model.opt.gravity)
        self.links = [self._name(body, "body", k) for k, body in enumerate(self.spec.bodies)]
        for k, body in enumerate(self.spec.bodies):
            if k > 0:
                self._body(k, body)
        contacts = Contacts(self.model, self.off)
        for k, geom in enumerate(self.spec.geoms):
            self._geom(k, geom, contacts)
        for k, site in enumerate(self.spec.sites):
            self._site(k, site)
        for k, equality in enumerate(self.spec.equalities):
            self._equality(k, equality)

    def _name(self, thing: Any, tag: str, k: int) -> str:
        return str(thing.name) if thing.name else f"{tag} {k}"

    def _body(self, k: int, body: Any) -> None:
        m, node = self.model, self.places.of(body, "body")
        link = self.robot.links[self.links[k]] = Link(self.links[k], node)
        self.ledger.used(node)
        if m.body_gravcomp[k] != 0.0:
            self.ledger.lose(node, "compensation of gravity has no place in a System", "gravcomp", partly=True)
        if m.body_mocapid[k] >= 0:
            self.ledger.lose(node, "a body that is moved from outside has no place in a System", "mocap", partly=True)
        if m.body_mass[k] > 0.0:
            R = rotation_matrix(m.body_iquat[k])
            inertial = node.inside("inertial")
            link.inertial = Inertial(
                float(m.body_mass[k]), m.body_ipos[k].copy(), R @ np.diag(m.body_inertia[k]) @ R.T,
                inertial[0] if inertial else node,
            )  # fmt: skip
        parent = int(m.body_parentid[k])
        joints = range(m.body_jntadr[k], m.body_jntadr[k] + m.body_jntnum[k])
        floating = any(m.jnt_type[j] == FREE for j in joints)
        freedoms = tuple(self._freedom(int(j)) for j in joints if m.jnt_type[j] != FREE)
        name = freedoms[-1].name if freedoms else f"{self.links[k]} joint"
        for j in joints if floating else ():
            name = self._free(int(j), node)
        self.robot.connections.append(
            Connection(
                name,
                self.links[parent] if parent else None,
                self.links[k],
                node,
                m.body_pos[k].copy(),
                rotation_matrix(m.body_quat[k]),
                freedoms,
                floating,
            )
        )

    def _free(self, j: int, body: Node) -> str:
        m, joint = self.model, self.spec.joints[j]
        # MuJoCo keeps no line of these
        node = next((one for one in body.all() if one.tag in ("freejoint", "joint")), body)
        dofs = slice(m.jnt_dofadr[j], m.jnt_dofadr[j] + 6)
        for what, values in (
            ("damping", m.dof_damping),
            ("armature", m.dof_armature),
            ("frictionloss", m.dof_frictionloss),
        ):
            if values[dofs].any():
                self.ledger.lose(node, f"'{what}' of a body that floats has no place in a System", what, partly=True)
        self.ledger.used(node)
        return self._name(joint, "joint", j)

    def _freedom(self, j: int) -> Freedom:
        m, joint = self.model, self.spec.joints[j]
        node = self.places.of(joint, "joint")
        kind = {BALLS: BALL, SLIDES: SLIDE, HINGES: HINGE}[int(m.jnt_type[j])]
        dof, q = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        out = Freedom(
            self._name(joint, "joint", j), kind, node, m.jnt_axis[j].copy(), m.jnt_pos[j].copy(), pulled_by=node
        )
        self.ledger.used(node)
        if kind != BALL:
            out.zero, out.rest = float(m.qpos0[q]), float(m.qpos_spring[q])
        if m.jnt_limited[j] and "mjDSBL_LIMIT" not in self.off:
            if kind == BALL:
                self.ledger.lose(node, "a limit of a ball has no place in a System", "range", partly=True)
            else:
                out.lower, out.upper, out.limited_by = *map(float, m.jnt_range[j]), node
                self.ledger.approximated(node, "limits: stops, rigid, without rebound, where MuJoCo's give way")
        if "mjDSBL_SPRING" not in self.off:
            out.stiffness = float(m.jnt_stiffness[j])
        if "mjDSBL_DAMPER" not in self.off:
            out.damping = float(m.dof_damping[dof])
        if m.dof_frictionloss[dof] and "mjDSBL_FRICTIONLOSS" not in self.off:
            out.friction = float(m.dof_frictionloss[dof])
            self.ledger.approximated(node, "frictionloss: constant friction with true stick, where MuJoCo's creeps")
        if m.dof_armature[dof]:
            what = "'armature', inertia of a rotor that turns with the coordinate, has no place in a System"
            self.ledger.lose(node, what, "armature", partly=True)
        # MuJoCo has these from version 4 on
        for key, name, at in (("stiffness", "jnt_stiffnesspoly", j), ("damping", "dof_dampingpoly", dof)):
            if hasattr(m, name) and np.any(getattr(m, name)[at]):
                self.ledger.lose(node, f"'{key}' that is not constant has no place in a System", key, partly=True)
        if hasattr(m, "jnt_springyield") and np.any(m.jnt_springyield[j]):
            self.ledger.lose(node, "a spring that yields has no place in a System", "springyield", partly=True)
        return out

    def _geom(self, k: int, geom: Any, contacts: Contacts) -> None:
        node = self.places.geom(k)
        owner = int(self.model.geom_bodyid[k])
        drawn = picture(self.model, k, node) or mesh_picture(self.spec, self.model, k, node, self.folder)
        drawn = drawn if owner else None
        if drawn is not None:
            self.robot.links[self.links[owner]].pictures.append(drawn)
            self.ledger.converted(node, f"drawn as a {drawn.shape['type']}")
        elif owner:
            self.ledger.ignored(node, "not drawn")
        else:
            self.ledger.ignored(node, "a part of the ground, which is not drawn")
        if contacts.possible(k):
            self.ledger.lose(node, CONTACT, "contact", partly=True)

    def _site(self, k: int, site: Any) -> None:
        node = self.places.of(site, "site")
        owner = int(self.model.site_bodyid[k])
        if not owner or node is self.places.root:
            self.ledger.ignored(node, "a point of the ground") if node is not self.places.root else None
            return
        name = self._name(site, "site", k)
        name = name if name not in self.robot.links else f"{name} site"
        self.robot.links[name] = Link(name, node)
        pose = self.model.site_pos[k].copy(), rotation_matrix(self.model.site_quat[k])
        self.robot.connections.append(Connection(f"{name} on its body", self.links[owner], name, node, *pose))

    def _equality(self, k: int, equality: Any) -> None:
        m, node = self.model, self.places.of(equality, "connect", "weld", "joint", "tendon", "flex")
        kind = int(m.eq_type[k])
        if not m.eq_active0[k] or "mjDSBL_EQUALITY" in self.off:
            self.ledger.ignored(node, "not active")
        elif kind not in (CONNECT, WELD) or int(m.eq_objtype[k]) != BODY:
            what = f"an equality of kind '{node.tag}' has no place in a System"
            self.ledger.lose(node, what, "equality", node.tag)
        else:
            ends = [int(m.eq_obj1id[k]), int(m.eq_obj2id[k])]
            first, second = (self.links[end] if end else None for end in ends)
            data = m.eq_data[k]
            a, b = (data[0:3], data[3:6]) if kind == CONNECT else (data[3:6], data[0:3])
            turn = None if kind == CONNECT else rotation_matrix(data[6:10] / np.linalg.norm(data[6:10]))
            what = "spherical" if kind == CONNECT else "fixed"
            name = self._name(equality, node.tag, k)
            self.robot.closures.append(Closure(name, what, first, second, a.copy(), node, b.copy(), turn))
            self.ledger.approximated(node, f"a {what} joint, where MuJoCo's gives way")
