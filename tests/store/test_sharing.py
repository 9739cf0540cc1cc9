"""Stores are merged, checked and filled from files of judgments."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import InputError, UsageError
from argue_eval.evaluation import importing
from argue_eval.judgments import sharing, verifying
from argue_eval.judgments.index import Stored
from argue_eval.judgments.store import Asked, asked, opened
from argue_eval.records import JudgeFailure, Judgment, Kind, Verdict
from tests import tiny_track
from tests.store.asking import JUDGE, ask, failed, said, stored_ask

YES, NO = Verdict.YES, Verdict.NO


def _store(path: Path, *rows: tuple[Asked, Judgment | JudgeFailure]) -> str:
    with opened(path) as store:
        for row in rows:
            store.add(*row)
    return str(path)


def _first_instance(number: int) -> Asked:
    earlier = tuple(f"Sentence {index}." for index in range(number))
    return asked(ask(kind=Kind.FIRST_INSTANCE, earlier=earlier), JUDGE, "run", number)


# --- merging -------------------------------------------------------------------------------------


def test_merged_store_has_what_each_of_them_has(tmp_path: Path) -> None:
    one = _store(
        tmp_path / "1", (stored_ask(1), said(YES, prob=0.7)), (_first_instance(4), said(NO))
    )
    two = _store(tmp_path / "2", (stored_ask(2, "other@1"), said(NO)), (stored_ask(3), failed()))
    target = str(tmp_path / "all")
    done = list(sharing.merge(target, [one, two]))
    assert [(each.num_added, each.num_known, each.num_conflicts) for each in done] == [
        (2, 0, 0),
        (1, 0, 0),
    ]
    assert verifying.verify(target) == []
    with opened(target) as store:
        found = store.find([stored_ask(1), _first_instance(4), stored_ask(2, "other@1")])
    assert found == [Stored(YES, JUDGE, 0.7), Stored(NO, JUDGE), Stored(NO, "other@1")]
    assert verifying.info(target).failures == (("support", JUDGE, "empty reply", 1, 1),)


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    one = _store(tmp_path / "1", (stored_ask(1), said()), (stored_ask(2), failed(attempts=2)))
    target = str(tmp_path / "all")
    list(sharing.merge(target, [one]))
    before = verifying.info(target)
    (done,) = sharing.merge(target, [one])
    assert (done.num_added, done.num_known) == (0, 1)
    assert (verifying.info(target).judgments, verifying.info(target).failures) == (
        before.judgments,
        before.failures,
    )


def test_first_verdict_stays_in_a_conflict_and_the_other_is_told(tmp_path: Path) -> None:
    one = _store(tmp_path / "1", (stored_ask(1), said(YES)), (stored_ask(2), said(YES)))
    two = _store(tmp_path / "2", (stored_ask(1), said(NO)), (stored_ask(2), said(YES)))
    (done,) = sharing.merge(one, [two])
    assert (done.num_added, done.num_known, done.num_conflicts) == (0, 1, 1)
    assert done.conflicts == (("support", "t1", "yes", "no"),)
    with opened(one) as store:
        assert store.find([stored_ask(1)]) == [Stored(YES, JUDGE)]


def test_judgment_of_one_store_ends_the_failure_of_the_other(tmp_path: Path) -> None:
    one = _store(tmp_path / "1", (stored_ask(1), failed()))
    two = _store(tmp_path / "2", (stored_ask(1), said()))
    list(sharing.merge(one, [two]))
    assert (verifying.info(one).num_judgments, verifying.info(one).num_failures) == (1, 0)


def test_places_of_equal_texts_are_merged(tmp_path: Path) -> None:
    asks = [asked(ask(doc_id=doc_id), JUDGE) for doc_id in ("d1", "d2", "d3")]
    one = _store(tmp_path / "1", (asks[0], said()))
    two = _store(tmp_path / "2", (asks[1], said()), (asks[2], said()), (asks[0], said()))
    list(sharing.merge(one, [two]))
    assert sorted(each.doc_id for each in sharing.judgments(one)) == ["d1", "d2", "d3"]


def test_store_is_not_merged_with_itself_or_with_what_is_no_store(tmp_path: Path) -> None:
    one = _store(tmp_path / "1", (stored_ask(1), said()))
    (tmp_path / "x").write_text("x")
    with pytest.raises(UsageError):
        list(sharing.merge(one, [one]))
    with pytest.raises(InputError):
        list(sharing.merge(tmp_path / "new", [one, str(tmp_path / "x")]))
    assert not (tmp_path / "new").exists()


# --- checking ------------------------------------------------------------------------------------

SPOILED = {
    "UPDATE judgments SET inputs = replace(inputs, 'Sentence 1', 'Sentence 9')": "wrong_key",
    "UPDATE judgments SET inputs = inputs || ' '": "wrong_key",
    "UPDATE judgments SET inputs = '[]'": "wrong_key",
    "UPDATE judgments SET kind = 'covers'": "wrong_key",
    "UPDATE judges SET signature = 'x'": "wrong_key",
    "DELETE FROM judges": "wrong_key",
    "UPDATE failures SET key = x'00'": "wrong_key",
    "UPDATE judgments SET verdict = 'maybe'": "wrong_verdict",
    "UPDATE judgments SET verdict = 'partial' WHERE kind = 'first_instance'": "wrong_verdict",
    "UPDATE judgments SET prob = 1.5": "wrong_prob",
    'UPDATE judgments SET place = \'{"doc":"d1"}\'': "wrong_place",
    "UPDATE failures SET place = ''": "wrong_place",
    "UPDATE texts SET json = replace(json, '1784', '1785')": "wrong_text",
    "DELETE FROM texts WHERE json LIKE '%1784%'": "missing_text",
    "DELETE FROM texts WHERE json LIKE '%Sentence 0%'": "missing_text",
    "INSERT INTO places VALUES (x'00', '{}')": "orphan_place",
    "DELETE FROM judgments; DELETE FROM failures": "orphan_text",
}


@pytest.mark.parametrize("spoil", SPOILED)
def test_row_that_is_not_as_it_was_written_is_found(tmp_path: Path, spoil: str) -> None:
    path = _store(
        tmp_path / "1",
        (stored_ask(1), said()),
        (_first_instance(3), said()),
        (stored_ask(2), failed()),
    )
    assert verifying.verify(path) == []
    connection = sqlite3.connect(path)
    connection.executescript(spoil)
    connection.close()
    assert SPOILED[spoil] in {finding.code for finding in verifying.verify(path)}


@pytest.mark.parametrize("column", ["verdict", "kind", "place", "inputs"])
def test_row_that_cannot_be_read_is_an_error_and_not_a_judgment(
    tmp_path: Path, column: str
) -> None:
    path = _store(tmp_path / "1", (stored_ask(1), said()))
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE judgments SET {column} = '[]'")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="damaged_store"):
        list(sharing.judgments(path))


def test_damaged_file_is_a_finding(tmp_path: Path) -> None:
    path = Path(_store(tmp_path / "1", *((stored_ask(each), said()) for each in range(300))))
    content = path.read_bytes()
    path.write_bytes(content[:8192] + bytes(4096) + content[12288:])
    assert {finding.code for finding in verifying.verify(path)} & {"damaged_store"}


# --- importing -----------------------------------------------------------------------------------


def _imported(tmp_path: Path, **files: Any) -> importing.Imported:
    track = tiny_track.write(tmp_path)
    given: dict[str, Any] = {
        name: getattr(track, name) for name in ("qrels", "requests") if name in files
    }
    if "collection" in files:
        given["collections"] = [track.collection]
    if "runs" in files:
        given["runs"] = [track.alpha, track.beta]
    return importing.import_judgments(
        str(tmp_path / "x.store"), [track.judgments], importing.TextFiles(**given)
    )


def test_judgments_whose_texts_are_given_are_all_imported(tmp_path: Path) -> None:
    done = _imported(tmp_path, qrels=1, requests=1, collection=1, runs=1)
    assert (done.num_added, dict(done.left_out)) == (len(tiny_track.JUDGMENTS), {})
    again = _imported(tmp_path, qrels=1, requests=1, collection=1, runs=1)
    assert (again.num_added, again.num_known) == (0, len(tiny_track.JUDGMENTS))
    assert verifying.verify(tmp_path / "x.store") == []
    judged = [each["kind"] for each in tiny_track.JUDGMENTS]
    found = [each.kind.value for each in sharing.judgments(tmp_path / "x.store")]
    assert sorted(found) == sorted(judged)


def test_judgments_whose_texts_are_missing_are_left_out_and_told(tmp_path: Path) -> None:
    done = _imported(tmp_path)
    kinds = [each["kind"] for each in tiny_track.JUDGMENTS]
    assert dict(done.left_out) == {
        ("answers", importing.NO_NUGGET): kinds.count("answers"),
        ("agrees", importing.NO_NUGGET): kinds.count("agrees"),
        ("support", importing.NO_DOCUMENT): kinds.count("support"),
        ("first_instance", importing.NO_PLACE): kinds.count("first_instance"),
    }
    assert done.num_added == len(kinds) - sum(done.left_out.values()) > 0
