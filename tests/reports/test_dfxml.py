"""Rows of a comparison as Digital Forensics XML."""

import io
import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.formats.hardened_xml import unescaped_text
from sdtext.reports.row_formats import write_rows
from tests.support.command import done, prose

NAMESPACE = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML"
NAMES = {"d": NAMESPACE, "s": "urn:sdtext:xml"}
SCHEMA = etree.XMLSchema(
    etree.XML(f"""
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="{NAMESPACE}"
  targetNamespace="{NAMESPACE}" elementFormDefault="qualified">
 <xs:element name="dfxml"><xs:complexType><xs:sequence>
   <xs:element name="metadata" type="nothing"/>
   <xs:element name="creator" minOccurs="0"><xs:complexType><xs:sequence>
     <xs:element name="program" type="xs:string" minOccurs="0"/>
     <xs:element name="version" type="xs:string" minOccurs="0"/>
   </xs:sequence></xs:complexType></xs:element>
   <xs:element name="source" minOccurs="0"><xs:complexType><xs:sequence>
     <xs:element name="image_filename" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
   </xs:sequence></xs:complexType></xs:element>
   <xs:element name="fileobject" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
     <xs:element name="filename" type="xs:string" minOccurs="0" maxOccurs="unbounded"/>
     <xs:element name="filesize" type="xs:integer" minOccurs="0"/>
     <xs:element name="hashdigest" minOccurs="0" maxOccurs="unbounded"><xs:complexType>
       <xs:simpleContent><xs:extension base="xs:string">
         <xs:attribute name="type" type="algorithm"/>
       </xs:extension></xs:simpleContent></xs:complexType></xs:element>
     <xs:any namespace="##other" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>
   </xs:sequence></xs:complexType></xs:element>
  </xs:sequence><xs:attribute name="version" type="xs:string" use="required"/>
 </xs:complexType></xs:element>
 <xs:complexType name="nothing"/>
 <xs:simpleType name="algorithm"><xs:restriction base="xs:string">
   <xs:enumeration value="md5"/><xs:enumeration value="sha1"/><xs:enumeration value="sha256"/>
 </xs:restriction></xs:simpleType>
</xs:schema>""")
)
"""The elements that are used, in the order and of the types of dfxml.xsd 2.0.0-beta.0."""


def parsed(data: bytes) -> etree._Element:
    root = etree.fromstring(data)
    SCHEMA.assertValid(root)
    return root


def test_hits_of_a_file_with_any_name_are_valid_and_complete(tmp_path: Path) -> None:
    names = [b"a\x01\x1b[31m&<b>.txt", b"not \xff utf-8.txt", b"100%25\n\xe2\x80\xae.txt"]
    texts, queries = tmp_path / os.fsdecode(b"te\xffxts"), tmp_path / "queries"
    for folder in (texts, queries):
        folder.mkdir()
    for number, each in enumerate(names):
        (texts / os.fsdecode(each)).write_text(prose(number) + prose(9), "utf-8")
    (queries / "one").write_text(prose(0), "utf-8")
    (queries / "nine").write_text(prose(9), "utf-8")
    root = parsed(done("CompareDirectory", queries, texts, "--format", "dfxml").out)
    rows = done("CompareDirectory", queries, texts, "--format", "json").json["rows"]
    assert len(rows) == 4
    hits = []
    for file in root.iterfind("d:fileobject", NAMES):
        name = unescaped_text(file.findtext("d:filename", "", NAMES))
        data = (texts / name).read_bytes()
        assert file.findtext("d:filesize", "", NAMES) == str(len(data))
        assert file.findtext("d:hashdigest", "", NAMES) == sha256(data).hexdigest()
        for hit in file.iterfind("s:hit", NAMES):
            query = unescaped_text(hit.findtext("s:fingerprint", "", NAMES))
            hits.append((name, query, hit.findtext("s:score", "", NAMES)))
    wanted = sorted((row["path"], row["fingerprint"], str(row["score"])) for row in rows)
    assert sorted(hits) == wanted
    assert unescaped_text(root.findtext("d:source/d:image_filename", "", NAMES)) == str(texts)


@given(st.text(st.characters()), st.text(st.characters()), st.text(st.characters()))
def test_any_text_is_valid_and_can_be_read_back(path: str, reason: str, folder: str) -> None:
    file, row = io.BytesIO(), {"score": None, "path": path, "reason": reason}
    write_rows(file, "dfxml", [*row], [row], {"folders": [folder, folder]})
    root = parsed(file.getvalue())
    assert unescaped_text(root.findtext(".//d:filename", "", NAMES)) == path
    assert unescaped_text(root.findtext(".//s:reason", "", NAMES)) == reason
    assert root.find(".//s:score", NAMES) is None


@pytest.mark.parametrize("searched", ["texts", "texts/1.txt", "texts.zip"])
def test_only_what_is_a_file_has_a_digest(tmp_path: Path, searched: str) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "1.txt").write_text(prose(1), "utf-8")
    (tmp_path / "query.txt").write_text(prose(1), "utf-8")
    shutil.make_archive(str(tmp_path / "texts"), "zip", tmp_path / "texts")
    files = tmp_path / "query.txt", tmp_path / searched
    outcome = done("CompareDirectory", *files, "--format", "dfxml")
    digests = parsed(outcome.out).findall(".//d:hashdigest", NAMES)
    assert [item.text for item in digests] == [
        sha256((tmp_path / "texts" / "1.txt").read_bytes()).hexdigest()
    ] * (searched != "texts.zip")
