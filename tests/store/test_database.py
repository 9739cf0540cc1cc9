"""What was judged once is found again, failures never, and files that are no stores are refused."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from argue_eval.errors import ArgueEvalError, InputError, MissingResourceError, UsageError
from argue_eval.judgments import sharing, verifying
from argue_eval.judgments import store as database
from argue_eval.judgments.index import Stored
from argue_eval.judgments.store import Asked, JudgmentStore, asked, opened
from argue_eval.records import JudgeFailure, Judgment, Kind, Verdict
from tests.store.asking import JUDGE, ask, failed, said, stored_ask

YES, NO, PARTIAL = Verdict.YES, Verdict.NO, Verdict.PARTIAL


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "judgments.store")


def _fill(path: str, *rows: tuple[Asked, Judgment | JudgeFailure]) -> None:
    with opened(path) as store:
        for row in rows:
            store.add(*row)


def _columns(path: str, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_judgment_is_found_as_it_was_given(path: str) -> None:
    rationale = "weil \U0001f600\x00\n"
    _fill(path, (stored_ask(1), said(PARTIAL, prob=0.1 + 0.2, rationale=rationale)))
    with opened(path) as store:
        (found, missing) = store.find([stored_ask(1), stored_ask(2)])
    assert found == Stored(PARTIAL, JUDGE, 0.1 + 0.2, rationale)
    assert missing is None


def test_judgment_is_found_before_it_is_committed(path: str) -> None:
    with opened(path) as store:
        store.add(stored_ask(1), said(NO))
        assert store.find([stored_ask(1)]) == [Stored(NO, JUDGE)]


def test_other_judge_is_asked_anew(path: str) -> None:
    _fill(path, (stored_ask(1), said()))
    with opened(path) as store:
        assert store.find([stored_ask(1, "judge@2/abc")]) == [None]


def test_first_judgment_stays(path: str) -> None:
    _fill(path, (stored_ask(1), said(YES)), (stored_ask(1), said(NO)))
    _fill(path, (stored_ask(1), said(NO)))
    with opened(path) as store:
        assert store.find([stored_ask(1)]) == [Stored(YES, JUDGE)]


def test_many_judgments_are_found_in_the_order_of_the_asks(path: str) -> None:
    verdicts = [YES if number % 3 else NO for number in range(3000)]
    asks = [stored_ask(number) for number in range(3000)]
    _fill(path, *((one, said(verdict)) for one, verdict in zip(asks, verdicts, strict=True)))
    with opened(path) as store:
        found = store.find([*reversed(asks), asks[7]])
    assert [each and each.verdict for each in found] == [*reversed(verdicts), verdicts[7]]


def test_failure_is_no_hit_and_its_attempts_are_counted(path: str) -> None:
    for attempts in (1, 3):
        _fill(path, (stored_ask(1), failed("refused", attempts)))
    with opened(path) as store:
        assert store.find([stored_ask(1)]) == [None]
    assert verifying.info(path).failures == (("support", JUDGE, "refused", 1, 4),)
    assert verifying.info(path).num_judgments == 0


def test_failure_is_forgotten_once_there_is_a_judgment(path: str) -> None:
    _fill(path, (stored_ask(1), failed()))
    _fill(path, (stored_ask(1), said()), (stored_ask(2), failed()))
    _fill(path, (stored_ask(1), failed()))
    found = verifying.info(path)
    assert (found.num_judgments, found.num_failures) == (1, 1)


def test_raw_reply_is_kept_beside_verdict_and_failure(path: str) -> None:
    with opened(path) as store:
        store.add(stored_ask(1), said(), '{"verdict": "yes"}')
        store.add(stored_ask(2), failed(), "I can\ud800not")
        store.add(stored_ask(3), said())
    assert _columns(path, "SELECT reply FROM judgments") == [('{"verdict": "yes"}',), (None,)]
    assert _columns(path, "SELECT reply FROM failures") == [("I can\ufffdnot",)]


def test_commit_comes_within_a_second_though_nothing_follows(path: str) -> None:
    with opened(path) as store:
        store.add(stored_ask(1), said())
        deadline = time.monotonic() + 10
        while not verifying.info(path).num_judgments:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert database.COMMIT_SECONDS < 1


def test_several_threads_may_use_one_store(path: str) -> None:
    def work(first: int) -> list[Stored | None]:
        asks = [stored_ask(number) for number in range(first, first + 300)]
        for one in asks:
            store.add(one, said())
        return store.find(asks)

    with opened(path) as store, ThreadPoolExecutor(4) as pool:
        found = [each for part in pool.map(work, (0, 150, 300, 450)) for each in part]
    assert found == [Stored(YES, JUDGE)] * 1200
    assert verifying.info(path).num_judgments == 750


def test_judgment_of_equal_texts_is_exported_for_every_place(path: str) -> None:
    places = [("t1", "n1"), ("t1", "n2"), ("t2", "n1")]
    asks = [
        asked(
            ask(
                kind=Kind.ANSWERS, topic_id=topic_id, nugget_id=nugget_id, question="?", answer="x"
            ),
            JUDGE,
        )
        for topic_id, nugget_id in places
    ]
    _fill(path, (asks[0], said()), (asks[1], said()))
    for _ in range(2):
        with opened(path) as store:
            assert store.find(asks) == [Stored(YES, JUDGE)] * 3
    found = [(each.topic_id, each.nugget_id) for each in sharing.judgments(path)]
    assert sorted(found) == places
    assert verifying.info(path).num_judgments == 1


def test_judgment_by_place_is_exported_by_place(path: str) -> None:
    first = asked(ask(kind=Kind.FIRST_INSTANCE, earlier=("a", "b")), JUDGE, "run", 2)
    _fill(path, (first, said(NO)))
    (judgment,) = sharing.judgments(path)
    assert (judgment.sentence, judgment.run_id, judgment.sentence_index) == (None, "run", 2)


def _garbage(path: Path) -> None:
    path.write_bytes(b'{"topic_id": "t1"}\n')


def _other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE judgments (x)")
    connection.close()


def _newer(path: Path) -> None:
    _fill(str(path))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _cut(path: Path) -> None:
    _fill(str(path), *((stored_ask(number), said()) for number in range(500)))
    path.write_bytes(path.read_bytes()[:20000])


def _overwritten(path: Path) -> None:
    _fill(str(path), *((stored_ask(number), said()) for number in range(500)))
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


BROKEN = {
    _garbage: ("not_a_store", "store import"),
    _other_database: ("not_a_store", "expected a judgment store"),
    _newer: ("newer_store", "update argue-eval"),
    _cut: ("damaged_store", "recover"),
    _overwritten: ("damaged_store", "recover"),
}


@pytest.mark.parametrize("spoil", BROKEN)
def test_file_that_cannot_be_used_is_refused_with_a_way_out_and_not_changed(
    path: str, spoil: object
) -> None:
    assert callable(spoil)
    spoil(Path(path))
    before = Path(path).read_bytes()
    code, words = BROKEN[spoil]
    with pytest.raises(InputError) as caught, opened(path) as store:
        store.find([stored_ask(number) for number in range(500)])
    (finding,) = caught.value.findings
    assert (finding.code, finding.file) == (code, path)
    assert words in str(finding)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", UsageError),
        ("-", UsageError),
        (".", UsageError),
        ("nowhere/x.store", MissingResourceError),
    ],
)
def test_path_that_can_be_no_store_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, error: type[ArgueEvalError]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        JudgmentStore(name)
    assert list(tmp_path.iterdir()) == []


def test_locked_store_is_told_after_the_time_out(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(path)
    monkeypatch.setattr("argue_eval.judgments.file.BUSY_SECONDS", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = JudgmentStore(path)
    store.add(stored_ask(1), said())
    with pytest.raises(MissingResourceError, match="locked for"):
        store.flush()
    other.execute("ROLLBACK")
    other.close()
    store.close()  # what could not be written then is written now
    assert verifying.info(path).num_judgments == 1


def test_empty_file_becomes_a_store(path: str) -> None:
    Path(path).touch()
    _fill(path, (stored_ask(1), said()))
    assert verifying.info(path).num_judgments == 1
