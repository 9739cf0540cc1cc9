"""``score --store`` changes no byte of the output, and nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from argue_eval.judges import Judge, Settings, Workload
from argue_eval.records import Kind, Question, Reply, Verdict
from tests.cli.conftest import Command, Ran

pytestmark = pytest.mark.usefixtures("files")

TEXTS = "--requests requests.jsonl --collection documents.jsonl"
SCORE = f"score alpha.jsonl beta.jsonl nuggets.json {TEXTS} -q"


class CountingJudge:
    """Says yes where a text has an even length, fails where it is told to, and counts."""

    signature = "counting@1"
    kinds = frozenset(Kind)
    joint: frozenset[Kind] = frozenset()

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.failing = ""

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        self.asked.extend(questions)
        for index, question in enumerate(questions):
            yield self._reply(index, question.text)

    def workload(self, questions: Sequence[Question]) -> Workload:
        return Workload()

    def _reply(self, index: int, text: str) -> Reply:
        if self.failing and self.failing in text:
            return Reply(index, reason="no reply")
        verdict = Verdict.NO if len(text) % 2 else Verdict.YES
        return Reply(index, verdict, prob=1 / (1 + len(text)), rationale=f"„{text[:9]}“")


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> CountingJudge:
    judge = CountingJudge()

    def create(model: str, texts: Iterable[str], settings: Settings) -> Judge:
        return judge

    monkeypatch.setattr("argue_eval.judges.lexical.judge.create", create)
    return judge


def _written(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def _notes(ran: Ran) -> list[str]:
    return [line for line in ran.err.splitlines() if not line.startswith("store ")]


@pytest.mark.parametrize("more", ["", "--judgments assessors.judgments.jsonl", "-m argue -m all"])
def test_output_is_the_same_with_and_without_a_store_and_nothing_is_asked_twice(
    argue_eval: Command, counting: CountingJudge, more: str
) -> None:
    without = argue_eval(f"{SCORE} {more} -o without")
    counting.asked.clear()
    first = argue_eval(f"{SCORE} {more} --store x.store -o first")
    asked = list(counting.asked)
    counting.asked.clear()
    second = argue_eval(f"{SCORE} {more} --store x.store -o second")
    keys = {(e.kind, e.text, e.document and e.doc_id, e.claim, e.earlier) for e in asked}
    assert len(keys) == len(asked) > 0
    assert counting.asked == []
    assert without.code == 0
    assert without[:2] == first[:2] == second[:2]
    assert _notes(without) == _notes(first) == _notes(second)
    assert _written("without") == _written("first") == _written("second")


def test_failure_is_asked_again_and_only_that(argue_eval: Command, counting: CountingJudge) -> None:
    counting.failing = "1784"
    ran = argue_eval(f"{SCORE} --store x.store --allow-unjudged")
    assert " failed" in ran.err.splitlines()[-1]
    counting.asked.clear()
    counting.failing = ""
    done = argue_eval(f"{SCORE} --store x.store")
    assert counting.asked
    assert all("1784" in ask.text for ask in counting.asked)
    assert done.out == argue_eval(SCORE).out
    told = json.loads(argue_eval("store info x.store --json").out)
    assert told["num_failures"] == 0


def test_every_ask_is_accounted_for(argue_eval: Command, counting: CountingJudge) -> None:
    counting.failing = "1784"
    first = argue_eval(f"{SCORE} --store x.store --allow-unjudged").err.splitlines()[-1]
    second = argue_eval(f"{SCORE} --store x.store --allow-unjudged").err.splitlines()[-1]
    numbers = [[int(word) for word in line.split() if word.isdigit()] for line in (first, second)]
    assert sum(numbers[0]) == sum(numbers[1])
    assert (numbers[1][1], numbers[0][2]) == (0, numbers[1][2])
    assert numbers[0][2] > 0


def test_assessors_go_before_the_store(argue_eval: Command, counting: CountingJudge) -> None:
    argue_eval(f"{SCORE} --store x.store")
    judged = "--judgments assessors.judgments.jsonl"
    with_store = argue_eval(f"{SCORE} {judged} --store x.store")
    assert with_store.out == argue_eval(f"{SCORE} {judged}").out
    assert with_store.out != argue_eval(SCORE).out


@pytest.mark.parametrize("name", ["x.judgments.jsonl", "x.judgments.jsonl.gz", "x.store"])
def test_exported_judgments_score_the_same(
    argue_eval: Command, counting: CountingJudge, name: str
) -> None:
    scored = argue_eval(f"{SCORE} --store x.store")
    if name != "x.store":
        ran = argue_eval(f"store export x.store -o {name}")
        assert (ran.code, ran.out) == (0, "")
    again = argue_eval(f"{SCORE} --judgments {name} --judge none")
    assert (again.code, again.out) == (0, scored.out)


def test_export_takes_one_judge_by_signature_or_name(
    argue_eval: Command, counting: CountingJudge
) -> None:
    argue_eval(f"{SCORE} --store x.store")
    counting.signature = "other@2"
    argue_eval(f"{SCORE} --store x.store")
    every = argue_eval("store export x.store").out.splitlines()
    for judge in ("other@2", "other", "counting@1"):
        lines = argue_eval(f"store export x.store --judge {judge}").out.splitlines()
        assert len(lines) == len(every) / 2
        assert {json.loads(line)["judge"] for line in lines} <= {judge, f"{judge}@2"}
    ran = argue_eval("store export x.store --judge othr@2 -o y.jsonl")
    assert (ran.code, "Did you mean 'other@2'?" in ran.err) == (2, True)
    assert not Path("y.jsonl").exists()


def test_of_two_judges_in_a_store_the_other_is_used_as_the_warning_says(
    argue_eval: Command, counting: CountingJudge
) -> None:
    argue_eval(f"{SCORE} --store x.store")
    counting.signature = "other@2"
    argue_eval(f"{SCORE} --store x.store")
    score = f"{SCORE} --judge none --judgments"
    ran = argue_eval(f"{score} x.store")
    assert "counting@1 is used before other@2" in ran.err
    assert "fix: name first what argue-eval store export x.store --judge NAME -o FILE" in ran.err
    assert argue_eval("store export x.store --judge other@2 -o y.jsonl").code == 0
    ran = argue_eval(f"{score} y.jsonl --judgments x.store")
    assert "other@2 is used before counting@1" in ran.err


def test_export_of_nothing_writes_no_file_that_nobody_reads(
    argue_eval: Command, counting: CountingJudge
) -> None:
    counting.failing = " "
    argue_eval(f"{SCORE} --store x.store --allow-unjudged")
    ran = argue_eval("store export x.store -o x.jsonl")
    assert (ran.code, ran.out, "error [no_judgments]" in ran.err) == (1, "", True)
    assert not Path("x.jsonl").exists()


def test_export_does_not_take_the_place_of_its_store(argue_eval: Command) -> None:
    argue_eval("score alpha.jsonl nuggets.json --store x.store")
    before = Path("x.store").read_bytes()
    ran = argue_eval("store export x.store -o ./x.store")
    assert (ran.code, ran.out) == (2, "")
    assert "name another file" in ran.err
    assert Path("x.store").read_bytes() == before


def test_imported_judgments_spare_the_judge(argue_eval: Command, counting: CountingJudge) -> None:
    scored = argue_eval(f"{SCORE} --store x.store")
    argue_eval("store export x.store -o x.jsonl")
    texts = f"--qrels nuggets.json {TEXTS}"
    ran = argue_eval(f"store import y.store x.jsonl {texts} --run alpha.jsonl --run beta.jsonl")
    assert (ran.code, " 0 without a key left out" in ran.err) == (0, True)
    counting.asked.clear()
    assert argue_eval(f"{SCORE} --store y.store").out == scored.out
    assert counting.asked == []


def test_import_says_what_it_left_out_and_why(argue_eval: Command) -> None:
    ran = argue_eval("store import y.store assessors.judgments.jsonl")
    assert ran.code == 0
    assert "x support: the document's text is not at hand" in ran.err
    assert "x answers: the nugget is not at hand" in ran.err


def test_merged_stores_spare_the_judge(argue_eval: Command, counting: CountingJudge) -> None:
    for run in ("alpha", "beta"):
        argue_eval(
            SCORE.replace("alpha.jsonl beta.jsonl", f"{run}.jsonl") + f" --store {run}.store"
        )
    ran = argue_eval("store merge all.store alpha.store beta.store")
    assert (ran.code, ran.err.count(" 0 with another verdict left out")) == (0, 2)
    counting.asked.clear()
    argue_eval(f"{SCORE} --store all.store")
    assert counting.asked == []


def test_info_counts_by_kind_judge_and_verdict(
    argue_eval: Command, counting: CountingJudge
) -> None:
    argue_eval(f"{SCORE} --store x.store")
    told = json.loads(argue_eval("store info x.store --json").out)
    lines = argue_eval("store info x.store").out.splitlines()
    assert [path.name for path in Path().glob("x.store*")] == ["x.store"]
    assert lines[0] == f"judgments\t{told['num_judgments']}"
    assert sum(row["number"] for row in told["judgments"]) == told["num_judgments"] > 10
    for row in told["judgments"]:
        assert f"  {row['kind']}\tcounting@1\t{row['verdict']}\t{row['number']}" in lines


def test_verify_tells_sound_from_spoiled(argue_eval: Command, counting: CountingJudge) -> None:
    argue_eval(f"{SCORE} --store x.store")
    ran = argue_eval("store verify x.store")
    assert (ran.code, ran.out.startswith("x.store: sound; ")) == (0, True)
    content = Path("x.store").read_bytes()
    Path("x.store").write_bytes(content.replace(b"The mill was built", b"The mill was burnt"))
    ran = argue_eval("store verify x.store")
    assert (ran.code, ran.out) == (1, "")
    assert "x.store: error [wrong_key]" in ran.err
    assert "    fix: " in ran.err


@pytest.mark.parametrize("action", ["info", "export", "verify", "merge new.store"])
def test_missing_store_exits_3_and_makes_none(argue_eval: Command, action: str) -> None:
    ran = argue_eval(f"store {action} nope.store")
    assert (ran.code, ran.out, "nope.store: no such file" in ran.err) == (3, "", True)
    assert list(Path().glob("*.store")) == []


@pytest.mark.parametrize(
    "command", [f"{SCORE} --store", "store info", "store export", "store verify", "store import"]
)
def test_file_that_is_no_store_exits_1_with_advice(argue_eval: Command, command: str) -> None:
    more = " assessors.judgments.jsonl" if "import" in command else ""
    ran = argue_eval(f"{command} requests.jsonl{more}")
    assert (ran.code, ran.out) == (1, "")
    assert "requests.jsonl: error [not_a_store]" in ran.err


def test_broken_input_makes_no_store(argue_eval: Command) -> None:
    Path("beta.jsonl").write_text("{broken")
    assert argue_eval(f"{SCORE} --store x.store").code == 1
    assert not Path("x.store").exists()
