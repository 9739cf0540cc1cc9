"""A track whose topics have four nuggets, and judgments of what its reports answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from argue_eval import (
    Answer,
    Citation,
    Judgment,
    Kind,
    Nugget,
    Report,
    Run,
    Sentence,
    TopicNuggets,
    Verdict,
)
from argue_eval.analysis.results import Figure

PEOPLE, MACHINE = "assessor:A1", "machine@1"
NUM_NUGGETS = 4

Answers = Mapping[str, int]
"""How many of its nuggets the report of a topic answers; it has one sentence for each."""


def nuggets(topics: Iterable[str]) -> list[TopicNuggets]:
    """Nuggets with one answer each, which the document of its number attests."""
    return [
        TopicNuggets(
            topic_id,
            tuple(
                Nugget(f"n{place}", "what?", (Answer("it", (f"d{place}",)),))
                for place in range(NUM_NUGGETS)
            ),
        )
        for topic_id in topics
    ]


def run(topics: Iterable[str], run_id: str = "alpha", more: tuple[str, ...] = ()) -> Run:
    """A run with a sentence for each nugget of each topic, and more without citations."""
    return Run(
        run_id,
        tuple(
            Report(
                topic_id,
                run_id,
                tuple(
                    Sentence(f"{run_id} {topic_id} {place}.", (Citation(f"d{place}"),))
                    for place in range(NUM_NUGGETS)
                )
                + tuple(map(Sentence, more)),
            )
            for topic_id in topics
        ),
    )


def judged(
    answers: Answers, judge: str, run_id: str = "alpha", kind: Kind = Kind.ANSWERS
) -> Iterator[Judgment]:
    """Yields whether each sentence gives its answer, or is supported: the first ones are."""
    is_answer = kind is Kind.ANSWERS
    for topic_id, number in answers.items():
        for place in range(NUM_NUGGETS):
            yield Judgment(
                kind=kind,
                topic_id=topic_id,
                verdict=Verdict.YES if place < number else Verdict.NO,
                judge=judge,
                sentence=f"{run_id} {topic_id} {place}.",
                doc_id="" if is_answer else f"d{place}",
                nugget_id=f"n{place}" if is_answer else "",
                answer="it" if is_answer else "",
            )


def ends(figure: Figure | None) -> tuple[float, float, float]:
    """The value of a figure that has one, and its interval."""
    assert figure is not None
    assert figure.value is not None
    assert figure.lower is not None
    assert figure.upper is not None
    return figure.value, figure.lower, figure.upper
