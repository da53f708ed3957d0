"""What strangers may do to the XML of dictionaries and fingerprints."""

import json
import re
import tomllib
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


def listed(kind: str) -> dict[str, Damage]:
    """The damages of a kind that stand in damages.toml."""
    table = tomllib.loads(Path(__file__).with_name("damages.toml").read_text("utf-8"))
    return {name: swapped(*both) for name, both in table[kind].items()}


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
    "cut in the middle": lambda xml: xml[: len(xml) // 2],
    "cut before the last tag": lambda xml: xml[: xml.rindex("</")],
    "cut in the last tag": lambda xml: xml[: xml.rindex(">")],
    "more behind the end": lambda xml: xml + "<more/>",
    "zero bytes": inside("\0"),
    "unclosed": inside("<more>"),
    "attribute given twice": attribute('a" more="a'),
    "other namespace": lambda xml: xml.replace("urn:sdtext:xml", "urn:other"),
    **listed("any_file"),
}  # fmt: skip

DICTIONARY: dict[str, Damage] = {
    "wrong root": lambda xml: xml.replace("dictionary", "thesaurus"),
    **listed("dictionary"),
}

FINGERPRINT: dict[str, Damage] = {
    "wrong root": lambda xml: re.sub("(</?)fingerprint(?=[ >])", r"\1footprint", xml),
    **listed("fingerprint"),
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
