"""Recipes in TOML and in XML: read, settled, refused."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from unicodedata import normalize
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import FormatError, OptionError, SdtextError, UnreadableError
from sdtext.filters.stopwords import shipped_list
from sdtext.formats.recipe_xml import chain_from, write_chain
from sdtext.model import Option, PartSpec, RecipeSpec
from sdtext.parts import ORIGINAL_NAMES, PARTS
from sdtext.recipe import load_recipe, recipe_of
from tests.strategies import BRISK, THOROUGH, WORDS, recipes, specs

CONFIGS = Path(__file__).parents[1] / "configs"
SPOKEN = {
    ours: theirs
    for kind in ("tokenizers", "filters")
    for theirs, ours in ORIGINAL_NAMES[kind].items()
    if isinstance(ours, str)
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One recipe, written anew for each example."""
    return tmp_path_factory.mktemp("recipe") / "recipe"


def loaded(path: Path, text: str | bytes) -> RecipeSpec:
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return load_recipe(path)


def refused(path: Path, text: str | bytes) -> str:
    """What is said of a recipe that cannot be used: one line that begins with the file."""
    with pytest.raises((OptionError, FormatError)) as caught:
        loaded(path, text)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).isprintable()
    return str(caught.value)


def toml_part(part: PartSpec) -> str:
    """A part as TOML writes it: JSON's texts, numbers and lists are TOML's too."""
    rows = [("name", part.name), *part.options]
    return "{" + ", ".join(f"{key} = {json.dumps(value)}" for key, value in rows) + "}"


def in_toml(chain: Sequence[PartSpec]) -> str:
    filters = ", ".join(map(toml_part, chain[1:]))
    return f"tokenizer = {toml_part(chain[0])}\nfilters = [{filters}]\n"


def stop_words(option: str) -> str:
    """A recipe in TOML with a list of stop words."""
    return f'tokenizer = "words"\nfilters = [{{name = "stop-words", {option}}}]\n'


def xml_value(value: Option) -> str:
    if isinstance(value, tuple):
        return "".join(f"<value>{escape(word)}</value>" for word in value)
    return json.dumps(value) if isinstance(value, bool) else escape(str(value))


def in_xml(chain: Sequence[PartSpec], namespace: str = "") -> str:
    rows = [
        f"<tokenizer name={quoteattr(part.name)}>"
        + "".join(
            f'<parameter name="{key}">{xml_value(value)}</parameter>' for key, value in part.options
        )
        + "</tokenizer>"
        for part in chain
    ]
    return f"<tokenizers{namespace}>" + "\n  ".join(rows) + "</tokenizers>"


def in_attributes(chain: Sequence[PartSpec]) -> str:
    """XML with options as attributes."""
    rows = []
    for part in chain:
        options = "".join(f' {key}="{xml_value(value)}"' for key, value in part.options)
        rows.append(f'<tokenizer name="{part.name}"{options}/>')
    return "<tokenizers>" + "".join(rows) + "</tokenizers>"


@THOROUGH
@given(recipe=recipes())
def test_both_forms_of_a_recipe_have_the_same_canonical_text(
    path: Path, recipe: RecipeSpec
) -> None:
    settled = loaded(path, in_toml(recipe.chain()))
    for namespace in ("", ' xmlns="urn:sdtext"'):
        other = loaded(path, '<?xml version="1.0"?>\n' + in_xml(recipe.chain(), namespace))
        assert other == settled
        assert other.canonical() == settled.canonical()


@BRISK
@given(recipe=recipes())
def test_options_may_stand_in_attributes(path: Path, recipe: RecipeSpec) -> None:
    # Lists have no such form.
    chain = [part for part in recipe.chain() if "words" not in dict(part.options)]
    assert loaded(path, in_attributes(chain)) == loaded(path, in_xml(chain))


@BRISK
@given(recipe=recipes())
def test_a_settled_recipe_stays_as_it_is(recipe: RecipeSpec) -> None:
    settled = recipe_of(recipe.chain())
    assert recipe_of(settled.chain()) == settled


@BRISK
@given(recipe=recipes())
def test_the_names_of_the_original_sdtext_mean_our_parts(path: Path, recipe: RecipeSpec) -> None:
    spoken = [PartSpec(SPOKEN.get(part.name, part.name), part.options) for part in recipe.chain()]
    if spoken[0].name in ("words", "lines"):
        mode = {"words": "tokens", "lines": "lines"}[spoken[0].name]
        spoken[0] = PartSpec.of("FileTokenizer", mode=mode)
    expected = recipe_of(recipe.chain())
    assert loaded(path, in_toml(spoken)) == loaded(path, in_xml(spoken)) == expected


