"""The elements of a fingerprint that DFXML has are called and written as there."""

from __future__ import annotations

from lxml import etree

from tests.formats.released import RELEASED

DFXML = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML"

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
