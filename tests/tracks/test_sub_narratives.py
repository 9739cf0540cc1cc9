"""RAG 2025 nuggets: importance, and the part of the narrative to which each is mapped."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from argue_eval import formats
from tests.cli.conftest import Command
from tests.formats.reading import DATA, needs_data
from tests.tracks.files import Break, Json, at, lines, scores

SUB_NARRATIVES = {
    "t1": [("A1", "vital", '"How safe is it?"', "s"), ("A2", "okay", "New: How safe is it?", "n"),
           ("B1", "okay", 'New: "What  does it cost?"', "p"), ("C1", "vital", "Waste", "n")],
    "t2": [("D1", "vital", "Waste", "s"), ("E1", "okay", '"Laws"', "s"), ("E2", "okay", "", "n")],
    "t3": [("F1", "vital", "Laws", "n")],
}  # fmt: skip
VERDICTS = {"s": "yes", "p": "partial", "n": "no"}
WITHOUT_T3 = ("t1", "t2")


def bank() -> list[Json]:
    return [
        {"qid": topic, "nuggets": [
            {"text": text, "mapped_sub_narrative": about, "importance": matters, "source": "s"}
            for text, matters, about, _ in nuggets]}
        for topic, nuggets in SUB_NARRATIVES.items()
    ]  # fmt: skip


def track(folder: Path) -> str:
    """A run that has no report for the third topic, judged; returns the command."""
    reports = [
        {"metadata": {"run_id": "r", "narrative_id": topic, "team_id": "x"}, "references": [],
         "answer": [{"text": f"On {topic}.", "citations": []}]} for topic in WITHOUT_T3
    ]  # fmt: skip
    judged = [
        {"topic_id": topic, "kind": "covers", "run_id": "r", "nugget_id": f"n{place}",
         "verdict": VERDICTS[said], "judge": "assessor:A1"}
        for topic in WITHOUT_T3
        for place, (_, _, _, said) in enumerate(SUB_NARRATIVES[topic], 1)
    ]  # fmt: skip
    paths = [
        lines(folder, f"{name}.jsonl", values)
        for name, values in (("run", reports), ("nuggets", bank()), ("judged", judged))
    ]
    return (
        f"score {paths[0]} {paths[1]} --protocol nuggetizer --judgments {paths[2]} --judge none "
        "-q --format json"
    )


def test_the_share_of_sub_narratives_covered_is_computed_by_name(
    argue_eval: Command, tmp_path: Path
) -> None:
    command = track(tmp_path)
    # t1: safety of safety, cost, waste; t2: waste and laws of these; t3: no report
    found = scores(argue_eval(f"{command} -m sub_narrative_coverage").out)
    assert found["r"]["sub_narrative_coverage"][0] == pytest.approx((1 / 3 + 2 / 2 + 0) / 3)
    assert "sub_narrative_coverage" not in scores(argue_eval(command).out)["r"]


def test_an_unjudged_nugget_leaves_its_sub_narrative_open_unless_another_covers_it(
    argue_eval: Command, tmp_path: Path
) -> None:
    command = track(tmp_path)
    path = tmp_path / "judged.jsonl"
    kept = [each for each in path.read_text().splitlines() if not _is_of(each, "t1", "n2", "n4")]
    path.write_text("\n".join(kept))
    ran = argue_eval(f"{command} -m sub_narrative_coverage")
    assert ran.code == 4
    low, high = (1 / 3 + 1) / 3, (2 / 3 + 1) / 3
    value, lower, upper = scores(ran.out)["r"]["sub_narrative_coverage"]
    assert value is None
    assert (lower, upper) == pytest.approx((low, high))


def _is_of(raw: str, topic_id: str, *nugget_ids: str) -> bool:
    value = json.loads(raw)
    return value["topic_id"] == topic_id and value["nugget_id"] in nugget_ids


def test_averages_over_sub_narratives_count_each_once_and_leave_out_what_none_can_earn(
    argue_eval: Command, tmp_path: Path
) -> None:
    command = track(tmp_path)
    (found,) = scores(argue_eval(f"{command} --by mapped_sub_narrative").out).values()
    value = {name: each[0] for name, each in found.items()}
    key = "mapped_sub_narrative"
    # All six: safety 1/2, cost 1/4 ... in the order of t1, t2, t3.
    all_scores = [1 / 2, 0.5 / 1, 0 / 1, 1 / 1, 1 / 1, 0]
    assert value[f"all_score[{key}]"] == pytest.approx(sum(all_scores) / 6)
    # Vital nuggets are in safety (t1), waste (t1, t2) and laws (t3) alone.
    assert value[f"strict_vital_score[{key}]"] == pytest.approx((1 + 0 + 1 + 0) / 4)
    assert value[f"all_score[{key}=Waste]"] == pytest.approx((0 + 1) / 2)
    assert value[f"all_score[{key}=Laws]"] == pytest.approx((1 + 0) / 2)
    assert f"all_score[{key}=How_safe_is_it?]" not in value  # one topic alone has it
    assert value[f"vital_score[{key}=Laws]"] == pytest.approx(0)  # of t3, which has no report
    assert not [name for name in value if "New" in name or '"' in name]


def test_a_key_of_nuggets_is_refused_where_nuggets_are_not_graded_one_by_one(
    argue_eval: Command, tmp_path: Path
) -> None:
    command = track(tmp_path).replace("nuggetizer", "argue")
    ran = argue_eval(f"{command} --attestation any-document --by mapped_sub_narrative")
    assert ran.code == 2
    assert "dragun, nuggetizer and rubrics" in ran.err
    ran = argue_eval(f"{track(tmp_path)} --by mapped_subnarrative")
    assert ran.code == 2
    assert "Did you mean 'mapped_sub_narrative'?" in ran.err


def test_ingest_finds_stray_quotes_and_writes_clean_names(
    argue_eval: Command, tmp_path: Path
) -> None:
    path, out = lines(tmp_path, "nuggets.jsonl", bank()), tmp_path / "q.json"
    ran = argue_eval("ingest", "qrels", path, "-o", str(out), "--json")
    assert ran.code == 0, ran.err
    found = {each["code"]: each for each in json.loads(ran.out)["findings"]}
    assert found["stray_quotes"]["line"] == 1
    assert "'How safe is it?'" in found["stray_quotes"]["message"]
    assert found["blank_text"]["line"] == 2
    nuggets = [each for topic in formats.read_nuggets(str(out)) for each in topic.nuggets]
    assert [each.extra.get("mapped_sub_narrative") for each in nuggets] == [
        "How safe is it?", "How safe is it?", "What does it cost?", "Waste",
        "Waste", "Laws", None, "Laws",
    ]  # fmt: skip


def _nugget(line: int, place: int, **changes: Any) -> Any:
    return at(line, "nuggets", place, **changes)


def _topic(line: int, value: Any) -> Any:
    return lambda values: [*values[:line], value, *values[line + 1 :]]


BROKEN = [
    Break("a list of names", _nugget(0, 1, mapped_sub_narrative=["Waste"]), "wrong_type", 1,
          "$.nuggets[1].mapped_sub_narrative: expected the text of a sub-narrative"),
    Break("a number", _nugget(2, 0, mapped_sub_narrative=3), "wrong_type", 3, "expected the text"),
    Break("an object", _nugget(1, 0, mapped_sub_narrative={}), "wrong_type", 2, "the text"),
    Break("no text", _nugget(1, 0, text=...), "missing_key", 2, "'text'"),
    Break("text is null", _nugget(1, 0, text=None), "wrong_type", 2, "$.nuggets[0].text"),
    Break("blank text", _nugget(1, 0, text="\t"), "blank_text", 2, "$.nuggets[0].text"),
    Break("text is a list", _nugget(0, 2, text=["B1"]), "wrong_type", 1, "$.nuggets[2].text"),
    Break("importance is a list", _nugget(0, 2, importance=["vital"]), "wrong_type", 1,
          "'vital' or 'okay'"),
    Break("no qid", _topic(1, {"nuggets": []}), "missing_key", 2, "'qid'"),
    Break("empty qid", _topic(1, {"qid": "", "nuggets": []}), "empty_id", 2, "$.qid"),
    Break("qid of two words", _topic(1, {"qid": "t\n2", "nuggets": []}), "bad_id", 2, "$.qid"),
    Break("nuggets are texts", _topic(1, {"qid": "t2", "nuggets": ["D1"]}), "wrong_type", 2,
          "$.nuggets[0]"),
    Break("nuggets are missing", _topic(2, {"qid": "t3"}), "missing_key", 3, "'nuggets'"),
    Break("a topic twice", _topic(2, {"qid": "t1", "nuggets": []}), "duplicate_topic", 3, "'t1'"),
    Break("two objects on a line", _topic(1, '{"qid": "a"} {"qid": "b"}'), "run_together", 2, ""),
    Break("not a number", _topic(1, '{"qid": "t2", "nuggets": NaN}'), "not_a_number", 2, "NaN"),
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.name)
def test_broken_nuggets_are_refused_with_place_and_reason(
    argue_eval: Command, tmp_path: Path, broken: Break
) -> None:
    path = broken.write(tmp_path, bank())
    broken.check(argue_eval, tmp_path, f"convert {path} --to canonical")


@needs_data
def test_the_released_nuggets_and_topics_are_read_converted_and_scored(
    argue_eval: Command, tmp_path: Path
) -> None:
    nuggets, topics = (
        str(DATA / "rag25" / name)
        for name in ("rag25-dev-nuggets.jsonl.gz", "rag25-topics-dev.tsv")
    )
    read = formats.read_nuggets(nuggets)
    asked = formats.read_topics(topics)
    assert {each.topic_id for each in read} <= {each.topic_id for each in asked}
    assert sum(len(each.nuggets) for each in read) == 1255
    out = str(tmp_path / "q.json.gz")
    assert argue_eval("convert", nuggets, "--to", "canonical", "-o", out).code == 0
    with gzip.open(out, "rt", encoding="utf-8") as stream:
        first = json.load(stream)["topics"][0]["nuggets"][0]
    assert first["mapped_sub_narrative"] == "Key advantages of nuclear energy"
    report = {
        "metadata": {"run_id": "r", "narrative_id": read[0].topic_id, "team_id": "x"},
        "references": [],
        "answer": [
            {"text": each.answers[0].answer, "citations": []} for each in read[0].nuggets[:20]
        ],
    }
    run = lines(tmp_path, "run.jsonl", [report])
    command = f"score {run} {nuggets} --protocol nuggetizer --only-answered -q --format json"
    ran = argue_eval(f"{command} -m nuggetizer,sub_narrative_coverage --by mapped_sub_narrative")
    (found,) = scores(ran.out).values()
    assert found["strict_all_score"][0] >= 20 / len(read[0].nuggets)  # type: ignore[operator]
    assert 0 < found["sub_narrative_coverage"][0] <= 1  # type: ignore[operator]
