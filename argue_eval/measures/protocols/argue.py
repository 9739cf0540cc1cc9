"""The ARGUE flowchart: every sentence ends in one of eight outcomes.

Source: "On the Evaluation of Machine-Generated Reports" (SIGIR 2024), Figure 2 and section 4.5.
The unit is a sentence of the report. Two readings of the chart: `argue` as in the paper asks for
support only where no nugget is answered, `strict` asks for it at every citation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import count, repeat
from typing import Any, NamedTuple

from argue_eval.measures.protocols import (
    Asking,
    Known,
    ReportProtocol,
    Target,
    View,
    Wanted,
    verdict_of,
)
from argue_eval.records import (
    Aggregator,
    Kind,
    Nugget,
    Question,
    Report,
    Sentence,
    Topic,
    Verdict,
)

NEED_ANSWERS = "answers"
"""The answers that the report gives, in the reading `argue`."""
NEED_CREDITS = "credits"
"""The answers that are credited in the chosen reading."""
NEED_OUTCOME = "outcome"
"""The outcome of every sentence in the chosen reading."""
NEED_UNCITED = "uncited"
"""The outcome of every sentence without a citation."""
NEED_SUPPORT = "support"
"""Whether every cited document supports its sentence."""

READINGS = ("argue", "strict")
CITATIONS = ("all", "any", "macro", "micro")
ATTESTATIONS = ("cited-document", "any-document")

OUTCOMES = {
    1: ("penalise", "the cited document does not support the sentence"),
    2: ("ignore", "supported, but not part of any nugget"),
    3: ("reward", "answers a nugget, and the cited document attests that answer"),
    4: ("ignore", "needs no citation and has none"),
    5: ("penalise", "needs a citation and has none, first time that this is claimed"),
    6: ("ignore", "needs a citation and has none, but repeats an earlier claim"),
    7: ("penalise", "says that something is absent, and no absence nugget agrees"),
    8: ("reward", "says that something is absent, and an absence nugget agrees"),
}
REWARDED = frozenset({3, 8})
PENALISED = frozenset({1, 5, 7})

_PRIORITY = {"all": (1, 3, 2), "any": (3, 2, 1)}

_ENDS = {
    "argue": (
        ((3,), (3,), (3,)),
        ((2, 3), (1, 2, 3), (1, 3)),
        ((2,), (1, 2), (1,)),
    ),
    "strict": (
        ((3,), (1, 3), (1,)),
        ((2, 3), (1, 2, 3), (1,)),
        ((2,), (1, 2), (1,)),
    ),
}
"""The outcomes that a citation can still end in, by reading. Rows: an answer is given; some are
unjudged; none is given. Columns: the document supports the sentence; unjudged; it does not."""

# The chart is walked millions of times, and finding a member in its Enum takes ten times as long
# as finding a name of this module.
_RELEVANT, _ANSWERS, _SUPPORT = Kind.RELEVANT, Kind.ANSWERS, Kind.SUPPORT
_UNCITED = _NEGATIVE, _REQUIRED, _FIRST = (
    Kind.NEGATIVE,
    Kind.REQUIRES_CITATION,
    Kind.FIRST_INSTANCE,
)
_ASKED_UNCITED = tuple([(kind, "") for kind in _UNCITED])
_AGREES = Kind.AGREES
_YES, _NO = Verdict.YES, Verdict.NO
_AND = Aggregator.AND
# A named tuple made this way has no call in Python behind it.
_new = tuple.__new__

Pair = tuple[str, str]
"""A nugget's id and one of its answers."""

_Asked = tuple[Kind, Pair]
"""The question whether a sentence gives an answer."""

Unit = tuple[int, Sentence, Asking]
"""A sentence with its 0-based place, and what asks about its report."""


class CitationOutcome(NamedTuple):
    """Where one citation of a sentence ends.

    Attributes:
        outcome: 1, 2 or 3; None if unjudged.
        possible: every outcome that the missing judgments could still lead to.
        is_relevant: does the document attest some answer of the topic? Where any document counts,
            is it known to exist? None if unjudged, or if nothing is known of any document.
        support: does the document support the sentence? None if unjudged or not asked.
        answered: (nugget_id, answer) pairs that the sentence gives and the document attests.
        unanswered: such pairs that are unjudged.
    """

    doc_id: str
    outcome: int | None
    possible: tuple[int, ...]
    is_relevant: bool | None
    support: Verdict | None
    answered: tuple[Pair, ...] = ()
    unanswered: tuple[Pair, ...] = ()


