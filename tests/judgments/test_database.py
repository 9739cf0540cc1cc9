"""What was judged once is found again, failures never, and files that are no stores are refused."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from argue_eval.errors import ArgueEvalError, InputError, MissingResourceError, UsageError
from argue_eval.judgments import exchange, file, verifying
from argue_eval.judgments import store as database
from argue_eval.judgments.index import Stored
from argue_eval.judgments.store import JudgmentStore, opened
from argue_eval.records import Kind, Verdict
from tests.judgments.asking import JUDGE, failed, fill, first_instance, numbered, question, replied

YES, NO, PARTIAL = Verdict.YES, Verdict.NO, Verdict.PARTIAL


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "judgments.store")


def _columns(path: str, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_judgment_is_found_as_it_was_given(path: str) -> None:
    rationale = "weil \U0001f600\x00\n"
    fill(path, (numbered(1), replied(PARTIAL, prob=0.1 + 0.2, rationale=rationale)))
    with opened(path) as store:
        found, missing = store.find([numbered(1), numbered(2)], JUDGE)
    assert found == Stored(PARTIAL, JUDGE, 0.1 + 0.2, rationale)
    assert missing is None


def test_judgment_is_found_before_it_is_committed(path: str) -> None:
    with opened(path) as store:
        store.add(numbered(1), JUDGE, replied(NO))
        assert store.find([numbered(1)], JUDGE) == [Stored(NO, JUDGE)]


def test_other_judge_is_asked_anew(path: str) -> None:
    fill(path, (numbered(1), replied()))
    with opened(path) as store:
        assert store.find([numbered(1)], "judge@2/abc") == [None]


def test_first_judgment_stays(path: str) -> None:
    fill(path, (numbered(1), replied(YES)), (numbered(1), replied(NO)))
    fill(path, (numbered(1), replied(NO)))
    with opened(path) as store:
        assert store.find([numbered(1)], JUDGE) == [Stored(YES, JUDGE)]


def test_many_judgments_are_found_in_the_order_of_the_questions(path: str) -> None:
    verdicts = [YES if number % 3 else NO for number in range(3000)]
    questions = [numbered(number) for number in range(3000)]
    fill(path, *zip(questions, map(replied, verdicts), strict=True))
    with opened(path) as store:
        found = store.find([*reversed(questions), questions[7]], JUDGE)
    assert [each and each.verdict for each in found] == [*reversed(verdicts), verdicts[7]]


def test_failure_is_no_hit_and_its_attempts_are_counted(path: str) -> None:
    for attempts in (1, 3):
        fill(path, (numbered(1), failed("refused", num_attempts=attempts)))
    with opened(path) as store:
        assert store.find([numbered(1)], JUDGE) == [None]
    assert verifying.info(path).failures == (("support", JUDGE, "refused", 1, 4),)
    assert verifying.info(path).num_judgments == 0


def test_failure_is_forgotten_once_there_is_a_judgment(path: str) -> None:
    fill(path, (numbered(1), failed()))
    fill(path, (numbered(1), replied()), (numbered(2), failed()))
    fill(path, (numbered(1), failed()))
    found = verifying.info(path)
    assert (found.num_judgments, found.num_failures) == (1, 1)


def test_raw_reply_is_kept_beside_verdict_and_failure(path: str) -> None:
    fill(
        path,
        (numbered(1), replied(raw='{"verdict": "yes"}')),
        (numbered(2), failed(raw="I can\ud800not")),
        (numbered(3), replied()),
    )
    assert _columns(path, "SELECT reply FROM judgments") == [('{"verdict": "yes"}',), (None,)]
    assert _columns(path, "SELECT reply FROM failures") == [("I can\ufffdnot",)]


def test_commit_comes_within_a_second_though_nothing_follows(path: str) -> None:
    with opened(path) as store:
        store.add(numbered(1), JUDGE, replied())
        deadline = time.monotonic() + 10
        while not verifying.info(path).num_judgments:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert database.COMMIT_SECONDS < 1


def test_several_threads_may_use_one_store(path: str) -> None:
    def work(first: int) -> list[Stored | None]:
        questions = [numbered(number) for number in range(first, first + 300)]
        for each in questions:
            store.add(each, JUDGE, replied())
        return store.find(questions, JUDGE)

    with opened(path) as store, ThreadPoolExecutor(4) as pool:
        found = [each for part in pool.map(work, (0, 150, 300, 450)) for each in part]
    assert found == [Stored(YES, JUDGE)] * 1200
    assert verifying.info(path).num_judgments == 750


def test_judgment_of_equal_texts_is_exported_for_every_place(path: str) -> None:
    places = [("t1", "n1"), ("t1", "n2"), ("t2", "n1")]
    questions = [
        question(
            kind=Kind.ANSWERS,
            topic_id=topic_id,
            nugget_id=nugget_id,
            nugget_question="?",
            answer="x",
            claim="x",
        )
        for topic_id, nugget_id in places
    ]
    fill(path, (questions[0], replied()), (questions[1], replied()))
    for _ in range(2):
        with opened(path) as store:
            assert store.find(questions, JUDGE) == [Stored(YES, JUDGE)] * 3
    found = [(each.topic_id, each.nugget_id) for each in exchange.judgments(path)]
    assert sorted(found) == places
    assert verifying.info(path).num_judgments == 1


def test_judgment_of_two_writers_is_exported_once_for_a_place(path: str) -> None:
    here, there = question(), question(topic_id="t2")
    with opened(path) as one, opened(path) as other:
        one.add(here, JUDGE, replied())
        other.add(there, JUDGE, replied())
        other.flush()
        one.find([there], JUDGE)
    assert [each.topic_id for each in exchange.judgments(path)] == ["t2", "t1"]


def test_judgment_by_place_is_exported_by_place(path: str) -> None:
    fill(path, (first_instance("a", "b"), replied(NO)))
    (judgment,) = exchange.judgments(path)
    assert (judgment.sentence, judgment.run_id, judgment.sentence_index) == (None, "run", 2)


def _garbage(path: Path) -> None:
    path.write_bytes(b'{"topic_id": "t1"}\n')


def _other_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE judgments (x)")
    connection.close()


def _newer(path: Path) -> None:
    fill(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()


def _cut(path: Path) -> None:
    fill(path, *((numbered(number), replied()) for number in range(500)))
    path.write_bytes(path.read_bytes()[:20000])


def _overwritten(path: Path) -> None:
    fill(path, *((numbered(number), replied()) for number in range(500)))
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


BROKEN = {
    _garbage: ("not_a_store", "store import"),
    _other_database: ("not_a_store", "expected a judgment store"),
    _newer: ("newer_store", "update argue-eval"),
    _cut: ("damaged_store", "--repair"),
    _overwritten: ("damaged_store", "--repair"),
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
        store.find([numbered(number) for number in range(500)], JUDGE)
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


def test_locked_store_is_reported_after_the_time_out(path: str) -> None:
    fill(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = JudgmentStore(path, busy_seconds=0.05)
    store.add(numbered(1), JUDGE, replied())
    with pytest.raises(MissingResourceError, match="locked for"):
        store.flush()
    other.execute("ROLLBACK")
    other.close()
    store.close()  # what could not be written then is written now
    assert verifying.info(path).num_judgments == 1


def _touched(path: str) -> None:
    Path(path).touch()


def _half_made(path: str) -> None:
    """Makes the header of a database, as if the disk had been full then."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert Path(path).stat().st_size == 4096


@pytest.mark.parametrize("make", [_touched, _half_made])
def test_file_that_is_no_store_yet_is_named_so_and_becomes_one(
    path: str, make: Callable[[str], None]
) -> None:
    make(path)
    for use in (verifying.info, verifying.verify):
        with pytest.raises(InputError, match="empty_store"):
            use(path)
    file.check(path)
    fill(path, (numbered(1), replied()))
    assert verifying.info(path).num_judgments == 1
