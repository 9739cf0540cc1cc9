"""Mistakes in metadata and topics."""

from __future__ import annotations

from typing import Any

from argue_eval.errors import Finding
from tests.mistakes.editing import Json, Mistake, Place, RunFile, in_report
from tests.mistakes.following import Text, edited


def _set(key: str, value: Any) -> Any:
    def change(report: Json) -> str:
        report["metadata"][key] = value
        return f"$.metadata.{key}"

    return in_report(change)


def _without(key: str, *instead: Any) -> Any:
    def change(report: Json) -> str:
        del report["metadata"][key]
        report["metadata"].update((key, each) for each in instead)
        return "$.metadata"

    return in_report(change)


def _run_id(run_id: str) -> Any:
    def spoil(run: RunFile) -> tuple[bytes, Place]:
        for number in range(1, len(run) + 1):
            report = run.report(number)
            report["metadata"]["run_id"] = run_id
            run.write(report, number)
        return run.raw, Place(1, "$.metadata.run_id")

    return spoil


def _as_expected(raw: bytes, finding: Finding) -> bytes:
    return edited(Text.put, finding.expected.strip("'"))(raw, finding)


def _key_misspelt(report: Json) -> str:
    report["metadata"]["runid"] = report["metadata"].pop("run_id")
    return "$.metadata"


def _left_out(run: RunFile) -> tuple[bytes, Place]:
    run.replace()
    return run.raw, Place(None)


def _add_report(raw: bytes, finding: Finding) -> bytes:
    run = RunFile(raw)
    report = run.report(1)
    report["metadata"]["topic_id"] = finding.topic_id
    report["responses"] = report["responses"][:-1]
    run.append(report)
    return run.raw


def _twice(run: RunFile) -> tuple[bytes, Place]:
    run.append(run.report())
    return run.raw, Place(len(run), "$.metadata.topic_id")


def _extra(run: RunFile) -> tuple[bytes, Place]:
    report = run.report()
    report["metadata"]["topic_id"] = "example-topic"
    report["responses"] = report["responses"][:-1]
    run.append(report)
    return run.raw, Place(len(run), "$.metadata.topic_id")


# fmt: off
MISTAKES = [
    Mistake("another run id on one line", "run_id_differs", _set("run_id", "T1-old"),
            "the run id is 'T1-old', before it was", "the same run id in every report",
            mend=_as_expected),
    Mistake("a run id that is too long", "run_id_length",
            _run_id("T1-end-to-end-one-model-translation"), "has 35 characters, 20 are allowed",
            "shorten it, such as to 'T1-end-to-end-one-mo'"),
    Mistake("a run id that is too long and has spaces", "run_id_length",
            _run_id("Système d'été: 1re exécution"), "has 28 characters, 20 are allowed",
            "such as to 'Systeme-d-ete-1re-ex'", also=frozenset({"run_id_alphabet"})),
    Mistake("a run id with a space", "run_id_alphabet", _run_id("T1 e2e omt"), "has ' '",
            "such as 'T1-e2e-omt'"),
    Mistake("a run id that starts with a full stop", "run_id_alphabet", _run_id(".T1-e2e-omt"),
            "starts with a full stop", "such as 'T1-e2e-omt'"),
    Mistake("a run id without a letter of ASCII", "run_id_alphabet", _run_id("実行"), "has",
            "such as 'run-1'"),
    Mistake("a run id that is null", "metadata", _without("run_id", None),
            "metadata.run_id is null", "write a value for 'run_id'"),
    Mistake("no team", "metadata", _without("team_id"), "metadata.team_id is missing",
            "add 'team_id'"),
    Mistake("the key of the run id misspelt", "metadata", in_report(_key_misspelt),
            "metadata.run_id is missing", "rename 'runid' to 'run_id'"),
    Mistake("no description of the run", "metadata_recommended", _without("run_desc"),
            "metadata.run_desc is missing", "add 'run_desc'", is_error=False),
    Mistake("a topic id without quotes", "wrong_type", _set("topic_id", 2017),
            "expected a topic id, found the number 2017", 'put it in quotes: "2017"'),
    Mistake("a topic left out", "missing_topics", _left_out, "'2017' has no report",
            "add a report for it", mend=_add_report),
    Mistake("a topic twice", "duplicate_topics", _twice, "has a report already, on line 18",
            "keep one of the two reports", is_error=False),
    Mistake("an extra topic", "new_topics", _extra,
            "the topic 'example-topic' is not in the request file", "remove the report"),
    Mistake("a topic id as a spreadsheet writes it", "new_topics", _set("topic_id", "2017.0"),
            "the topic '2017.0' is not in the request file", "is '2017' meant?"),
    Mistake("a letter in place of a digit in a topic id", "new_topics", _set("topic_id", "2O17"),
            "the topic '2O17' is not in the request file", "is '2017' meant?"),
]
# fmt: on