class SentenceOutcome(NamedTuple):
    """Where one sentence ends in the ARGUE flowchart.

    Attributes:
        outcome: 1 to 8; None if unjudged, or if several citations are counted one by one
            (``--citations macro`` and ``micro``).
        possible: every outcome that the missing judgments could still lead to.
        citations: one per distinct cited document, in order; empty if the sentence cites none.
        answers: for an uncited sentence, the questions of the chart that were reached.
        agreeing: ids of the absence nuggets that agree with a negative assertion.
        unagreed: ids of those that are unjudged.
        needs: questions without a verdict that the chart must know to go on.
    """

    sentence_index: int
    outcome: int | None
    possible: tuple[int, ...]
    citations: tuple[CitationOutcome, ...] = ()
    answers: tuple[tuple[Kind, Verdict], ...] = ()
    agreeing: tuple[str, ...] = ()
    unagreed: tuple[str, ...] = ()
    needs: tuple[Question, ...] = ()


class NuggetOutcome(NamedTuple):
    """Whether a report answers a nugget.

    Attributes:
        is_correct: None if it depends on judgments that are missing.
        credited: (sentence_index, answer) for every answer credited; an absence nugget's
            answer is the empty string.
        weight: how much the nugget counts in the weighted measures.
    """

    nugget: Nugget
    is_correct: bool | None
    credited: tuple[tuple[int, str], ...] = ()
    weight: float = 1.0


class ArgueOutcomes(NamedTuple):
    """Where the sentences of a report end, and which nuggets it answers.

    Attributes:
        sentences: one per sentence of the report, in report order.
        nuggets: one per nugget of the topic, in the reading of the options.
        nuggets_argue: the same in the reading `argue`, whatever the options say.
    """

    sentences: tuple[SentenceOutcome, ...] = ()
    nuggets: tuple[NuggetOutcome, ...] = ()
    nuggets_argue: tuple[NuggetOutcome, ...] = ()


