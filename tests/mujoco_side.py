"""Accelerations and reactions of MuJoCo for a System that came from the same file.

MuJoCo's constraints (limits, friction losses, equalities, contacts) give way and are switched off; the System goes
without its stops and dry friction. What is left is the same physics: inertia, gravity, springs, dampers, ideal joints.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import jointplay as jp
from jointplay.robots.naming import Names


def without_set_laws(system: jp.System) -> jp.System:
    """The same without stops and dry friction on coordinates."""
    tree = system.to_tree()
    for joint in tree.get("joints", {}).values():
        for key, given in list(joint.items()):
            laws = given if isinstance(given, list) else [given]
            if key in ("angle", "displacement", "angle_a", "angle_b"):
                joint[key] = [law for law in laws if "spring" in law]
                if not joint[key]:
                    del joint[key]
    return jp.System.from_tree(tree)


class Mujoco:
    """A compiled model of MuJoCo in a state."""

    def __init__(self, model: Any, start: Mapping[str, float], rates: Mapping[str, float]) -> None:
        import mujoco

        self.lib, self.m, self.d = mujoco, model, mujoco.MjData(model)
        for name, q in start.items():
            joint = model.joint(name)
            self.d.qpos[joint.qposadr[0]], self.d.qvel[joint.dofadr[0]] = q, rates[name]
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        self.forward()
        self.bodies = {Names().give(model.body(k).name, "body"): k for k in range(1, model.nbody)}

    def forward(self) -> None:
        """Accelerations and forces in the present state."""
        self.lib.mj_forward(self.m, self.d)
        self.lib.mj_rnePostConstraint(self.m, self.d)

    def at(self, body: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and acceleration of a point of a body, global axes."""
        kind, v, a = self.lib.mjtObj.mjOBJ_XBODY, np.zeros(6), np.zeros(6)
        self.lib.mj_objectVelocity(self.m, self.d, kind, body, v, 0)
        self.lib.mj_objectAcceleration(self.m, self.d, kind, body, a, 0)
        arm, w = point - self.d.xpos[body], v[:3]
        gravity = self.m.opt.gravity  # MuJoCo lets the world rise instead
        return v[3:] + np.cross(w, arm), a[3:] + gravity + np.cross(a[:3], arm) + np.cross(w, np.cross(w, arm))

    def spin(self, body: int) -> np.ndarray:
        """Angular acceleration of a body in its own axes."""
        a = np.zeros(6)
        self.lib.mj_objectAcceleration(self.m, self.d, self.lib.mjtObj.mjOBJ_XBODY, body, a, 0)
        return self.d.xmat[body].reshape(3, 3).T @ a[:3]

    def wrench(self, joint: int) -> tuple[np.ndarray, np.ndarray]:
        """Reaction on the child of a joint in its point: all that acts there but springs and dampers of the joint."""
        m, d = self.m, self.d
        body = int(m.jnt_bodyid[joint])
        about = d.subtree_com[m.body_rootid[body]]
        force = d.cfrc_int[body][3:]
        point = d.xanchor[joint].copy()  # of a slide: before it moved
        if m.jnt_type[joint] == self.lib.mjtJoint.mjJNT_SLIDE:
            at = m.jnt_qposadr[joint]
            point += d.xaxis[joint] * (d.qpos[at] - m.qpos0[at])
        torque = d.cfrc_int[body][:3] + np.cross(about - point, force)
        for other in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
            passive = d.xaxis[other] * d.qfrc_passive[m.jnt_dofadr[other]]
            if m.jnt_type[other] == self.lib.mjtJoint.mjJNT_HINGE:
                torque = torque - passive
            elif m.jnt_type[other] == self.lib.mjtJoint.mjJNT_SLIDE:
                force = force - passive
        return force, torque

    def agree(self, system: jp.System, relative: float) -> None:
        """Assert that motion, accelerations and reactions are the same, beside the largest of each kind."""
        sol = jp.simulate(system, until=1e-6, save=1e-6, method=jp.Explicit(rtol=1e-6, atol=1e-6))
        pairs: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}

        def compare(kind: str, ours: np.ndarray, theirs: np.ndarray) -> None:
            pairs.setdefault(kind, []).append((ours, theirs))

        for body in system.bodies:
            k = self.bodies[body.name]
            v, a = self.at(k, sol[f"{body.name}.position"][0])
            compare("velocity", sol[f"{body.name}.velocity"][0], v)
            compare("acceleration", sol[f"{body.name}.acceleration"][0], a)
            compare("spin", sol[f"{body.name}.angular_acceleration"][0], self.spin(k))
        names = {Names().give(self.m.joint(j).name, "joint"): j for j in range(self.m.njnt)}
        for joint in system.joints:
            j = names.get(joint.name.removesuffix(" joint"))
            if j is not None:
                force, torque = self.wrench(j)
                compare("force", sol[f"{joint.name}.force"][0], force)
                compare("torque", sol[f"{joint.name}.torque"][0], torque)
        assert pairs["force"]
        for kind, found in pairs.items():
            size = max(1e-3, *(float(np.abs(theirs).max()) for _, theirs in found))  # SI; all zero: at rest
            worst = max(float(np.abs(ours - theirs).max()) for ours, theirs in found)
            assert worst <= relative * size, f"{kind}: {worst / size:.2e} of {size:.3g}"
