"""The built player is that of the sources beside it; checked without Node."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import jointplay

SOURCE = Path(__file__).parents[2] / "viewer"
ASSETS = Path(jointplay.__file__).parent / "viewer" / "assets"


def digest() -> str:
    """The same as in viewer/build.js."""
    out = hashlib.sha256()
    names = sorted(f"src/{file.name}" for file in (SOURCE / "src").iterdir())
    for name in [*names, "build.js", "package.json", "package-lock.json"]:
        out.update(name.encode() + b"\0" + (SOURCE / name).read_bytes() + b"\0")
    return out.hexdigest()


def test_built_from_these_sources() -> None:
    for name in ("player.js", "player.css"):
        head = (ASSETS / name).read_text(encoding="utf-8")[:400]
        assert digest() in head, f"{name} is older than its sources: run 'npm ci && npm run build' in viewer/"


def test_licences_come_along() -> None:
    text = (ASSETS / "LICENSE-THIRD-PARTY").read_text()
    assert "three.js authors" in text and "fflate" in text
    assert text == (SOURCE / "LICENSE-THIRD-PARTY").read_text()


def test_versions_are_fixed_and_no_host_is_named() -> None:
    packages = json.loads((SOURCE / "package-lock.json").read_text())["packages"]
    assert all("integrity" in facts for name, facts in packages.items() if name)
    assert not any("resolved" in facts for facts in packages.values())
    wanted = json.loads((SOURCE / "package.json").read_text())["devDependencies"]
    assert all(version[0].isdigit() for version in wanted.values())


def test_the_player_cannot_end_its_own_script() -> None:
    text = (ASSETS / "player.js").read_text(encoding="utf-8").lower()
    assert "</script" not in text
    assert "<!--" not in text
