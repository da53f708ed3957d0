"""Words whose full stop is their own, in small letters and without it.

Our own choice from several languages: words that seldom end a sentence. What is written with
single letters (e.g., U.S., z. B., т. е.) needs no row, and words that as often end a sentence as
not (etc., usw., Inc.) have none.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ABBREVIATIONS = _words("""
    mr mrs ms messrs dr drs prof rev hon st sr gen col capt cpt lt maj sgt cmdr adm gov sen rep
    pres supt pvt cf ca viz vs eds vol vols chap pp fig approx dept
    hr hrn fr frl dipl ing med phil jur bzw vgl ggf evtl sog inkl exkl zzgl bspw bes ehem geb gest
    kath ev hrsg bd bde kap aufl anm tel nr mio mrd
    mme mmes mlle mgr sra srta dra uds ud profa exmo sig sigg dott avv
    dhr mevr mw bijv resp bl dvs eks np tzw tzn inż św dyr ul al tzv např doç sn
    гг ул пл акад проф тов гр тыс млн млрд рис стр гл ср см напр вул
    κκ βλ σελ αρ δρ καθ
    डॉ प्रो
""")

BEFORE_NUMBERS = _words("""
    no nos art arts sec sect figs eq eqs ex par para ch bk pt app tab abs abb ziff
    jan feb mar apr jun jul aug sep sept oct nov dec okt dez núm num núms cap págs pág
""")
"""Those that are so only before a number, as in No. 5 and Jan. 1."""

AFTER_ORDINALS = _words("""
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert jahrhunderts jahrtausend jahrtausends weltkrieg weltkriegs weltkrieges
""")
"""What German writes with a capital letter behind an ordinal number: am 3. Oktober."""
