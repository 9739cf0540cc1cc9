"""The lexical judge's speed: a real run against its bank, and pairs of made-up texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from random import Random

from argue_eval.judges import Judge
from argue_eval.judges.lexical import judge as lexical
from argue_eval.records import Document, Kind, Question
from benchmarks.measuring import (
    DATA,
    argue_eval,
    in_turns,
    is_at_hand,
    print_table,
    print_title,
    run_process,
    seconds_of,
    verdict,
)

FILES = [str(DATA / "ragtime26" / name) for name in ("T1_run_1.jsonl", "T3_run_1.jsonl")]
TARGET_SECONDS = 10
ROUNDS = 3
NUM_DOCUMENTS, NUM_WORDS, NUM_SENTENCES = 40, 1400, 25

_SUBJECTS = (
    "The council",
    "A museum in the town",
    "The railway company",
    "Her brother",
    "Most of the farmers",
    "The court",
)
_VERBS = (
    "decided to close",
    "has opened",
    "did not repair",
    "will sell",
    "was asked to paint",
    "reported on",
)
_OBJECTS = (
    "the old bridge",
    "a school for engineers",
    "the harbour",
    "its northern line",
    "the summer market",
    "a large forest",
)
_ENDS = (
    "in the spring of {}",
    "for {} million dollars",
    "because {} people were ill",
    "after {} days of rain",
)

_READ = (
    "import msgspec, sys\n"
    "for path in sys.argv[1:]:\n"
    "    for line in open(path, 'rb'):\n"
    "        msgspec.json.decode(line)\n"
)


def main() -> None:
    """Measures and prints."""
    if is_at_hand("lexical", DATA / "ragtime26"):
        print_title("lexical: RAGTIME 2026 run 1 against its bank, from start to end")
        _real_run()
    print_title("lexical: pairs per second, one process, made-up text")
    _pairs()


def _real_run() -> None:
    score = argue_eval("score", *FILES, "--allow-unjudged")
    commands = {
        "floor: msgspec decodes both files": [sys.executable, "-c", _READ, *FILES],
        "score --judge none": [*score, "--judge", "none"],
        "score --judge lexical": score,
    }
    measured = {name: partial(_seconds, command) for name, command in commands.items()}
    found = in_turns(measured, ROUNDS)
    rows = [[name, f"{seconds:.2f}", ""] for name, seconds in found.items()]
    rows[-1][-1] = verdict(found["score --judge lexical"] <= TARGET_SECONDS)
    print_table(["command", "s", f"<= {TARGET_SECONDS} s"], rows)


def _seconds(command: list[str]) -> float:
    return run_process(command).seconds


def _pairs() -> None:
    draw = Random(7)
    documents = [
        Document(f"d{number}", "", _text(draw, NUM_WORDS)) for number in range(NUM_DOCUMENTS)
    ]
    support = [
        Question(kind=Kind.SUPPORT, topic_id="t", text=_sentence(draw), document=document)
        for document in documents
        for _ in range(NUM_SENTENCES)
    ]
    answers = [
        Question(
            kind=Kind.ANSWERS,
            topic_id="t",
            text=_sentence(draw),
            nugget_question="What did the council decide in the spring?",
            claim=f"to close {draw.choice(_OBJECTS)} number {number % 50}",
        )
        for number in range(5 * NUM_DOCUMENTS * NUM_SENTENCES)
    ]
    covers = [replace(each, kind=Kind.COVERS, nugget_question=None) for each in answers]
    texts = [document.text for document in documents]
    rows = []
    for name, questions, floor, least in (
        (f"support, documents of {NUM_WORDS} words", support, _overlap_with_document, 300),
        ("answers", answers, _overlap_with_answer, 2000),
        ("covers", covers, _overlap_with_answer, 2000),
    ):
        judging = _timer(partial(_judge_anew, texts, questions))
        found = in_turns({"floor": _timer(partial(floor, questions)), "lexical": judging}, ROUNDS)
        rates = {each: len(questions) / seconds for each, seconds in found.items()}
        ratio = f"{rates['floor'] / rates['lexical']:.1f}"
        met = verdict(rates["lexical"] >= least)
        row = [name, f"{rates['lexical']:,.0f}", f"{least:,}", met]
        rows.append([*row, f"{rates['floor']:,.0f}", ratio])
    head = ["what", "lexical", "target", "", "floor: overlap of split words", "x floor's time"]
    print_table(head, rows)


def _timer(function: Callable[[], object]) -> Callable[[], float]:
    return lambda: seconds_of(function)


def _judge_anew(texts: Sequence[str], questions: Sequence[Question]) -> None:
    """Has all questions answered by a judge that has seen none of them."""
    judge: Judge = lexical.create("", texts)
    reasons = [reply.reason for reply in judge.answer(questions) if reply.reason]
    if reasons:
        raise SystemExit(f"{len(reasons)} pairs have no answer: {reasons[0]}")


def _overlap_with_document(questions: Sequence[Question]) -> int:
    return sum(
        len(set(each.text.split()) & set(each.document.text.split()))
        for each in questions
        if each.document
    )


def _overlap_with_answer(questions: Sequence[Question]) -> int:
    return sum(len(set(each.text.split()) & set(each.claim.split())) for each in questions)


def _sentence(draw: Random) -> str:
    end = draw.choice(_ENDS).format(draw.randint(2, 2030))
    parts = (draw.choice(_SUBJECTS), draw.choice(_VERBS), draw.choice(_OBJECTS), end)
    return " ".join(parts) + "."


def _text(draw: Random, num_words: int) -> str:
    sentences: list[str] = []
    left = num_words
    while left > 0:
        sentences.append(_sentence(draw))
        left -= len(sentences[-1].split())
    return " ".join(sentences)
