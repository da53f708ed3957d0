"""Readers: the content of a file in, its text out.

A reader is a part. What it has beside its options:

- `called`: what its files are called in messages, as "PDF file";
- `recognises(content)`: whether a `Content` is one for this reader. It looks at `content.head`,
  never at the name of the file, and at no more of a file than it must;
- calling it on a `Content` yields the text in blocks and, between them, a `Heading` right before
  the text of each chapter's title, and a `Problem` for what is left out of the text. A form feed
  ends a page (slide, sheet);
- `normal_form`: the Unicode normal form that its text is brought into;
- `isolated`: whether it works in a process of its own, within limits of time and memory, because
  what it reads is taken apart by more than a few lines of our own;
- `isolated_above`: the number of bytes above which it does so, where short files can do no harm;
- `paginated`: whether lines end where the page had room, so that words may be parted there;
- `line_paragraphs`: whether each line of its text is a paragraph; else blank lines part them;
- `alternatives()`: the reader with each of its engines, in the order in which they are tried;
- `sees_pictures`: whether it may find text where others have said that there is none;
- `libraries()`: the packages and programs that did the work, with their versions.

All but the first three may be left out. Only UnreadableError leaves a reader.
"""
