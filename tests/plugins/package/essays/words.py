"""Words alone: a text supports or covers what all its longer words occur in."""

import re
from collections.abc import Iterable, Iterator, Sequence

from argue_eval.judges import Settings, Workload
from argue_eval.records import Kind, Question, Reply, Verdict

MODEL = ""
IS_COSTLY = False
READS_REPORTS = False


class WordsJudge:
    """Says yes where every longer word of a claim occurs in the other text."""

    signature = "words@1"
    kinds = frozenset({Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS})
    joint: frozenset[Kind] = frozenset()

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        """Yields one reply per question."""
        for index, question in enumerate(questions):
            claim, text = question.claim, question.text
            if question.kind is Kind.SUPPORT:
                if question.document is None:
                    yield Reply(index=index, reason="no document text")
                    continue
                claim, text = question.text, question.document.text
            missing = _words(claim) - _words(text)
            verdict = Verdict.NO if missing else Verdict.YES
            yield Reply(index=index, verdict=verdict, rationale=", ".join(sorted(missing)))

    def workload(self, questions: Sequence[Question]) -> Workload:
        """Nothing: no model is called."""
        return Workload()


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{4,}", text.lower()))


def create(model: str, texts: Iterable[str], settings: Settings) -> WordsJudge:
    """Makes the judge."""
    return WordsJudge()