class Argue(ReportProtocol[Unit, SentenceOutcome]):
    """The flowchart for one topic's reports."""

    options = frozenset({"reading", "citations", "attestation", "weights"})
    needs_attestation = True
    counts_sentences = True

    def __init__(self, topic: Topic, wanted: Wanted) -> None:
        super().__init__(topic, wanted)
        options, needs = wanted
        # Looked up at every citation, and not compared there every time.
        self._is_strict = options.reading == "strict"
        self._ends = _ENDS[options.reading]
        self._is_any_document = options.attestation == "any-document"
        self._mode = options.citations
        self._wants_outcome = NEED_OUTCOME in needs
        self._wants_uncited = self._wants_outcome or NEED_UNCITED in needs
        self._wants_support = NEED_SUPPORT in needs
        self._wants_answers = NEED_ANSWERS in needs
        self._wants_credits = NEED_CREDITS in needs
        attested: dict[str, dict[_Asked, None]] = {}
        all_asked: dict[_Asked, None] = {}
        self._places: dict[str, list[int]] = {}
        for place, nugget in enumerate(topic.nuggets):
            self._places.setdefault(nugget.nugget_id, []).append(place)
            for answer in nugget.answers:
                asked = (_ANSWERS, (nugget.nugget_id, answer.answer))
                all_asked[asked] = None
                for doc_id in answer.doc_ids:
                    attested.setdefault(doc_id, {})[asked] = None
        # The questions about the answers that a sentence may give which cites a document.
        self._asked_anyway = tuple(all_asked) if self._is_any_document else ()
        self._asked_of = {
            doc_id: self._asked_anyway or tuple(found) for doc_id, found in attested.items()
        }
        self._absence = [(_AGREES, each.nugget_id) for each in topic.nuggets if not each.answers]
        self._required = [
            frozenset([each.answer for each in nugget.answers] or [""]) for nugget in topic.nuggets
        ]
        self._unanswered = [
            NuggetOutcome(nugget, False, weight=options.weights[nugget.importance or "none"])
            for nugget in topic.nuggets
        ]

    def units(self, report: Report) -> list[Unit]:
        """The sentences of the report."""
        return list(zip(count(), report.sentences, repeat(Asking(self.topic, report))))

    def step(self, unit: Unit, known: Known) -> SentenceOutcome:
        """Where the sentence ends."""
        index, sentence, asking = unit
        view = known.sentence(index)
        if not sentence.citations:
            return self._uncited(index, sentence, view, asking)
        get = view.get
        citations: list[CitationOutcome] = []
        needs: list[Question] = []
        for doc_id in dict(sentence.citations):
            asked = self._asked_of.get(doc_id, self._asked_anyway)
            judged = get((_RELEVANT, doc_id))
            is_relevant = bool(asked) if judged is None else judged.verdict is _YES
            judged = get((_SUPPORT, doc_id))
            support = None if judged is None else judged.verdict
            answered: list[Pair] = []
            unanswered: list[Pair] = []
            for question in asked if is_relevant else ():
                judged = get(question)
                if judged is None:
                    unanswered.append(question[1])
                elif judged.verdict is _YES:
                    answered.append(question[1])
            possible = self._ends[0 if answered else 1 if unanswered else 2][
                0 if support is _YES else 1 if support is None else 2
            ]
            outcome = possible[0] if len(possible) == 1 else None
            pairs = (tuple(answered), tuple(unanswered))
            row = (doc_id, outcome, possible, is_relevant, support, *pairs)
            citation = _new(CitationOutcome, row)
            if self._is_any_document:
                citation = self._looked_up(citation, view, asking.report)
            if support is None or unanswered:
                self._ask(index, citation, asking, needs)
            citations.append(citation)
        if len(citations) > 1:
            possible = _combine(frozenset([each.possible for each in citations]), self._mode)
            outcome = possible[0] if len(possible) == 1 else None
        ends = (index, outcome, possible, tuple(citations), (), (), (), tuple(needs))
        return _new(SentenceOutcome, ends)

    def _looked_up(self, citation: CitationOutcome, view: View, report: Report) -> CitationOutcome:
        """The citation, relevant only if its document is known. That changes no credit."""
        doc_id, known_ids = citation.doc_id, self.topic.known_ids
        if not citation.is_relevant or view.get((_RELEVANT, doc_id)) is not None:
            return citation
        is_relevant = None
        if known_ids is not None or report.documents:
            is_relevant = doc_id in (known_ids or ()) or doc_id in report.documents
        return citation._replace(is_relevant=is_relevant)

    def _ask(
        self, index: int, citation: CitationOutcome, asking: Asking, needs: list[Question]
    ) -> None:
        """Adds the questions that decide a citation and that the chart reaches."""
        is_strict, support = self._is_strict, citation.support
        is_undecided = self._wants_outcome and citation.outcome is None
        has_credits = self._wants_credits and bool(citation.answered or citation.unanswered)
        if support is None and (
            self._wants_support
            or (is_undecided and (is_strict or not citation.unanswered))
            or (has_credits and is_strict)
        ):
            needs.append(asking.question(_SUPPORT, index, doc_id=citation.doc_id))
        is_reached = not is_strict or support is _YES
        if citation.unanswered and (
            self._wants_answers or (is_reached and (is_undecided or has_credits))
        ):
            for nugget_id, answer in citation.unanswered:
                needs.append(
                    asking.question(
                        _ANSWERS,
                        index,
                        doc_id=citation.doc_id,
                        nugget_id=nugget_id,
                        answer=answer,
                    )
                )

    def _uncited(
        self, index: int, sentence: Sentence, view: View, asking: Asking
    ) -> SentenceOutcome:
        """Walks the right half of the chart; needs the first verdict that is missing there."""
        if not sentence.text.strip():
            return SentenceOutcome(index, 4, (4,))
        if not self._wants_uncited and not self._absence:
            return SentenceOutcome(index, None, ())
        get = view.get
        negative, required, first = [
            None if (judged := get(question)) is None else judged.verdict
            for question in _ASKED_UNCITED
        ]
        verdicts: tuple[Verdict | None, ...] = (negative,)
        if negative is not _YES and self._wants_uncited:
            verdicts = (negative, required) if required is _NO else (negative, required, first)
        agreeing, unagreed = ((), ()) if negative is _NO else self._agreement(view)
        possible, answers = _uncited_ends(verdicts, bool(agreeing), bool(unagreed))
        needs: tuple[Question, ...] = ()
        if None in verdicts:
            needs = (asking.question(_UNCITED[verdicts.index(None)], index),)
        elif unagreed and negative is _YES:
            needs = tuple([asking.question(_AGREES, index, nugget_id=each) for each in unagreed])
        outcome = possible[0] if len(possible) == 1 else None
        row = (index, outcome, possible, (), answers, agreeing, unagreed, needs)
        return _new(SentenceOutcome, row)

    def _agreement(self, view: View) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The absence nuggets that agree with a sentence, and those unjudged."""
        verdicts = [(each, verdict_of(view, _AGREES, each)) for _, each in self._absence]
        return (
            tuple([each for each, verdict in verdicts if verdict is _YES]),
            tuple([each for each, verdict in verdicts if verdict is None]),
        )

    def conclude(self, report: Report | None, outcomes: Sequence[SentenceOutcome]) -> ArgueOutcomes:
        """Where the sentences end, and which nuggets the report answers."""
        nuggets = self.nuggets(outcomes, is_strict=self._is_strict)
        in_argue = nuggets if not self._is_strict else self.nuggets(outcomes, is_strict=False)
        return ArgueOutcomes(tuple(outcomes), nuggets, in_argue)

    def nuggets(
        self, outcomes: Sequence[SentenceOutcome], *, is_strict: bool
    ) -> tuple[NuggetOutcome, ...]:
        """For every nugget whether the report answers it, in nugget order.

        An answer is credited through a citation with outcome 3 in the reading, an absence nugget
        through outcome 8. An AND nugget needs all its answers, gathered over the whole report.
        """
        credited: dict[str, dict[str, list[int]]] = {}
        hoped: dict[str, set[str]] = {}
        for index, outcome, possible, citations, _, agreeing, unagreed, _ in outcomes:
            for _, _, _, _, support, answered, unanswered in citations:
                if is_strict and support is not _YES:
                    unanswered = answered + unanswered if support is None else ()
                    answered = ()
                for nugget_id, answer in answered:
                    indexes = credited.setdefault(nugget_id, {}).setdefault(answer, [])
                    if not indexes or indexes[-1] != index:  # they come in their order
                        indexes.append(index)
                for nugget_id, answer in unanswered:
                    hoped.setdefault(nugget_id, set()).add(answer)
            if 8 in possible:
                certain, open_ = (agreeing, unagreed) if outcome == 8 else ((), agreeing + unagreed)
                for nugget_id in certain:
                    credited.setdefault(nugget_id, {}).setdefault("", []).append(index)
                for nugget_id in open_:
                    hoped.setdefault(nugget_id, set()).add("")
        found = self._unanswered.copy()
        for name in credited.keys() | hoped.keys():
            sure, maybe = credited.get(name, {}), hoped.get(name, set())
            pairs = tuple(
                [(index, answer) for answer, found_at in sure.items() for index in found_at]
            )
            for place in self._places.get(name, ()):
                nugget, _, _, weight = found[place]
                required = self._required[place]
                if nugget.aggregator is _AND:
                    is_correct = required <= sure.keys()
                    is_possible = is_correct or required <= sure.keys() | maybe
                else:
                    is_correct = not required.isdisjoint(sure)
                    is_possible = is_correct or bool(maybe)
                end = True if is_correct else None if is_possible else False
                found[place] = _new(NuggetOutcome, (nugget, end, pairs, weight))
        return tuple(found)

    def records(
        self, report: Report, concluded: ArgueOutcomes, known: Known
    ) -> Iterator[dict[str, Any]]:
        """Yields an object per sentence: its outcome, its way through the chart, its credits."""
        credited: dict[int, list[dict[str, str]]] = {}
        for each in concluded.nuggets:
            for place, answer in each.credited:
                credit = {"nugget_id": each.nugget.nugget_id, "answer": answer}
                credited.setdefault(place, []).append(credit)
        for outcome in concluded.sentences:
            index = outcome.sentence_index
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "sentence_index": index,
                "text": report.sentences[index].text,
                "outcome": outcome.outcome,
                "effect": effect(outcome),
                "possible": list(outcome.possible),
                "path": list(self._path(outcome, known.sentence(index))),
                "citations": [_citation_record(each) for each in outcome.citations],
                "credited": credited.get(index, []),
            }

    def nugget_records(self, report: Report, concluded: ArgueOutcomes) -> Iterator[dict[str, Any]]:
        """Yields an object per nugget: whether the report answers it, and with which sentences."""
        for nugget, is_correct, credited, _ in concluded.nuggets:
            yield {
                "run_id": report.run_id,
                "topic_id": report.topic_id,
                "nugget_id": nugget.nugget_id,
                "is_correct": is_correct,
                "credited": credited,
            }

    def _path(self, outcome: SentenceOutcome, view: View) -> Iterator[dict[str, str]]:
        """Yields the questions that the chart asked about a sentence, in its order."""
        yield _path_step("has it citations?", "yes" if outcome.citations else "no")
        if not outcome.citations:
            yield from self._uncited_path(outcome, view)
        for citation in outcome.citations:
            asked = self._asked_of.get(citation.doc_id, self._asked_anyway)
            tried = [pair for _, pair in asked]
            yield from _citation_path(citation, self._questions, tried, view)

    @cached_property
    def _questions(self) -> dict[str, str | None]:
        return {nugget.nugget_id: nugget.question for nugget in self.topic.nuggets}

    def _uncited_path(self, outcome: SentenceOutcome, view: View) -> Iterator[dict[str, str]]:
        for kind, verdict in outcome.answers:
            yield _path_step(_WORDING[kind], verdict.value, view, kind)
        is_negative = (_NEGATIVE, _YES) in outcome.answers
        for nugget in self.topic.nuggets if is_negative else ():
            if nugget.is_absence:
                name = nugget.nugget_id
                agrees = "unjudged" if name in outcome.unagreed else "no"
                what = f"does the absence nugget {name} ({nugget.question}) agree?"
                answer = "yes" if name in outcome.agreeing else agrees
                yield _path_step(what, answer, view, _AGREES, name)
        for question in outcome.needs:
            if question.kind in _WORDING:
                yield _path_step(_WORDING[question.kind], "unjudged")


@cache
def _combine(ends: frozenset[tuple[int, ...]], mode: str) -> tuple[int, ...]:
    """The outcomes that a sentence can still end in, given those of its citations.

    The first outcome in the mode's priority that any citation has is the sentence's. Where
    citations are counted one by one, a sentence has no outcome of its own.
    """
    if mode not in _PRIORITY:
        return ()
    first, second, last = _PRIORITY[mode]
    possible = []
    if any(first in each for each in ends):
        possible.append(first)
    if (first,) not in ends and any(second in each for each in ends):
        possible.append(second)
    if all(last in each for each in ends):
        possible.append(last)
    return tuple(sorted(possible))


@cache
def _uncited_ends(
    verdicts: tuple[Verdict | None, ...], is_agreed: bool, is_open: bool
) -> tuple[tuple[int, ...], tuple[tuple[Kind, Verdict], ...]]:
    """The outcomes that a sentence without citation can still end in, and what is answered of it.

    Args:
        verdicts: on as many of the chart's questions as it reaches.
        is_agreed: does an absence nugget agree?
        is_open: is that unjudged of some?
    """
    negative, required, first = (*verdicts, None, None)[:3]
    possible: set[int] = set()
    if negative is not _NO:
        possible |= {8} if is_agreed else {7, 8} if is_open else {7}
    if len(verdicts) > 1:
        possible |= _requirement(required, first)
    answers = zip(_UNCITED, verdicts, strict=False)
    return tuple(sorted(possible)), tuple([(k, v) for k, v in answers if v is not None])


def _requirement(required: Verdict | None, first: Verdict | None) -> set[int]:
    """The ends of a sentence that is no negative assertion: 4, 5 or 6."""
    if required is _NO:
        return {4}
    ends = {5, 6} if first is None else {5} if first is _YES else {6}
    return ends | {4} if required is None else ends


def effect(outcome: SentenceOutcome) -> str:
    """What a sentence does to the score: ``reward``, ``ignore`` or ``penalise``.

    Otherwise ``unjudged``; ``by citation`` if its citations are counted one by one; ``not asked``
    if no measure needed to know.
    """
    if outcome.outcome:
        return OUTCOMES[outcome.outcome][0]
    if outcome.needs:
        return "unjudged"
    is_by_citation = not outcome.possible and bool(outcome.citations)
    if is_by_citation and all(each.outcome for each in outcome.citations):
        return "by citation"
    return "not asked"


_WORDING = {
    Kind.NEGATIVE: "is it a negative assertion?",
    Kind.REQUIRES_CITATION: "does it require a citation?",
    Kind.FIRST_INSTANCE: "is it the first instance of its claim?",
}


def _citation_path(
    citation: CitationOutcome,
    questions: dict[str, str | None],
    tried: Sequence[Pair],
    view: View,
) -> Iterator[dict[str, str]]:
    doc_id = citation.doc_id
    is_relevant = {None: "unjudged", True: "yes", False: "no"}[citation.is_relevant]
    step = _path_step(f"is {doc_id} relevant?", is_relevant, view, _RELEVANT, doc_id)
    is_looked_up = view.get((_RELEVANT, doc_id)) is None
    if is_looked_up and tried and not citation.is_relevant:
        step["judge"] = "known to no collection, run or nugget; any document counts"
    yield step
    for nugget_id, answer in citation.answered:
        question = questions.get(nugget_id)
        what = f"does it answer {nugget_id} ({question}) with {answer!r}?"
        if question is None:
            what = f"does it make the claim {nugget_id}, {answer!r}?"
        yield _path_step(what, "yes", view, _ANSWERS, (nugget_id, answer))
    for nugget_id, answer in citation.unanswered:
        yield _path_step(f"does it answer {nugget_id} with {answer!r}?", "unjudged")
    may_answer = bool(tried) if is_looked_up else citation.is_relevant
    if may_answer and not citation.answered and not citation.unanswered:
        what = f"does it answer a nugget with an answer that {doc_id} attests?"
        yield {**_path_step(what, "no"), **_denied(tried, view)}
    if citation.support is not None or citation.outcome is None:
        support = citation.support.value if citation.support else "unjudged"
        yield _path_step(f"does {doc_id} support it?", support, view, _SUPPORT, doc_id)


def _denied(pairs: Sequence[Pair], view: View) -> dict[str, str]:
    """Who judged that a sentence gives none of some answers, and the first of these."""
    judged = [view.get((_ANSWERS, pair)) for pair in pairs]
    shown = [f"{nugget_id} {answer!r}" for nugget_id, answer in pairs[:_MAX_DENIED]]
    more = len(pairs) - len(shown)
    listed = ", ".join([*shown, f"{more:,} more"] if more else shown)
    judges = dict.fromkeys(each.judge for each in judged if each is not None)
    return {"judge": ", ".join(judges), "evidence": f"tried {listed}" if listed else ""}


_MAX_DENIED = 10


def _path_step(
    question: str,
    answer: str,
    view: View | None = None,
    kind: Kind | None = None,
    target: Target = "",
) -> dict[str, str]:
    """One question of the chart and its answer, with the judge and what it says for it."""
    judge = evidence = ""
    judged = view.get((kind, target)) if view is not None and kind is not None else None
    if judged is not None:
        judge = judged.judge
        prob = "" if judged.prob is None else f"p={judged.prob:.2f} "
        evidence = (prob + judged.rationale).strip()
    elif kind is _RELEVANT:
        judge = "looked up in the nuggets"
    return {"question": question, "answer": answer, "judge": judge, "evidence": evidence}


def _citation_record(citation: CitationOutcome) -> dict[str, Any]:
    return {
        "doc_id": citation.doc_id,
        "outcome": citation.outcome,
        "possible": list(citation.possible),
        "is_relevant": citation.is_relevant,
        "support": citation.support.value if citation.support else None,
        "answered": [list(pair) for pair in citation.answered],
        "unanswered": [list(pair) for pair in citation.unanswered],
    }


PROTOCOL_CLASS = Argue
