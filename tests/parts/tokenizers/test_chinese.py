"""Chinese words against Lucene's analyzers, and jieba's by both packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jieba
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import RecipeSpec
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.tokenizers.chinese_japanese_korean_thai import Chinese, _cutter
from tests.support.cases import cases
from tests.support.lucene import found_by, found_here
from tests.support.strategies import BRISK

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


@cases(
    "text, words",
    [
        ("ｶﾞｷﾞ", ["ｶﾞｷﾞ"]),  # two characters of four code points
        ("東京タワーへ", ["東京", "京タ", "タワ", "ワー", "ーへ"]),
        ("東 京", ["東", "京"]),
        ("한국어 a한", ["한국", "국어", "a한"]),
        ("人々", ["人", "々"]),
    ],
)
def test_a_pair_is_of_neighbours(text: str, words: list[str]) -> None:
    assert Chinese(mode="bigram").split(text) == words


@cases(
    "text, words",
    [
        ("我在北京用Linux 6.1。", ["我", "在", "北京", "用", "Linux", "6.1"]),
        ("結婚的和尚未結婚的", ["結婚", "的", "和", "尚未", "結婚", "的"]),  # traditional
        ("中A国", ["中", "A", "国"]),
        ("𠀀中国〇", ["𠀀", "中国", "〇"]),
    ],
)
def test_smart_words_are_jiebas_between_others_by_the_rules(text: str, words: list[str]) -> None:
    assert Chinese(mode="smart").split(text) == words


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
