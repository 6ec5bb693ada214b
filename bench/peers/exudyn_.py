"""Exudyn: implicit integration of a descriptor form; joints are exact at position or velocity level.

P1 two ways: three rigid bodies with generic joints and the generalised-alpha scheme (what a user would draw first); and
a kinematic tree of four coordinates, closed by a spherical joint, with the index-2 trapezoidal rule (the best found).
P4: rigid bodies and spherical joints with a sparse solver; its kinematic tree has no ball joints.
P2, P3: contacts are springs with the damping model of Gonthier et al., which meets a coefficient of restitution.
Friction is regularised, and steps are halved where Newton's method fails, which it does at contacts. P2 is a tree of
three hinges with spheres at the corners of the slider against triangles. In P3 the pin is a ball in a hollow sphere of
the body: in a plane, a true journal.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import exudyn
import numpy as np
from exudyn import itemInterface
from exudyn.utilities import RigidBodyInertia

from ..contracts import (
    ChainEntry,
    ChainRun,
    GuideEntry,
    GuideRun,
    JournalEntry,
    JournalRun,
    Refusal,
    SliderCrankEntry,
    SliderCrankRun,
    step_ladder,
)
from ..problems import CHAIN, GUIDE_CRANK, JOURNAL, SLIDER_CRANK
from ..truth import crank_pose
from .frames import rod_rotation, tree_speeds

PACKAGE = "exudyn"
exu: Any = exudyn  # its type stubs do not describe its constructors
items: Any = itemInterface
COUNTS = (1, 2, 4, 5, 6, 8, 10, 12, 16, 20, 32, 40, 50, 80, 100)
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
GUIDE_STIFFNESS, JOURNAL_STIFFNESS = 5e6, 1e7  # N/m: an impact takes some ten steps
CORNER = 1e-3  # m, radius of the spheres that stand for the corners of the slider


def version() -> str:
    """Name and version."""
    return f"Exudyn {exu.config.Version()}"


def _settings(until: float, steps: int, solver: Any, *, index2: bool) -> Any:
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = until
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.adaptiveStep = False  # it halves steps where Newton fails; the step is the question here
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    settings.timeIntegration.generalizedAlpha.useNewmark = index2
    settings.timeIntegration.generalizedAlpha.useIndex2Constraints = index2
    settings.linearSolver.solverType = solver
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = SLIDER_CRANK.sample
    return settings


def _solve(mbs: Any, settings: Any) -> float:
    """Run the time loop; seconds of it."""
    solver = exu.MainSolverImplicitSecondOrder()
    solver.InitializeSolver(mbs, settings)
    begin = time.perf_counter()
    finished = solver.SolveSteps(mbs, settings)
    seconds = time.perf_counter() - begin
    solver.FinalizeSolver(mbs, settings)
    if not finished:
        raise Refusal("Newton did not converge at this step")
    return seconds


def _body(
    mbs: Any, mass: float, moments: tuple[float, ...], position: Any, *, rotation: Any = None,
    velocity: Any = (0.0, 0.0, 0.0), spin: Any = (0.0, 0.0, 0.0), gravity: float = 9.81,
) -> Any:  # fmt: skip
    return mbs.CreateRigidBody(
        inertia=RigidBodyInertia(mass, np.diag(moments)),
        referencePosition=list(position),
        referenceRotationMatrix=np.eye(3) if rotation is None else rotation,
        initialVelocity=list(velocity),
        initialAngularVelocity=list(spin),
        gravity=[0.0, 0.0, -gravity],
    )


def _bodies() -> tuple[Any, Any, Any, int]:
    data = SLIDER_CRANK
    pose = crank_pose(0.0)
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    ground = mbs.CreateGround()
    pivot, pin, end = (np.array(point) for point in (data.pivot, data.pin, data.slider))
    speed = data.crank_speed
    crank = _body(
        mbs, data.masses[0], data.crank_inertia, (pivot + pin) / 2, velocity=(0.0, -speed * data.crank / 2, 0.0),
        spin=(speed, 0.0, 0.0),
    )  # fmt: skip
    rod = _body(
        mbs, data.masses[1], data.rod_inertia, (pin + end) / 2, rotation=rod_rotation(),
        velocity=speed * pose.rod_velocity, spin=speed * pose.rod_spin,
    )  # fmt: skip
    slider = _body(mbs, data.masses[2], data.slider_inertia, end, velocity=(speed * pose.slider_rate, 0.0, 0.0))
    mbs.CreateGenericJoint(itemNumbers=[ground, crank], position=list(pivot), constrainedAxes=[1, 1, 1, 0, 1, 1])
    mbs.CreateSphericalJoint(itemNumbers=[crank, rod], position=list(pin))
    mbs.CreateGenericJoint(itemNumbers=[ground, slider], position=list(end), constrainedAxes=[0, 1, 1, 1, 1, 1])
    # A generic joint with its first rotation closed keeps y of its first frame normal to z of its second: the cross.
    arm = np.array(data.rod_arm)
    on_slider = np.column_stack((np.cross(Z, X), Z, X))
    on_rod = np.column_stack((X, np.cross(arm, X), arm))
    frames = (
        (slider, exu.HT(rotation=on_slider, translation=[0.0, 0.0, 0.0])),
        (rod, exu.HT(rotation=on_rod, translation=[data.rod / 2, 0.0, 0.0])),
    )
    markers = [mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=body, localHT=frame)) for body, frame in frames]
    mbs.AddObject(items.GenericJoint(markerNumbers=markers, constrainedAxes=[1, 1, 1, 1, 0, 0]))
    variable = exu.OutputVariableType.Position
    sensor = mbs.AddSensor(
        items.SensorBody(bodyNumber=slider, storeInternal=True, writeToFile=False, outputVariableType=variable)
    )
    mbs.Assemble()
    return container, mbs, sensor, 1


def _tree() -> tuple[Any, Any, Any, int]:
    data = SLIDER_CRANK
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    zeros = [0.0] * 4
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=list(tree_speeds()),
            numberOfODE2Coordinates=4,
        )
    )  # fmt: skip
    arm = np.array(data.rod_arm)
    # Axes of the rod's link in the rod's own axes: the joints of a kinematic tree turn about coordinate axes.
    frame = np.column_stack((X, np.cross(arm, X), arm))
    kind, still = exu.JointType, exu.Vector3DList([[0.0, 0.0, 0.0]] * 4)
    inertias = [np.diag(data.crank_inertia), np.diag(data.slider_inertia), np.zeros((3, 3)),
                frame.T @ np.diag(data.rod_inertia) @ frame]  # fmt: skip
    tree = mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0.0, 0.0, -data.gravity],
            jointTypes=[kind.RevoluteX, kind.PrismaticX, kind.RevoluteZ, kind.RevoluteZ],
            linkParents=[-1, -1, 1, 2],
            jointTransformations=exu.Matrix3DList([np.eye(3), np.eye(3), np.eye(3), rod_rotation() @ frame]),
            jointOffsets=exu.Vector3DList([list(data.pivot), list(data.slider), [0.0] * 3, [0.0] * 3]),
            linkInertiasCOM=exu.Matrix3DList(inertias),
            linkCOMs=exu.Vector3DList(
                [[0.0, 0.0, data.crank / 2], [0.0] * 3, [0.0] * 3, list(frame.T @ (-data.rod / 2 * X))]
            ),
            linkMasses=[data.masses[0], data.masses[2], 0.0, data.masses[1]],
            linkForces=still,
            linkTorques=still,
        )
    )
    ends = ((0, [0.0, 0.0, data.crank]), (3, list(frame.T @ (-data.rod * X))))
    markers = [
        mbs.AddMarker(items.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=link, localPosition=point))
        for link, point in ends
    ]
    mbs.AddObject(items.SphericalJoint(markerNumbers=markers))
    variable = exu.OutputVariableType.Coordinates
    sensor = mbs.AddSensor(
        items.SensorNode(nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=variable)
    )
    mbs.Assemble()
    return container, mbs, sensor, 2


def _slider_crank_run(count: int, *, tree: bool) -> SliderCrankRun:
    container, mbs, sensor, column = _tree() if tree else _bodies()
    samples = round(SLIDER_CRANK.until / SLIDER_CRANK.sample)
    settings = _settings(SLIDER_CRANK.until, samples * count, exu.LinearSolverType.EigenDense, index2=tree)
    seconds = _solve(mbs, settings)
    slider = mbs.GetSensorStoredData(sensor)[:, column] + (SLIDER_CRANK.slider[0] if tree else 0.0)
    del container  # its systems live as long as it does
    return SliderCrankRun(seconds, samples * count, slider)


def slider_crank() -> list[SliderCrankEntry]:
    """A kinematic tree with the index-2 trapezoidal rule; bodies with generalised-alpha."""
    ladder = step_ladder(COUNTS, SLIDER_CRANK.sample)
    millisecond = step_ladder((round(SLIDER_CRANK.sample / 1e-3),), SLIDER_CRANK.sample)[0]
    return [
        SliderCrankEntry("Exudyn", scheme, "", ladder, partial(_slider_crank_run, tree=tree), millisecond)
        for scheme, tree in (("tree, trapezoidal", True), ("bodies, gen.-alpha", False))
    ]


def _link_states(mbs: Any, bodies: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    kind = exu.OutputVariableType
    wanted = ((kind.Position, [0.0] * 3), (kind.Position, [CHAIN.length / 2, 0.0, 0.0]), (kind.Velocity, [0.0] * 3),
              (kind.AngularVelocityLocal, [0.0] * 3))  # fmt: skip
    centre, end, velocity, spin = (
        np.array([mbs.GetObjectOutputBody(body, variable, point) for body in bodies]) for variable, point in wanted
    )
    return centre, end, velocity, spin


def _chain_run(links: int, steps: int) -> ChainRun:
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    bodies: list[Any] = []
    previous = mbs.CreateGround()
    for k in range(links):
        body = _body(mbs, CHAIN.mass, CHAIN.inertia, ((k + 0.5) * CHAIN.length, 0.0, 0.0), gravity=CHAIN.gravity)
        mbs.CreateSphericalJoint(itemNumbers=[previous, body], position=[k * CHAIN.length, 0.0, 0.0])
        bodies.append(body)
        previous = body
    mbs.Assemble()
    solver = exu.LinearSolverType.EigenDense if links < 10 else exu.LinearSolverType.EigenSparse
    settings = _settings(steps * CHAIN.step, steps, solver, index2=False)
    settings.solution.sensors.writePeriod = 1.0
    seconds = _solve(mbs, settings)
    centre, end, velocity, spin = _link_states(mbs, bodies)
    kinetic = 0.5 * CHAIN.mass * float((velocity**2).sum()) + 0.5 * float((spin**2 @ np.array(CHAIN.inertia)).sum())
    potential = CHAIN.mass * CHAIN.gravity * float(centre[:, 2].sum())
    del container
    return ChainRun(seconds, steps, end[:, [0, 2]], 0.0, potential + kinetic, kinetic)


def chain() -> list[ChainEntry]:
    """Rigid bodies and spherical joints with generalised-alpha."""
    return [ChainEntry("Exudyn", "gen.-alpha", "ball", 2, "", _chain_run)]


def _tree_of(joints: list[Any], offsets: list[Any], centres: list[Any], masses: Any, inertias: Any, speeds: Any,
             gravity: float) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """A kinematic tree in a row, gravity along -y; returns container, system, node and object."""
    container = exu.SystemContainer()
    mbs = container.AddSystem()
    count = len(joints)
    node = mbs.AddNode(
        items.NodeGenericODE2(
            referenceCoordinates=[0.0] * count, initialCoordinates=[0.0] * count, initialCoordinates_t=list(speeds),
            numberOfODE2Coordinates=count,
        )
    )  # fmt: skip
    still = exu.Vector3DList([[0.0, 0.0, 0.0]] * count)
    tree = mbs.AddObject(
        items.ObjectKinematicTree(
            nodeNumber=node,
            gravity=[0.0, -gravity, 0.0],
            jointTypes=joints,
            linkParents=list(range(-1, count - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * count),
            jointOffsets=exu.Vector3DList(offsets),
            linkInertiasCOM=exu.Matrix3DList([inertia * np.eye(3) for inertia in inertias]),
            linkCOMs=exu.Vector3DList(centres),
            linkMasses=list(masses),
            linkForces=still,
            linkTorques=still,
        )
    )
    return container, mbs, node, tree


def _contact_data(mbs: Any) -> Any:
    return mbs.AddNode(items.NodeGenericData(initialCoordinates=[0.1, 0.0, 0.0, 0.0], numberOfDataCoordinates=4))


def _run_tree(
    mbs: Any, node: Any, steps: int, step: float, every: int, *, modified_newton: bool
) -> tuple[float, np.ndarray]:
    variable = exu.OutputVariableType.Coordinates
    sensor = mbs.AddSensor(
        items.SensorNode(nodeNumber=node, storeInternal=True, writeToFile=False, outputVariableType=variable)
    )
    mbs.Assemble()
    settings = _settings(steps * step, steps, exu.LinearSolverType.EigenDense, index2=True)
    settings.timeIntegration.adaptiveStep = True  # no step of this size passes all contacts
    settings.timeIntegration.newton.useModifiedNewton = modified_newton
    settings.timeIntegration.newton.maxIterations = 25
    settings.timeIntegration.discontinuous.maxIterations = 2
    settings.timeIntegration.discontinuous.ignoreMaxIterations = True
    settings.solution.sensors.writePeriod = every * step
    seconds = _solve(mbs, settings)
    samples = np.array(mbs.GetSensorStoredData(sensor))[:, 1:]
    if len(samples) != steps // every + 1:
        raise Refusal(f"{len(samples)} samples instead of {steps // every + 1}")
    return seconds, samples


def _guide_run(gap: float, every: int) -> GuideRun:
    data = GUIDE_CRANK
    hinge = exu.JointType.RevoluteZ
    container, mbs, node, tree = _tree_of(
        [hinge] * 3, [[0.0] * 3, [data.crank, 0.0, 0.0], [data.rod, 0.0, 0.0]],
        [[data.crank / 2, 0.0, 0.0], [data.rod / 2, 0.0, 0.0], [0.0] * 3], data.masses, data.inertias,
        np.diff(data.speeds, prepend=0.0), data.gravity,
    )  # fmt: skip
    ground = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.CreateGround()))
    x, y, wall = data.length / 2, data.width / 2 - CORNER, data.width / 2 + gap
    for up in (1.0, -1.0):
        # One large triangle to a face of the guide; its normal points into the guide.
        points = [[-2.0, up * wall, -up * 2.0], [-2.0, up * wall, up * 2.0], [4.0, up * wall, 0.0]]
        for along in (-x, x):
            corner = items.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=2, localPosition=[along, up * y, 0.0])
            mbs.AddObject(
                items.ObjectContactSphereTriangle(
                    markerNumbers=[mbs.AddMarker(corner), ground], nodeNumber=_contact_data(mbs), sphereRadius=CORNER,
                    trianglePoints=exu.Vector3DList(points), includeEdges=0, dynamicFriction=data.friction,
                    frictionProportionalZone=1e-3, contactStiffness=GUIDE_STIFFNESS, contactDamping=0.0,
                    restitutionCoefficient=data.restitution, minimumImpactVelocity=1e-3, impactModel=2,
                )
            )  # fmt: skip
    seconds, angles = _run_tree(mbs, node, data.steps, data.step, every, modified_newton=False)
    del container  # its systems live as long as it does
    crank, rod, turn = np.cumsum(angles, axis=1).T
    return GuideRun(seconds, data.steps, crank, data.crank * np.sin(crank) + data.rod * np.sin(rod), turn)


def guide() -> list[GuideEntry]:
    """Three hinges, corners as spheres against triangles, index-2 trapezoidal rule."""
    note = "soft contact, regularised friction; halves steps"
    return [GuideEntry("Exudyn", "tree, trapezoidal", note, _guide_run, fleet=0)]


def _journal_run() -> JournalRun:
    data = JOURNAL
    kind = exu.JointType
    nothing = [0.0] * 3
    container, mbs, node, tree = _tree_of(
        [kind.PrismaticX, kind.PrismaticY, kind.RevoluteZ], [nothing] * 3, [nothing, nothing, [data.arm, 0.0, 0.0]],
        (0.0, 0.0, data.mass), (0.0, 0.0, data.inertia), nothing, data.gravity,
    )  # fmt: skip
    pin = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.CreateGround()))
    hole = mbs.AddMarker(items.MarkerKinematicTreeRigid(objectNumber=tree, linkNumber=2, localPosition=nothing))
    mbs.AddObject(
        items.ObjectContactSphereSphere(
            markerNumbers=[pin, hole], nodeNumber=_contact_data(mbs),
            spheresRadii=[data.radius, data.radius + data.gap], isHollowSphere1=True,
            dynamicFriction=data.friction, frictionProportionalZone=1e-3,
            contactStiffness=JOURNAL_STIFFNESS, contactDamping=0.0, restitutionCoefficient=data.restitution,
            minimumImpactVelocity=1e-3, impactModel=2,
        )
    )  # fmt: skip
    seconds, place = _run_tree(mbs, node, data.steps, data.step, data.sampling, modified_newton=True)
    del container
    return JournalRun(seconds, data.steps, place[:, 2], np.hypot(place[:, 0], place[:, 1]))


def journal() -> list[JournalEntry]:
    """Two slides and a hinge, the pin as a sphere in the hollow sphere of the body."""
    note = "soft contact, regularised friction; halves steps"
    return [JournalEntry("Exudyn", "tree, trapezoidal", note, _journal_run)]
