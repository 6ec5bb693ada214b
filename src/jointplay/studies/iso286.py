"""ISO 286: standard tolerances and fundamental deviations, as facts.

Numbers are in micrometres, one per step of nominal sizes; a step ends at its upper end, which belongs to it. Upper-case
letters are holes, lower-case ones shafts. With IT the tolerance of a grade, es and EI the deviations nearest to zero:

    shafts d .. h    es from the table (h: 0), ei = es - IT
    shaft js         +- IT/2
    shafts k .. p    ei from the table (k: grades 4 to 7, else 0), es = ei + IT
    holes D .. H     EI = -es of the shaft of the same letter, ES = EI + IT
    hole JS          +- IT/2
    holes K .. P     ES = -ei + delta, delta = IT(n) - IT(n - 1); none up to 3 mm; K, M, N to grade 8, P to grade 7

The tables rule: formulas of the standard reproduce them only up to rounding (tests hold them against each other).
"""

from __future__ import annotations

from bisect import bisect_left

ENDS = (3, 6, 10, 18, 30, 50, 80, 120, 180, 250, 315, 400, 500)  # mm

GRADES = {
    5: (4, 5, 6, 8, 9, 11, 13, 15, 18, 20, 23, 25, 27),
    6: (6, 8, 9, 11, 13, 16, 19, 22, 25, 29, 32, 36, 40),
    7: (10, 12, 15, 18, 21, 25, 30, 35, 40, 46, 52, 57, 63),
    8: (14, 18, 22, 27, 33, 39, 46, 54, 63, 72, 81, 89, 97),
    9: (25, 30, 36, 43, 52, 62, 74, 87, 100, 115, 130, 140, 155),
    10: (40, 48, 58, 70, 84, 100, 120, 140, 160, 185, 210, 230, 250),
    11: (60, 75, 90, 110, 130, 160, 190, 220, 250, 290, 320, 360, 400),
}
BELOW = {  # -es of shafts that lie below the nominal size
    "d": (20, 30, 40, 50, 65, 80, 100, 120, 145, 170, 190, 210, 230),
    "e": (14, 20, 25, 32, 40, 50, 60, 72, 85, 100, 110, 125, 135),
    "f": (6, 10, 13, 16, 20, 25, 30, 36, 43, 50, 56, 62, 68),
    "g": (2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 18, 20),
    "h": (0,) * 13,
}
ABOVE = {  # ei of shafts that lie above it
    "k": (0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5),
    "m": (2, 4, 6, 7, 8, 9, 11, 13, 15, 17, 20, 21, 23),
    "n": (4, 8, 10, 12, 15, 17, 20, 23, 27, 31, 34, 37, 40),
    "p": (6, 12, 15, 18, 22, 26, 32, 37, 43, 50, 56, 62, 68),
}
FINEST_K, COARSEST_K = 4, 7  # grades for which the table of shaft k holds; others begin at zero
COARSEST = {"K": 8, "M": 8, "N": 8, "P": 7}  # grades of holes in these tables
EXCEPTIONS = {("M", 6, 315): -9}  # ES in micrometres where the standard departs from its rule
LETTERS = (*BELOW, "js", *ABOVE)
MICRO = 1e-6


def step_of(size: float) -> int:
    """Number of the step of a nominal size in mm; ValueError outside of the tables."""
    if not 0.0 < size <= ENDS[-1]:
        raise ValueError(f"the tables go from above 0 to {ENDS[-1]} mm, not to {size:g} mm")
    return bisect_left(ENDS, size)


def tolerance(size: float, grade: int) -> float:
    """IT of a grade in m; ``size`` in mm."""
    if grade not in GRADES:
        raise ValueError(f"there is no table of grade {grade}; known are {min(GRADES)} to {max(GRADES)}")
    return MICRO * GRADES[grade][step_of(size)]


def zone(size: float, letter: str, grade: int) -> tuple[float, float]:
    """Lower and upper deviation of a tolerance zone in m, such as (12, "H", 7); ``size`` in mm."""
    width = tolerance(size, grade)
    own = letter.lower()
    if own not in LETTERS:
        raise ValueError(
            f"there is no table of '{letter}'; known are {', '.join(LETTERS)} and their capitals for holes"
        )
    if own == "js":
        return -width / 2.0, width / 2.0
    step = step_of(size)
    if own in BELOW:
        edge = MICRO * BELOW[own][step]
        return (edge, edge + width) if letter.isupper() else (-edge - width, -edge)
    edge = MICRO * ABOVE[own][step]
    if letter.islower():
        if own == "k" and not FINEST_K <= grade <= COARSEST_K:
            edge = 0.0
        return edge, edge + width
    return _tight_hole(letter, grade, step, edge, width)


def _tight_hole(letter: str, grade: int, step: int, edge: float, width: float) -> tuple[float, float]:
    if grade - 1 not in GRADES or grade > COARSEST[letter]:
        raise ValueError(f"the tables have hole {letter} for grades {min(GRADES) + 1} to {COARSEST[letter]} only")
    delta = 0.0 if step == 0 else MICRO * (GRADES[grade][step] - GRADES[grade - 1][step])
    exception = EXCEPTIONS.get((letter, grade, ENDS[step]))
    upper = MICRO * exception if exception is not None else -edge + delta
    return upper - width, upper
