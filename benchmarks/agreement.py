"""The lexical judge beside the assessor on the example track. Nothing is tuned on these figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from argue_eval import formats
from argue_eval.analysis.agreement import figures
from argue_eval.evaluation import inputs, pipeline
from argue_eval.evaluation.asking import Engine
from argue_eval.judgments.index import target_of
from argue_eval.measures.protocols import Asking, verdict_of
from argue_eval.records import Judgment, Kind, Report, Verdict
from benchmarks.measuring import REPOSITORY, print_table, print_title

RUNS = ("careful", "hallucinating", "miscited", "sparse")
JUDGMENTS = str(REPOSITORY / "qrels" / "example.judgments.jsonl")

Pairs = Counter[tuple[bool, bool]]
"""How often (assessor says yes, lexical says yes) occurs."""


def main() -> None:
    """Compares and prints."""
    print_title("agreement: lexical with the assessor, example track")
    judgments = list(formats.iter_judgments(JUDGMENTS))
    by_kind: dict[Kind, Pairs] = {}
    open_questions: Counter[Kind] = Counter()
    num_judged = 0
    for judgment, verdict in _judged_twice(judgments):
        num_judged += 1
        if verdict is None:
            open_questions[judgment.kind] += 1
            continue
        pair = (judgment.verdict is Verdict.YES, verdict is Verdict.YES)
        by_kind.setdefault(judgment.kind, Counter())[pair] += 1
    _print_agreement(by_kind, open_questions)
    print("\na verdict is yes or not yes: partial support is not yes, as in the flowchart")
    print(f"{len(judgments)} judgments, {num_judged} of them of a sentence of these runs")
    _print_rankings()


def _judged_twice(judgments: Sequence[Judgment]) -> Iterator[tuple[Judgment, Verdict | None]]:
    """Yields the assessor's judgments, each once, with what the lexical judge says."""
    found = pipeline.prepare(_job([]), []).found
    engine = Engine(found.judges)
    seen: set[Judgment] = set()
    for run in found.runs:
        for report in found.reports_of(run).values():
            asking = Asking(found.topics[report.topic_id].topic, report)
            placed = [each for each in _placed(report, judgments) if each[0] not in seen]
            engine.answer(
                [
                    asking.question(
                        judgment.kind,
                        place,
                        doc_id=judgment.doc_id,
                        nugget_id=judgment.nugget_id,
                        answer=judgment.answer,
                    )
                    for judgment, place in placed
                ]
            )
            known = engine.judged.about(report)
            for judgment, place in placed:
                seen.add(judgment)
                view = known.sentence(place)
                yield judgment, verdict_of(view, judgment.kind, target_of(judgment))


def _job(judgments: Sequence[str]) -> inputs.Job:
    return inputs.Job(
        [str(REPOSITORY / "runs" / f"{name}.jsonl") for name in RUNS],
        str(REPOSITORY / "qrels" / "example.json"),
        str(REPOSITORY / "topics" / "example.jsonl"),
        [str(REPOSITORY / "collection" / "example.jsonl")],
        judgments,
        measures=["argue"],
    )


def _placed(report: Report, judgments: Sequence[Judgment]) -> Iterator[tuple[Judgment, int]]:
    """Yields the assessor's judgments of a report's sentences, with the sentence's place."""
    places: dict[str, int] = {}
    for index, sentence in enumerate(report.sentences):
        places.setdefault(sentence.text.strip(), index)
    for judgment in judgments:
        if judgment.topic_id != report.topic_id:
            continue
        is_placed = judgment.kind is Kind.FIRST_INSTANCE or judgment.sentence is None
        if is_placed:
            place = judgment.sentence_index if judgment.run_id == report.run_id else None
        else:
            place = places.get((judgment.sentence or "").strip())
        if place is not None:
            yield judgment, place


def _print_agreement(by_kind: dict[Kind, Pairs], open_questions: Counter[Kind]) -> None:
    rows = []
    for kind, pairs in by_kind.items():
        said = (False, True)
        counts = np.array([[pairs[one, other] for other in said] for one in said], dtype=float)
        shares = counts / counts.sum()
        kappa = float(figures.kappa(counts))
        rows.append(
            [
                kind.value,
                str(pairs.total()),
                str(open_questions[kind]),
                f"{shares[1].sum():.2f}",
                f"{shares[:, 1].sum():.2f}",
                f"{np.trace(shares):.3f}",
                "undefined" if np.isnan(kappa) else f"{kappa:.3f}",
            ]
        )
    head = ["kind", "both answered", "lexical open", "assessor yes", "lexical yes"]
    print_table([*head, "accuracy", "kappa"], rows)


def _print_rankings() -> None:
    """Prints the runs by argue_f1 under both; of what is left open, by the lower bound."""
    scores = {
        name: {
            each.table.run_id: each.table.row("argue_f1")
            for each in pipeline.evaluate(_job(judgments))
        }
        for name, judgments in (("assessor", [JUDGMENTS]), ("lexical", []))
    }
    rankings = {
        name: sorted(found, key=lambda run: -found[run].lower) for name, found in scores.items()
    }
    rows = [
        [
            run,
            *(str(scores[name][run]) for name in scores),
            *(str(rankings[name].index(run) + 1) for name in scores),
        ]
        for run in rankings["assessor"]
    ]
    print()
    print_table(["argue_f1", "assessor", "lexical", "rank", "lexical rank"], rows)
    is_equal = rankings["assessor"] == rankings["lexical"]
    print(f"\nthe two rankings are {'equal' if is_equal else 'NOT EQUAL'}")
