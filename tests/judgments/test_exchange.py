"""Stores are merged, checked and filled from files of judgments."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from argue_eval import formats
from argue_eval.errors import InputError, UsageError
from argue_eval.judgments import exchange, merging, verifying
from argue_eval.judgments.index import Stored
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.records import Judgment, Question, Verdict
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
    done = list(merging.merge(target, [one, two]))
    assert [(each.num_added, each.num_known, each.num_conflicts) for each in done] == [
        (2, 0, 0),
        (1, 0, 0),
    ]
    assert verifying.verify(target).findings == []
    with opened(target) as store:
        found = store.find([numbered(1), _last_of(4)], JUDGE)
        found += store.find([numbered(2)], "other@1")
    assert found == [Stored(YES, JUDGE, 0.7), Stored(NO, JUDGE), Stored(NO, "other@1")]
    assert verifying.info(target).failures == (("support", JUDGE, "empty reply", 1, 1),)


def test_merging_again_changes_nothing(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied()), (numbered(2), failed(num_attempts=2)))
    target = str(tmp_path / "all")
    list(merging.merge(target, [one]))
    before = verifying.info(target)
    (done,) = merging.merge(target, [one])
    after = verifying.info(target)
    assert (done.num_added, done.num_known) == (0, 1)
    assert (after.judgments, after.failures) == (before.judgments, before.failures)


def test_first_verdict_stays_in_a_conflict_and_the_other_is_reported(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied(YES)), (numbered(2), replied(YES)))
    two = fill(tmp_path / "2", (numbered(1), replied(NO)), (numbered(2), replied(YES)))
    (done,) = merging.merge(one, [two])
    assert (done.num_added, done.num_known, done.num_conflicts) == (0, 1, 1)
    assert done.conflicts == (("support", "t1", "yes", "no"),)
    with opened(one) as store:
        assert store.find([numbered(1)], JUDGE) == [Stored(YES, JUDGE)]


def test_judgment_of_one_store_ends_the_failure_of_the_other(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), failed()))
    two = fill(tmp_path / "2", (numbered(1), replied()))
    list(merging.merge(one, [two]))
    assert (verifying.info(one).num_judgments, verifying.info(one).num_failures) == (1, 0)


def test_places_of_equal_texts_are_merged(tmp_path: Path) -> None:
    first, second, third = (question(doc_id=doc_id) for doc_id in ("d1", "d2", "d3"))
    one = fill(tmp_path / "1", (first, replied()))
    two = fill(tmp_path / "2", *((each, replied()) for each in (second, third, first)))
    list(merging.merge(one, [two]))
    assert sorted(each.doc_id for each in exchange.judgments(one)) == ["d1", "d2", "d3"]


def test_store_is_not_merged_with_itself_or_with_what_is_no_store(tmp_path: Path) -> None:
    one = fill(tmp_path / "1", (numbered(1), replied()))
    (tmp_path / "x").write_text("x")
    with pytest.raises(UsageError):
        list(merging.merge(one, [one]))
    with pytest.raises(InputError):
        list(merging.merge(tmp_path / "new", [one, str(tmp_path / "x")]))
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
    "UPDATE judgments SET verdict = x'79'": "wrong_verdict",
    "UPDATE judgments SET prob = 1.5": "wrong_prob",
    "UPDATE judgments SET prob = 'high'": "wrong_prob",
    "UPDATE judgments SET rationale = x'ff'": "wrong_value",
    "UPDATE judgments SET reply = x'ff'": "wrong_value",
    "UPDATE judgments SET time = 1e300": "wrong_value",
    "UPDATE failures SET attempts = -1": "wrong_value",
    "UPDATE failures SET time = 'noon'": "wrong_value",
    "UPDATE judgments SET rationale = CAST(x'ff' AS TEXT)": "damaged_store",
    "UPDATE judgments SET inputs = replace(hex(zeroblob(50000)), '0', '[')": "wrong_key",
    "UPDATE texts SET json = x'ff'": "wrong_text",
    "UPDATE judges SET signature = x'ff'": "wrong_key",
    "UPDATE judgments SET place = '{}'": "wrong_place",
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
    assert verifying.verify(path).findings == []
    connection = sqlite3.connect(path)
    connection.executescript(spoil)
    connection.close()
    assert SPOILED[spoil] in {finding.code for finding in verifying.verify(path).findings}


def _spoiled(path: Path, *columns: str) -> str:
    """A store with a judgment of support and one of first instance, the latter spoiled."""
    fill(path, (numbered(1), replied()), (_last_of(1), replied(NO)))
    with closing(sqlite3.connect(path)) as connection:
        for column in columns:
            connection.execute(f"UPDATE judgments SET {column} WHERE kind = 'first_instance'")
        connection.commit()
    return str(path)


COLUMNS = ["verdict = 'partial'", "verdict = '[]'", "prob = 7.5", "rationale = x'ff'"]


@pytest.mark.parametrize("column", [*COLUMNS, "kind = '[]'", "place = '[]'", "inputs = '[]'"])
def test_row_that_cannot_be_read_is_an_error_and_not_a_judgment(
    tmp_path: Path, column: str
) -> None:
    path = _spoiled(tmp_path / "1", column)
    with pytest.raises(InputError, match="damaged_store"):
        list(exchange.judgments(path))
    with opened(path) as store, suppress(InputError):  # or by another key: not found
        assert store.find([_last_of(1)], JUDGE) in ([Stored(NO, JUDGE)], [None])
        assert column not in COLUMNS


@pytest.mark.parametrize("column", [*COLUMNS, "judge_id = 7", "key = x'00'", "time = 'x'"])
def test_damaged_store_is_merged_once_it_is_repaired_as_the_message_says(
    tmp_path: Path, column: str
) -> None:
    path, target, repaired = _spoiled(tmp_path / "1", column), *map(str, [tmp_path / "2"] * 2)
    with pytest.raises(InputError) as caught:
        list(merging.merge(target, [path]))
    (finding,) = caught.value.findings
    assert f"store verify {path} --repair NEW" in finding.hint
    assert verifying.info(target).num_judgments == 0
    found = verifying.verify(path, repaired := f"{repaired}.new")
    assert (found.num_judgments, len(found.findings)) == (1, 2)  # and what nothing needs any more
    assert verifying.verify(repaired).findings == []
    (done,) = merging.merge(target, [repaired])
    assert (done.num_added, verifying.info(target).num_judgments) == (1, 1)


def _flipped(path: Path) -> None:
    path.write_bytes(b"SQLiTE" + path.read_bytes()[6:])


def _other_application(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA application_id = 7")


def _no_tables(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:100] + bytes(3996) + content[4096:])


def _index_lost(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_judgments_1'"
        (page,) = connection.execute(query).fetchone()
    content = path.read_bytes()
    path.write_bytes(content[: 4096 * (page - 1)] + bytes(4096) + content[4096 * page :])


@pytest.mark.parametrize("spoil", [_flipped, _other_application, _no_tables, _index_lost])
def test_store_whose_rows_are_all_intact_is_repaired_in_full(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    path, repaired = tmp_path / "1", str(tmp_path / "2")
    fill(path, *((numbered(each), replied(prob=0.5)) for each in range(300)))
    before = list(exchange.judgments(path))
    spoil(path)
    assert verifying.verify(path).findings != []
    assert verifying.verify(path, repaired).num_judgments == 300
    assert verifying.verify(repaired).findings == []
    assert list(exchange.judgments(repaired)) == before


def test_repaired_store_replaces_nothing(tmp_path: Path) -> None:
    one, two = (fill(tmp_path / name, (numbered(name), replied())) for name in "12")
    with pytest.raises(UsageError, match="exists"):
        verifying.verify(one, two)
    assert verifying.info(two).num_judgments == 1


def _exported(path: str) -> list[Judgment]:
    return list(exchange.judgments(path))


@pytest.mark.parametrize("view", ["judgments", "judges", "texts"])
def test_endless_view_in_place_of_a_table_is_refused_at_once(tmp_path: Path, view: str) -> None:
    path = fill(tmp_path / "1", (numbered(1), replied()))
    names = {"judgments": "judgment_id", "judges": "judge_id", "texts": "text_id"}
    rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"DROP TABLE {view}")
        connection.execute(f"CREATE VIEW {view} AS {rows} x AS {names[view]} FROM n")
    uses: list[Callable[[str], object]] = [verifying.info, JudgmentStore, _exported]
    for use in uses:
        with pytest.raises(InputError, match="damaged_store"):
            use(path)
    with suppress(InputError):  # or the rows of the table that was there before are read
        assert verifying.verify(path).findings[0].code == "damaged_store"


def test_damaged_file_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "1"
    fill(path, *((numbered(each), replied()) for each in range(300)))
    content = path.read_bytes()
    path.write_bytes(content[:8192] + bytes(4096) + content[12288:])
    assert "damaged_store" in {finding.code for finding in verifying.verify(path).findings}


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
    assert verifying.verify(tmp_path / "x.store").findings == []
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


FIRST = {"run_id": "a", "sentence_index": 0}
SUPPORT = {"kind": "support", "doc_id": "d1"}
OF_B = "Rated 1784, as b has it."


@pytest.mark.parametrize(
    ("named", "added"),
    [
        ({**SUPPORT, **FIRST, "doc_id": "d0"}, "It fell."),
        ({**SUPPORT, **FIRST}, exchange.NO_DOCUMENT),  # which only another run has
        ({**SUPPORT, "sentence": "It fell."}, "It fell."),
        ({**SUPPORT, **FIRST, "sentence": "It rose."}, "It rose."),
        ({"kind": "negative", **FIRST, "sentence": "It rose."}, "It rose."),
        ({"kind": "negative", **FIRST, "sentence_index": 2}, exchange.NO_RUN),
        ({"kind": "first_instance", **FIRST}, None),
        ({"kind": "first_instance", **FIRST, "sentence": " It fell."}, None),
        ({"kind": "first_instance", **FIRST, "sentence": "It rose."}, exchange.MOVED),
    ],
)
def test_judgment_is_imported_with_the_texts_that_were_judged_or_not_at_all(
    tmp_path: Path, named: dict[str, object], added: str | None
) -> None:
    """Not with the text that a run has in its place now, and not without the document's."""
    for name, doc_id in (("a", "d0"), ("b", "d1")):
        report = {
            "metadata": {"topic_id": "t1", "run_id": name},
            "responses": [{"text": "It fell.", "citations": [doc_id]}],
            "documents": {doc_id: {"text": OF_B}},
        }
        (tmp_path / name).write_text(json.dumps(report))
    line = {"topic_id": "t1", "verdict": "yes", "judge": JUDGE, **named}
    (tmp_path / "1").write_text(json.dumps(line))
    store, texts = (
        str(tmp_path / "x.store"),
        exchange.TextFiles(runs=[f"{tmp_path}/{each}" for each in "ab"]),
    )
    done = exchange.import_judgments(store, [str(tmp_path / "1")], texts)
    found = [each.sentence for each in exchange.judgments(store)]
    found += [reason for _, reason in done.left_out]
    assert found == [added]
    with closing(sqlite3.connect(store)) as connection:
        inputs = [row[0] for row in connection.execute("SELECT inputs FROM judgments")]
    assert all("document" in each for each in inputs if named["kind"] == "support")


def test_keys_and_rows_of_stores_stay_as_they_are(tmp_path: Path) -> None:
    _imported(tmp_path, has_texts=True)
    connection = sqlite3.connect(tmp_path / "x.store")
    rows = connection.execute("SELECT hex(key), inputs, place FROM judgments ORDER BY key")
    digest = hashlib.sha256(repr(list(rows)).encode()).hexdigest()
    connection.close()
    assert digest == "14aed5783a47934afb68ecb1864c9361a55be782193bfb884a1ec9aa6a220ee5"
