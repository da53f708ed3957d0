"""What strangers may do to the XML of dictionaries and fingerprints."""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from .command import parsed

Damage = Callable[[str], str]

LAUGHS = "".join(
    f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10)
)  # fmt: skip
BILLION = f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]>'


def headed(doctype: str, entity: str = "") -> Damage:
    """Puts a document type before the root, and an entity into the first element."""

    def damage(xml: str) -> str:
        head, root = xml.split("?>", 1)
        return f"{head}?>\n{doctype}{root.replace('</', entity + '</', 1)}"

    return damage


def inside(content: str) -> Damage:
    """Puts `content` behind the root's start tag."""
    return lambda xml: re.sub(r"(urn:sdtext:xml\"[^>]*>)", lambda m: m[1] + content, xml, count=1)


def attribute(text: str) -> Damage:
    """Gives the root another attribute."""
    return lambda xml: xml.replace(' version="1.0"', f' more="{text}" version="1.0"', 1)


def swapped(pattern: str, new: str) -> Damage:
    """Replaces the first match of `pattern`, which must be there."""

    def damage(xml: str) -> str:
        changed, count = re.subn(pattern, new, xml, count=1, flags=re.DOTALL)
        assert count == 1
        return changed

    return damage


ANY_FILE: dict[str, Damage] = {
    "doctype": headed("<!DOCTYPE x>"),
    "external doctype": headed('<!DOCTYPE x SYSTEM "file:///etc/passwd">'),
    "entity": headed('<!DOCTYPE x [<!ENTITY e "text">]>', "&e;"),
    "external entity": headed('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "&e;"),
    "parameter entity": headed('<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'),
    "billion laughs": headed(BILLION, "&l9;"),
    "quadratic blow-up": headed(
        f'<!DOCTYPE x [<!ENTITY e "{"a" * 100_000}">]>', "&e;" * 1000
    ),
    "unknown entity": inside("&nbsp;"),
    "depth 100,000": inside("<d>" * 100_000 + "</d>" * 100_000),
    "depth 100,000, never closed": inside("<d>" * 100_000),
    "attribute of 12 MB": attribute("a" * (12 << 20)),
    "text of 12 MB": inside(f"<more>{'a' * (12 << 20)}</more>"),
    "newer major version": swapped('version="1.0"', 'version="2.0"'),
    "much newer version": swapped('version="1.0"', 'version="99999999999999999999.1"'),
    "version that is none": swapped('version="1.0"', 'version="new"'),
    "version that is empty": swapped('version="1.0"', 'version=""'),
    "cut in the middle": lambda xml: xml[: len(xml) // 2],
    "cut before the last tag": lambda xml: xml[: xml.rindex("</")],
    "cut in the last tag": lambda xml: xml[: xml.rindex(">")],
    "more behind the end": lambda xml: xml + "<more/>",
    "zero bytes": inside("\0"),
    "unclosed": inside("<more>"),
    "attribute given twice": attribute('a" more="a'),
    "unknown encoding": swapped("encoding='utf-8'", "encoding='klingon'"),
    "other encoding": swapped("encoding='utf-8'", "encoding='utf-16'"),
    "other namespace": lambda xml: xml.replace("urn:sdtext:xml", "urn:other"),
}  # fmt: skip

DICTIONARY: dict[str, Damage] = {
    "repeated term": swapped(r"(<term df=\"\d+\">[^<]*</term>)", r"\1\1"),
    "terms out of order": swapped(
        r"(<term df=\"\d+\">[^<]*</term>)(\s*)(<term df=\"\d+\">[^<]*</term>)", r"\3\2\1"
    ),
    "a term left out": swapped(r"<term df=\"\d+\">[^<]*</term>", ""),
    "a term added": swapped("</terms>", '<term df="2">zzzzzz</term></terms>'),
    "changed count of terms": swapped(r"count=\"\d", 'count="9'),
    "changed document frequency": swapped(r"<term df=\"(\d+)\"", r'<term df="1\1"'),
    "document frequency of zero": swapped(r"<term df=\"\d+\"", '<term df="0"'),
    "document frequency below zero": swapped(r"<term df=\"\d+\"", '<term df="-1"'),
    "document frequency that is no number": swapped(r"<term df=\"\d+\"", '<term df="ten"'),
    "no document frequency": swapped(r"<term df=\"\d+\"", "<term"),
    "huge document frequency": swapped(r"<term df=\"\d+\"", f'<term df="{"9" * 5000}"'),
    "changed term": swapped(r"(<term df=\"\d+\">)", r"\1!"),
    "empty term": swapped(r"(<term df=\"\d+\">)[^<]*", r"\1"),
    "changed number of documents": swapped(r"<documents>\d+", "<documents>29"),
    "no documents": swapped(r"<documents>.*?</documents>", ""),
    "endless number of documents": swapped(r"<documents>\d+", f"<documents>{'9' * 5000}"),
    "changed rarest": swapped(r"<rarest>\d+", "<rarest>0"),
    "no rarest": swapped(r"<rarest>.*?</rarest>", ""),
    "changed digest": swapped(r"(SHA256\">)[0-9a-f]{4}", r"\1beef"),
    "no digest": swapped(r"<hashdigest.*?</hashdigest>", ""),
    "changed chain": swapped("porter", "lowercase"),
    "unknown filter": swapped("porter", "stemmer-of-a-later-version"),
    "no chain": swapped("<tokenizers>.*?</tokenizers>", ""),
    "empty chain": swapped("<tokenizers>.*?</tokenizers>", "<tokenizers/>"),
    "no terms": swapped(r"<terms .*</terms>", ""),
    "trimmed range that is none": swapped(r"<tokenizers>", '<trimmed minimum="a"/><tokenizers>'),
    "wrong root": lambda xml: xml.replace("dictionary", "thesaurus"),
}

FINGERPRINT: dict[str, Damage] = {
    "more bits than the dictionary": swapped(r"bits=\"\d", 'bits="9'),
    "fewer bits than terms": swapped(r"bits=\"\d+\"", 'bits="8"'),
    "bits that are no number": swapped(r"bits=\"\d+\"", 'bits="-8"'),
    "no bits": swapped(r" bits=\"\d+\"", ""),
    "endless bits": swapped(r"bits=\"\d+\"", f'bits="{"9" * 5000}"'),
    "other number of bits set": swapped(r"set=\"\d", 'set="9'),
    "no number of bits set": swapped(r" set=\"\d+\"", ""),
    "other number of terms": swapped(r"terms=\"\d+\"", 'terms="7"'),
    "no number of terms": swapped(r" terms=\"\d+\"", ""),
    "base64 with other signs": swapped(r"(set=\"\d+\">)....", r"\1?!*%"),
    "base64 cut": swapped(r"(set=\"\d+\">).", r"\1"),
    "base64 of nothing": swapped(r"(set=\"\d+\">)[^<]*", r"\1"),
    "base64 beyond ASCII": swapped(r"(set=\"\d+\">)....", r"\1ÄÖÜß"),
    "a byte too few": swapped(r"(set=\"\d+\">)....", r"\1"),
    "four bytes too many": swapped(r"(set=\"\d+\">)", r"\1AAAA"),
    "no vector": swapped(r"<vector.*?</vector>", ""),
    "vector of an unknown dictionary": swapped(r"(<vector dictionary=\").", r"\1?"),
    "reference without a digest": swapped(r" digest=\"[0-9a-f]+\"", ""),
    "no reference": swapped(r"<dictionaryReference[^>]*/>", ""),
    "wrong root": lambda xml: re.sub("(</?)fingerprint(?=[ >])", r"\1footprint", xml),
}


def padding_set(xml: str) -> str:
    """`xml` with the last bit of the last byte of its vector set."""
    match = re.search(r"bits=\"(\d+)\" set=\"\d+\">([^<]*)", xml)
    assert match
    assert int(match[1]) % 8
    packed = bytearray(b64decode(match[2]))
    packed[-1] |= 0x80
    return xml.replace(match[2], b64encode(packed).decode("ascii"))


def damaged(path: Path, damage: Damage) -> Path:
    changed = damage(path.read_text("utf-8"))
    assert changed != path.read_text("utf-8")
    Path("bad.xml").write_text(changed, "utf-8")
    return Path("bad.xml")


def sealed(dictionary: Path, damage: Damage) -> str:
    """The dictionary's XML after `damage` by somebody who gives it the right digest again."""
    xml = damage(dictionary.read_text("utf-8"))
    Path("sealed.xml").write_text(xml, "utf-8")
    root = parsed("sealed.xml")
    chain = [
        [
            part.get("name"),
            {
                item.get("name"): (
                    [value.text for value in item] if len(item) else _literal(item.text or "")
                )
                for item in part
            },
        ]
        for part in root.iterfind("{*}tokenizers/{*}tokenizer")
    ]
    lines = [json.dumps(chain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))]
    lines.append(root.findtext("{*}documents"))
    lines += [f"{term.text}\t{term.get('df')}" for term in root.iterfind("{*}terms/{*}term")]
    digest = sha256(("\n".join(lines) + "\n").encode()).hexdigest()
    return re.sub(r"(SHA256\">)[0-9a-f]+", rf"\g<1>{digest}", xml)


def _literal(text: str) -> int | str:
    return int(text) if text.isdecimal() else text
