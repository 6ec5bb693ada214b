"""The tour, docs/tour.ipynb, without Jupyter: run it, keep its outputs, show it as a page.

``python docs/notebook.py`` runs all cells in order and stores what they print and draw. A test runs them again and
compares what they print. The page of the site is made of the stored file, so that building it runs nothing.
"""

from __future__ import annotations

import ast
import json
import sys
from base64 import b64decode, b64encode
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parent / "tour.ipynb"
DPI = 80  # of pictures that are kept


def read() -> dict[str, Any]:
    """The notebook as data."""
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def source(cell: dict[str, Any]) -> str:
    """The text of a cell."""
    return "".join(cell["source"])


def code(cell: dict[str, Any]) -> str:
    """The text of a code cell without the lines that speak to Jupyter."""
    return "\n".join(line for line in source(cell).splitlines() if not line.startswith("%"))


def run(cell: dict[str, Any], names: dict[str, Any]) -> tuple[str, Any]:
    """What a code cell prints, and the value of the expression that it ends with."""
    tree = ast.parse(code(cell))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    stream, value = StringIO(), None
    with redirect_stdout(stream):
        exec(compile(tree, NOTEBOOK.name, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)
    return stream.getvalue(), value


def outputs(printed: str, value: Any) -> list[dict[str, Any]]:
    """What a notebook keeps of them: the text, and a picture where the value is a figure."""
    kept: list[dict[str, Any]] = []
    if printed:
        kept.append({"output_type": "stream", "name": "stdout", "text": printed.splitlines(keepends=True)})
    if value is not None:
        from matplotlib.figure import Figure

        data = {"text/plain": [repr(value)]}
        if isinstance(value, Figure):
            from jointplay import figures

            data = {"image/png": b64encode(figures.png(value, DPI)).decode(), "text/plain": ["<Figure>"]}
        kept.append({"output_type": "display_data", "data": data, "metadata": {}})
    return kept


def page(pictures: dict[str, bytes]) -> str:
    """The notebook as Markdown; its pictures go into ``pictures`` by name."""
    lines = []
    for number, cell in enumerate(read()["cells"]):
        if cell["cell_type"] == "markdown":
            lines.append(source(cell))
            continue
        lines.append(f"```python\n{code(cell).strip()}\n```")
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                lines.append(f'```text title="output"\n{"".join(output["text"]).rstrip()}\n```')
            elif "image/png" in output["data"]:
                name = f"tour_{number}.png"
                pictures[name] = b64decode(output["data"]["image/png"])
                lines.append(f"![figure]({name})")
            else:
                lines.append(f'```text title="output"\n{"".join(output["data"]["text/plain"])}\n```')
    return "\n\n".join(lines) + "\n"


def main() -> None:
    """Run all cells and store their outputs."""
    book, names = read(), {"__name__": "__main__"}
    count = 0
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            cell["outputs"], cell["execution_count"] = outputs(*run(cell, names)), count
            print(f"cell {count} done", file=sys.stderr)
    NOTEBOOK.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
