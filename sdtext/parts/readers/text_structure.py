"""Structure in plain text that is no words: cues, link targets, TeX commands, prefixes of lines.

The kind of a text shows in its beginning. Every expression takes linear time.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, pairwise
from typing import ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.file_signatures import LENGTH, NOTEBOOK
from sdtext.parts.readers import Reader
from sdtext.text.lazy_patterns import LazyPattern

_SAMPLE = 1 << 16  # characters by which the kind is recognised
_LEAST_LINES, _SHARE = 4, 0.8
_MANY = 200  # lines, at most, by which a log or a table is recognised

_TIME = r"(?:\d+:)?\d?\d:\d?\d[.,]\d{1,3}"
_TIMES = rf"(?:^[^\n]*\n)?^[ \t]*{_TIME}[ \t]*-->[^\n]*\n?|^{_TIME},{_TIME}$\n?"
_CUE = LazyPattern(rf"(?m){_TIMES}")
_SUBTITLES = re.compile(rf"\s*(?:WEBVTT\b|{_TIMES})", re.MULTILINE)
_NO_CUE = LazyPattern(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_CUE_MARK = LazyPattern(r"<rt>[^<>\n]{0,200}+|<[^<>\n]{0,200}+>|\{\\[^{}\n]{0,200}+\}")
_ASS_BLANK = LazyPattern(r"\\[Nnh]")
_ASS_MARK = LazyPattern(r"\{[^{}\n]{0,500}+\}")

_CODE = r"^ {0,3}```(?s:.*?)^ {0,3}```|`[^`\n]{1,500}+`"
_LINK = LazyPattern(  # not an argument behind a set of characters, as in expressions and in code
    rf"(?m)({_CODE})"
    r"|(?<![\w\]])!?\[([^\[\]]{0,500}+)\](?:\[[^\[\]]{0,200}+\]|"
    r"\((?!(?![a-z]{2,9}:|[\w./+-]{1,300}\.[a-z]{2,5}[#?)])[^()\s]{0,2000}?[\\|*+^${}])"
    r"[ \t]?<?[^()\s<>]{0,2000}+(?:\([^()\s<>]{0,200}+\)[^()\s<>]{0,200}+)?>?"
    r"(?:[ \t\n]{1,3}[\"'(][^\"'()\n]{0,300}+[\"')])?[ \t]?\))"
)
_TARGET = LazyPattern(  # also marks of notes, and tags of HTML; the group is code, which stays
    rf"(?m)({_CODE})"
    r"|^ {0,3}\[(?!\^)[^\[\]\n]{1,200}+\]:[ \t]{1,9}+\S{1,2000}+"
    r"(?:[ \t]{1,9}+[\"'(][^\n]{0,300}+)?$\n?|<(?:https?|mailto):[^<>\s]{1,2000}+>"
    r"|\[\^[\w-]{1,50}\]:?|<(?:(?:a|img|source) [^<>\n]{1,2000}+|/(?:a|p|div|h[1-6])|br ?/?"
    r"|(?:p|div|h[1-6])(?: [^<>\n]{0,500}+)?)>"
)
_MARKDOWN = LazyPattern(
    r"(?m)\]\((?:https?://|\.{0,2}/|#|(?!\d)[\w-]{1,200}+[./](?!\s))"
    r"|^ {0,3}\[[^\[\]\n]{1,200}+\]:[ \t]{1,9}+https?://|^\[\^[\w-]{1,50}\]:[ \t]"
)

# Readings as Aozora Bunko writes them; a bar begins what is read, and notes have a sign.
_READ_SO = LazyPattern("《(?<=[一-\u9fff々〆]《)[ぁ-ゖー]{1,40}》")
_READING_SIGN = LazyPattern("［＃|《》|[｜|][^｜|《》\n]{1,40}《")
_LEAST_READINGS = 5  # without such a sign; titles stand in these marks, too
_READING = LazyPattern(
    "(?<=[一-\u9fff々〆])《[ぁ-ヿ]{1,40}》|[｜|]([^｜|《》\n]{1,40})《[ぁ-ヿ]{1,40}》|［＃[^［］\n]{0,200}］"
)

_TEX_BLANK = r"(?:\s|%[^\n]*+)*+"  # and comments
_TEX_BEGIN = re.compile(  # a command with an argument, or on a line before another one
    rf"{_TEX_BLANK}\\(?:[A-Za-z@]{{3,50}}+\*?\s*+(?:[\[{{]|(?<=\n){_TEX_BLANK}\\)"
    r"|(?:input|magnification|nopagenumbers|font|def|catcode)\b)"
)
_TEX_WORD = LazyPattern(
    r"\\(?<!\\\\)(?:emph|text[a-z]{2}|footnote|[a-z]{0,9}cite[a-z]{0,9}|ref|label|item)\*?[{\[ ]"
)
_LEAST_TEX_WORDS = 5  # in a thousand characters at most
_PERCENT = LazyPattern(r"%(?:(?<=\d%)|(?<=\d\s%))")  # no comment in what may be words about TeX
_MARKDOWN_LINE = LazyPattern("(?m)^(?:#{1,6} |```)")  # its formulas are TeX, and % no comment
_INNER = r"(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+"  # with groups and groups in them
_TEX_TITLE = LazyPattern(rf"\\(?:title|author)\s?\{{({_INNER})\}}")
_OPTION, _GROUP = r"(?:\[[^\[\]]{0,200}+\])", r"\{[^{}]{0,500}+\}"
_TEX = LazyPattern(
    # What is shown as it is written.
    r"\\begin\{(?P<kind>(?:[vV]erbatim|lstlisting|alltt)\*?)\}(?P<listing>(?s:.*?))"
    r"(?:\\end\{(?P=kind)\}|\Z)|"
    r"\\(?:verb|lstinline)\*?(?P<bar>[^\w\s*{\[])(?P<code>[^\n]{0,500}?)(?P=bar)|"
    r"\\(?:url|path)\{(?P<address>[^{}]{0,500}+)\}|"
    r"\\(?:input|include|subfile)(?:\s?\{(?P<file>[^{}]{0,500}+)\}|[ \t](?P<bare>[\w./-]{1,200}+))|"
    # Commands whose argument is no text, and columns of tables.
    r"\\begin\{(?:tabular[x*]?|array|minipage|longtable|multicols)\}"
    + _OPTION
    + "?"
    + _GROUP
    + r"|"
    r"\\(?:begin|end|label|(?:page|eq|auto|[cC]|name)?ref|[A-Za-z]{0,20}?[Cc]ite[A-Za-z]{0,20}|bibliography"
    r"|bibliographystyle|usepackage|documentclass|includegraphics|[hv]space|href|pagestyle|thispagestyle"
    r"|setcounter|setlength|hyphenation)\*?" + _OPTION + "{0,2}" + _GROUP + r"|"
    r"\\(?P<sign>[%&$#_{}])|(?P<end>\\\\" + _OPTION + r"?)|(?P<blank>~|\\[ ,;:/]|\}\{)|"
    r"\\(?P<accent>[\"'`^~=.]|[uvHcdbrk](?![A-Za-z]))\s?\{?\\?(?P<letter>[A-Za-z])\}?|"
    r"\\(?P<name>[A-Za-z@]{1,50}+)\*?(?:(?<!\\item)" + _OPTION + r")?[ \t]?(?:\{\})?|"
    r"(?P<comment>%[^\n]*+\n?[ \t]*)|(?P<quote>``|'')|(?P<dash>---?)|[{}$]|\\"
)
_ACCENTS = dict(
    zip(
        "\"'`^~=.uvHcdbrk",
        "\u0308\u0301\u0300\u0302\u0303\u0304\u0307\u0306\u030c\u030b\u0327\u0323\u0331\u030a\u0328",
        strict=True,
    )
)
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX", "item": "\n",
    "par": "\n\n", "ldots": "…", "dots": "…", "textbackslash": "\\",
    "footnote": " ", "footnotetext": " ", "endnote": " ", "thanks": " ", "marginpar": " ",
}  # fmt: skip

_DATE = (
    r"(?:[A-Z][a-z]{2},? )?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|[A-Z][a-z]{2} {1,2}\d{1,2}"
    r"|\d{1,2}[-/ ][A-Z][a-z]{2}[-/ ]\d{2,4})"
)
_CLOCK = (
    r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)\b)?"
)
_STAMP = (
    rf"^\u200e?(?:(?:(?:\S{{1,100}}+ ){{3}})?[\[(]?{_DATE}(?:,| at)?[ T:]+{_CLOCK}"
    r"(?: \d{4}(?=\]))?[\])]?(?!,?\d)"
    rf"|(?:[\[(](?:{_CLOCK}|\d\d:\d\d\.\d\d\d?)[\])])+|{_CLOCK}(?= <)"
    r"|\[ *\d{1,7}\.\d{6}\]|\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?=[ \t]))[ \t]*(?:[-–|:][ \t]+)?"
)
_STAMPED = LazyPattern(f"(?m){_STAMP}")
_LEVELS = r"[\[(]?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE)\b"
_LEVEL = (  # behind fields in brackets: a process, a thread, a module
    rf"(?:\[(?:[^\[\]\n\d:]{{0,40}}+[\d:][^\[\]\n]{{0,60}}+"
    rf"|[^\[\]\n]{{1,60}}(?=\] +{_LEVELS}))\] +)*+"
    rf"(?:{_LEVELS}[\])]?(?: +[-–]|:)?(?: +|$))?+"
)
_SENDER_END = r"(?:\[\d{1,9}\])?(?:(?: ?:| +[-–]) +|\t)"
_SENDER = LazyPattern(rf"{_STAMP}{_LEVEL}((?:\S{{1,80}}+ +){{0,2}}?\S{{1,80}}?){_SENDER_END}")
_LEAST_OF_A_SENDER = 3  # lines
# A line with a time, and the sender before that, or behind what is not only a time of day.
_DAY = rf"(?:{_DATE}|\d{{1,2}}/\d{{1,2}})(?:,| at)?[ T]+"
_ABOVE = rf"[\[(]?(?:{_DAY})?{_CLOCK}[\])]?"
_NAME = r"[^\s:.!?;\[(][^:.!?;\n]{0,60}?"
_HEAD = LazyPattern(
    rf"(?:({_NAME}),?[ \t]+)?{_ABOVE}[ \t]*$|(?=[\[(]|{_DAY}){_ABOVE}[ \t]+({_NAME})[ \t]*$"
)
# Times that a person chose: of a programme or a chronicle, where a name is what happens.
_ROUND = re.compile(r"(?:[^\n:]|:(?!\d))*+:\d[05](?!:?\d)")
_LEAST_HEADS, _MOST_HEADS = 0.2, 0.6  # of the lines

_CELL_COMMA = re.compile(r'"[^"\n]*+"|(?<=\d),(?=\d)')
# Not words and a number with thousands, as "Rome 2,800,000"; before a time may be a date.
_ROW = LazyPattern(r",(?!\d)|(?<!\d),|^(?:[\d/.-]{8,10} )?[^\s,]*+,\S*+$")
_QUOTED = re.compile(r'"[^"]*+"')

Clean = Callable[[Iterator[str]], Iterator[str]]
"""From whole lines of a text, in chunks, to its words."""


def without_structure(blocks: Iterable[str], *, included: list[str] | None = None) -> Iterator[str]:
    r"""The text in blocks, without structure that is no words.

    The names of the files that a TeX file includes are added to `included`.

    >>> "".join(without_structure(["1\n00:00:01,000 --> 00:00:02,000\n<i>Bees</i>\n\n"]))
    'Bees\n'
    >>> "".join(without_structure(["See [the hive](https://bees.example/hive)."]))
    'See the hive.'
    """
    rest = iter(blocks)
    first = next(rest, "")
    clean = _clean_for(first[:_SAMPLE].removeprefix("\ufeff"), [] if included is None else included)
    whole = chain([first], rest)
    yield from clean(_whole_lines(whole)) if clean else whole


def has_structure(text: str) -> bool:
    """Whether `without_structure` may change a text."""
    return _clean_for(text[:_SAMPLE], []) is not None


def _clean_for(sample: str, included: list[str]) -> Clean | None:
    if "\r" in sample:  # found faster than both
        sample = sample.replace("\r\n", "\n")
    is_dialogue = sample.lstrip().startswith("[Script Info]")
    if is_dialogue or _SUBTITLES.match(sample):
        return _dialogue if is_dialogue else _without_cues
    words = _TEX_WORD.findall(sample) if "\\" in sample else []
    is_tex = len(words) > max(_LEAST_TEX_WORDS, len(sample) / 1000)
    is_begun = _TEX_BEGIN.match(sample)
    if is_begun or (is_tex and not _MARKDOWN_LINE.search(sample)):
        sign = partial(_PERCENT.sub, "%" if is_begun else r"\%")
        return lambda chunks: _without_commands(map(sign, chunks), included)
    readings = _READ_SO.findall(sample) if "《" in sample else []
    if len(readings) > _LEAST_READINGS or (readings and _READING_SIGN.search(sample)):
        return lambda chunks: (_READING.sub(r"\1", chunk) for chunk in chunks)
    every = sample.split("\n")
    lines = [*islice(filter(str.strip, every), _MANY)]
    if prefix := _prefix_of(lines, every) or _head_of(lines):
        return lambda chunks: (prefix.sub("", chunk) for chunk in chunks)
    if len(lines) > 1 and _are_rows(lines):
        return lambda chunks: (
            _CELL_COMMA.sub(lambda match: ", " if match[0] == "," else match[0], chunk)
            for chunk in chunks
        )
    has_links = "]" in sample and ("](" in sample or "]:" in sample)  # the search takes longer
    return _without_targets if has_links and _MARKDOWN.search(sample) else None


def _whole_lines(blocks: Iterable[str]) -> Iterator[str]:
    """The text in chunks that end behind an empty line; without any, behind a line."""
    rest = ""
    for block in blocks:
        rest += block
        end = rest.rfind("\n\n") + 2 if "\n\n" in rest else 0
        if not end and len(rest) > _SAMPLE:
            end = rest.rfind("\n") + 1 or len(rest)
        if end:
            yield rest[:end].replace("\r\n", "\n")
            rest = rest[end:]
    yield rest.replace("\r\n", "\n")


def _without_cues(chunks: Iterator[str]) -> Iterator[str]:
    """The lines of subtitles (SRT, WebVTT, SBV), without those that stay from the cue before."""
    from html import unescape  # with the names of 2,000 characters

    shown: set[str] = set()
    for chunk in chunks:
        for block in chunk.split("\n\n"):
            if _NO_CUE.match(block.lstrip("\ufeff\n")) and "-->" not in block:
                continue
            text = unescape(_CUE_MARK.sub("", _CUE.sub("", block)))
            lines = [line.strip() for line in text.split("\n") if line.strip()]
            yield "".join(f"{line}\n" for line in lines if line not in shown)
            shown = set(lines) or shown


def _dialogue(chunks: Iterator[str]) -> Iterator[str]:
    """The texts of the dialogue of subtitles (SSA, ASS): the last field of each line."""
    fields = 9  # before the text
    for chunk in chunks:
        for line in chunk.split("\n"):
            kind, _, values = line.partition(":")
            if kind == "Format":
                fields = values.count(",")
            elif kind == "Dialogue":
                text = values.split(",", fields)[-1].strip()
                yield _ASS_BLANK.sub(" ", _ASS_MARK.sub("", text)) + "\n"


def _without_targets(chunks: Iterator[str]) -> Iterator[str]:
    """Markdown with the words of links and pictures alone."""
    for chunk in chunks:  # twice, for a picture within a link
        yield _TARGET.sub(r"\1", _LINK.sub(r"\1\2", _LINK.sub(r"\1\2", chunk)))


def _without_commands(chunks: Iterator[str], included: list[str]) -> Iterator[str]:
    """The words of a TeX file: its title and body, without commands and comments."""
    text = "".join(chunks)
    preamble, begin, body = text.partition(r"\begin{document}")
    if begin:
        titles = "".join(f"{title}\n\n" for title in _TEX_TITLE.findall(preamble))
        text = titles + body.partition(r"\end{document}")[0]
    yield unicodedata.normalize("NFC", _TEX.sub(partial(_words_of_command, included), text))


def _words_of_command(included: list[str], match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "letter":
        return match["letter"] + _ACCENTS[match["accent"]]
    if kind == "name":
        return _LETTERS.get(match["name"], " " if match[0][-1].isspace() else "")
    if kind in {"file", "bare"}:
        included.append(match[kind])
        return "\n"
    if kind in {"sign", "listing", "code", "address"}:
        return match[kind]
    return {"end": "\n", "blank": " ", "quote": '"', "dash": " – "}.get(kind or "", "")


def _are_rows(lines: Sequence[str]) -> bool:
    """Whether they are CSV: lines of equally many cells, without a blank behind a comma."""
    least = _SHARE * len(lines)
    listed = [line for line in lines if "," in line]
    if len(listed) < least:
        return False
    bare = (_QUOTED.sub("", line) for line in listed)
    rows = (line for line in bare if ", " not in line and _ROW.search(line))
    commas = Counter(line.count(",") for line in rows)
    return max(commas.values(), default=0) >= least


def _prefix_of(beginning: Sequence[str], lines: Iterable[str]) -> re.Pattern[str] | None:
    """The prefix of a log or a chat: time, level, and a sender in `<>`, of one word, or known.

    Words before a colon are a sender if they recur there; others may be the message.
    """
    least = max(_LEAST_LINES, (len(beginning) + 1) / 2)
    timed = [line for line in beginning if ":" in line or line[0] == "["]
    times = ((line, _STAMPED.match(line)) for line in timed if len(timed) >= least)
    if sum(1 for line, time in times if time and time.end() < len(line)) < least:
        return None
    counts = Counter(match[1] for line in lines if (match := _SENDER.match(line)))
    names = [re.escape(name) for name, count in counts.items() if count >= _LEAST_OF_A_SENDER]
    known = "|".join(sorted(names, key=len, reverse=True)) or r"(?!)"
    sender = r"<[^<>\n]{1,60}+>[ \t]*"
    is_round = all(_ROUND.match(line) for line in timed if _STAMPED.match(line))
    if not is_round:
        sender += rf"|(?:{known}){_SENDER_END}"
        sender += r"|[^\s:]\S{0,80}?: +" if 2 * len(counts) <= counts.total() else ""
    return re.compile(rf"{_STAMP}{_LEVEL}(?:{sender})?+{_LEVEL}", re.MULTILINE)


def _head_of(lines: Sequence[str]) -> re.Pattern[str] | None:
    """The lines of a chat that hold a time, or one and a sender who recurs there."""
    timed = [line for line in lines if ":" in line]
    least = max(_LEAST_LINES, _LEAST_HEADS * len(lines))
    if len(timed) < least:
        return None
    matches = [":" in line and _HEAD.match(line) for line in lines]
    senders = [match and (match[1] or match[2] or "") for match in matches]
    counts = Counter(name for name in senders if isinstance(name, str))
    names = [name for name, count in counts.items() if count >= _LEAST_OF_A_SENDER]
    heads = [name in names for name in senders]
    if not least <= sum(heads) <= _MOST_HEADS * len(lines):
        return None
    if 5 * sum(map(all, pairwise(heads))) > sum(heads) or all(
        _ROUND.match(line) for line, is_head in zip(lines, heads, strict=True) if is_head
    ):
        return None  # what begins at these times, with nothing said below
    known = "|".join(map(re.escape, filter(None, names))) or r"(?!)"
    head = rf"^(?:(?:{known}),?[ \t]+)?{_ABOVE}(?:[ \t]+(?:{known}))?[ \t]*$\n?"
    return re.compile(head, re.MULTILINE)


@dataclass(frozen=True)
class Notebook(Reader):
    """The sources of the cells of a Jupyter notebook, without their outputs.

    >>> Notebook.called
    'Jupyter notebook'
    """

    called: ClassVar[str] = "Jupyter notebook"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it is JSON of one, which most say at the end, or the beginning of that."""
        return NOTEBOOK.match(content.head[:LENGTH]) is not None and (
            b'"cell_type"' in content.head
            or any(b'"nbformat"' in block for block in content.blocks())
        )

    def __call__(self, content: Content) -> Iterator[str]:
        try:
            book = json.loads(content.whole())
            sheets = [book, *book.get("worksheets", ())]
            for cell in (cell for sheet in sheets for cell in sheet.get("cells", ())):
                source = cell.get("source", cell.get("input", ""))
                # Lines have their ends, but not in all notebooks before version 4.
                lines = [source] if isinstance(source, str) else source
                text = "\n".join(line.removesuffix("\n") for line in lines)
                if cell["cell_type"] == "markdown":
                    text = "".join(_without_targets(iter([text])))
                yield text + "\n\n"
        except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            raise UnreadableError("is a damaged Jupyter notebook", file=content.name) from error
