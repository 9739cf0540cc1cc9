"""The collector of findings, and the words that messages share."""

from __future__ import annotations

import pytest

from argue_eval.errors import VERY_CLOSE, Finding, Findings, InputError, Severity, nearest, some


def test_a_finding_about_a_topic_is_located_where_the_topic_stands() -> None:
    findings = Findings("all.jsonl", places={"t1": "a:b.jsonl:3", "t2": "folder"})
    for topic_id in ("t1", "t2", "t3"):
        findings.warn("odd", "it is odd", topic_id=topic_id)
    findings.error("wrong", "it is wrong", file="other.jsonl", line=7, topic_id="t1")
    assert [(each.file, each.line) for each in findings] == [
        ("a:b.jsonl", 3),
        ("folder", None),
        ("all.jsonl", None),
        ("other.jsonl", 7),
    ]
    assert findings.counts == {(Severity.WARNING, "odd"): 3, (Severity.ERROR, "wrong"): 1}
    with pytest.raises(InputError, match=r"^other.jsonl:7: error \[wrong\] it is wrong$"):
        findings.raise_errors()


def test_codes_may_be_ignored_or_have_a_severity_of_their_own() -> None:
    findings = Findings(severities={"off": None, "mild": Severity.WARNING})
    for code in ("off", "mild", "other"):
        findings.error(code, "m")
    assert [(each.code, each.severity.value) for each in findings] == [
        ("mild", "warning"),
        ("other", "error"),
    ]


def test_many_findings_of_a_code_are_counted_and_summed_up() -> None:
    kept: list[Finding] = []
    findings = Findings("f", listed=kept, max_listed=2)
    for number in range(1500):
        findings.warn("many", f"number {number}")
        findings.warn("same", "it is odd", once=True)
    assert findings.counts.total() == 3000
    findings.sum_up()
    assert [each.message for each in kept] == [
        "number 0",
        "it is odd (and 1,499 more like this)",
        "number 1",
        "1,498 more warnings of this kind are not listed",
    ]
    findings.raise_errors()


def test_only_names_that_could_be_misread_are_quoted() -> None:
    assert some(["d1", "", "a, b", "\x1b[1m", "x" * 70]) == (
        f"d1, '', 'a, b', '\\x1b[1m', '{'x' * 58}…"
    )


def test_ids_that_differ_in_one_digit_are_not_near() -> None:
    assert nearest("2001", ["2002"]) == "2002"
    assert nearest("2001", ["2002"], VERY_CLOSE) == ""
    assert nearest("ragtime62", ["ragtime26", "rag25"], VERY_CLOSE) == "ragtime26"