@BRISK
@given(recipe=recipes())
def test_canonical_text_tells_recipes_apart(recipe: RecipeSpec) -> None:
    settled = recipe_of(recipe.chain())
    rows = json.loads(settled.canonical())
    chain = [PartSpec.of(name, **_tuples(options)) for name, options in rows]
    assert recipe_of(chain) == settled
    assert "\n" not in settled.canonical()


def _tuples(options: dict[str, Option | list[str]]) -> dict[str, Option]:
    return {key: tuple(it) if isinstance(it, list) else it for key, it in options.items()}


def as_xml(recipe: RecipeSpec) -> bytes:
    buffer = io.BytesIO()
    with etree.xmlfile(buffer, encoding="utf-8") as out:
        write_chain(out, recipe.chain())
    return buffer.getvalue().strip()


@THOROUGH
@given(words=st.lists(st.text(min_size=1) | WORDS, min_size=1, max_size=4))
@example(words=["\x01"])
@example(words=["\ufffe"])
@example(words=[" a\r\n", "]]>&<"])
def test_every_recipe_that_loads_can_be_written_in_xml_and_read_again(
    path: Path, words: list[str]
) -> None:
    text = ", ".join('"' + "".join(f"\\U{ord(char):08X}" for char in word) + '"' for word in words)
    try:
        recipe = loaded(
            path, 'tokenizer = "words"\nfilters = [{name = "stop-words", words = [%s]}]' % text
        )
    except SdtextError:
        return
    again = recipe_of(chain_from(etree.fromstring(as_xml(recipe)), "recipe"))
    assert again == recipe


@pytest.mark.parametrize("name", sorted(path.name for path in CONFIGS.glob("[!o]*.*")))
def test_the_recipes_that_ship_say_the_same_in_their_different_words(name: str) -> None:
    english = load_recipe(CONFIGS / "english.toml").canonical()
    assert load_recipe(CONFIGS / name).canonical() == english


def test_the_system_of_2013_also_names_its_fingerprint_and_matcher() -> None:
    recipe = load_recipe(CONFIGS / "georgetown.toml")
    assert (recipe.fingerprint, recipe.matcher) == (PartSpec("bitvector"), PartSpec("cosine"))
    assert load_recipe(CONFIGS / "english.toml").matcher is None


@THOROUGH
@given(recipe=recipes(), second=specs("tokenizers"), pick=st.data())
def test_a_second_tokenizer_is_refused_by_its_position(
    path: Path, recipe: RecipeSpec, second: PartSpec, pick: st.DataObject
) -> None:
    place = pick.draw(st.integers(1, len(recipe.filters) + 1))
    chain = [*recipe.chain()[:place], second, *recipe.chain()[place:]]
    for text in (in_toml(chain), in_xml(chain)):
        said = refused(path, text)
        assert f"part {place + 1} ({second.name}) is a second tokenizer" in said


