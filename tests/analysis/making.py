"""Small files of judgments, runs, labels and scores, made up for the tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.tiny_track import write_lines as write_lines

Json = dict[str, Any]

TOPICS = ("t1", "t2", "t3")
RUNS = ("alpha", "beta", "gamma")

_VERDICTS = {"y": "yes", "p": "partial", "n": "no"}


def support(verdict: str, judge: str = "assessor:A1", **changes: Any) -> Json:
    """A judgment on support; a change to `...` takes the key away."""
    good = {
        "topic_id": "t1",
        "kind": "support",
        "sentence": "The old bridge was rebuilt.",
        "doc_id": "d1",
        "verdict": verdict,
        "judge": judge,
    }
    merged = {**good, **changes}
    return {key: value for key, value in merged.items() if value is not ...}


def supports(words: str, judge: str = "assessor:A1", **changes: Any) -> list[Json]:
    """A judgment for each letter (y, p or n), each on a document of its own."""
    return [
        support(_VERDICTS[letter], judge, doc_id=f"d{place}", **changes)
        for place, letter in enumerate(words)
    ]


def label(nugget_id: str, coverage: str | None, bullet: Any, *, first: int = 1) -> Json:
    """A label of a SummHay summary: the assessor's if bullets count from 0."""
    key = "bullet_id" if first else "candidate_id"
    return {"insight_id": nugget_id, "coverage": coverage, key: bullet}


def summary(topic_id: str, run_id: str, annotation: Sequence[Json], **more: Any) -> Json:
    """A summary of a SummHay label file."""
    return {
        "subtopic_id": topic_id,
        "summary_key": run_id,
        "n_bullets": 4,
        "num_words": 100,
        "annotation": list(annotation),
        **more,
    }


_SENTENCES = {
    "alpha": ("The bridge opened in 1921.", "It is 90 metres long, the longest of the valley."),
    "beta": ("Nobody knows who built it.", "It is 90 metres long, the longest of the valley."),
    "gamma": ("It was closed.", "A flood took two of its five arches in the spring of 1954."),
}
_TRUTH = {
    "t1": {"alpha": "yp", "beta": "np", "gamma": "ny"},
    "t2": {"alpha": "yy", "beta": "ny", "gamma": "np"},
    "t3": {"alpha": "yn", "beta": "pn", "gamma": "nn"},
}
_JUDGES = {
    "careful@1": {
        "t1": {"alpha": "yp", "beta": "np", "gamma": "py"},
        "t2": {"alpha": "yy", "beta": "ny", "gamma": "nn"},
        "t3": {"alpha": "yn", "beta": "yn", "gamma": "nn"},
    },
    "generous@2": {
        "t1": {"alpha": "yy", "beta": "yy", "gamma": "py"},
        "t2": {"alpha": "yy", "beta": "yy", "gamma": "yp"},
        "t3": {"alpha": "yp", "beta": "yp", "gamma": "nn"},
    },
}
_PROBS = {"careful@1": {"y": 0.9, "p": 0.4, "n": 0.05}}


def write_example(folder: Path) -> None:
    """Writes a track of three topics and three runs, judged by an assessor and two judges."""
    runs = [
        {
            "metadata": {"team_id": "team", "run_id": run_id, "topic_id": topic_id},
            "responses": [
                {"text": f"{text} ({topic_id})", "citations": [f"{topic_id}-d{place}"]}
                for place, text in enumerate(_SENTENCES[run_id])
            ],
        }
        for run_id in RUNS
        for topic_id in TOPICS
    ]
    for run_id in RUNS:
        mine = [report for report in runs if report["metadata"]["run_id"] == run_id]  # type: ignore[index]
        write_lines(folder / f"{run_id}.jsonl", mine)
    truth = _judgments("assessor:A1", _TRUTH)
    write_lines(folder / "truth.jsonl", truth)
    judged = [line for name, said in _JUDGES.items() for line in _judgments(name, said)]
    write_lines(folder / "judges.jsonl", [*judged[:-1], {**judged[-1], "doc_id": "t3-d9"}])
    _write_labels(folder / "labels.json")
    _write_scores(folder)


def _judgments(judge: str, said: dict[str, dict[str, str]]) -> list[Json]:
    lines = []
    for topic_id, by_run in said.items():
        for run_id, letters in by_run.items():
            for place, letter in enumerate(letters):
                line = support(
                    _VERDICTS[letter],
                    judge,
                    topic_id=topic_id,
                    sentence=f"{_SENTENCES[run_id][place]} ({topic_id})",
                    doc_id=f"{topic_id}-d{place}",
                    prob=_PROBS.get(judge, {}).get(letter, ...),
                )
                lines.append(line)
    return lines


def _write_labels(path: Path) -> None:
    full, part, none = "fully_covered", "partially_covered", "not_covered"
    yes, some, no = "FULL_COVERAGE", "PARTIAL_COVERAGE", "NO_COVERAGE"
    nowhere = "no_selection"
    # Topic, run, words; each nugget with the labels by the assessor and by the judges x and y.
    rows: list[tuple[str, str, int, dict[str, tuple[tuple[str | None, Any], ...]]]] = [
        ("t1", "random_one", 100, {
            "n1": ((full, "0"), (yes, 1), (some, [1, 2])),
            "n2": ((none, nowhere), (some, 3), (no, "NA"))}),
        ("t1", "oracle_two", 60, {
            "n1": ((part, "2"), (some, 3), (no, "NA")),
            "n2": ((full, "3"), (some, 1), (None, 4))}),
        ("t2", "random_one", 140, {
            "n3": ((none, nowhere), (no, "NA"), (yes, 1)),
            "n4": ((part, 1), (some, 2), (some, 2))}),
    ]  # fmt: skip
    summaries = []
    for topic_id, run_id, num_words, nuggets in rows:
        sides = [
            [label(nugget_id, *labels[side], first=min(side, 1))
             for nugget_id, labels in nuggets.items()] for side in range(3)
        ]  # fmt: skip
        more = {"predictions_x": sides[1], "predictions_y": sides[2], "num_words": num_words}
        generator = run_id.partition("_")[2]
        summaries.append(summary(topic_id, run_id, sides[0], generator=generator, **more))
    path.write_text(json.dumps(summaries, indent=1), encoding="utf-8")


def _write_scores(folder: Path) -> None:
    """Writes scores of four runs: those of the judge as trec_eval does, those of the truth with a
    header."""
    mine = {"alpha": (0.9, 0.8, 0.7), "beta": (0.5, 0.6, 0.5), "gamma": (0.6, 0.4, 0.2),
            "delta": (0.1, 0.2, 0.1)}  # fmt: skip
    right = {"alpha": (0.8, 0.9, 0.8), "beta": (0.4, 0.5, 0.6), "gamma": (0.3, 0.2, 0.1),
             "delta": (0.2, 0.1, 0.1)}  # fmt: skip
    rows = ["run_id\ttopic_id\tmeasure\tvalue\n"]
    for run_id, values in mine.items():
        lines = [
            f"argue_f1\t{topic}\t{value}\n" for topic, value in zip(TOPICS, values, strict=True)
        ]
        lines += [f"runid\tall\t{run_id}\n", f"argue_f1\tall\t{sum(values) / 3:.4f}\n"]
        (folder / f"{run_id}.scores.txt").write_text("".join(lines), encoding="utf-8")
        rows += [
            f"{run_id}\t{topic}\targue_f1\t{value}\n"
            for topic, value in zip(TOPICS, right[run_id], strict=True)
        ]
    (folder / "truth.tsv").write_text("".join(rows), encoding="utf-8")
