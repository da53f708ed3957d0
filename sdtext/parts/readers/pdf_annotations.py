"""What stands on the pages of a PDF file beside their content: values of forms, and annotations."""

import re
from collections.abc import Callable, Iterator
from ctypes import POINTER, c_ushort, cast, create_string_buffer
from html import unescape
from typing import Any, NamedTuple

from sdtext.parts.readers.pdf_invisible_text import Box

_HIDDEN = 1 << 1 | 1 << 5  # flags of an annotation: hidden, and not to be viewed (PDF 1.7, 12.5.3)
_CHECKED, _PLAIN = "☒", ("", "1", "on", "true", "yes")  # values that say no more
_TAG = re.compile(r"<[^<>]*>")
_PASSWORD = 1 << 13  # flag of a text field (PDF 1.7, 12.7.4.3)


class Annotations(NamedTuple):
    """The values of fields and the texts written on a page, and the number of notes about it.

    `covers` are the boxes of drawings, which may hide text.
    """

    shown: list[str]
    hidden: list[str]
    notes: int
    covers: list[Box]


def annotations_on(page: Any, form: Any) -> Annotations:
    """Those of one of pypdfium2's pages; `form` is the environment of its document's form, if any.

    Notes are what a program shows when it is asked to, as the comments of reviewers are.
    """
    from pypdfium2 import raw

    found: tuple[list[str], list[str]] = ([], [])
    notes, covers = 0, []
    shapes = (raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_POLYGON)
    drawings = (*shapes, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_REDACT)
    for annotation, kind in each_annotation(page):
        if kind in (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP):
            continue
        if kind in drawings:
            rect = raw.FS_RECTF()
            raw.FPDFAnnot_GetRect(annotation, rect)
            covers.append(Box(rect.left, rect.bottom, rect.right, rect.top))
        if kind == raw.FPDF_ANNOT_WIDGET:
            text = "\n".join(_values(annotation, form)) if form else ""
        else:
            text, rich = (
                _string(raw.FPDFAnnot_GetStringValue, annotation, key)
                for key in (b"Contents", b"RC")
            )
            text = text if text.strip() else unescape(_TAG.sub(" ", rich))
        if not text.strip():
            notes += kind != raw.FPDF_ANNOT_WIDGET and _paints_text(annotation)
            continue
        if kind in (raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT):
            is_hidden = raw.FPDFAnnot_GetFlags(annotation) & _HIDDEN != 0
            found[is_hidden].append("\n".join(text.splitlines()))
        else:
            notes += 1
    return Annotations(*found, notes, covers)


def each_annotation(page: Any) -> Iterator[tuple[Any, int]]:
    """The annotations on one of pypdfium2's pages, each open until the next, and their kinds."""
    from pypdfium2 import raw

    for place in range(raw.FPDFPage_GetAnnotCount(page)):
        if annotation := raw.FPDFPage_GetAnnot(page, place):
            yield annotation, raw.FPDFAnnot_GetSubtype(annotation)
            raw.FPDFPage_CloseAnnot(annotation)


def _paints_text(annotation: Any) -> bool:
    """Whether text is painted where it stands, as by a stamp; PDFium does not give the text."""
    from pypdfium2 import raw

    places = range(raw.FPDFAnnot_GetObjectCount(annotation))
    objects = (raw.FPDFAnnot_GetObject(annotation, place) for place in places)
    return any(raw.FPDFPageObj_GetType(each) == raw.FPDF_PAGEOBJ_TEXT for each in objects)


def _values(field: Any, form: Any) -> Iterator[str]:
    """What a field shows: its text, the labels of options that are chosen, or that it is ticked."""
    from pypdfium2 import raw

    kind = raw.FPDFAnnot_GetFormFieldType(form, field)
    is_choice = kind in (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
    options = raw.FPDFAnnot_GetOptionCount(form, field) if is_choice else 0
    chosen = [each for each in range(options) if raw.FPDFAnnot_IsOptionSelected(form, field, each)]
    for option in chosen:
        yield _string(raw.FPDFAnnot_GetOptionLabel, form, field, option)
    if kind in (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON):
        if raw.FPDFAnnot_IsChecked(form, field):
            value = _string(raw.FPDFAnnot_GetFormFieldExportValue, form, field)
            yield _CHECKED if value.casefold() in _PLAIN else f"{_CHECKED} {value}"
        return
    is_secret = raw.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD and not is_choice
    if not chosen and (is_choice or (kind == raw.FPDF_FORMFIELD_TEXTFIELD and not is_secret)):
        yield _string(raw.FPDFAnnot_GetFormFieldValue, form, field)


def _string(function: Callable[..., int], *arguments: Any) -> str:
    """A string that a function of PDFium writes into a buffer, in UTF-16."""
    length = function(*arguments, None, 0)
    buffer = create_string_buffer(length)
    function(*arguments, cast(buffer, POINTER(c_ushort)), length)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")
