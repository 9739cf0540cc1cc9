"""Segments that are not one sentence are found; good ones are left alone."""

from __future__ import annotations

import json

import pytest

from argue_eval.text.sentences import HALF, SEVERAL, check
from tests.formats.reading import DATA, needs_data
from tests.text.texts import TEXTS


def kinds(*texts: str, language: str | None = "en") -> list[tuple[int, str]]:
    return [(each.sentence_index, each.kind) for each in check(texts, language)]


@pytest.mark.parametrize("language", TEXTS)
def test_well_cut_sentences_are_left_alone(language: str) -> None:
    assert list(check(TEXTS[language], language)) == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The dam broke in May. Nobody had expected it."),
        ("en", "It moved to the U.S. The plant closed."),
        ("zh", "大坝在五月决堤。没有人料到这一点。"),
        ("ru", "Плотину прорвало в мае. Никто этого не ожидал."),
        ("fa", "سد در ماه مه شکست. هیچ‌کس انتظارش را نداشت."),
        ("ar", "انهار السد في مايو. لم يتوقع أحد ذلك."),
        ("es", "La presa se rompió en mayo. ¿Quién lo esperaba?"),
    ],
)
def test_several_sentences_in_a_segment_are_found(language: str, text: str) -> None:
    (found,) = check(["First one.", text, "Last one."], language)
    assert (found.sentence_index, found.kind, len(found.pieces)) == (1, SEVERAL, 2)
    assert "".join("".join(found.pieces).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("en", "The dam broke", "in May."),
        ("en", "The dam was built by Dr.", "Smith in 1950."),
        ("en", "The dam in the U.S.", "broke in May."),
        ("en", "See No.", "5 for details."),
        ("en", "The dam broke in May [3],", "Smith said."),
        ("zh", "大坝在五月决堤，", "没有人料到这一点。"),
        ("ru", "Плотину прорвало", "в мае."),
        ("fa", "سد در ماه مه شکست،", "اما کسی آسیب ندید."),
        ("ar", "انهار السد في مايو،", "ولم يصب أحد."),
        ("es", "La presa construida por el Sr.", "García se rompió."),
    ],
)
def test_halves_of_a_sentence_are_found(language: str, one: str, two: str) -> None:
    assert list(check([one, two], language)) == [(0, HALF, (one, two))]


@pytest.mark.parametrize(
    "texts",
    [
        ("Background", "The dam broke in May."),
        ("## The dam", "it broke in May."),
        ("The causes were:", "heavy rain", "old concrete", "Nobody was hurt."),
        ("- heavy rain", "- old concrete"),
        ("1. heavy rain", "2. old concrete"),
        ("They moved to the U.S.", "Nobody knows why."),
        ("It was World War I.", "Many died."),
        ("It treats Alzheimer's.", "Trials have begun."),
        ('She said: "We won. We are happy."', "They left (as planned. Or not)."),
        ("It fell.", "iPhones sold well."),
        ("What did it do", "iPhones sold well."),
        ("Only one",),
        ("", "x"),
        ("Yes. It did.",),
    ],
)
def test_headings_lists_and_names_are_left_alone(texts: tuple[str, ...]) -> None:
    assert kinds(*texts) == []


@needs_data
@pytest.mark.parametrize("name", ["T1_run_1.jsonl", "T1_run_2.jsonl"])
def test_real_well_cut_runs_have_no_findings_and_merged_ones_do(name: str) -> None:
    lines = (DATA / "ragtime26" / name).read_text(encoding="utf-8").splitlines()
    reports = [[each["text"] for each in json.loads(line)["responses"]] for line in lines]
    assert sum(len(list(check(texts, "en"))) for texts in reports) == 0
    pairs = [
        [" ".join(texts[at : at + 2]) for at in range(0, len(texts) - 1, 2)] for texts in reports
    ]
    num_found = sum(each.kind == SEVERAL for texts in pairs for each in check(texts, "en"))
    assert num_found >= 0.99 * sum(map(len, pairs))
