"""Pictures and pages of the gallery: ``python docs/draw_gallery.py [NAME ...]``, or ``--pages`` for the text alone.

Scripts draw their own pictures; those of models show the names after ``Plot:`` in their heads, and the mechanism itself
as a picture and an animation (animations.py); ``--mechanisms [NAME ...]`` draws these alone. All text comes from the
heads (jointplay.gallery.head), and tests/examples compare the pages with them.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib

matplotlib.use("Agg")

from jointplay.gallery import SUBJECTS, Case, cases

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))
import animations  # noqa: E402

FOLDER, INDEX = DOCS / "gallery", DOCS / "gallery.md"
WIDTH, COLOURS = 1100, 256  # pixels and colours of a picture, so that the folder stays small
KEPT = re.compile(r'keep\(\s*\w+,\s*out,\s*f?"([\w{}.]+)"')
AGAIN = "<!-- made by docs/draw_gallery.py from the heads of the examples -->"
FIRST, LAST = "<!-- cases -->", "<!-- end of cases -->"  # in the index, around what is made


def pictures(case: Case) -> list[str]:
    """Names of its pictures, the first one for the index."""
    if case.script is None:
        return [case.name]
    program = import_module(f"jointplay.gallery.{case.name}")
    named = getattr(program, "PICTURES", None)
    return list(named or KEPT.findall(case.script.read_text(encoding="utf-8")))


def shows(case: Case) -> str:
    """The model whose animation a page has: its own, or the first that its script reads; or none."""
    return case.name if case.model else case.head["Models"].partition(",")[0].strip()


def capital(text: str) -> str:
    """With a capital letter at the start."""
    return text[:1].upper() + text[1:]


def code(text: str) -> str:
    """Double backticks of docstrings as those of Markdown."""
    return re.sub(r"(?<!`)``(?!`)", "`", text)


def page(case: Case) -> str:
    """The page of a case."""
    head = case.head
    source = f"**Source.** {case.source} ([sources](../theory/sources.md))." if case.source else ""
    parts = [
        AGAIN,
        f"# {head.title.rstrip('.')}",
        f"[Gallery](../gallery.md) · {SUBJECTS[case.subject]}",
        f"**Question.** {capital(head['Question'])}",
        f"**Answer.** {capital(head['Answer'])}" if head["Answer"] else "",
        f"**Number.** {capital(head['Number'])} Held by the test suite.",
        source,
        f"**Data of the paper.** {capital(head['Data'])}" if head["Data"] else "",
        animation(case),
        *(f"![{head.title}]({name}.png)" for name in pictures(case)),
        head.remarks,
        f"**Look at.** {capital(head['Look at'])}" if head["Look at"] else "",
        "\n".join(["```sh", *commands(case), "```"]),
        models(case),
        *(shown(file) for file in case.files),
    ]
    return code("\n\n".join(part for part in parts if part)) + "\n"


def animation(case: Case) -> str:
    """The animation, in a frame that waits for a click."""
    name = shows(case)
    if not name:
        return ""
    of = "" if name == case.name else f"The model [`{name}`]({name}.md). "
    hint = f"{of}Drag to turn it, space plays it; or see it [on a page of its own]({name}_animation.html)."
    source = f"{name}_animation.html"
    frame = f'<iframe class="animation" src="{source}" title="animation of {name}" loading="lazy"></iframe>'
    return f'{frame}\n\n<p class="caption" markdown>{hint}</p>'


def commands(case: Case) -> list[str]:
    """What to type."""
    lines = []
    if case.model:
        lines.append(f"jointplay examples run {case.name}")
    if case.script:
        lines.append(f"jointplay examples run {case.script.name if case.model else case.name}")
    return [*lines, f"jointplay examples copy {case.name} ."]


def models(case: Case) -> str:
    """Links to the models that a script reads."""
    names = [name.strip() for name in case.head["Models"].split(",") if name.strip()]
    return "Models: " + ", ".join(f"[`{name}`]({name}.md)" for name in names) + "." if names else ""


def shown(file: Path) -> str:
    """The file itself, read when the site is built."""
    language = {".yaml": "yaml", ".py": "python", ".urdf": "xml"}[file.suffix]
    return f'## {file.name}\n\n```{language}\n--8<-- "src/jointplay/gallery/{file.name}"\n```'


def portrait(case: Case) -> str:
    """The picture in the index: the mechanism, or what a script finds."""
    return f"{case.name}.webp" if case.model else f"{pictures(case)[0]}.png"


def card(case: Case) -> str:
    """An entry of the index."""
    figures = f" ({case.figures})" if case.figures else ""
    link, title = f"gallery/{case.name}.md", case.head.title.rstrip(".")
    return (
        f"-   [![{title}](gallery/{portrait(case)})]({link})\n\n"
        f"    [`{case.name}`]({link}){figures}: {code(case.head.question)}"
    )


def index(text: str) -> str:
    """The page of all cases: ``text`` with the part between its two marks made anew."""
    known, sections = cases(), []
    for key, heading in SUBJECTS.items():
        cards = "\n\n".join(card(case) for case in known.values() if case.subject == key)
        sections.append(f'## {heading}\n\n<div class="grid cards" markdown>\n\n{cards}\n\n</div>')
    before, _, rest = text.partition(FIRST)
    return "\n\n".join([before + FIRST, *sections, LAST + rest.partition(LAST)[2]])


def write_pages() -> None:
    """All pages and the index."""
    for case in cases().values():
        (FOLDER / f"{case.name}.md").write_text(page(case), encoding="utf-8")
    INDEX.write_text(index(INDEX.read_text(encoding="utf-8")), encoding="utf-8")


def shrink(picture: Path, target: Path) -> None:
    """Scale and reduce the colours: lines need few."""
    from PIL import Image

    with Image.open(picture) as image:
        plain = image.convert("RGB")
        size = (WIDTH, round(plain.height * WIDTH / plain.width))
        small = plain.resize(size, Image.Resampling.LANCZOS) if plain.width > WIDTH else plain
        few = small.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)  # keeps thin coloured lines
        few.save(target, optimize=True)


def draw(case: Case) -> None:
    """Run a case and keep its pictures."""
    import jointplay as jp
    from jointplay.cli.model_input import read_job

    with TemporaryDirectory() as folder:
        out = Path(folder)
        if case.script:
            import_module(f"jointplay.gallery.{case.name}").main(out=out)
        else:
            assert case.model
            job = read_job(case.model)
            assert job.until is not None
            solution = jp.simulate(job.system, job.until, job.method, job.save, progress=True)
            solution.plot(*case.head["Plot"].split(), path=out / f"{case.name}.png")
        for name in pictures(case):
            shrink(out / f"{name}.png", FOLDER / f"{name}.png")


def draw_mechanism(case: Case) -> None:
    """Run a model and keep its animation and its picture."""
    animations.record(case)
    with TemporaryDirectory() as folder:
        animations.still(case.name, Path(folder))


def main() -> None:
    """Pages, and pictures of the cases that are named or of all."""
    FOLDER.mkdir(exist_ok=True)
    words = sys.argv[1:]
    write_pages()
    if words == ["--pages"]:
        return
    alone = "--mechanisms" in words
    named = [word for word in words if not word.startswith("--")]
    for case in cases().values():
        if not named or case.name in named:
            print(f"{case.name} ...", flush=True)
            if case.model:
                draw_mechanism(case)
            if not alone:
                draw(case)


if __name__ == "__main__":
    main()
