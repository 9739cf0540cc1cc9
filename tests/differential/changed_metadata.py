"""Mutations of the metadata and of the topics."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

from tests.differential.changes import Fits, Mutation, Mutations, drop
from tests.differential.runs import Form, Run

MUTATIONS = Mutations()


def of_key(key: str, value: Any) -> list[Mutation]:
    """Returns the mutations of a key that only some tracks have."""
    missing = Mutation(f"{key}_missing", partial(_drop, key))
    blank = Mutation(f"{key}_blank", partial(_blank, key))
    return [missing, blank] if isinstance(value, str) else [missing]


def _drop(key: str, run: Run) -> None:
    drop(run.meta, key)


def _blank(key: str, run: Run) -> None:
    run.meta[key] = " "


def _set_all(key: str, value: Any, run: Run) -> None:
    for report in run.reports:
        report.get("metadata", {})[key] = value


def _set(name: str, key: str, value: Any, fits: Fits | None = None) -> None:
    """Adds a mutation that writes a value into the metadata of all reports."""
    MUTATIONS.add(name, partial(_set_all, key, value), fits)


def _has_narrative(form: Form) -> bool:
    return form.has_narrative


for _key in ("team_id", "run_id"):
    _set(f"{_key}_null", _key, None)
    _set(f"{_key}_blank", _key, "  ")
    _set(f"{_key}_number", _key, 7)
    MUTATIONS.add(f"{_key}_missing", partial(_drop, _key))
_set("run_id_long", "run_id", "r" * 26)
_set("run_id_21", "run_id", "r" * 21)
_set("run_id_slash", "run_id", "run/1")
_set("run_id_dot", "run_id", ".run")
_set("metadata_extra", "my_note", "x")
_set("narrative_space", "narrative", "Which bridges? ", _has_narrative)
_set("narrative_null", "narrative", None, _has_narrative)


@MUTATIONS("run_id_differs")
def _run_id_differs(run: Run) -> None:
    run.reports[1]["metadata"]["run_id"] = "run-2"


@MUTATIONS("team_id_differs")
def _team_id_differs(run: Run) -> None:
    run.reports[1]["metadata"]["team_id"] = "other"


@MUTATIONS("topic_id_missing")
def _topic_id_missing(run: Run) -> None:
    drop(run.meta, run.form.topic_key)


@MUTATIONS("topic_id_number", lambda form: form.topics[0].isdigit())
def _topic_id_number(run: Run) -> None:
    run.meta[run.form.topic_key] = int(run.form.topics[0])


@MUTATIONS("topic_id_empty")
def _topic_id_empty(run: Run) -> None:
    run.meta[run.form.topic_key] = ""


@MUTATIONS("topic_id_spaced")
def _topic_id_spaced(run: Run) -> None:
    run.meta[run.form.topic_key] = run.form.topics[0] + " "


@MUTATIONS("metadata_missing")
def _metadata_missing(run: Run) -> None:
    drop(run.report, "metadata")


@MUTATIONS("topic_missing")
def _topic_missing(run: Run) -> None:
    del run.reports[2]


@MUTATIONS("topic_new")
def _topic_new(run: Run) -> None:
    _append(run, run.form.topics[0] + "99")


@MUTATIONS("topic_twice")
def _topic_twice(run: Run) -> None:
    _append(run, run.form.topics[2])


def _append(run: Run, topic_id: str) -> None:
    report = copy.deepcopy(run.reports[1])
    report["metadata"][run.form.topic_key] = topic_id
    run.reports.append(report)
