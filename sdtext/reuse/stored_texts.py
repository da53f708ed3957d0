"""Texts of the documents of a collection: those that it keeps, else those of unchanged files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.errors import shown
from sdtext.io.remote_files import remote_address
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Problem
from sdtext.reuse.reuse_documents import BatchReader, DocumentInfo, UnreadDocument


@dataclass(frozen=True)
class StoredTexts:
    """The texts of stored documents, into which the offsets of their words lead.

    A file is read again by `reader` only where the collection keeps no texts.
    """

    collection: Collection
    reader: BatchReader

    def __call__(self, info: DocumentInfo, words: DocumentWords) -> str | Problem:
        """The text of a document, or a warning that says why there is none."""
        if self.collection.keeps_text:
            return self.collection.text_with_id(info.id)
        if remote_address(info.path):  # only the user names what is fetched, no collection does
            return _warning(info, "its file is at a remote address, which is not fetched again")
        read = self.reader([UnreadDocument(info.examined.name, Path(info.path))])
        if read.documents is None:
            return _warning(info, "its file cannot be read again")
        examined = read.documents.infos[0].examined
        if examined.digest != info.examined.digest:
            return _warning(info, "its file has changed since it was added")
        if not _are_equal(words, read.documents.words_of(0)):
            return _warning(info, "its file is read in another way than when it was added")
        return examined.text


def _warning(info: DocumentInfo, reason: str) -> Problem:
    what = (
        f"{reason}, and the collection keeps no texts; its passages are listed without text. "
        "create(keep_text=True) keeps texts"
    )
    name = info.examined.name
    return Problem("warning", "no-text", f"{shown(name)}: {what}", name, what)


def _are_equal(words: DocumentWords, others: DocumentWords) -> bool:
    """Whether all words have the same offsets."""
    columns = ((words.starts, others.starts), (words.ends, others.ends))
    return all(np.array_equal(column, other) for column, other in columns)
