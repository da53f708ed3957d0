"""Titles of lists of references, in small letters and without white space.

Our own choice from several languages.
"""

from __future__ import annotations


def _titles(text: str) -> frozenset[str]:
    return frozenset("".join(line.split()).casefold() for line in text.split(";"))


NAMES = _titles("""
    references; reference list; list of references; references cited; references and notes;
    notes and references; bibliography; selected bibliography; works cited; literature cited;
    cited literature; works consulted; bibliographical references; bibliographic references;
    literaturverzeichnis; literaturangaben; quellenverzeichnis; bibliographie; bibliografie;
    quellen- und literaturverzeichnis; literatur- und quellenverzeichnis; zitierte literatur;
    références; références bibliographiques; ouvrages cités; bibliographie sélective; referencias;
    referencias bibliográficas; bibliografía; obras citadas; lista de referencias; referências;
    referências bibliográficas; bibliografia; referències; bibliografia citada; riferimenti;
    riferimenti bibliografici; opere citate; literatuurlijst; literatuurverwijzingen; referenties;
    piśmiennictwo; seznam literatury; použitá literatura; zoznam literatúry; referenser;
    litteraturförteckning; källförteckning; litteraturliste; referanser; referencer; lähteet;
    lähdeluettelo; irodalomjegyzék; hivatkozások; felhasznált irodalom; kaynakça; kaynaklar;
    список литературы; библиография; список использованной литературы; список источников;
    использованная литература; список літератури; список використаних джерел; βιβλιογραφία;
    βιβλιογραφικές αναφορές; المراجع; المصادر; قائمة المراجع; قائمة المصادر; المصادر والمراجع;
    المراجع والمصادر; قائمة المصادر والمراجع; ثبت المصادر والمراجع;
    منابع; فهرست منابع; منابع و مآخذ;
    ביבליוגרפיה; רשימת מקורות; מראי מקום;
    参考文献; 參考文獻; 参考书目; 參考書目; 引用文献; 引用文獻; 参考资料;
    参考資料; 참고문헌; 인용문헌; संदर्भ सूची; संदर्भ; ग्रंथसूची; tài liệu tham khảo; daftar pustaka;
    บรรณานุกรม; เอกสารอ้างอิง
""")
AMBIGUOUS = _titles("""
    literature; sources; literatur; quellen; referenzen; literatuur; bronnen; literatura; fuentes;
    fontes; fonti; litteratur; källor; kilder; kirjallisuus; irodalom; литература; література;
    источники; джерела; αναφορές; πηγές; مراجع; מקורות; 文献; 文獻; 문헌
""")
"""These may be a chapter's title as well: what follows has to look like references."""
