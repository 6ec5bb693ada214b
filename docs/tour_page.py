"""The page of the tour, made of the notebook (a MkDocs hook)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import notebook


def on_files(files: Files, config: Any) -> Files:
    """Add the page and its pictures."""
    pictures: dict[str, bytes] = {}
    files.append(File.generated(config, "tour.md", content=notebook.page(pictures)))
    for name, data in pictures.items():
        files.append(File.generated(config, name, content=data))
    return files
