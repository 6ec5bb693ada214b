"""Small robot files for tests, as text."""

from __future__ import annotations

from pathlib import Path

INERTIAL = (
    '<inertial><mass value="{m}"/><origin xyz="{c}"/>'
    '<inertia ixx="{x}" ixy="0" ixz="0" iyy="{y}" iyz="0" izz="{z}"/></inertial>'
)


def inertial(m: float = 1.0, c: str = "0 0 -0.2", x: float = 0.02, y: float = 0.02, z: float = 0.01) -> str:
    """An inertial element."""
    return INERTIAL.format(m=m, c=c, x=x, y=y, z=z)


def link(name: str, inside: str | None = None) -> str:
    """A link, with mass unless something else is said to be inside."""
    return f'<link name="{name}">{inertial() if inside is None else inside}</link>'


def joint(
    name: str,
    parent: str,
    child: str,
    kind: str = "revolute",
    inside: str = "",
    axis: str = "0 1 0",
    at: str = "0 0 -0.4",
) -> str:
    """A joint with limits of 2 both ways, unless something else is said to be inside."""
    limit = '<limit lower="-2" upper="2" effort="1" velocity="1"/>' if kind in ("revolute", "prismatic") else ""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{at}" rpy="0.1 0.2 0.3"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/>{inside or limit}</joint>'
    )


def robot(*inside: str) -> str:
    """A file: one element per line, the first in line 2."""
    return "\n".join(['<robot name="r">', *inside, "</robot>"])


def arm(*more: str, elbow: str = "", lower: str | None = None) -> str:
    """Two links on a base: base (line 2), upper (3), lower (4), shoulder (5), elbow (6), more from 7 on."""
    return robot(
        link("base", ""),
        link("upper"),
        link("lower", lower),
        joint("shoulder", "base", "upper"),
        joint("elbow", "upper", "lower", inside=elbow),
        *more,
    )


def written(folder: Path, text: str, name: str = "r.urdf") -> Path:
    """The file of a text."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file
