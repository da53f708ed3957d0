"""A fingerprint inside a DFXML file: the file stays valid, and so is the fingerprint."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from lxml import etree

from sdtext.fingerprinting.load_and_save import load
from sdtext.formats.fingerprint_xml import read_fingerprints
from sdtext.model import Fingerprint
from tests.formats.released import PRINTS, RELEASED, VALID

DFXML = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML"

# What DFXML's schema says of a file object, as far as it matters here: its own elements in any
# order, and elements of other namespaces, which are not looked into.
GRAMMAR = f"""
<grammar xmlns="http://relaxng.org/ns/structure/1.0" ns="{DFXML}"
         datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
  <start>
    <element name="dfxml">
      <attribute name="version"><data type="string"/></attribute>
      <element name="creator">
        <element name="program"><text/></element>
        <element name="execution_environment">
          <interleave>
            <element name="os_sysname"><text/></element>
            <element name="os_release"><text/></element>
            <element name="host"><text/></element>
            <element name="arch"><text/></element>
          </interleave>
        </element>
      </element>
      <element name="source"><element name="image_filename"><text/></element></element>
      <oneOrMore>
        <element name="volume">
          <attribute name="offset"><data type="nonNegativeInteger"/></attribute>
          <zeroOrMore><ref name="fileobject"/></zeroOrMore>
        </element>
      </oneOrMore>
    </element>
  </start>
  <define name="fileobject">
    <element name="fileobject">
      <interleave>
        <element name="filename"><text/></element>
        <optional><element name="filesize"><data type="nonNegativeInteger"/></element></optional>
        <optional>
          <element name="byte_runs">
            <oneOrMore>
              <element name="byte_run">
                <attribute name="img_offset"><data type="nonNegativeInteger"/></attribute>
                <attribute name="len"><data type="nonNegativeInteger"/></attribute>
              </element>
            </oneOrMore>
          </element>
        </optional>
        <optional>
          <element name="hashdigest"><attribute name="type"/><text/></element>
        </optional>
        <zeroOrMore>
          <element>
            <anyName><except><nsName/><nsName ns=""/></except></anyName>
            <ref name="anything"/>
          </element>
        </zeroOrMore>
      </interleave>
    </element>
  </define>
  <define name="anything">
    <zeroOrMore>
      <choice>
        <attribute><anyName/></attribute>
        <text/>
        <element><anyName/><ref name="anything"/></element>
      </choice>
    </zeroOrMore>
  </define>
</grammar>
"""
DISK = f"""<dfxml xmlns="{DFXML}" xmlns:dc="http://purl.org/dc/elements/1.1/" version="1.2.0">
  <creator>
    <program>walker</program>
    <execution_environment>
      <os_sysname>Linux</os_sysname><os_release>6.1.0</os_release>
      <host>desk</host><arch>x86_64</arch>
    </execution_environment>
  </creator>
  <source><image_filename>disk 100%.img</image_filename></source>
  <volume offset="0">
    <fileobject>
      <filename>letters/union-excerpt.txt</filename>
      <filesize>1492</filesize>
      <byte_runs>
        <byte_run img_offset="4096" len="1000"/><byte_run img_offset="65536" len="492"/>
      </byte_runs>
      <hashdigest type="md5">d41d8cd98f00b204e9800998ecf8427e</hashdigest>
    </fileobject>
    <fileobject><filename>empty</filename><filesize>0</filesize></fileobject>
  </volume>
</dfxml>
"""
VALID_DFXML = etree.RelaxNG(etree.fromstring(GRAMMAR))


def with_fingerprint(path: Path) -> bytes:
    """The disk with the root element of a file of ours in its first file object."""
    disk = etree.fromstring(DISK)
    result = disk.find(f".//{{{DFXML}}}fileobject")
    assert result is not None
    result.append(etree.parse(path).getroot())
    return etree.tostring(disk)


@pytest.mark.parametrize("name", PRINTS)
def test_a_file_object_with_a_fingerprint_in_it_is_valid(name: str) -> None:
    disk = etree.fromstring(with_fingerprint(RELEASED / name))
    VALID_DFXML.assertValid(disk)
    # Taken out again, it is what it was: by our schema and to our reader.
    tag = etree.QName(etree.parse(RELEASED / name).getroot()).text
    (inside,) = disk.iterfind(f".//{{{DFXML}}}fileobject/{tag}")
    fragment = etree.tostring(inside, with_tail=False)
    VALID.assertValid(etree.fromstring(fragment))
    actual = read_fingerprints(io.BytesIO(fragment), "disk.xml")
    prints = [item for item in actual if isinstance(item, Fingerprint)]
    expected = load(RELEASED / name)
    assert prints == (expected if isinstance(expected, list) else [expected])


def test_what_dfxml_has_a_name_for_has_that_name() -> None:
    disk = etree.fromstring(DISK)
    ours = etree.parse(RELEASED / "fingerprint-everything.xml").getroot()
    source = ours.find("{*}dataSource")
    assert source is not None
    for tag in ("execution_environment", "byte_runs", "image_filename"):
        theirs = next(disk.iter(f"{{{DFXML}}}{tag}"))
        home = ours if tag == "execution_environment" else source
        (result,) = home.findall(f"{{*}}{tag}")
        output = [
            [(etree.QName(item).localname, dict(item.attrib)) for item in element.iter()]
            for element in (theirs, result)
        ]
        assert output[0] == output[1]
    tags = {etree.QName(item).localname for item in source}
    assert tags == {"filename", "volume", "image_filename", "byte_runs", "dictionarySource"}
    digests = ours.findall("{*}dictionary/{*}hashdigest")
    assert [item.get("type") for item in digests] == ["SHA256", "SHA256"]
