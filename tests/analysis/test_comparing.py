"""``compare`` and its Python interface: what is compared, what is refused, what is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import argue_eval as package
from argue_eval.analysis.comparing import ComparisonOptions, compare
from tests.cli.conftest import Command
from tests.tiny_track import Files

Values = Mapping[str, Sequence[float | None]]
Write = Callable[..., str]

FOUR: Values = {
    "low": [0.1, 0.2, 0.1, 0.3, 0.2, 0.1],
    "top": [0.9, 0.8, 0.9, 1.0, 0.7, 0.8],
    "good": [0.8, 0.9, 0.8, 0.9, 0.8, 0.7],
    "high": [0.6, 0.7, 0.5, 0.6, 0.7, 0.6],
}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a score file with a value for each run and topic."""
    monkeypatch.chdir(tmp_path)

    def to_file(values: Values, measure: str = "quality", name: str = "scores.tsv") -> str:
        return _write(Path(name), values, measure)

    return to_file


def _write(path: Path, values: Values, measure: str = "quality") -> str:
    rows = [
        f"{run_id}\tt{number}\t{measure}\t{value}\n"
        for run_id, of_run in values.items()
        for number, value in enumerate(of_run)
        if value is not None
    ]
    path.write_text("run_id\ttopic_id\tmeasure\tvalue\n" + "".join(rows), encoding="utf-8")
    return str(path)


@pytest.fixture
def compared(argue_eval: Command) -> Callable[..., Any]:
    """What the command prints with --json."""
    return lambda command: argue_eval(f"compare {command} --json").json


def test_systems_are_ranked_with_groups_and_the_ranks_that_tests_allow(
    write: Write, compared: Callable[..., Any]
) -> None:
    found = compared(write(FOUR))
    rows = [
        (each["run_id"], each["rank"], each["ranks"], each["groups"]) for each in found["systems"]
    ]
    assert rows == [
        ("top", 1, [1, 2], [1, 1]),
        ("good", 2, [1, 2], [1, 1]),
        ("high", 3, [3, 3], [2, 2]),
        ("low", 4, [4, 4], [3, 3]),
    ]
    assert found["systems"][0]["mean"] == pytest.approx(5.1 / 6)
    assert found["systems"][0]["lower"] < 0.85 < found["systems"][0]["upper"]


def test_a_pair_says_all_that_a_decision_needs(write: Write, compared: Callable[..., Any]) -> None:
    pairs = compared(write(FOUR))["pairs"]
    assert [(each["first"], each["second"]) for each in pairs] == list(
        combinations(["top", "good", "high", "low"], 2)
    )
    first = pairs[0]
    assert (first["won"], first["tied"], first["lost"]) == (4, 0, 2)
    assert first["difference"] == pytest.approx(0.2 / 6)
    assert first["p_value"] == first["adjusted_p_value"] == pytest.approx(0.4650, abs=1e-4)
    assert first["topics_needed"] == 78
    least = min(pairs, key=lambda each: each["p_value"])
    assert least["adjusted_p_value"] == pytest.approx(6 * least["p_value"])


def test_with_a_baseline_only_its_pairs_are_tested(
    write: Write, compared: Callable[..., Any]
) -> None:
    found = compared(f"{write(FOUR)} --baseline high")
    assert [(each["first"], each["second"]) for each in found["pairs"]] == [
        ("top", "high"), ("good", "high"), ("high", "low")
    ]  # fmt: skip
    assert {each["ranks"] for each in found["systems"]} == {None}


@pytest.mark.parametrize("test", ["t", "randomization", "wilcoxon"])
@pytest.mark.parametrize("interval", ["bca", "studentized", "normal"])
@pytest.mark.parametrize("correction", ["holm", "bh", "none"])
def test_every_option_is_computed_and_named(
    write: Write, argue_eval: Command, test: str, interval: str, correction: str
) -> None:
    options = f"--test {test} --interval {interval} --correction {correction} --resamples 200"
    ran = argue_eval(f"compare {write(FOUR)} {options}")
    assert ran.code == 0
    assert "top" in ran.out.splitlines()[6]
    document = argue_eval(f"compare scores.tsv {options} --json").json
    assert (document["test"], document["interval"], document["correction"]) == (
        test, interval, correction
    )  # fmt: skip
    assert all(0 <= each["p_value"] <= each["adjusted_p_value"] <= 1 for each in document["pairs"])


