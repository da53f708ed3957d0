"""The control words of RTF that its reader knows, after the specification (version 1.9.1)."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

HIDDEN = frozenset(
    b"""
    aftncn aftnsep aftnsepc colortbl falt fldinst fldtype filetbl fname fontemb fonttbl ftncn
    ftnsep ftnsepc info listtext mbegChr mchr mendChr mmathPict msepChr mtype nonesttables
    nonshppict objalias objclass objdata objname objsect pgdsctbl pict pn pntext pntxta pntxtb
    private rxe shprslt sp tc template txe xe
    """.split()
)
"""What begins a group that is no text: tables, codes, pictures, marks for an index.

So does every word behind `\\*` that is unknown here.
"""

SHOWN = frozenset({b"do", b"moMath", b"moMathPara", b"shpinst", b"ud"})
"""What may begin a group with text in it behind `\\*`."""

STORIES: Mapping[bytes, str] = {
    b"stylesheet": "style",
    b"footnote": "note",
    b"shptxt": "box",
    b"dptxbxtext": "box",
    **dict.fromkeys((b"header", b"headerl", b"headerr", b"headerf"), "margin"),
    **dict.fromkeys((b"footer", b"footerl", b"footerr", b"footerf"), "margin"),
}
"""What begins a group with a text of its own, and what kind of text."""

SIGNS: Mapping[bytes, str] = {
    b"tab": "\t",
    b"line": "\n",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"endash": "–",
    b"emdash": "—",
    b"bullet": "•",
    b"emspace": "\u2003",
    b"enspace": "\u2002",
    b"qmspace": "\u2005",
    b"zwj": "\u200d",
    b"zwnj": "\u200c",
    b"~": "\u00a0",
    b"\t": "\t",
    # Where a line may break is layout; the word is the one that has a hyphen.
    b"_": "-",
    b"{": "{",
    b"}": "}",
    b"\\": "\\",
}
"""What stands for a character."""

CODE_PAGES: Mapping[bytes, str] = {
    b"ansi": "cp1252",
    b"mac": "mac_roman",
    b"pc": "cp437",
    b"pca": "cp850",
}
"""The words that name a code page for the whole file."""

CHARSETS: Mapping[int, str] = {
    0: "cp1252",
    2: "symbol",
    77: "mac_roman",
    78: "shift_jis",
    79: "big5",
    80: "euc_kr",
    81: "mac_arabic",
    83: "mac_greek",
    85: "mac_turkish",
    88: "mac_latin2",
    89: "mac_cyrillic",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""The code page of a font by its `\\fcharset`; bytes in a symbol font are numbers of signs."""


def codec_of(page: int) -> str:
    """Python's name for a code page of Windows, "" where there is none.

    >>> codec_of(1251), codec_of(65001), codec_of(3)
    ('cp1251', 'utf-8', '')
    """
    name = {65001: "utf-8", 10000: "mac_roman", 1361: "johab"}.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return ""
    return name
