"""Which documents are meant: a small language of conditions, and the SQL it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from sdtext.collections.condition import Comparison, Missing, Name, Node, Not, Several, Sql, Value
from sdtext.errors import OptionError, brief

_LENGTH = 10_000
_COMPARISONS = 200  # SQLite takes expressions that are 1,000 deep at the most
_DEPTH = 16  # and its parser no more than 100 things that are begun and not ended
_WORDS = frozenset(("and", "or", "not", "in", "like", "between", "is", "null", "true", "false"))
_SIGNS = frozenset(("=", "!=", "<>", "<", "<=", ">", ">="))
_TOKEN = re.compile(
    r"""(?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<name>[^\W\d][\w.-]*)
    |(?P<sign><>|!=|<=|>=|[=<>(),])
    |(?P<other>\S)""",
    re.VERBOSE,
)
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")  # which fit in the 64 bits that SQLite has
_TEXT = "a text in single quotes"
_VALUE = f"a number, {_TEXT}, true or false"
_END = "the end"
_ASKED = "one of = != < <= > >= like in between is"


@dataclass(frozen=True)
class Condition:
    """A condition on documents.

    `=`, `!=`, `<`, `<=`, `>`, `>=`, `like` (% stands for any characters, _ for one; A to Z are the
    same as a to z), `in (…)`, `between … and …`, `is null`, the last four also with `not`; joined
    by `and`, `or`, `not` and brackets. `id`, `name` (or `document`) and `size` are the document's
    own; every other name is one of its metadata, and so is any name in double quotes. Texts stand
    in single quotes, a quote in them twice. Numbers are compared with numbers, texts with texts, by
    code points. What a document does not have, or has of the other kind, finds it neither with nor
    without `not`.
    """

    text: str
    node: Node

    @classmethod
    def parse(cls, text: str) -> Condition:
        """The condition that `text` spells. Raises OptionError.

        >>> Condition.parse("year >= 2019 and size > 1000").sql()[1]
        ['$."year"', '$."year"', 2019, 1000]
        >>> Condition.parse("year 2019")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
            ...
        sdtext.errors.OptionError: where: at '2019' (character 6): expected one of = != < <= ...
        """
        return cls(text, _Parser(text).whole())

    def metadata(self) -> list[str]:
        """The names of metadata that it asks about, in code-point order.

        >>> Condition.parse("year >= 2019 and size > 1000").metadata()
        ['year']
        """
        return sorted({name.text for name in self.node.metadata()})

    def sql(self) -> Sql:
        """An expression over the columns `id`, `name`, `size` and `metadata`, and its parameters.

        `metadata` holds a JSON object. The expression is 1 for the documents that are meant, else
        0 or NULL. Nothing that was written stands in it: names and values are parameters.
        """
        return self.node.sql()


class _Token(NamedTuple):
    kind: str
    text: str
    place: int


class _Parser:
    """A text on its way, token by token, into a condition."""

    def __init__(self, text: str) -> None:
        if len(text) > _LENGTH:
            raise OptionError(f"where: has {len(text)} characters; at most {_LENGTH} may be given")
        if not _is_text(text):
            raise OptionError(f"where: {brief(text)} is not all text; write it in UTF-8")
        found = _TOKEN.finditer(text)
        self._tokens = [_Token(one.lastgroup or "", one[0], one.start()) for one in found]
        self._tokens.append(_Token("end", "", len(text)))
        self._place = self._comparisons = self._depth = 0

    def whole(self) -> Node:
        """The condition that all of the text is."""
        node = self._any()
        self._expect(_END, "and, or, or the end")
        return node

    def _any(self) -> Node:
        parts = [self._all()]
        while self._took("or"):
            parts.append(self._all())
        return Several("or", tuple(parts)) if len(parts) > 1 else parts[0]

    def _all(self) -> Node:
        parts = [self._one()]
        while self._took("and"):
            parts.append(self._one())
        return Several("and", tuple(parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> Node:
        """A comparison, its opposite, or a condition in brackets."""
        first = self._next
        if not self._took("not", "("):
            return self._comparison()
        self._depth += 1
        if self._depth > _DEPTH:
            raise self._refused(first, f"no more than {_DEPTH} brackets and nots in one another")
        if first.text == "(":
            node = self._any()
            self._expect(")", "and, or, or a closing bracket")
        else:
            node = Not(self._one())
        self._depth -= 1
        return node

    def _comparison(self) -> Node:
        self._comparisons += 1
        if self._comparisons > _COMPARISONS:
            raise self._refused(self._next, f"no more than {_COMPARISONS} comparisons")
        name = self._name()
        if sign := self._took(*_SIGNS):
            return Comparison(name, sign, (self._value(),))
        if self._took("is"):
            denied = self._took("not")
            self._expect("null", "null" if denied else "null or not null")
            return _unless(denied, Missing(name))
        denied = self._took("not")
        return _unless(denied, self._by_word(name, denied))

    def _by_word(self, name: Name, denied: str) -> Node:
        """What is asked of `name` by `like`, `in` or `between`."""
        if self._took("like"):
            return Comparison(name, "like", (self._value(like=""),))
        if self._took("between"):
            least = self._value()
            self._expect("and", "and")
            most = self._value(like=least)
            bounds = Comparison(name, ">=", (least,)), Comparison(name, "<=", (most,))
            return Several("and", bounds)
        if not self._took("in"):
            raise self._refused(self._next, "like, in or between" if denied else _ASKED)
        self._expect("(", "an opening bracket")
        values = [self._value()]
        while self._took(","):
            values.append(self._value(like=values[0]))
        self._expect(")", "a comma or a closing bracket")
        return Comparison(name, "in", tuple(values))

    def _name(self) -> Name:
        token = self._next
        if token.kind not in ("name", "quoted") or _word(token) in _WORDS:
            raise self._refused(token, "a name, not, or an opening bracket")
        self._place += 1
        if token.kind == "name":
            return Name(token.text)
        return Name(token.text[1:-1].replace('""', '"'), quoted=True)

    def _value(self, like: Value | None = None) -> Value:
        """The next value; of the kind of `like`, if that is given: a text or a number."""
        token = self._next
        value = _value_of(token)
        if value is None:
            raise self._refused(token, _VALUE)
        if like is not None and isinstance(value, str) is not isinstance(like, str):
            raise self._refused(token, _TEXT if isinstance(like, str) else "a number")
        self._place += 1
        return value

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _took(self, *words: str) -> str:
        """The next token if it is one of these words or signs, passed over; else ""."""
        word = _word(self._next)
        if word not in words:
            return ""
        self._place += 1
        return word

    def _expect(self, word: str, wanted: str) -> None:
        if not self._took(word):
            raise self._refused(self._next, wanted)

    @staticmethod
    def _refused(token: _Token, wanted: str) -> OptionError:
        place = f"at {brief(token.text)}" if token.text else "at the end"
        if token.text in ("'", '"'):
            wanted = "a closing quote behind it, and something between"
        return OptionError(f"where: {place} (character {token.place + 1}): expected {wanted}")


def _unless(denied: str, node: Node) -> Node:
    return Not(node) if denied else node


def _word(token: _Token) -> str:
    """A word in small letters, a sign, or the end; "" for a value and a quoted name."""
    if token.kind == "end":
        return _END
    return token.text.lower() if token.kind in ("name", "sign") else ""


def _value_of(token: _Token) -> Value | None:
    """The value that a token is, None if it is none."""
    if token.kind == "text":
        return token.text[1:-1].replace("''", "'")
    if token.kind == "number":
        return int(token.text) if _WHOLE.fullmatch(token.text) else float(token.text)
    return {"true": 1, "false": 0}.get(_word(token))


def _is_text(text: str) -> bool:
    """Whether it has no half characters, as words of the command line that are not UTF-8 have."""
    return not any("\ud800" <= char <= "\udfff" for char in text)