def test_the_same_files_give_the_same_bytes(write: Write, argue_eval: Command) -> None:
    name = write(FOUR)
    first, second = (argue_eval(f"compare {name} --test randomization --json") for _ in range(2))
    assert first.out == second.out


def test_many_runs_are_shown_as_a_matrix(write: Write, argue_eval: Command) -> None:
    values = {f"r{place:02}": [place / 20 + topic / 100 * (-1) ** (place + topic) for topic in
              range(6)] for place in range(12)}  # fmt: skip
    lines = argue_eval(f"compare {write(values)}").out.splitlines()
    row = next(line for line in lines if line.startswith("1 r11"))
    assert row.split()[2:] == [".", *">" * 10] or row.split()[2:] == [">"] * 11
    assert "all 66 pairs: --json, or --baseline RUN" in lines


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"a": [0.5] * 4, "b": [0.5] * 4}, "0.5000  [0.5000, 0.5000]     1    1-2      1"),
        ({"a": [0.5], "b": [0.2]}, "note: there is only one topic: no interval and no test"),
        ({"a": [0.1, 0.3], "b": [0.0, 0.2]}, "note: 2 topics are few: intervals and tests are"),
    ],
    ids=["constant and tied", "one topic", "few topics"],
)
def test_poor_data_has_a_defined_outcome(
    write: Write, argue_eval: Command, values: Values, said: str
) -> None:
    ran = argue_eval(f"compare {write(values)}")
    assert (ran.code, ran.err) == (0, "")
    assert said in ran.out


@pytest.mark.parametrize(
    ("values", "code", "said", "fix"),
    [
        (
            {"a": [0.1, 0.2], "b": [0.3, None]},
            "different_topics",
            "b has no quality for 1 of 2 topics: t1",
            "--force compares two runs over the topics that both have",
        ),
        ({"a": [0.1, float("nan")], "b": [0.1, 0.2]}, "wrong_type", "found 'nan'", "leave it out"),
    ],
)
def test_what_cannot_be_compared_honestly_is_refused(
    write: Write, argue_eval: Command, values: Values, code: str, said: str, fix: str
) -> None:
    ran = argue_eval(f"compare {write(values)}")
    assert (ran.code, ran.out) == (1, "")
    assert f"[{code}]" in ran.err
    assert said in ran.err
    assert fix in ran.err


def test_forced_pairs_use_the_topics_that_both_have(
    write: Write, compared: Callable[..., Any]
) -> None:
    found = compared(f"{write({'a': [0.9, 0.8, 0.4], 'b': [0.3, None, 0.2]})} --force")
    assert found["notes"][0] == "b has no quality for 1 of 3 topics: t1"
    (pair,) = found["pairs"]
    assert (pair["num_topics"], pair["won"]) == (2, 2)
    assert pair["difference"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("command", "exit_code", "said"),
    [
        ("scores.tsv -m qualty", 2, "Did you mean 'quality'?"),
        ("scores.tsv --baseline goood", 2, "Did you mean 'good'?"),
        ("scores.tsv --test fisher", 2, "Choices: randomization, t, wilcoxon"),
        ("scores.tsv --level 5", 2, "--level: expected a number between 0 and 1, found 5.0"),
        ("scores.tsv --population 3", 2, "--population: there are 6 topics, found 3"),
        ("scores.tsv --resamples 1", 2, "--resamples: expected a number from 100 to 1,000,000"),
        ("averages.tsv", 2, "name folders of score -o, or files of score -q"),
        ("one.tsv", 2, "expected the scores of two or more runs, found a"),
        ("scores.tsv copy.tsv", 1, "copy.tsv: error [duplicate_run] the run 'low' is in scores"),
        (".", 1, "name a folder that argue-eval score -o wrote, or the score files"),
        ("missing.tsv", 3, "missing.tsv"),
    ],
)
def test_mistake_is_explained(
    write: Write, argue_eval: Command, command: str, exit_code: int, said: str
) -> None:
    write(FOUR)
    write(FOUR, name="copy.tsv")
    write({"a": [0.1]}, name="one.tsv")
    Path("averages.tsv").write_text("run_id\tquality\na\t0.5\nb\t0.4\n")
    ran = argue_eval(f"compare {command}")
    assert (ran.code, ran.out) == (exit_code, "")
    assert said in ran.err


def test_hostile_names_do_no_harm(write: Write, argue_eval: Command) -> None:
    name = write({"a\x1b[2J": [0.1, 0.2], "<b>|": [0.3, 0.4]})
    assert argue_eval(f"compare {name}").code == 0  # which prints no control character
    assert "&lt;b&gt;\\|" in argue_eval(f"compare {name} --format markdown").out