@BRISK
@given(recipe=recipes(), first=specs("filters"))
def test_a_filter_in_the_first_place_is_refused(
    path: Path, recipe: RecipeSpec, first: PartSpec
) -> None:
    chain = [first, *recipe.chain()]
    for text in (in_toml(chain), in_xml(chain)):
        assert f"part 1 ({first.name}) is a filter; the first must be a tokenizer" in refused(
            path, text
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "key tokenizer is missing"),
        ("filters = []", "key tokenizer is missing"),
        ('tokenizer = "words"\ncolour = "red"', "there is no key 'colour' in a recipe; it takes"),
        ('tokenizer = "words"\nfilters = "porter"', "it must be a list of filters"),
        ('tokenizer = "words"\nfilters = {name = "porter"}', "it must be a list of filters"),
        ('tokenizer = "words"\nfilters = ["porter", 3]', "filter 2 is 3; it must be a name"),
        ('tokenizer = "words"\nfilters = [["porter"]]', "filter 1 is"),
        ('tokenizer = "words"\nfilters = [{length = 3}]', "filter 1 is"),
        ("tokenizer = 1979-05-27", "tokenizer is datetime.date(1979, 5, 27); it must be a name"),
        ("tokenizer = {name = 3}", "tokenizer is"),
        ('tokenizer = "wrods"', "words, perhaps?"),
        ('tokenizer = "words"\nfilters = ["cosine"]', "there is no tokenizer or filter 'cosine'"),
        ('tokenizer = "words"\nmatcher = "porter"', "there is no matcher 'porter'"),
        ('tokenizer = "words"\nfingerprint = 3', "fingerprint is 3"),
        ('tokenizer = "words"\nfilters = ["min-length"]', "min-length: option length is missing"),
        (
            'tokenizer = "words"\nfilters = [{name="min-length", length="3"}]',
            "length is '3'; it must",
        ),
        (
            'tokenizer = "words"\nfilters = [{name="min-length", size=3}]',
            "no option 'size'; it takes",
        ),
        ('tokenizer = "words"\nfilters = [{name="porter", x=1}]', "porter: there is no option 'x'"),
        ('tokenizer = {name = "FileTokenizer", mode = "pages"}', "it must be one of tokens, lines"),
        (
            'tokenizer = {name = "FileTokenizer", mode = ["lines"]}',
            "it must be one of tokens, lines",
        ),
        ('tokenizer = {name = "FileTokenizer", mode = {a = 1}}', "it must be one of tokens, lines"),
        ('tokenizer = "words"\nfilters = [{name="stop-words", words=[1]}]', "a list of texts"),
        (
            'tokenizer = "words"\nfilters = [{name="stop-words", file=5}]',
            "file is 5; it must be a text",
        ),
        ('tokenizer = "words"\nfilters = [{name="stop-words", file=["a"]}]', "it must be a text"),
        (
            'tokenizer = "words"\nfilters = [{name="stop-words", language=5}]',
            "stop-words: language is",
        ),
        ('tokenizer = "words"\nfilters = ["stop-words"]', "give one of file, language and words"),
        ('tokenizer = "words', "is not a recipe"),
        ('tokenizer = "words"\ntokenizer = "lines"', "is not a recipe"),
        (b"\xff\xfewords", "is not a recipe"),
    ],
)
def test_a_recipe_in_toml_that_cannot_be_used_is_told_why(
    path: Path, text: str | bytes, said: str
) -> None:
    assert said in refused(path, text)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ('"min-length"', "min-length: option length is missing; it takes a whole number"),
        ('{name = "min-length", length = "3"}', "length is '3'; it must be a whole number"),
        ('{name = "min-length", length = 0}', "length is 0; it must be 1 or more"),
        ('{name = "min-length", size = 3}', "there is no option 'size'; it takes length"),
        ('{name = "porter", x = 1}', "porter: there is no option 'x'; it takes none"),
        ('{name = "strip-punctuation", symbols = 1}', "symbols is 1; it must be true or false"),
        ('{name = "snowball", language = "klingon"}', "it must be one of arabic, "),
    ],
)
def test_a_filter_that_cannot_be_built_is_told_why(path: Path, row: str, said: str) -> None:
    assert said in refused(path, f'tokenizer = "words"\nfilters = ["lowercase", {row}]')


POWER = 'tokenizer = "words"\nmatcher = {name = "idf-cosine", power = %s}'


@pytest.mark.parametrize(
    "text",
    [
        "tokenizer = " + "[" * 100_000,
        "tokenizer = " + "{a=" * 100_000,
        "tokenizer = " + "1" * 5_000,
        POWER % ("1" * 400),
        POWER % "nan",
        POWER % "-inf",
        'tokenizer = "' + "a" * 3_000_000 + '"',
        'tokenizer = ["' + "a" * 3_000_000 + '"]',
        'tokenizer = {name="words", "' + "a" * 3_000_000 + '"=1}',
        'tokenizer = "words"\n' + "a" * 3_000_000 + " = 1",
        'tokenizer = "words"\nfilters = [{name="min-length", length="' + "a" * 3_000_000 + '"}]',
    ],
    ids=lambda text: text[:20] + "…" + text[-20:],
)
def test_a_hostile_recipe_in_toml_costs_one_short_line(path: Path, text: str) -> None:
    assert len(refused(path, text)) < 2000


WORDS_AND = '<tokenizers><tokenizer name="words"/>%s</tokenizers>'
DTD = '<!DOCTYPE tokenizers [<!ENTITY a "words"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<tokenizers/>", "<tokenizers> is empty"),
        ("<other/>", "has no <tokenizers>"),
        ("<tokenizers>", "is damaged or is not XML"),
        ("<", "is damaged or is not XML"),
        (WORDS_AND % "<filter name='porter'/>", "<tokenizers> holds <filter>"),
        (WORDS_AND % "<tokenizers><tokenizer name='lines'/></tokenizers>", "<tokenizers> holds"),
        (WORDS_AND % "<tokenizer/>", "tokenizer 2 has no name"),
        (WORDS_AND % "<tokenizer name='porter'><x/></tokenizer>", "tokenizer 2 (porter): options"),
        (WORDS_AND % "<tokenizer name='porter' x='1'/>", "porter: there is no option 'x'"),
        (WORDS_AND % "<tokenizer name='min-length' length='three'/>", "length is 'three'; it must"),
        (WORDS_AND % "<tokenizer name='min-length'/>", "min-length: option length is missing"),
        (DTD + WORDS_AND % "", "has a document type"),
        (DTD + WORDS_AND % "<tokenizer name='&b;'/>", "has a document type"),
        ('<!DOCTYPE t SYSTEM "file:///etc/passwd">' + WORDS_AND % "", "has a document type"),
        (WORDS_AND % "<tokenizer name='&a;'/>", "is damaged or is not XML"),
        ('<?xml version="1.0" encoding="klingon"?>' + WORDS_AND % "", "is damaged or is not XML"),
        ("<tokenizers>" * 100_000, "is damaged or is not XML"),
        (WORDS_AND % ("<tokenizer name='porter'>" * 100_000), "is damaged or is not XML"),
    ],
    ids=lambda text: text[:60],
)
def test_a_recipe_in_xml_that_cannot_be_used_is_told_why(path: Path, text: str, said: str) -> None:
    assert said in refused(path, text)


