"""Stores are merged, checked and filled from files of judgments."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from argue_eval import formats
from argue_eval.errors import InputError, UsageError
from argue_eval.judgments import exchange, verifying
from argue_eval.judgments.index import Stored
from argue_eval.judgments.store import opened
from argue_eval.records import Question, Verdict
from tests import tiny_track
from tests.judgments.asking import JUDGE, failed, fill, first_instance, numbered, question, replied

YES, NO = Verdict.YES, Verdict.NO


def _last_of(number: int) -> Question:
    """The question whether the sentence after so many repeats them."""
    return first_instance(*(f"Sentence {index}." for index in range(number)))


# --- merging -------------------------------------------------------------------------------------


def test_merged_store_has_what_each_of_them_has(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied(YES, prob=0.7)), (_last_of(4), replied(NO)))
    two = fill(tmp_path / "2", (numbered(2), replied(NO)), judge="other@1")
    fill(two, (numbered(3), failed()))
    target = str(tmp_path / "all")
    done = list(exchange.merge(target, [one, two]))
    assert [(each.num_added, each.num_known, each.num_conflicts) for each in done] == [
        (2, 0, 0),
        (1, 0, 0),
    ]
    assert verifying.verify(target) == []
    with opened(target) as store:
        found = store.find([numbered(1), _last_of(4)], JUDGE)
        found += store.find([numbered(2)], "other@1")
    assert found == [Stored(YES, JUDGE, 0.7), Stored(NO, JUDGE), Stored(NO, "other@1")]
    assert verifying.info(target).failures == (("support", JUDGE, "empty reply", 1, 1),)


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied()), (numbered(2), failed(num_attempts=2)))
    target = str(tmp_path / "all")
    list(exchange.merge(target, [one]))
    before = verifying.info(target)
    (done,) = exchange.merge(target, [one])
    after = verifying.info(target)
    assert (done.num_added, done.num_known) == (0, 1)
    assert (after.judgments, after.failures) == (before.judgments, before.failures)


def test_first_verdict_stays_in_a_conflict_and_the_other_is_reported(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied(YES)), (numbered(2), replied(YES)))
    two = fill(tmp_path / "2", (numbered(1), replied(NO)), (numbered(2), replied(YES)))
    (done,) = exchange.merge(one, [two])
    assert (done.num_added, done.num_known, done.num_conflicts) == (0, 1, 1)
    assert done.conflicts == (("support", "t1", "yes", "no"),)
    with opened(one) as store:
        assert store.find([numbered(1)], JUDGE) == [Stored(YES, JUDGE)]


def test_judgment_of_one_store_ends_the_failure_of_the_other(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), failed()))
    two = fill(tmp_path / "2", (numbered(1), replied()))
    list(exchange.merge(one, [two]))
    assert (verifying.info(one).num_judgments, verifying.info(one).num_failures) == (1, 0)


def test_places_of_equal_texts_are_merged(tmp_path: Path) -> None:
    first, second, third = (question(doc_id=doc_id) for doc_id in ("d1", "d2", "d3"))
    one = fill(tmp_path / "1", (first, replied()))
    two = fill(tmp_path / "2", *((each, replied()) for each in (second, third, first)))
    list(exchange.merge(one, [two]))
    assert sorted(each.doc_id for each in exchange.judgments(one)) == ["d1", "d2", "d3"]


def test_store_is_not_merged_with_itself_or_with_what_is_no_store(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied()))
    (tmp_path / "x").write_text("x")
    with pytest.raises(UsageError):
        list(exchange.merge(one, [one]))
    with pytest.raises(InputError):
        list(exchange.merge(tmp_path / "new", [one, str(tmp_path / "x")]))
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
    path = fill(
        tmp_path / "1",
        (numbered(1), replied()),
        (_last_of(3), replied()),
        (numbered(2), failed()),
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
    path = fill(tmp_path / "1", (numbered(1), replied()))
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE judgments SET {column} = '[]'")
    connection.commit()
    connection.close()
    with pytest.raises(InputError, match="damaged_store"):
        list(exchange.judgments(path))


def test_damaged_file_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "1"
    fill(path, *((numbered(each), replied()) for each in range(300)))
    content = path.read_bytes()
    path.write_bytes(content[:8192] + bytes(4096) + content[12288:])
    assert "damaged_store" in {finding.code for finding in verifying.verify(path)}


# --- importing -----------------------------------------------------------------------------------


def _imported(tmp_path: Path, *, has_texts: bool) -> exchange.Imported:
    track = tiny_track.write(tmp_path)
    runs = [track.alpha, track.beta]
    texts = exchange.TextFiles(
        nuggets=track.qrels, requests=track.requests, collections=[track.collection], runs=runs
    )
    return exchange.import_judgments(
        str(tmp_path / "x.store"), [track.judgments], texts if has_texts else None
    )


def test_judgments_whose_texts_are_given_are_all_imported(tmp_path: Path) -> None:
    done = _imported(tmp_path, has_texts=True)
    assert (done.num_added, dict(done.left_out)) == (len(tiny_track.JUDGMENTS), {})
    again = _imported(tmp_path, has_texts=True)
    assert (again.num_added, again.num_known) == (0, len(tiny_track.JUDGMENTS))
    assert verifying.verify(tmp_path / "x.store") == []
    judged = [each["kind"] for each in tiny_track.JUDGMENTS]
    found = [each.kind.value for each in exchange.judgments(tmp_path / "x.store")]
    assert sorted(found) == sorted(judged)


def test_judgments_whose_texts_are_missing_are_left_out_and_reported(tmp_path: Path) -> None:
    done = _imported(tmp_path, has_texts=False)
    kinds = [each["kind"] for each in tiny_track.JUDGMENTS]
    assert dict(done.left_out) == {
        ("answers", exchange.NO_NUGGET): kinds.count("answers"),
        ("agrees", exchange.NO_NUGGET): kinds.count("agrees"),
        ("support", exchange.NO_DOCUMENT): kinds.count("support"),
        ("first_instance", exchange.NO_PLACE): kinds.count("first_instance"),
    }
    assert done.num_added == len(kinds) - sum(done.left_out.values()) > 0


def test_judgment_of_a_whole_report_is_imported_with_the_run(tmp_path: Path) -> None:
    track = tiny_track.write(tmp_path)
    line = {"topic_id": "t1", "run_id": "alpha", "nugget_id": "n1", "kind": "covers"}
    (tmp_path / "1").write_text(json.dumps({**line, "verdict": "partial", "judge": "a"}))
    texts = exchange.TextFiles(nuggets=track.qrels)
    store = str(tmp_path / "x.store")
    done = exchange.import_judgments(store, [str(tmp_path / "1")], texts)
    assert dict(done.left_out) == {("covers", exchange.NO_RUN): 1}
    texts = exchange.TextFiles(nuggets=track.qrels, runs=[track.alpha])
    assert exchange.import_judgments(store, [str(tmp_path / "1")], texts).num_added == 1
    (judgment,) = exchange.judgments(store)
    report = next(formats.read_run(track.alpha))
    assert (judgment.sentence, judgment.verdict) == (report.text, Verdict.PARTIAL)


def test_keys_and_rows_of_stores_stay_as_they_are(tmp_path: Path) -> None:
    _imported(tmp_path, has_texts=True)
    connection = sqlite3.connect(tmp_path / "x.store")
    rows = connection.execute("SELECT hex(key), inputs, place FROM judgments ORDER BY key")
    digest = hashlib.sha256(repr(list(rows)).encode()).hexdigest()
    connection.close()
    assert digest == "14aed5783a47934afb68ecb1864c9361a55be782193bfb884a1ec9aa6a220ee5"
