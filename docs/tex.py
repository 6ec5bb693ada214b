"""Formulas written as text, ``u_E = u_A + h M^-1 (f + W^T λ)``, as TeX.

The pages keep formulas as text that reads well as it is, in a file and on a code host. How it becomes TeX:

    W_NN  a_{n+1}  M^-1  x^(n+1)  ν₁²     indices and powers; E*, q′, ġ, h̄ likewise
    a b/c                                 (a b)/c, as a fraction; ∂N/∂g v is (∂N/∂g) v
    F(v, N)  √(x² + y²)  |x|              an argument stands right after its function
    rate, onset, moved by                 words of more than two letters are words
    dg, dλ                                a d right before a variable is a differential
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

WORDS = {"by", "in", "is", "of", "at", "to", "or", "it", "on", "no"}
FUNCTIONS = {"tanh", "exp", "max", "min", "sin", "tan", "cos", "ln", "arccos"}
NAMED = {"artanh", "atan2", "sign", "Sgn", "diag", "dir"}
SIGNS = {
    "≤": r"\le", "<=": r"\le", "≥": r"\ge", ">=": r"\ge", "<-": r"\gets", "→": r"\to", "⇒": r"\Rightarrow",
    "⟂": r"\perp", "·": r"\cdot", ".": r"\cdot", "×": r"\times", "≠": r"\ne", "…": r"\dots", "=": "=", "+": "+",
    "-": "-", "−": "-", "<": "<", ">": ">", ",": ",", ":": r"\colon", ";": ";\\;", "∈": r"\in",
}  # fmt: skip
LARGE = {"Σ": r"\sum", "∫": r"\int"}
SMALL = {"(": "(", "[": "[", "{": r"\lbrace "}
CLOSED = {"(": ")", "[": "]", "{": "}"}
ENDS = {")": ")", "]": "]", "}": r"\rbrace "}
ACCENTS = {"\u0304": r"\bar", "\u0307": r"\dot", "\u0303": r"\tilde", "\u0302": r"\hat"}
RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀⁿʳ½", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "-", r"\mathrm{T}", "n",
                                     "r", "1/2"], strict=True))  # fmt: skip
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
GREEK = "α-ωΑ-Ωϑϕ"
TOKEN = re.compile(
    rf"""(?P<space>\s+)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<diff>(?:d(?=[²³]?[A-Za-z{GREEK}](?![A-Za-z]))|∂|[Δδ](?=[A-Za-z{GREEK}]))[²³]?)
    | (?P<large>[Σ∫]) | (?P<word>[A-Za-zé]{{2,}}(?:[0-9]|'s\b)?) | (?P<letter>[A-Za-z{GREEK}])
    | (?P<unary>(?<![^\s(\[])[-−](?=\S)) | (?P<sign><=|>=|<-|[≤≥→⇒⟂·.×≠…=+\-−<>,:;∈])
    | (?P<root>√) | (?P<slash>/) | (?P<bar>[|‖]) | (?P<open>[(\[{{]) | (?P<close>[)\]}}])
    """,
    re.VERBOSE,
)
SCRIPT = re.compile(
    rf"""_\{{(?P<group>[^}}]*)\}} | _(?P<low>[A-Za-z0-9{GREEK}]+) | \^\((?P<power>[^()]*)\)
    | \^(?P<high>-?\d+(?:/\d+|\.\d+)?|[A-Za-z½])
    | (?P<raised>[{"".join(RAISED)}]+) | (?P<lowered>[{"".join(LOWERED)}]+) | (?P<prime>[′″']+) | (?P<star>\*(?![\w]))
    """,
    re.VERBOSE,
)


class Piece(NamedTuple):
    """A part of a formula: TeX, what it is, and the same without its brackets."""

    tex: str
    kind: str  # "atom", "diff" (a differential), "word", "sign", "fraction"
    bare: str = ""


def tex(text: str) -> str:
    """A formula as TeX."""
    text = re.sub(r"[^\W\d_]", lambda letter: unicodedata.normalize("NFD", letter[0]), text).replace("sqrt(", "√(")
    return joined(Reader(re.sub(r"\bmu\b", "μ", text)).sequence(""))


def joined(pieces: list[Piece]) -> str:
    """Pieces beside each other; words keep their distance."""
    out = ""
    for k, piece in enumerate(pieces):
        if k and "word" in (piece.kind, pieces[k - 1].kind):
            before, after = pieces[k - 1], piece
            out += (
                r"\ " if "sign" not in (before.kind, after.kind) or before.tex[0] == "," or after.tex == "{-}" else " "
            )
        elif k and piece.kind == "diff" and pieces[k - 1].kind == "atom":
            out += r"\,"
        out += piece.tex + " "
    return out.strip()


class Reader:
    """Reads a text from left to right."""

    def __init__(self, text: str, *, slashes: bool = False) -> None:
        self.text = text
        self.at = 0
        self.slashes = slashes  # small print: no fractions

    def sequence(self, end: str) -> list[Piece]:
        """Pieces up to ``end``, a bracket or a bar, which is passed."""
        out: list[Piece] = []
        while self.at < len(self.text):
            if end and self.text[self.at] == end:
                self.at += 1
                break
            found = TOKEN.match(self.text, self.at)
            if found is None:  # what has no rule stands as it is
                out.append(Piece(self.text[self.at], "atom"))
                self.at += 1
            elif found["space"]:
                self.at = found.end()
            elif found["slash"]:
                self.at = found.end()
                self._fraction(out)
            else:
                out.append(self._piece())
        return out

    def _fraction(self, out: list[Piece]) -> None:
        below = self._piece()
        if self.slashes:
            out += [Piece("/", "atom"), below]
            return
        # above it: a single word or differential, else all factors before it
        first = len(out)
        if first and out[-1].kind in ("word", "diff"):
            first -= 1
        else:
            while first and out[first - 1].kind == "atom":
                first -= 1
        above = out[first:]
        del out[first:]
        top = (above[0].bare or above[0].tex) if len(above) == 1 else joined(above)
        out.append(Piece(rf"\frac{{{top}}}{{{below.bare or below.tex}}}", "fraction"))

    def _piece(self) -> Piece:
        """The next piece with its indices, powers and argument."""
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        found = TOKEN.match(self.text, self.at)
        if found is None:
            self.at += 1
            return Piece(self.text[self.at - 1 : self.at], "atom")
        self.at = found.end()
        word = found[0]
        match found.lastgroup:
            case "sign":
                far = word == "," and self.text.startswith("  ", self.at)  # as far as in the text
                return Piece(r",\quad" if far else SIGNS[word], "sign")
            case "unary":
                return Piece("{-}", "sign")
            case "large":
                return Piece(LARGE[word] + self._scripts(), "sign")
            case "diff":
                power = "^{2}" if word.endswith("²") else ""
                sign = {"∂": r"\partial", "d": r"\mathrm{d}"}.get(word[0], word[0])
                return Piece(f"{sign}{power} {self._piece().tex}", "diff" if sign != word[0] else "atom")
            case "root":
                inner = self._piece()
                return Piece(rf"\sqrt{{{inner.bare or inner.tex}}}", "atom")
            case "open" | "bar":
                return self._bracket(word)
            case "word":
                return self._word(word)
            case "number":
                return Piece(word + self._scripts(), "atom")
        return self._argument(self._accent(word) + self._scripts())

    def _bracket(self, sign: str) -> Piece:
        inner = joined(self.sequence(CLOSED.get(sign, sign)))
        if sign in SMALL:
            left, right = SMALL[sign], ENDS[CLOSED[sign]]
        else:
            left, right = (r"\lvert", r"\rvert") if sign == "|" else (r"\lVert", r"\rVert")
        if r"\frac" in inner or r"\sum" in inner:
            left, right = rf"\left{left}", rf"\right{right}"
        scripts = self._scripts()
        whole = f"{left} {inner} {right}{scripts}"
        return Piece(whole, "atom", inner if sign == "(" and not scripts else "")

    def _word(self, word: str) -> Piece:
        if word in FUNCTIONS:
            return self._argument(f"\\{word}" + self._scripts())
        if word in NAMED:
            return self._argument(rf"\operatorname{{{word}}}")
        if re.fullmatch(r"[A-Za-z]{2}", word) and word not in WORDS:  # two variables, the first one alone
            self.at -= 1
            return Piece(word[0], "atom")
        return Piece(rf"\text{{{word}}}" + self._scripts(), "word")

    def _accent(self, letter: str) -> str:
        mark = ACCENTS.get(self.text[self.at : self.at + 1])
        if mark:
            self.at += 1
            return f"{mark}{{{letter}}}"
        return letter + (r"_{" + self._digits() + "}" if self._digit_follows() else "")

    def _digit_follows(self) -> bool:
        return bool(re.match(r"\d(?![\d.])", self.text[self.at : self.at + 2]))

    def _digits(self) -> str:
        self.at += 1
        return self.text[self.at - 1]

    def _argument(self, function: str) -> Piece:
        """A bracket right behind a name belongs to it."""
        if self.text[self.at : self.at + 1] in ("(", "["):
            self.at += 1
            return Piece(function + " " + self._bracket(self.text[self.at - 1]).tex, "atom")
        return Piece(function, "atom")

    def _scripts(self) -> str:
        low, high = "", ""
        while found := SCRIPT.match(self.text, self.at):
            self.at = found.end()
            match found.lastgroup:
                case "group" | "low":
                    low += small(found["group"] or found["low"])
                case "power" | "high":
                    high += r"\mathrm{T}" if found["high"] == "T" else small(found["power"] or found["high"])
                case "raised":
                    high += "".join(RAISED[sign] for sign in found[0])
                case "lowered":
                    low += "".join(LOWERED[sign] for sign in found[0])
                case "prime":
                    high += r"\prime" * (len(found[0]) + found[0].count("″")) + " "
                case "star":
                    high += "*"
        return (f"_{{{low}}}" if low else "") + (f"^{{{high}}}" if high else "")


def small(text: str) -> str:
    """An index or a power; words are upright, two letters are two indices."""
    if re.fullmatch(r"[a-z]{3,}|dw|br", text):
        return rf"\text{{{text}}}"
    if re.fullmatch(r"[A-Za-z0-9]+", text):
        return text
    return joined(Reader(text, slashes=True).sequence("")).replace("½", "1/2")
