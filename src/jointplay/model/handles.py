"""Handles: what calls of a System return, to be used in further calls; and the methods that add joints.

The method of a joint kind is made from its facts: its arguments, closed groups and free coordinates are the keyword
arguments that ``help`` shows. A new kind needs nothing here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ..errors import InputError, Problem
from ..joints.base import JointKind
from ..joints.registry import KINDS
from .joint import joint_fields

if TYPE_CHECKING:
    from .system import System

S = TypeVar("S", bound=type)


@dataclass(frozen=True)
class Handle:
    """A thing of a system, by name."""

    name: str
    system: System = field(repr=False, compare=False)


@dataclass(frozen=True)
class MarkerHandle(Handle):
    """A marker of a system."""


@dataclass(frozen=True)
class BodyHandle(Handle):
    """A body of a system."""

    def marker(self, name: str, *, position: Any = None, orientation: Any = None) -> MarkerHandle:
        """Add a marker on this body; position [m] and orientation in body axes."""
        return self.system.marker(name, self, position=position, orientation=orientation)


def name_of(thing: Any, system: System) -> Any:
    """The name behind a handle; anything else is left for the reader to judge."""
    if isinstance(thing, Handle):
        if thing.system is not system:
            raise InputError(Problem(f"'{thing.name}'", "belongs to another system"))
        return thing.name
    return thing


class JointMethod(Protocol):
    """A method that adds a joint, for editors; which arguments a kind takes is in its help and in ``joints``."""

    def __call__(
        self,
        name: str,
        a: Any,
        b: Any,
        *,
        point: Any = ...,
        axis: Any = ...,
        axis_a: Any = ...,
        axis_b: Any = ...,
        point_a: Any = ...,
        point_b: Any = ...,
        radial: Any = ...,
        axial: Any = ...,
        tilt: Any = ...,
        twist: Any = ...,
        angle: Any = ...,
        angle_a: Any = ...,
        angle_b: Any = ...,
        displacement: Any = ...,
        displacement_h: Any = ...,
        displacement_t: Any = ...,
        friction: Any = ...,
        length: Any = ...,
        radius: Any = ...,
        width: Any = ...,
        section: Any = ...,
        inner: Any = ...,
        ends: Any = ...,
        along: Any = ...,
        hubs: Any = ...,
        radii: Any = ...,
        teeth: Any = ...,
        module: Any = ...,
        internal: Any = ...,
        crossed: Any = ...,
        lead: Any = ...,
        flank: Any = ...,
        path: Any = ...,
        pressure_angle: Any = ...,
        offset: Any = ...,
        mesh: Any = ...,
        thread: Any = ...,
        belt: Any = ...,
        transmission_error: Any = ...,
        slide: Any = ...,
    ) -> Handle:
        """Add the joint ``name`` between bodies or markers ``a`` and ``b``."""


def _method(kind: JointKind) -> Callable[..., Handle]:
    """The method of System that adds a joint of this kind."""

    def add(self: System, name: str, a: Any, b: Any, **given: Any) -> Handle:
        return self.joint(kind.key, name, a, b, **given)

    keywords = {key: facts for key, facts in joint_fields(kind).items() if key not in ("type", "between")}
    plain = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in ("self", "name", "a", "b")]
    named = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None) for key in keywords]
    lines = [f"    {key}: {facts.about}{f' [{facts.unit}]' if facts.unit else ''}." for key, facts in keywords.items()]
    add.__name__ = kind.key
    add.__qualname__ = f"System.{kind.key}"
    add.__doc__ = f"Add a {kind.key} joint: {kind.summary}.\n\nArgs:\n" + "\n".join(lines)
    add.__signature__ = inspect.Signature([*plain, *named], return_annotation=Handle)  # type: ignore[attr-defined]
    return add


def with_joint_methods(system: S) -> S:
    """Give the class one method per joint kind; a kind whose name is taken gets ``_joint`` after it."""
    for kind in KINDS.values():
        setattr(system, f"{kind.key}_joint" if kind.key in vars(system) else kind.key, _method(kind))
    return system
