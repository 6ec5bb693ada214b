"""Bad robot files: one sentence each with its line, all at once, and a report that loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from robot_texts import arm, inertial, joint, link, robot, written

import jointplay as jp
from jointplay.robots import xmltree
from jointplay.robots.report import RobotFileError

LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'

# text of the file, line of the problem, words of its sentence
CASES = {
    "empty": ("", 0, "is empty"),
    "no XML": ("hello", 1, "is no proper XML"),
    "cut off": (arm()[:-9], 6, "is no proper XML"),
    "wrong root": ("<sdf version='1.6'/>", 1, "its root is 'sdf'"),
    "entities": (
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<robot name="&b;"/>',
        1,
        "document type",
    ),
    "external entity": ('<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<robot name="r"/>', 1, "document type"),
    "no links": ('<robot name="r"/>', 1, "has no link"),
    "no name": ("<robot>" + link("a", "") + "</robot>", 1, "'name' is missing"),
    "two links of a name": (robot(link("a", ""), link("a", "")), 3, "another link of this name in line 2"),
    "two joints of a name": (
        arm(joint("elbow", "lower", "end"), link("end")),
        7,
        "another joint of this name in line 6",
    ),
    "unknown parent": (arm(joint("wrist", "lowr", "end"), link("end")), 7, "no link 'lowr'; did you mean 'lower'?"),
    "no child": (arm('<joint name="w" type="fixed"><parent link="lower"/></joint>'), 7, "'child' is missing"),
    "unknown type": (arm(joint("w", "lower", "end", "revolut"), link("end")), 7, "did you mean 'revolute'?"),
    "a ring": (
        robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
        2,
        "hangs in a ring of joints that nothing holds: 'a', 'b'",
    ),
    "a loop": (arm(joint("closing", "base", "lower")), 7, "hangs on the joint 'elbow' (line 6) already"),
    "itself": (robot(link("a", ""), joint("j", "a", "a")), 3, "joins the link 'a' with itself"),
    "two roots": (arm(link("other")), 7, "hangs on no joint, like 'base'"),
    "a unit": (arm(elbow='<origin xyz="0 0 10mm"/>' + LIMIT), 6, "more than one 'origin'"),
    "a length with a unit": (
        robot(link("a", ""), link("b", '<inertial><origin xyz="0 0 10mm"/><mass value="1"/></inertial>')),
        3,
        "needs 3 numbers without a unit, not '0 0 10mm'",
    ),
    "NaN": (arm(lower=inertial(m=float("nan"))), 4, "'value' must be finite, is 'nan'"),
    "too few numbers": (arm(lower=inertial(c="0 0")), 4, "'xyz' needs 3 numbers"),
    "a negative mass": (arm(lower=inertial(m=-1.0)), 4, "must not be negative, is -1 kg"),
    "no inertia": (arm(lower='<inertial><mass value="1"/></inertial>'), 4, "has no inertia"),
    "impossible inertia": (arm(lower=inertial(x=1.0)), 4, "no body has such moments of inertia (0.01, 0.02, 1 kg m2)"),
    "no moments": (arm(lower=inertial(x=0.0, y=0.0, z=0.0)), 4, "all of these are zero"),
    "no mass": (arm(lower=""), 4, 'allow=["massless"]'),
    "no direction": (robot(link("a", ""), link("b"), joint("j", "a", "b", axis="0 0 0")), 4, "has no direction"),
    "limits in the wrong order": (
        arm(elbow='<limit lower="1" upper="-1" effort="1" velocity="1"/>'),
        6,
        "'lower' (1) lies above 'upper' (-1)",
    ),
    "locked": (arm(elbow='<limit effort="1" velocity="1"/>'), 6, "are missing and both count as 0"),
    "negative damping": (arm(elbow=LIMIT + '<dynamics damping="-1"/>'), 6, "must not be negative, is -1"),
    "a slip of the pen": (
        arm(elbow=LIMIT + '<dynamics dampnig="1"/>'),
        6,
        "no attribute 'dampnig' of 'dynamics' in URDF; did you mean 'damping'?",
    ),
    "an unknown element": (arm("<springs/>"), 7, "'springs' has no meaning here in URDF"),
    "macros": (arm('<xacro:property name="m" value="1"/>', '<xacro:wheel side="left"/>'), 7, "run 'xacro FILE"),
    "mimic": (arm(elbow=LIMIT + '<mimic joint="shoulder"/>'), 6, 'allow=["mimic"]'),
}


def refused(folder: Path, text: str, **options: object) -> jp.InputError:
    with pytest.raises(jp.InputError) as caught:
        jp.read(written(folder, text), **options)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.parametrize("case", CASES)
def test_a_sentence_with_its_line(case: str, tmp_path: Path) -> None:
    text, line, words = CASES[case]
    error = refused(tmp_path, text)
    told = [problem for problem in error.problems if words in problem.message]
    assert told, str(error)
    assert told[0].line == line
    assert told[0].file.endswith("r.urdf")
    if isinstance(error, RobotFileError):
        assert len(error.report.rows) == text.count("<") - text.count("</")


def test_problems_have_no_echoes(tmp_path: Path) -> None:
    for case in ("NaN", "impossible inertia", "unknown parent", "unknown type", "no inertia", "a ring", "macros"):
        assert len(refused(tmp_path, CASES[case][0]).problems) == 1, case


def test_all_problems_at_once(tmp_path: Path) -> None:
    text = robot(
        link("base", ""),
        link("a", inertial(m=float("nan"))),
        link("b", inertial(x=1.0)),
        link("c"),
        joint("ja", "base", "a"),
        joint("jb", "base", "b", inside=LIMIT + '<mimic joint="ja"/>'),
        joint("jc", "base", "c", inside='<limit lower="2" upper="1" effort="0" velocity="0"/>'),
        '<transmission name="t"><mechanicalReduction>50</mechanicalReduction></transmission>',
    )
    error = refused(tmp_path, text, play={"jd": jp.Clearance("1 mm")}, start={"je": 0.1}, rates={"jf": 1})
    assert [problem.line for problem in error.problems] == [0, 0, 0, 3, 4, 7, 8, 9]
    assert all(len(problem.message) < 200 for problem in error.problems)


def test_deep_and_large_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = '<robot name="r">' + "<a>" * 3000 + "</a>" * 3000 + "</robot>"
    assert "more than 2000 deep" in str(refused(tmp_path, deep))
    monkeypatch.setattr(xmltree, "MOST_ELEMENTS", 50)
    assert "more than 50 elements" in str(refused(tmp_path, arm(*["<x/>"] * 50)))
    monkeypatch.setattr(xmltree, "MOST_BYTES", 1_000_000)
    assert "larger than 1 MB" in str(refused(tmp_path, " " * 1_000_001))


def test_no_file_and_model_files(tmp_path: Path) -> None:
    for path, words in (("no.urdf", "there is no such file"), (".", "is a directory"), ("m.yaml", "jp.load_model")):
        with pytest.raises(jp.InputError, match=words):
            jp.read(tmp_path / path)


def test_arguments(tmp_path: Path) -> None:
    cases = {
        "must be 'fixed' or 'floating'": {"base": "flying"},
        "no joint 'elbo'; did you mean 'elbow'?": {"play": {"elbo": jp.Clearance("1 mm")}},
        "no fixed joint 'elbow'": {"keep": "elbow"},
        "needs one value, has 2": {"start": {"elbow": [1, 2]}},
        "the start of 3 rad lies outside these limits": {"start": {"elbow": 3.0}},
        "start['elbow']": {"start": {"elbow": "1 mm"}},
        "has no use without inertia_from": {"density": 1000},
        "mesh_unit: is missing": {"inertia_from": "mesh", "density": 1000},
        "density: is missing": {"inertia_from": "mesh", "mesh_unit": "1 mm"},
        "must be 'mesh'": {"inertia_from": "hull"},
        "has no one place in a revolute joint": {"play": {"elbow": 3}},
    }
    for words, options in cases.items():
        assert words in str(refused(tmp_path, arm(), **options)), words