def test_folders_of_scores_are_compared_if_they_were_made_in_one_way(
    files: Files, argue_eval: Command, compared: Callable[..., Any]
) -> None:
    score = f"score {files.alpha} {files.beta} {files.qrels} --judgments {files.judgments}"
    assert argue_eval(f"{score} --allow-unjudged -o one").code == 0
    assert argue_eval(f"{score} --allow-unjudged --citations any -o two").code == 0
    found = compared("one -m nugget_recall")
    assert [each["run_id"] for each in found["systems"]] == ["alpha", "beta"]
    mixed = "one/alpha.auto_argue.tsv two/beta.auto_argue.tsv -m nugget_recall"
    ran = argue_eval(f"compare {mixed}")
    assert ran.code == 1
    assert "[different_signatures]" in ran.err
    assert "citations: all or any" in ran.err
    assert any("citations: all or any" in note for note in compared(f"{mixed} --force")["notes"])


def test_values_that_depend_on_missing_judgments_are_not_compared_in_silence(
    files: Files, argue_eval: Command, compared: Callable[..., Any]
) -> None:
    score = f"score {files.alpha} {files.beta} {files.qrels} --judge none --allow-unjudged"
    Path("some.jsonl").write_text(
        "".join(Path(files.judgments).read_text().splitlines(keepends=True)[::2])
    )
    assert argue_eval(f"{score} --judgments some.jsonl -o out").code == 0
    ran = argue_eval("compare out -m nugget_recall")
    assert (ran.code, ran.out) == (1, "")
    assert "[unjudged_values]" in ran.err
    assert "or score again with --judged-only" in ran.err
    assert argue_eval(f"{score} -o none").code == 0
    ran = argue_eval("compare none -m nugget_recall --force")
    assert (ran.code, ran.out) == (1, "")
    assert "fix: judge what is missing (argue-eval judge)" in ran.err
    assert "--force" not in ran.err  # which leaves less than two runs
    assert argue_eval(f"{score} --judgments some.jsonl --judged-only -o judged").code == 0
    notes = " ".join(compared("judged -m nugget_recall --force")["notes"])
    assert "left out: 1 run without 1 value of nugget_recall" in notes  # nothing of it is judged
    assert "judged alone, which is no fair sample" in notes


def test_scores_in_memory_are_compared_like_their_files(
    files: Files, argue_eval: Command, compared: Callable[..., Any]
) -> None:
    given_files = [files.alpha, files.beta], files.qrels
    scores = package.score(*given_files, judgments=files.judgments)
    found = package.compare(scores, "nugget_recall")
    assert repr(found) == "<SystemComparison of 2 runs by nugget_recall>"
    run = f"score {files.alpha} {files.beta} {files.qrels} --judgments {files.judgments}"
    argue_eval(f"{run} --allow-unjudged -o out")
    (pair,) = compared("out -m nugget_recall")["pairs"]
    (mine,) = found.pairs()
    assert mine.difference.value == pytest.approx(pair["difference"], abs=1e-12)
    assert found.differs("alpha", "beta") is (pair["adjusted_p_value"] <= 0.05)


@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=8, max_size=8),
        min_size=2, max_size=9,
    )
)  # fmt: skip
def test_groups_and_ranks_follow_from_the_pairs(
    tmp_path_factory: pytest.TempPathFactory, values: list[list[float]]
) -> None:
    path = tmp_path_factory.mktemp("groups") / "scores.tsv"
    name = _write(path, {f"r{place}": each for place, each in enumerate(values)})
    found = compare(name, options=ComparisonOptions(num_resamples=100, interval="normal"))
    systems = list(found.systems())
    for number, each in enumerate(systems):
        others = [other for other in systems if other is not each]
        apart = [other for other in others if found.differs(each.run_id, other.run_id)]
        assert each.ranks
        assert each.groups
        assert each.ranks[0] == 1 + sum(other.rank < each.rank for other in apart)
        assert each.ranks[1] == len(systems) - sum(other.rank > each.rank for other in apart)
        assert each.ranks[0] <= each.rank <= each.ranks[1]
        for after in systems[number + 1 :]:
            assert after.groups
            is_shared = after.groups[0] <= each.groups[1]
            between = systems[number : systems.index(after) + 1]
            pairs = combinations(between, 2)
            assert is_shared is not any(found.differs(a.run_id, b.run_id) for a, b in pairs)
