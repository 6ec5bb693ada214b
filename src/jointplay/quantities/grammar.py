"""From text to tree: a small grammar of our own, read by recursive descent. Nothing is ever executed.

    whole   = sum [("<" | "<=" | ">" | ">=") sum]          1 where it holds, else 0
    sum     = product {("+" | "-") product}
    product = sign {("*" | "/") sign}
    sign    = ("-" | "+") sign | power
    power   = atom [("^" | "**") sign]                     2^3^2 = 2^(3^2),  -2^2 = -(2^2)
    atom    = number [unit] | name | name "(" whole {"," whole} ")" | "(" whole ")"
    unit    = factor {["*" | "/"] factor}                  "15 N/mm", "2 kg*m^2", "3 N m"
    factor  = (name | "(" unit ")") [("^" | "**") exponent]

A name may have two parts and a component, "slider.position[0]"; its first part stands in quotes where it is no plain
word, "'left knee'.angle". A name after a number is a unit. Further on in a unit, a name among the known ``names``
(parameters, t) or a function with its bracket ends the unit, so that "5 N*t" is (5 N) times t. Length and depth are
bounded: hostile text is refused at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import NamedTuple, NoReturn

from .dimension import QuantityError
from .nodes import CONSTANTS, Binary, Call, Name, Node, Number, Unary, depth

MAX_LENGTH = 1000  # characters
MAX_NESTING = 50  # brackets, signs and powers inside each other
MAX_DEPTH = 200  # levels of the tree, which long sums also use up

# Functions and the number of their arguments (least, most).
ARITY: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"), (1, 1)),
    **dict.fromkeys(("sqrt", "abs", "sign", "step"), (1, 1)),
    "atan2": (2, 2),
    **dict.fromkeys(("min", "max"), (2, 20)),
    **dict.fromkeys(("clip", "where"), (3, 3)),
}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>(?:'[^']{1,60}'|[^\W\d]\w*)\.[^\W\d]\w*(?:\[[0-9]\])?|[^\W\d]\w*|%)"
    r"|(?P<op>\*\*|[<>]=?|[-+*/^(),])|(?P<end>$))"
)
_WORD = re.compile(r"[^\W\d]\w*")
# Without blanks, as dates are written; arithmetic of that look may have blanks.
_DATE = re.compile(
    r"\s*(?:\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])-(?:0?[1-9]|1[0-2])-\d{4}"
    r"|\d{4}/\d\d/\d\d|\d\d/\d\d/\d{4})\s*\Z"
)
_COMMA = re.compile(r"([0-9][0-9.]*),([0-9]+)")  # between digits: a decimal as many countries write it
_WRITTEN_OTHERWISE = str.maketrans({"²": "^2", "³": "^3", "·": "*", "×": "*", "°": "deg"})

Factors = tuple[tuple[str, Fraction], ...]


class ExpressionError(QuantityError):
    """An expression that cannot be read or has no value; the message quotes it."""


class Token(NamedTuple):
    """A piece of the text: what it is, how it is written, and where."""

    kind: str
    text: str
    start: int
    end: int


def _quote(text: str, place: int = 0) -> str:
    start = max(0, min(place - 30, len(text) - 60))
    cut = text[start : start + 60]
    return f'"{"..." if start else ""}{cut}{"..." if start + 60 < len(text) else ""}"'


def _tokens(text: str) -> list[Token]:
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression {_quote(text)} is longer than {MAX_LENGTH} characters")
    found: list[Token] = []
    place = 0
    while not found or found[-1].kind != "end":
        match = _TOKEN.match(text, place)
        if match is None:
            place += len(text[place:]) - len(text[place:].lstrip())
            raise ExpressionError(f"unexpected {text[place]!r} at character {place + 1} of {_quote(text, place)}")
        kind = str(match.lastgroup)
        found.append(Token(kind, match[kind], match.start(kind), match.end(kind)))
        place = match.end()
    return found


class _Parser:
    """Reads one text; ``at`` is the next token."""

    def __init__(self, text: str, names: Collection[str]) -> None:
        self.text = text.translate(_WRITTEN_OTHERWISE)
        self.tokens = _tokens(self.text)
        self.names = names
        self.at = 0
        self.nesting = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, *ops: str) -> Token | None:
        """Step over the next token if it is one of these operators."""
        token = self.next
        if token.kind != "op" or token.text not in ops:
            return None
        self.at += 1
        return token

    def fail(self, wanted: str) -> NoReturn:
        token = self.next
        if not self.text.strip():
            raise ExpressionError("the expression is empty")
        if token.kind == "end":
            raise ExpressionError(f"{_quote(self.text, token.start)} ends where {wanted} should follow")
        place = f"at character {token.start + 1} of {_quote(self.text, token.start)}"
        if decimal := next((one for one in _COMMA.finditer(self.text) if one.end(1) == token.start), None):
            number = f"{decimal[1].replace('.', '')}.{decimal[2]}"
            point = f"a decimal has a point, {number}, and nothing parts its thousands"
            raise ExpressionError(f"unexpected ',' {place}: {point}")
        raise ExpressionError(f"unexpected {token.text!r} {place}: expected {wanted}")

    def expect(self, op: str) -> None:
        if not self.take(op):
            self.fail(f"{op!r}")

    def deeper(self) -> None:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise ExpressionError(f"the expression {_quote(self.text)} is nested more than {MAX_NESTING} deep")

    def whole(self) -> Node:
        node = self.sum()
        token = self.take("<", "<=", ">", ">=")
        return Binary(token.text, node, self.sum()) if token else node

    def sum(self) -> Node:
        node = self.product()
        while token := self.take("+", "-"):
            node = Binary(token.text, node, self.product())
        return node

    def product(self) -> Node:
        node = self.sign()
        while token := self.take("*", "/"):
            node = Binary(token.text, node, self.sign())
        return node

    def sign(self) -> Node:
        self.deeper()  # every way to nest (bracket, sign, power) comes through here
        token = self.take("-", "+")
        node = Unary(token.text, self.sign()) if token else self.power()
        self.nesting -= 1
        return node

    def power(self) -> Node:
        node = self.atom()
        return Binary("^", node, self.sign()) if self.take("^", "**") else node

    def atom(self) -> Node:
        token = self.next
        if token.kind == "number":
            return self.number()
        if self.take("("):
            node = self.whole()
            self.expect(")")
            return node
        if token.kind != "name":
            self.fail("a number, a name or '('")
        self.at += 1
        if self.next.text == "(":
            return self.call(token)
        if token.text in ARITY:
            self.fail(f"'(' after {token.text!r}")
        return Name(token.text.replace("'", ""))

    def call(self, function: Token) -> Node:
        if function.text not in ARITY:
            raise ExpressionError(
                f"there is no function {function.text!r} in {_quote(self.text, function.start)}; "
                f"known are {', '.join(sorted(ARITY))}"
            )
        self.expect("(")
        args = [self.whole()]
        while self.take(","):
            args.append(self.whole())
        self.expect(")")
        least, most = ARITY[function.text]
        if not least <= len(args) <= most:
            wanted = f"{least} argument{'s' if least > 1 else ''}" if least == most else f"{least} to {most} arguments"
            raise ExpressionError(
                f"{function.text} takes {wanted}, got {len(args)} in {_quote(self.text, function.start)}"
            )
        return Call(function.text, tuple(args))

    def number(self) -> Node:
        token = self.next
        self.at += 1
        value = float(token.text)
        if not isfinite(value):
            raise ExpressionError(f"the number {token.text} is too large in {_quote(self.text, token.start)}")
        if self.next.kind != "name":
            return Number(value)
        if self.calls(self.at) and self.next.text in ARITY:
            self.fail(f"an operator (write {token.text}*{self.next.text}(...))")
        start = self.next.start
        self.unit()
        return Number(value, " ".join(self.text[start : self.tokens[self.at - 1].end].split()))

    def calls(self, at: int) -> bool:
        return self.tokens[at].kind == "name" and self.tokens[at + 1].text == "("

    def starts_unit(self, at: int) -> bool:
        """Can the token there go on with a unit, rather than with the expression around it?"""
        token = self.tokens[at]
        if token.kind != "name" or "." in token.text or "[" in token.text:
            return False
        return not (token.text in self.names or token.text in CONSTANTS or self.calls(at))

    def unit(self) -> Factors:
        factors = list(self.unit_factor())
        while True:
            here, turn = self.at, Fraction(1)
            if token := self.take("*", "/"):
                turn = Fraction(-1 if token.text == "/" else 1)
            if self.starts_unit(self.at):
                more = self.unit_factor()
            elif token and self.next.text == "(":
                # "5 N/(m/s)" goes on with a unit, "5 N/(2*t)" does not: try, and step back if it fails.
                level = self.nesting
                try:
                    more = self.unit_factor()
                except ExpressionError:
                    self.at, self.nesting = here, level
                    return tuple(factors)
            else:
                self.at = here
                return tuple(factors)
            factors += [(name, turn * power) for name, power in more]

    def unit_factor(self) -> Factors:
        if self.take("("):
            self.deeper()
            if not self.starts_unit(self.at):
                self.fail("a unit")
            factors = self.unit()
            self.expect(")")
            self.nesting -= 1
        else:
            if self.next.kind != "name":
                self.fail("a unit")
            factors = ((self.next.text, Fraction(1)),)
            self.at += 1
        if not self.take("^", "**"):
            return factors
        power = self.exponent()
        return tuple((name, own * power) for name, own in factors)

    def exponent(self) -> Fraction:
        if self.take("("):
            self.deeper()
            power = self.exponent()
            if self.take("/"):
                below = self.exponent()
                power = power / below if below else self.fail("a power other than zero below the line")
            self.expect(")")
            self.nesting -= 1
            return power
        token = self.take("-", "+")
        if self.next.kind != "number":
            self.fail("a number as the power of a unit")
        value = float(self.next.text)
        if value > 100.0:
            self.fail("a power of a unit up to 100")
        size = Fraction(value).limit_denominator(10**6)  # of the float: 1e-999999 as a fraction takes all memory
        self.at += 1
        return -size if token and token.text == "-" else size


def parse(text: str, names: Collection[str] = ()) -> Node:
    """Read an expression; ``names`` are the known parameters (and t), which end a unit."""
    # Only those that the text mentions count: a model may have thousands of parameters and of texts.
    words = _WORD.findall(text[: MAX_LENGTH + 1].translate(_WRITTEN_OTHERWISE))
    return _parse(text, frozenset([word for word in words if word in names]))


@lru_cache(maxsize=2048)  # studies and sensitivities read the same texts again and again, and trees are frozen
def _parse(text: str, names: frozenset[str]) -> Node:
    if _DATE.match(text):
        raise ExpressionError(f"{_quote(text)} looks like a date; if arithmetic is meant, put blanks around its signs")
    parser = _Parser(text, names)
    node = parser.whole()
    if parser.next.kind != "end":
        parser.fail("an operator or the end")
    if depth(node) > MAX_DEPTH:
        raise ExpressionError(f"the expression {_quote(text)} has more than {MAX_DEPTH} operations in one chain")
    return node


def parse_unit(text: str) -> Factors:
    """Read a unit: pairs of a unit name and its power; "" and "1" are dimensionless, "1/s" is allowed."""
    if text.strip() in ("", "1", "dimensionless"):
        return ()
    parser = _Parser(text, ())
    turn = Fraction(1)
    if parser.next.text == "1":
        parser.at += 1
        parser.expect("/")
        turn = Fraction(-1)
    factors = tuple((name, turn * power) for name, power in parser.unit_factor())
    while parser.next.kind != "end":
        turn = Fraction(-1 if (token := parser.take("*", "/")) and token.text == "/" else 1)
        factors += tuple((name, turn * power) for name, power in parser.unit_factor())
    return factors
