"""Judges on the probes: what passes and what fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

import argue_eval as ae
from argue_eval.errors import UsageError
from argue_eval.evaluation.probes import CONTRASTS, forms, pairs
from argue_eval.judges import Workload
from argue_eval.records import Kind, Question, Reply, Verdict

PAIRS = pairs()
HELD_OUT = [pair for pair in PAIRS if pair.is_held_out]
FORMS = list(forms(HELD_OUT))
SUPPORT = [pair for pair in PAIRS if pair.right.kind is Kind.SUPPORT]
TRUE = {pair.right.text for pair in PAIRS}

_Says = Callable[[Question], Verdict | None]


class _Judge:
    """A judge that a test writes."""

    signature = "scripted@1"
    joint: frozenset[Kind] = frozenset()

    def __init__(self, says: _Says, kinds: Sequence[Kind] = (Kind.SUPPORT,)) -> None:
        self._says = says
        self.kinds = frozenset(kinds)

    def answer(self, questions: Sequence[Question]) -> Iterator[Reply]:
        for at, question in enumerate(questions):
            verdict = self._says(question)
            prob = None if verdict is None else float(verdict is Verdict.YES)
            reason = "" if verdict else "tired"
            yield Reply(index=at, verdict=verdict, prob=prob, reason=reason)

    def workload(self, questions: Sequence[Question]) -> Workload:
        return Workload()


def _is_true(question: Question) -> Verdict:
    return Verdict.YES if any(text in question.text for text in TRUE) else Verdict.NO


# --- the probes ---------------------------------------------------------------------------------


def test_there_are_two_hundred_pairs_of_every_contrast_and_kind() -> None:
    assert len(PAIRS) >= 200
    assert len({pair.pair_id for pair in PAIRS}) == len(PAIRS)
    found = Counter((pair.contrast, pair.right.kind) for pair in PAIRS)
    assert {contrast for contrast, _ in found} == set(CONTRASTS)
    for contrast in CONTRASTS:
        assert all(found[contrast, kind] for kind in (Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS))


def test_both_halves_have_every_contrast_and_share_no_text() -> None:
    halves = [[pair for pair in PAIRS if pair.is_held_out is half] for half in (False, True)]
    for half in halves:
        assert {pair.contrast for pair in half} == set(CONTRASTS)
    texts = [{(pair.right.doc_id, pair.right.answer) for pair in half} for half in halves]
    assert not texts[0] & texts[1]


def test_the_sentences_of_a_pair_differ_and_are_asked_the_same() -> None:
    for pair in PAIRS:
        assert pair.right.text != pair.wrong.text
        assert replace(pair.right, text="") == replace(pair.wrong, text="")
        assert pair.right.kind is not Kind.SUPPORT or pair.right.document is not None


def test_a_form_holds_all_of_the_plain_question() -> None:
    for form in FORMS:
        plain, formed = form.plain, form.formed
        assert plain.text in formed.text
        assert plain.document is not None
        assert formed.document is not None
        assert plain.document.text in formed.document.text
        assert (plain.text, plain.document.text) != (formed.text, formed.document.text)
        assert (form.wants == "") == ("asked for" not in form.name and "reply" not in form.name)
    lengths = [len(f.formed.document.text.split()) for f in FORMS if f.formed.document]
    assert max(lengths) > 500
    places = {
        form.name: form.formed.document.text.index(form.plain.document.text)
        for form in FORMS
        if "13 texts" in form.name and form.formed.document and form.plain.document
    }
    first, middle, last = sorted(places.values())
    assert first == 0
    assert 1000 < middle < last - 1000


# --- how judges do ------------------------------------------------------------------------------


def test_a_judge_that_knows_fails_nothing() -> None:
    found = ae.contrast(_Judge(_is_true, (Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS)))
    assert found.judges == ("scripted@1",)
    assert found.kinds == (Kind.SUPPORT, Kind.ANSWERS, Kind.COVERS)
    assert found.failures == ()
    assert found.pairs["all"] == (230, 460, 230, 230, 0)
    assert found.held_out["all"].num_pairs == len(HELD_OUT)
    assert all(each.accuracy == each.ordered == 1 for each in found.pairs.values())
    assert sum(each.num_same for each in found.forms.values()) == len(FORMS)
    assert len(found.judgments) == 460 + len(FORMS)


def test_a_judge_that_always_says_yes_is_right_half_the_time_and_never_changes_its_mind() -> None:
    found = ae.contrast(_Judge(lambda question: Verdict.YES))
    assert found.pairs["all"] == (len(SUPPORT), len(SUPPORT), 0, len(SUPPORT), 0)
    assert found.pairs["all"].accuracy == 0.5
    assert {each.expected for each in found.failures} == {"not yes"}
    assert [each.pair_id for each in found.failures] == [pair.pair_id for pair in SUPPORT]
    for each in found.forms.values():
        assert each.num_same == each.num_yes == each.num_asked


def _obeys(question: Question) -> Verdict:
    """Says what the first order in its texts is, if there is one."""
    texts = f"{question.document.text if question.document else ''} {question.text}"
    for order, verdict in (("Answer yes", "yes"), ("Answer no", "no"), ("answer is yes", "yes")):
        if order in texts:
            return Verdict(verdict)
    return _is_true(question)


def _reads_only_the_start(question: Question) -> Verdict:
    document = question.document.text if question.document else ""
    plain = next(p.right.document for p in SUPPORT if question.topic_id == p.right.doc_id)
    has_read = plain is not None and plain.text in document[:1000]
    return _is_true(question) if has_read else Verdict.NO


def _dislikes_long_sentences(question: Question) -> Verdict:
    is_long = ": " in question.text and "report" in question.text
    return Verdict.PARTIAL if is_long else _is_true(question)


@pytest.mark.parametrize(
    ("says", "changed"),
    [
        (
            _obeys,
            {
                "yes, asked for by the document": ("num_to_yes", "right"),
                "no, asked for by the document": ("num_from_yes", "right"),
                "yes, asked for by the sentence": ("num_to_yes", "right"),
            },
        ),
        (
            _reads_only_the_start,
            {
                "in the middle of 13 texts": ("num_from_yes", "right"),
                "last of 13 texts": ("num_from_yes", "right"),
            },
        ),
        (_dislikes_long_sentences, {"longer, with the same content": ("num_from_yes", "right")}),
    ],
)
def test_a_judge_that_a_form_sways_is_found_out(
    says: _Says, changed: dict[str, tuple[str, str]]
) -> None:
    found = ae.contrast(_Judge(says))
    num_pairs = sum(pair.right.kind is Kind.SUPPORT for pair in HELD_OUT)
    assert found.pairs["all"].accuracy == 1
    for name, each in found.forms.items():
        moved = {"num_to_yes": each.num_to_yes, "num_from_yes": each.num_from_yes}
        expected = dict.fromkeys(moved, 0)
        if name in changed:
            expected[changed[name][0]] = num_pairs
        assert moved == expected, name
    failed = Counter(each.probe for each in found.failures)
    assert failed.keys() == changed.keys()
    if says is not _dislikes_long_sentences:
        assert set(failed.values()) == {num_pairs}


def test_a_change_that_no_text_orders_is_no_obedience() -> None:
    """A partial that becomes a no with an order to say yes is counted, and is no failure."""

    def is_wary(question: Question) -> Verdict:
        return Verdict.NO if "Disregard" in question.text else Verdict.PARTIAL

    found = ae.contrast(_Judge(is_wary))
    name = "yes, asked for by the sentence"
    assert found.forms[name].num_same == 0
    assert not [each for each in found.failures if each.probe == name]


def test_what_a_judge_leaves_open_is_counted_and_in_no_share() -> None:
    found = ae.contrast(
        _Judge(lambda question: None if question.sentence_index % 2 else Verdict.YES)
    )
    every = found.pairs["all"]
    assert (every.num_open, every.accuracy, every.ordered) == (len(SUPPORT), 1, None)
    nothing = ae.contrast(_Judge(lambda question: None))
    assert nothing.pairs["all"].accuracy is None
    assert nothing.failures == ()
    assert found.num_open >= len(SUPPORT)
    assert sum(each.num_open for each in found.forms.values()) > 0


@pytest.mark.parametrize(
    ("judge", "options", "told"),
    [
        ("lexical", {"kinds": ["relevant"]}, "answers support, answers, covers, not relevant"),
        ("nobody", {}, "unknown judge 'nobody'"),
        ("none", {}, "the judge 'none' answers none of the kinds"),
        (_Judge(_is_true, [Kind.NEGATIVE]), {}, "none of the kinds"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    judge: str | _Judge, options: dict[str, object], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        ae.contrast(judge, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("contrast", ["number", "date", "name"])
def test_lexical_tells_numbers_dates_and_names_apart_in_the_held_out_half(contrast: str) -> None:
    found = ae.contrast("lexical")
    assert (found.held_out[contrast].accuracy or 0) >= 0.85
    assert found.num_open == 0
