"""How time and memory grow: one thing in the input doubled, and doubled again.

Time is that of processors, which depends less on what else the machine does.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.measuring import Process, argue_eval, print_table, print_title, run_process, verdict

MAX_RATIO = 2.3
LEAST_SECONDS, LEAST_MB = 0.3, 10
"""A smaller difference between two sizes is noise."""

MAX_ROUNDS = 3
"""What misses is measured again, and the least counts: other work on the machine only adds."""

NUM_UNCITED, MAX_SECONDS, MAX_MB = 100_000, 60, 1_000

_Json = dict[str, Any]
Write = Callable[[Path, int], list[str]]
"""Writes an input with so many of what grows to a folder; returns the command."""


class Case(NamedTuple):
    """An input of any size, and what is done with it.

    Attributes:
        size: the smallest that is measured.
    """

    name: str
    size: int
    write: Write


def main() -> None:
    """Measures and prints."""
    print_title(f"growth: at most {MAX_RATIO} times the time and the memory for twice the input")
    head = ["what grows", "n", "s: n", "2n", "4n", "MB: n", "2n", "4n", "x s", "x MB", ""]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print_table(head, [_row(each, folder) for each in CASES])
        large = run_process(argue_eval(*_sentences(folder, NUM_UNCITED)), codes=(0, 4))
    is_met = large.busy < MAX_SECONDS and large.peak_mb < MAX_MB
    print(
        f"\n{NUM_UNCITED:,} sentences without citation in one report: {large.busy:.0f} s, "
        f"{large.peak_mb:.0f} MB; {verdict(is_met)} (< {MAX_SECONDS} s, < {MAX_MB:,} MB)"
    )


def _row(case: Case, folder: Path) -> list[str]:
    """Measures one case."""
    found: list[list[Process]] = []
    ratios = (inf, inf)
    while max(ratios) > MAX_RATIO and len(found) < MAX_ROUNDS:
        found.append([_measured(case, folder, case.size * times) for times in (0, 1, 2, 4)])
        each_size = list(zip(*found, strict=True))
        seconds = _beyond_first([min(each.busy for each in size) for size in each_size])
        memory = _beyond_first([min(each.peak_mb for each in size) for size in each_size])
        ratios = _ratio(seconds, LEAST_SECONDS), _ratio(memory, LEAST_MB)
    return [
        case.name,
        f"{case.size:,}",
        *[f"{value:.1f}" for value in seconds],
        *[f"{value:.0f}" for value in memory],
        *[f"{value:.1f}" for value in ratios],
        verdict(max(ratios) <= MAX_RATIO),
    ]


def _measured(case: Case, folder: Path, size: int) -> Process:
    """What the command takes, of an input of a size; of 0, with as little as there can be."""
    return run_process(argue_eval(*case.write(folder, max(size, 1))), codes=(0, 4))


def _beyond_first(values: Sequence[float]) -> list[float]:
    return [value - values[0] for value in values[1:]]


def _ratio(values: Sequence[float], least: float) -> float:
    """By how much the last value is larger than that before; 1 if they hardly differ."""
    *_, before, last = values
    return last / max(before, least) if last - before > least else 1.0


# --- what an input is made of ---------------------------------------------------------------------


def _sentence(place: int, *doc_ids: str) -> _Json:
    text = f"The bridge of town {place} was rebuilt in {1000 + place} days."
    return {"text": text, "citations": list(doc_ids)}


def _uncited(number: int) -> list[_Json]:
    return [_sentence(place) for place in range(number)]


def _report(sentences: list[_Json], topic_id: str = "t", references: Iterable[str] = ()) -> _Json:
    metadata = {"team_id": "team", "run_id": "run", "topic_id": topic_id}
    return {"metadata": metadata, "responses": sentences, "references": list(references)}


def _nugget(place: int, *answers: str, question: str | None = "How long did it take?") -> _Json:
    found = [{"answer": answer, "doc_ids": [f"d{place}"]} for answer in answers]
    return {"nugget_id": f"n{place}", "question": question, "answers": found}


def _claim(place: int) -> _Json:
    return _nugget(place, _sentence(place)["text"], question=None)


def _lines(path: Path, values: Iterable[_Json]) -> str:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(value) + "\n" for value in values)
    return str(path)


def _run(folder: Path, *reports: _Json) -> str:
    return _lines(folder / "run.jsonl", reports)


def _qrels(folder: Path, nuggets: Iterable[_Json], topic_ids: Sequence[str] = ("t",)) -> str:
    every = list(nuggets)
    topics = [{"topic_id": topic_id, "nuggets": every} for topic_id in topic_ids]
    return _lines(folder / "q.json", [{"format": "argue-eval/nuggets/1", "topics": topics}])


def _few(folder: Path) -> str:
    """Ten nuggets with an answer, and one without."""
    nuggets = [_nugget(place, f"{1000 + place} days") for place in range(10)]
    return _qrels(folder, [*nuggets, _nugget(99)])


def _collection(folder: Path, number: int) -> list[str]:
    texts = (f"It took {1000 + place} days to rebuild the bridge." for place in range(number))
    documents = ({"id": f"d{place}", "text": text} for place, text in enumerate(texts))
    return ["--collection", _lines(folder / "documents.jsonl", documents)]


_LEXICAL = ["-m", "argue", "--judge", "lexical"]


# --- what grows -----------------------------------------------------------------------------------


def _sentences(folder: Path, number: int) -> list[str]:
    return ["score", _run(folder, _report(_uncited(number))), _few(folder), *_LEXICAL]


def _stored(folder: Path, number: int) -> list[str]:
    store = folder / "judgments.store"
    store.unlink(missing_ok=True)
    return [*_sentences(folder, number), "--store", str(store)]


def _forecast(judge: str) -> Write:
    def write(folder: Path, number: int) -> list[str]:
        run = _run(folder, _report(_uncited(number)))
        return ["judge", run, _few(folder), "-m", "argue", "--judge", judge, "--dry-run"]

    return write


def _written(folder: Path, number: int) -> list[str]:
    run = _run(folder, _report([_sentence(0, "d0")] * number))
    return ["score", run, _few(folder), *_LEXICAL, "-o", str(folder / "scores")]


def _cited(folder: Path, number: int) -> list[str]:
    run = _run(folder, _report([_sentence(place, f"d{place}") for place in range(number)]))
    return ["score", run, _few(folder), *_LEXICAL, *_collection(folder, number)]


def _citations(folder: Path, number: int) -> list[str]:
    run = _run(folder, _report([_sentence(1, *[f"d{place}" for place in range(number)])]))
    return ["score", run, _few(folder), *_LEXICAL, *_collection(folder, number)]


def _nuggets(folder: Path, number: int) -> list[str]:
    run = _run(folder, _report([_sentence(place, "d1") for place in range(2)]))
    bank = _qrels(folder, (_nugget(place, f"{1000 + place} days") for place in range(number)))
    return ["score", run, bank, *_LEXICAL, "--attestation", "any-document"]


def _absence(folder: Path, number: int) -> list[str]:
    unknown = {"text": "It is not known how long it took.", "citations": []}
    bank = _qrels(folder, map(_nugget, range(number)))
    return ["score", _run(folder, _report([unknown])), bank, *_LEXICAL]


def _answers(folder: Path, number: int) -> list[str]:
    bank = _qrels(folder, [_nugget(0, *[f"{1000 + place} days" for place in range(number)])])
    return ["score", _run(folder, _report([_sentence(5, "d0")])), bank, *_LEXICAL]


def _sought(protocol: str) -> Write:
    def write(folder: Path, number: int) -> list[str]:
        run = _run(folder, _report([_sentence(place, "d1") for place in range(2)]))
        bank = _qrels(folder, map(_claim, range(number)))
        return ["score", run, bank, "--protocol", protocol, "--judge", "lexical"]

    return write


def _claims(folder: Path, number: int) -> list[str]:
    bank = _qrels(folder, map(_claim, range(number)))
    return ["curate", "dedupe", bank, "-o", str(folder / "grouped.json")]


def _alike(folder: Path, number: int) -> list[str]:
    """Claims that differ in a word: every two of them could say the same."""
    digits = str.maketrans("0123456789", "ghijklmnop")
    texts = (f"The bridge of {f'{place:06}'.translate(digits)} broke." for place in range(number))
    bank = _qrels(folder, (_nugget(at, text, question=None) for at, text in enumerate(texts)))
    return ["curate", "dedupe", bank, "-o", str(folder / "grouped.json")]


def _judged(kind: str) -> Write:
    def write(folder: Path, number: int) -> list[str]:
        sentences = [_sentence(place, f"d{place}") for place in range(number)]
        judgments = (
            {
                "kind": kind,
                "topic_id": "t",
                "judge": "assessor",
                "doc_id": f"d{place}",
                "verdict": "yes",
                **({"sentence": sentence["text"]} if kind == "support" else {}),
            }
            for place, sentence in enumerate(sentences)
        )
        path = _lines(folder / "judgments.jsonl", judgments)
        run = _run(folder, _report(sentences))
        return ["score", run, _few(folder), "-m", "argue", "--judgments", path]

    return write


def _topics(folder: Path, number: int) -> list[str]:
    ids = [f"t{place}" for place in range(number)]
    run = _run(folder, *[_report(_uncited(2), topic_id) for topic_id in ids])
    bank = _qrels(folder, [_nugget(1, "1001 days"), _nugget(2, "1002 days")], ids)
    wanted = ({"request_id": each, "problem_statement": "How long did it take?"} for each in ids)
    requests = _lines(folder / "requests.jsonl", wanted)
    output = ["-q", "-o", str(folder / "scores")]
    return ["score", run, bank, *_LEXICAL, "--requests", requests, *output]


def _validated(folder: Path, number: int) -> list[str]:
    run = _run(folder, _report(_uncited(number)))
    return ["validate", run, "--track", "generic"]


def _references(folder: Path, number: int) -> list[str]:
    ids = [f"d{place}" for place in range(number)]
    run = _run(folder, _report([_sentence(1, *ids)], references=ids))
    return ["validate", run, "--track", "generic"]


def _converted(folder: Path, number: int) -> list[str]:
    ids = [f"d{place}" for place in range(number)]
    run = _run(folder, _report([_sentence(1, each) for each in ids], references=ids))
    return ["convert", run, "--to", "rag", "--lossy", "-o", str(folder / "converted.jsonl")]


def _ingested(folder: Path, number: int) -> list[str]:
    bank = _qrels(folder, (_nugget(place, f"{1000 + place} days") for place in range(number)))
    return ["ingest", "qrels", bank, "-o", str(folder / "ingested.json")]


CASES = (
    Case("sentences without citation", 4_000, _sentences),
    Case("… with a store", 4_000, _stored),
    Case("… judge --dry-run", 8_000, _forecast("lexical")),
    Case("… of a language model", 4_000, _forecast("llm:model")),
    Case("sentences with one answer, -o", 64_000, _written),
    Case("sentences with a citation", 4_000, _cited),
    Case("citations of a sentence", 8_000, _citations),
    Case("nuggets, any-document", 8_000, _nuggets),
    Case("absence nuggets", 16_000, _absence),
    Case("answers of a nugget", 8_000, _answers),
    Case("claims, key-points", 4_000, _sought("key-points")),
    Case("claims, summhay", 6_000, _sought("summhay")),
    Case("claims, curate dedupe", 8_000, _claims),
    Case("claims that could all say the same", 1_500, _alike),
    Case("judgments of documents in a topic", 16_000, _judged("relevant")),
    Case("judgments of sentences in a topic", 32_000, _judged("support")),
    Case("topics", 2_000, _topics),
    Case("sentences, validate", 6_000, _validated),
    Case("references, validate", 8_000, _references),
    Case("references, convert", 16_000, _converted),
    Case("nuggets, ingest", 16_000, _ingested),
)
