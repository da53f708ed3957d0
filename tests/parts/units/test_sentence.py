"""Sentences of many languages, and how they are gathered to a length."""

import re

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.parts.units.pages_chapters_paragraphs import Paragraph
from sdtext.parts.units.sentence import Sentence
from sdtext.text.document import Document
from tests.support.cases import cases

# Each text with " | " where a sentence ends, and nothing but that removed before it is cut;
# where no white space parts two sentences it is "||".
EXAMPLES = {
    "english": [
        "Mr. Smith paid $3.50. | He left at 5 p.m. for St. Paul's, see No. 5, pp. 3-4! | Really?",
        "She said: “Stop!” and ran. | “Why?” he asked. | (No one knew.) | ‘I do.’ | And then...",
        "The U.S. Navy, e.g. J.-P. Jones and J. F. K., won. | Go to www.example.org?q=1 now. | OK",
        "1. The first. | 2. The second. | IV. The fourth. | Three things: 1. Peace; 2. Bread.",
        "It ended.[12] | Not so.(3) | Wait . . . | Yes. | In 1787. | Was it?! | Yes!!",
        "Vol. II of the work, ed. by Dr. No, Jan. 5. | Then no. | Then he lost his mind. | So.",
    ],
    "german": [
        "Am 3. Oktober kam Dr. Meier z. B. aus Köln. | „Wirklich?“, fragte er. | „Ja.“ | Gut.",
        "Das 19. Jahrhundert endete. | Nr. 5 fehlt bzw. ist lang. | »Nein!« | Er hat 12. | Ende.",
    ],
    "french": ["« Oui. » | Il partit. | Quoi ? | Rien ! | M. Dupont et Mme. Roi. | J'ai 3,5 €."],
    "spanish": ["¿Qué? | ¡No! | El Sr. García dijo que sí. | Vale."],
    "russian": ["А. С. Пушкин уехал в 1831 г. из Москвы. | «Правда?» — спросил он. | Да! | И всё."],
    "greek": ["Τι κάνεις; | Είμαι καλά· εσύ; | Ο κ. Παππάς, π.χ. εδώ. | Ναι.", "What; No end."],
    "arabic": ["ذهب الرجل إلى السوق. | هل رأيته؟ | نعم، رأيته! | وصل د. محمد؛ ثم خرج. | انتهى۔"],
    "hebrew": ["הוא הלך. | למה? | לא ידעתי!"],
    "hindi": ["वह घर गया। | क्या तुम आओगे? | हाँ । | डॉ. शर्मा आए।||और गए॥ | बस।"],
    "chinese": [
        "他说：“好。”||“不！”||我走了。||真的吗？！||版本 2.10 很好。||（完。）",
        "你好!||我很好.||什么……我不知道。||第3.5节；是的。",
    ],
    "japanese": [
        "「はい。」と言った。||彼は「いいえ。」、そして帰った。||終わり！||３．１４です．||次",
    ],
    "korean": ["그는 갔다. | 왜? | 몰라요!"],
    "armenian": ["Բարեւ։ | Ինչպե՞ս ես։ | Լավ եմ։"],
    "amharic": ["ሰላም። | እንዴት ነህ፧ | ደህና።"],
    "georgian": ["ეს არის. | კარგი!"],
    "thai": ["เขาไป แล้ว ก็กลับ"],
}  # fmt: skip
CASES = [(language, text) for language, rows in EXAMPLES.items() for text in rows]

PIECES = st.sampled_from([
    *("a", "Bc", "long" * 5, "x" * 30, " ", "  ", ". ", "! ", "? A", "。", ".", "\n\n"),
    *("国", "3. ", "\u0301", "Mr. "),
])  # fmt: skip
PROSE = st.lists(PIECES, max_size=60).map("".join)


def cut(text: str, length: int = 0) -> list[str]:
    spans = Sentence(length)(Document(text, text))
    return [text[span.start : span.end] for span in spans]


