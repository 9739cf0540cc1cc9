"""Averages over groups of topics: ``--by``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import argue_eval as ae
from argue_eval.errors import UsageError
from argue_eval.evaluation.groups import groups_of
from argue_eval.records import ReportRequest, TopicNuggets
from tests.cli.conftest import Command
from tests.making import nugget
from tests.tiny_track import lines


def requests(**domains: Any) -> list[ReportRequest]:
    return [ReportRequest(each, extra={"domain": domain}) for each, domain in domains.items()]


def test_topics_are_grouped_by_value_in_the_order_of_the_labels() -> None:
    asked = requests(t1="law", t2="film", t3="law")
    found = groups_of(["domain"], ["t1", "t2", "t3"], asked, [])
    assert found == {"domain=film": ("t2",), "domain=law": ("t1", "t3")}
    assert list(found) == ["domain=film", "domain=law"]


def test_the_requests_go_before_the_nuggets_which_fill_what_they_leave_open() -> None:
    nuggets = [TopicNuggets(each, extra={"domain": "law", "level": 3}) for each in ("t1", "t2")]
    found = groups_of(["domain", "level"], ["t1", "t2"], requests(t1="film"), nuggets)
    assert found == {"domain=film": ("t1",), "domain=law": ("t2",), "level=3": ("t1", "t2")}


def test_a_topic_without_the_key_is_in_the_group_none_and_one_with_a_list_in_several() -> None:
    asked = [ReportRequest("t1"), *requests(t2=["law", "film", "law"], t3=None, t4=[])]
    found = groups_of(["domain"], ["t1", "t2", "t3", "t4"], asked, [])
    assert found == {
        "domain=film": ("t2",), "domain=law": ("t2",), "domain=none": ("t1", "t3", "t4")
    }  # fmt: skip


def test_the_language_of_a_request_is_a_key() -> None:
    asked = [ReportRequest("t1", language="es"), ReportRequest("t2", language="fa")]
    assert set(groups_of(["language"], ["t1", "t2"], asked, [])) == {"language=es", "language=fa"}


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("social science", "domain=social_science"),
        ("a\tb\nall", "domain=a_b_all"),
        ("\x1b[1mx]=", "domain=__1mx__"),
        (" ", "domain=none"),
        (1.5, "domain=1.5"),
        (True, "domain=True"),
    ],
)
def test_no_value_breaks_a_line_or_a_name(value: Any, label: str) -> None:
    assert list(groups_of(["domain"], ["t1"], requests(t1=value), [])) == [label]


def test_an_unknown_key_lists_those_that_there_are() -> None:
    with pytest.raises(UsageError, match=r"unknown key in --by 'domian'.*'domain'"):
        groups_of(["domian"], ["t1"], requests(t1="law"), [])
    with pytest.raises(UsageError, match="neither the requests nor the nuggets say more"):
        groups_of(["domain"], ["t1"], [ReportRequest("t1")], [])


def test_a_value_that_is_an_object_is_refused() -> None:
    with pytest.raises(UsageError, match="expected texts or numbers, found dict in topic t1"):
        groups_of(["domain"], ["t1"], requests(t1={"a": 1}), [])


def write(folder: Path) -> str:
    """Three topics in two domains, one of them without a report; returns the command."""
    claims = {
        topic: tuple(nugget(f"{topic}-k{n}", (f"claim {n}", []), question=None) for n in (1, 2))
        for topic in ("t1", "t2", "t3")
    }
    ae.write_nuggets([TopicNuggets(*each) for each in claims.items()], folder / "points.json")
    reports = [ae.Report(topic, "r", (ae.Sentence("A claim."),)) for topic in ("t1", "t2")]
    ae.write_run(reports, folder / "run.jsonl")
    judged = [
        {"topic_id": topic, "kind": "covers", "run_id": "r", "nugget_id": f"{topic}-k{n}",
         "verdict": verdict, "judge": "assessor:A1"}
        for topic, n, verdict in (
            ("t1", 1, "yes"), ("t1", 2, "yes"), ("t2", 1, "yes"), ("t2", 2, "partial"))
    ]  # fmt: skip
    asked = [
        {"topic_id": topic, "title": "T", "domain": domain}
        for topic, domain in (("t1", "law"), ("t2", "law"), ("t3", "film"))
    ]
    (folder / "judgments.jsonl").write_text(lines(judged))
    (folder / "requests.jsonl").write_text(lines(asked))
    return (
        "score run.jsonl points.json --protocol key-points -m kpr --judge none "
        "--judgments judgments.jsonl --requests requests.jsonl --by domain"
    )


def test_every_measure_is_averaged_over_each_group_a_missing_report_is_zero(
    argue_eval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = argue_eval(write(tmp_path))
    assert ran.code == 0, ran.err
    found = {name: ran.value(name) for name in (
        "kpr", "num_q[domain=film]", "kpr[domain=film]", "num_q[domain=law]", "kpr[domain=law]"
    )}  # fmt: skip
    assert found == {
        "kpr": "0.5000",
        "num_q[domain=film]": "1",
        "kpr[domain=film]": "0.0000",
        "num_q[domain=law]": "2",
        "kpr[domain=law]": "0.7500",
    }


def test_groups_stand_in_every_view(
    argue_eval: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = write(tmp_path)
    for view in ("ir_measures", "auto_argue", "csv", "json", "markdown"):
        ran = argue_eval(f"{command} --format {view}")
        label = r"kpr\[domain=law\]" if view == "markdown" else "kpr[domain=law]"
        assert label in ran.out, view
