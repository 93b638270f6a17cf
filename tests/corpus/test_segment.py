"""Scripts without spaces."""

from __future__ import annotations

import sys

import pytest

from demotic.corpus import Orthography, OrthographyConfig, segment
from demotic.corpus.segment import characters, resolve
from demotic.errors import ArgumentError, MissingDependencyError
from tests.corpus.texts import slice_of


def orthography(language: str, method: str) -> Orthography:
    if method == "jieba":
        pytest.importorskip("jieba")
    return Orthography(language, OrthographyConfig(segment=method, casing="none"))


@pytest.mark.parametrize(
    ("language", "method", "text", "tokens"),
    [
        ("zh", "characters", "我用Python写。", "我 用 Python 写 。"),
        ("zh", "characters", "你好 world 吗", "你 好 ▁world ▁吗"),
        ("zh", "jieba", "我们今天去北京。", "我们 今天 去 北京 。"),
        ("zh", "jieba", "5月20日开始", "⟦num1⟧ 月 ⟦num2⟧ 日 开始"),
        ("ja", "characters", "東京タワーへ行く", "東 京 タワー へ 行 く"),
        ("th", "characters", "เมือง", "เ มื อ ง"),
        ("ko", "characters", "한국어 문장.", "한국어 문장 ￭."),
    ],
)
def test_words_of_unspaced_scripts_need_no_marks(
    language: str, method: str, text: str, tokens: str
) -> None:
    encoded = orthography(language, method).encode(text)
    assert str(encoded) == tokens
    assert orthography(language, method).decode(encoded.tokens, encoded) == text


def test_translated_words_are_joined_without_spaces() -> None:
    assert orthography("zh", "characters").decode(["北京", "有", "Python", "，", "好"]) == (
        "北京有Python，好"
    )


def test_segmented_words_spell_the_run(data) -> None:
    for line in slice_of(data, "tatoeba-zh-en/train.zh.gz", 300):
        assert "".join(characters(line)) == line


def test_choice_is_resolved_when_learning() -> None:
    pytest.importorskip("jieba")
    assert Orthography.learn(["你好"], "zh").config.segment == "jieba"
    assert Orthography.learn(["a"], "en").config.segment == "characters"
    assert Orthography.learn(["你好"], "zh_CN").config.segment == "jieba"
    with pytest.raises(ArgumentError, match="Chinese"):
        resolve("jieba", "ja")


def test_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jieba")
    saved = Orthography.learn(["你好"], "zh").to_json()
    segment._jieba.cache_clear()
    monkeypatch.setitem(sys.modules, "jieba", None)
    assert resolve("auto", "zh") == "characters"
    with pytest.raises(MissingDependencyError, match=r"demotic\[zh\]"):
        Orthography.from_json(saved)


def test_foreign_words_stand_apart_in_a_language_with_spaces() -> None:
    english = Orthography("en", OrthographyConfig(casing="none"))
    assert english.decode(["the", "東", "京", "tower"]) == "the 東京 tower"
    for text in ("the東京tower", "5月 and 5 月", "Tokyo (東京)"):
        encoded = english.encode(text)
        assert english.decode(encoded.tokens, encoded) == text


def test_full_width_letters_and_digits_are_ordinary_ones() -> None:
    japanese = Orthography("ja", OrthographyConfig(casing="none"))
    encoded = japanese.encode("１２月のＡＢＣ")
    assert encoded.tokens == ("⟦num1⟧", "月", "の", "ABC")
    assert japanese.decode(encoded.tokens, encoded) == "12月のABC"


def test_segmented_text_and_natural_text_are_the_same_text() -> None:
    lines = ["我们 喜欢 水 。", "他 喝 水 。"]
    chinese = Orthography.learn(lines, "zh", config=OrthographyConfig(segment="characters"))
    assert chinese.segmented
    assert chinese.encode("我们 喜欢 水 。").tokens == chinese.encode("我们喜欢水。").tokens
    assert chinese.decode(["水", "。"]) == "水。"
    assert Orthography.from_json(chinese.to_json()) == chinese
    natural = Orthography.learn(["我们喜欢水。 他喝水。"], "zh")
    assert not natural.segmented


def test_half_width_kana_are_ordinary_ones() -> None:
    japanese = orthography("ja", "characters")
    assert japanese.encode("ﾍﾟｰｼﾞ１") == japanese.encode("ページ1")
    old = Orthography("ja", japanese.config, version=2)
    assert old.encode("ﾍﾟｰｼﾞ") != old.encode("ページ")