@pytest.mark.parametrize("attribute", ["name='{}'", "name='porter' x='{}'", "{}='1'"])
def test_an_attribute_of_30_megabytes_costs_one_short_line(path: Path, attribute: str) -> None:
    text = WORDS_AND % f"<tokenizer {attribute.format('a' * 30_000_000)}/>"
    assert len(refused(path, text)) < 2000


VALID = [
    in_toml(
        [PartSpec("words"), PartSpec("lowercase"), PartSpec.of("min-length", length=3)]
    ).encode(),
    in_xml([PartSpec("words"), PartSpec.of("stop-words", words=("a", "the"))]).encode(),
    b'tokenizer = "lines"\nfilters = [{name = "snowball", language = "german"}, "porter"]\n',
]


@THOROUGH
@given(
    seed=st.sampled_from(VALID),
    changes=st.lists(
        st.tuples(
            st.integers(0, 160), st.binary(max_size=2) | st.sampled_from([b"[", b'"', b"\n"])
        ),
        max_size=4,
    ),
    cut=st.integers(0, 200),
)
def test_a_damaged_recipe_is_loaded_or_refused(
    path: Path, seed: bytes, changes: list[tuple[int, bytes]], cut: int
) -> None:
    data = bytearray(seed)
    for place, new in changes:
        data[place : place + len(new)] = new
    try:
        loaded(path, bytes(data[:cut]))
    except SdtextError as error:
        assert str(error).isprintable()  # noqa: PT017 (it may also load)


def listing(path: Path, data: bytes) -> RecipeSpec:
    """A recipe with a list of stop words in a file beside it."""
    (path.parent / "list.txt").write_bytes(data)
    return loaded(path, stop_words('file = "list.txt"'))


@BRISK
@given(words=st.lists(WORDS, min_size=1, max_size=5), end=st.sampled_from(["\n", "\r\n", "\n \n"]))
def test_a_file_of_stop_words_is_read_line_by_line(path: Path, words: list[str], end: str) -> None:
    recipe = listing(path, end.join(f" {word}\t" for word in words).encode("utf-8-sig"))
    expected = tuple(sorted({normalize("NFC", word) for word in words}))
    assert recipe.filters == (PartSpec.of("stop-words", words=expected),)


@BRISK
@given(words=st.lists(WORDS, min_size=1, max_size=5))
def test_words_in_a_list_mean_the_same_as_words_in_a_file(path: Path, words: list[str]) -> None:
    from_file = listing(path, "\n".join(words).encode())
    written = stop_words(f"words = {json.dumps(words, ensure_ascii=False)}")
    assert loaded(path, written).canonical() == from_file.canonical()


def test_a_language_is_settled_as_its_words() -> None:
    recipe = recipe_of([PartSpec("words"), PartSpec.of("stop-words", language="german")])
    assert recipe.filters == (PartSpec.of("stop-words", words=shipped_list("german")),)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "holds no words"), (b" \n\n", "holds no words"), (b"caf\xe9", "is not UTF-8")],
)
def test_a_file_without_words_is_refused_by_its_name(path: Path, data: bytes, said: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        listing(path, data)
    assert str(caught.value) == f"stop-words: {path.parent / 'list.txt'}: {said}"


@pytest.mark.parametrize("name", ["missing", ".", "\\u0000", "x" * 300])
def test_a_file_of_stop_words_that_cannot_be_read_is_named(path: Path, name: str) -> None:
    with pytest.raises(SdtextError) as caught:
        loaded(path, stop_words(f'file = "{name}"'))
    assert "stop-words" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_recipe_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="no such file or directory"):
        load_recipe(tmp_path / "missing.toml")


def test_every_original_name_is_of_a_part_there_is() -> None:
    assert set(SPOKEN) <= {*PARTS["tokenizers"], *PARTS["filters"]}
