"""Chinese words against Lucene's analyzers and jieba; Japanese, Korean and Thai ones."""

import subprocess
import sys
from pathlib import Path

import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from sdtext.parts.tokenizers import chinese_japanese_korean_thai
from sdtext.parts.tokenizers.chinese_japanese_korean_thai import Chinese, Thai, _cutter
from sdtext.text.normal_form import clean
from tests.support.cases import cases
from tests.support.lucene import found_by, found_here
from tests.support.strategies import BRISK, TEXTS

CONFIGS = Path(__file__).parents[3] / "configs"
WORDS = [
    *("中国", "人民", "自然", "语言", "處理", "電腦", "軟體", "資料庫", "的", "是", "一个"),
    *("研究生", "生命", "起源", "乒乓球", "拍卖", "龘", "鿕", "丌", "王小明", "北京", "长江大桥"),
]  # fmt: skip


def recipe(name: str) -> RecipeSpec:
    return load_recipe(CONFIGS / f"{name}.toml")


@cases("name", ["own_zh", "random"])
def test_single_characters_and_pairs_are_those_of_lucenes_analyzers(name: str) -> None:
    assert found_here(recipe("chinese"), name) == found_by("ChineseAnalyzer-4.10", name)
    ours, lucenes = found_here(recipe("chinese-bigrams"), name), found_by("CJKAnalyzer", name)
    assert name == "random" or ours == lucenes  # with their places
    assert [[row[0] for row in line] for line in ours] == [
        [row[0] for row in line] for line in lucenes
    ]


@cases("tokenizer, text, words", [
    (Chinese(mode="bigram"), "ｶﾞｷﾞ", ["ｶﾞｷﾞ"]),  # two characters of four code points
    (Chinese(mode="bigram"), "東京タワーへ", ["東京", "京タ", "タワ", "ワー", "ーへ"]),
    (Chinese(mode="bigram"), "東 京", ["東", "京"]),
    (Chinese(mode="bigram"), "한국어 a한", ["한국", "국어", "a한"]),
    (Chinese(mode="bigram"), "人々", ["人", "々"]),
    (Chinese(mode="smart"), "我在北京用Linux 6.1。", ["我", "在", "北京", "用", "Linux", "6.1"]),
    (Chinese(mode="smart"), "結婚的和尚未結婚的", ["結婚", "的", "和", "尚未", "結婚", "的"]),
    (Chinese(mode="smart"), "中A国", ["中", "A", "国"]),
    (Chinese(mode="smart"), "졌는지 PIN을", ["졌는지", "PIN을"]),
    (Chinese(mode="smart", join_lines=True), "졌\n는 지 PIN 을", ["졌", "는", "지", "PIN", "을"]),
    (Chinese(mode="smart", join_lines=True), "졌는지 PIN을", ["졌", "는", "지", "PIN", "을"]),
    (Chinese(mode="smart"), "𠀀中国〇", ["𠀀", "中国", "〇"]),
    (Thai(engine="bigram"), "ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
    (Thai(engine="bigram"), "ที่ ก", ["ที่", "ก"]),
    (Thai(engine="bigram"), "a ๑๒ 3.5", ["a", "๑๒", "3.5"]),
])  # fmt: skip
def test_pairs_are_of_neighbours_and_smart_words_are_jiebas(
    tokenizer: Chinese | Thai, text: str, words: list[str]
) -> None:
    assert tokenizer.split(text) == words


@pytest.mark.deep
@BRISK
@given(
    text=st.lists(
        st.sampled_from(WORDS)
        | st.text(
            st.characters(min_codepoint=0x4E00, max_codepoint=0x9FD5), min_size=1, max_size=6
        ),
        min_size=1,
    ).map("".join)
)
def test_both_packages_and_jieba_itself_have_the_same_words(text: str) -> None:
    words = list(_cutter("jieba")(text))
    assert list(_cutter("rjieba")(text)) == words == list(jieba.cut(text))


def test_jieba_reads_and_writes_no_file_for_everybody_and_says_nothing(tmp_path: Path) -> None:
    code = (
        "from sdtext.parts.tokenizers.chinese_japanese_korean_thai import _cutter\n"
        "print(*_cutter('jieba')('我在北京'))"
    )
    planted = tmp_path / "jieba.cache"
    planted.write_bytes(b"planted")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={"TMPDIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert (run.stdout, run.stderr) == ("我 在 北京\n", "")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"planted"]


DEFAULTS = {"japanese": "fugashi", "korean": "kiwi", "thai": "newmm"}


@cases("name, engine", DEFAULTS.items())
def test_where_a_package_is_missing_the_extra_and_the_way_without_are_named(
    monkeypatch: pytest.MonkeyPatch, name: str, engine: str
) -> None:
    monkeypatch.setattr(chinese_japanese_korean_thai, "find_spec", lambda _: None)
    with pytest.raises(OptionError) as caught:
        build("tokenizers", PartSpec(name))
    output = str(caught.value)
    assert output.startswith(f"{name}: the engine {engine} needs ")
    assert f"pip install 'sdtext[{name}]'" in output
    assert "name the engine bigram" in output
    assert build("tokenizers", PartSpec.of(name, engine="bigram")).split("abc") == ["abc"]


@BRISK
@given(text=TEXTS.map(clean))
@pytest.mark.parametrize("name", ["japanese", "korean"])
def test_without_packages_words_are_the_pairs_of_chinese(name: str, text: str) -> None:
    pairs = build("tokenizers", PartSpec.of(name, engine="bigram"))
    assert pairs(text) == Chinese(mode="bigram")(text)


@cases("name, text, word", [
    ("japanese", "これは東京都の条例です。", "東京"), ("japanese", "ｺﾝﾋﾟｭｰﾀを使う", "コンピュータ"),
    ("korean", "학교에서 공부를 했다", "학교"), ("thai", "มนุษย์ทั้งหลายเกิดมามีอิสระ", "มนุษย์"),
])  # fmt: skip
def test_a_word_is_found_without_what_stands_beside_it(name: str, text: str, word: str) -> None:
    assert word in Chain(load_recipe(CONFIGS / f"{name}.toml")).terms(text)