@cases("language, marked", CASES)
def test_sentences_end_where_a_reader_would_end_them(language: str, marked: str) -> None:
    assert language in EXAMPLES
    text = marked.replace("||", "").replace(" | ", " ")
    assert cut(text) == re.split(r" \| |\|\|", marked)
    # The end of a line in a paragraph is like a blank.
    broken = text.replace(" ", "\r\n")
    assert [item.replace("\r\n", " ") for item in cut(broken)] == cut(text)


def test_all_marks_but_these_are_those_of_unicode() -> None:
    ends = regex.compile(r"\p{Sentence_Terminal}")
    marks = [chr(code) for code in range(0x3000) if len(cut(f"αβ{chr(code)} 国")) == 2]
    assert {mark for mark in marks if not ends.match(mark)} == set("\u2029\f…;\u037e")
    assert set("!.?։؟۔।॥።፧។") < set(marks)


def by_definition(document: Document, length: int) -> list[tuple[int, int]]:
    """Units of the sentences of each paragraph, each cut looked for in all that is there."""
    text, result = document.text, []
    sentences = Sentence()(document)
    for paragraph in Paragraph()(document):
        ends = [item.end for item in sentences if paragraph.start < item.end <= paragraph.end]
        start = paragraph.start
        while start < paragraph.end:
            end = nearest([item for item in ends if item > start], start + length)
            if end - start > 2 * length:
                end = inside(text, start, length)
            result.append((start, start + len(text[start:end].rstrip())))
            start = paragraph.end - len(text[end : paragraph.end].lstrip())
    return result


def nearest(places: list[int], target: int) -> int:
    return min(places, key=lambda place: (abs(place - target), place))


def inside(text: str, start: int, length: int) -> int:
    """Where a unit within a long sentence ends: at white space, else before a letter."""
    places = range(start + 1, start + 2 * length + 1)
    if white := [place for place in places if text[place].isspace()]:
        return nearest(white, start + length)
    whole = [place for place in places if place >= start + length and text[place] != "\u0301"]
    return min([*whole, start + 2 * length])


@given(PROSE, st.integers(1, 60))
@example("a" + "\u0301" * 50, 7)
@example("aaaa" + " " * 99 + "b" * 50, 3)
def test_units_end_at_the_sentence_end_nearest_to_the_length(text: str, length: int) -> None:
    document = Document(text, text)
    result = [(span.start, span.end) for span in Sentence(length)(document)]
    assert result == by_definition(document, length)


PARAGRAPHS = [
    " ".join(["The union is a work of many. It must be kept by all who love it, today!"] * 9),
    "The end of it was near.",
    "最后，傍晚的时候人们在桥上散步，看着河水慢慢地流过这座城市。" * 12,
    "私たちの町は川のそばにあり、夕方には人々が橋の上を散歩します。" * 8,
    " ".join(["Наше місто стоїть на березі річки, а ввечері люди гуляють мостом."] * 7),
]


def _wrapped(paragraph: str, width: int, end: str) -> str:
    """Lines of about a width, which end at blanks, in Chinese and Japanese anywhere."""
    pieces = re.findall(r"[\u3040-\uffef]|\S+ ?", paragraph)
    lines = [""]
    for piece in pieces:
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return end.join(line.rstrip() for line in lines)


@given(
    st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=6),
    st.integers(60, 100),
    st.sampled_from(["\n", "\r\n", "\n   "]),
)
def test_units_do_not_depend_on_line_ends(paragraphs: list[str], width: int, end: str) -> None:
    """Formats break lines elsewhere, or not at all; PDF does not mark the ends of paragraphs."""

    def units(document: Document) -> list[str]:
        spans = Sentence(length=150)(document)
        return ["".join(document.text[span.start : span.end].split()) for span in spans]

    whole = units(Document.of("\n\n".join(paragraphs)))
    wrapped = [_wrapped(paragraph, width, end) for paragraph in paragraphs]
    assert units(Document.of("\n\n".join(wrapped))) == whole
