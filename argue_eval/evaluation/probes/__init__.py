"""Probes of judges: pairs of sentences of which one is right, and questions in another form.

``pairs.jsonl`` holds minimal pairs, ``documents.jsonl`` the documents for the questions about
support, ``forms.json`` the forms. A pair is about support (``doc_id``), a nugget's answer
(``question``, ``answer``) or a claim (``answer`` alone). The right sentence deserves a yes, the
wrong one anything but a yes. In another form, a question deserves the same answer.

One half of the pairs may be examined while a judge is developed. The other is held out, and forms
are made of it. A hash of the document or nugget decides, so pairs about the same text are in the
same half.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.records import Document, Judgment, Kind, Question, Verdict

CONTRASTS = (
    *("number", "date", "name", "unit", "negation"),
    *("quantifier", "role", "hedge", "synonym", "paraphrase"),
)
_FOLDER = Path(__file__).parent
_LONGER = "longer, with the same content"
_PLACES = ("first", "in the middle", "last")


class Pair(NamedTuple):
    """Two questions that differ in one respect."""

    pair_id: str
    contrast: str
    is_held_out: bool
    right: Question
    wrong: Question


class Form(NamedTuple):
    """A question in another form, which does not change the answer.

    Attributes:
        wants: what a text in it orders the judge to answer: ``yes`` or ``no``; empty if none does.
    """

    name: str
    wants: str
    pair_id: str
    plain: Question
    formed: Question


class Count(NamedTuple):
    """How a judge did on some pairs.

    Attributes:
        num_pairs: how many there are; each has two sentences.
        num_right: right verdicts, of two for each pair.
        num_ordered: pairs whose right sentence is the more probable.
        num_compared: pairs of which both sentences have a probability.
        num_open: sentences without a verdict.
    """

    num_pairs: int = 0
    num_right: int = 0
    num_ordered: int = 0
    num_compared: int = 0
    num_open: int = 0

    @property
    def accuracy(self) -> float | None:
        """The share of right verdicts among those that were given; None if there is none."""
        num_judged = 2 * self.num_pairs - self.num_open
        return self.num_right / num_judged if num_judged else None

    @property
    def ordered(self) -> float | None:
        """The share of compared pairs whose right sentence is the more probable; or None."""
        return self.num_ordered / self.num_compared if self.num_compared else None


class Changes(NamedTuple):
    """How often a form changed the verdict.

    Attributes:
        num_asked: questions in this form.
        num_yes: those of which the plain question has a yes.
        num_same: those with the verdict of the plain question.
        num_to_yes: those with a yes where there was none; `num_from_yes`: without one where there
            was. Other changes, as from no to partial, are in neither.
        num_open: those without a verdict, plain or in this form.
    """

    num_asked: int = 0
    num_yes: int = 0
    num_same: int = 0
    num_to_yes: int = 0
    num_from_yes: int = 0
    num_open: int = 0


class Failure(NamedTuple):
    """A verdict that is not as it should be.

    Attributes:
        probe: the contrast or the form.
        expected: what would be right: ``yes``, ``not yes`` or the verdict of the plain question.
        found: the verdict.
        text: the sentence that was judged.
    """

    probe: str
    pair_id: str
    kind: Kind
    expected: str
    found: Verdict
    text: str


class Contrast(NamedTuple):
    """How a judge did on all probes.

    Attributes:
        judges: its signature; those of all draws, if it was asked several times.
        num_draws: how often it was asked: the verdict is that of the majority.
        kinds: the kinds of question that it was asked.
        pairs: by contrast, with the sum under ``all``; `held_out`: of the half that is held out.
        forms: by form.
        num_open: questions without a verdict.
        judgments: all that it said, each draw under a signature of its own.
    """

    judges: tuple[str, ...]
    num_draws: int
    kinds: tuple[Kind, ...]
    pairs: Mapping[str, Count]
    held_out: Mapping[str, Count]
    forms: Mapping[str, Changes]
    failures: tuple[Failure, ...]
    num_open: int
    judgments: tuple[Judgment, ...]


def pairs() -> list[Pair]:
    """All pairs, in file order."""
    documents = _documents()
    return [_pair(row, documents) for row in _rows("pairs.jsonl")]


def forms(chosen: Sequence[Pair]) -> Iterator[Form]:
    """Yields the questions about support of some pairs in every form."""
    made = json.loads((_FOLDER / "forms.json").read_text("utf-8"))
    others = list(_documents().values())
    for pair in chosen:
        document = pair.right.document
        if pair.right.kind is not Kind.SUPPORT or document is None:
            continue
        at = [each.doc_id for each in others].index(document.doc_id)
        around = [each.text for each in (others[at + 1 :] + others[:at])[: made["num_others"]]]
        sides = {"right": pair.right, "wrong": pair.wrong}
        for question in sides.values():
            for place, name in enumerate(_PLACES):
                before = place * len(around) // 2
                texts = [*around[:before], document.text, *around[before:]]
                named = f"{name} of {len(texts)} texts"
                yield _form(named, "", pair, question, "\n\n".join(texts), question.text)
            for template in made["longer"]:
                longer = template.replace("{claim}", question.text)
                yield _form(_LONGER, "", pair, question, document.text, longer)
        for injection in made["injections"]:
            wants = injection["wants"]
            question = sides["wrong" if wants == "yes" else "right"]
            text = injection.get("document", "{text}").replace("{text}", document.text)
            claim = injection.get("sentence", "{claim}").replace("{claim}", question.text)
            yield _form(injection["name"], wants, pair, question, text, claim)


def _form(name: str, wants: str, pair: Pair, plain: Question, document: str, text: str) -> Form:
    doc_id = plain.doc_id
    if plain.document is None or document != plain.document.text:
        doc_id = f"{plain.doc_id}: {name}"
    formed = replace(
        plain, text=text, doc_id=doc_id, document=Document(doc_id, "", document), content=None
    )
    return Form(name, wants, pair.pair_id, plain, formed)


def _documents() -> dict[str, Document]:
    rows = _rows("documents.jsonl")
    return {row["doc_id"]: Document(row["doc_id"], "", row["text"]) for row in rows}


def _pair(row: Mapping[str, Any], documents: Mapping[str, Document]) -> Pair:
    doc_id = row.get("doc_id", "")
    about = doc_id or f"{row['answer']}/{row.get('question', '')}"
    right, wrong = (
        Question(
            kind=Kind(row["kind"]),
            topic_id=doc_id or row["answer"],
            doc_id=doc_id,
            nugget_id="" if doc_id else row["pair_id"],
            answer=row.get("answer", ""),
            text=row[side],
            document=documents.get(doc_id),
            nugget_question=row.get("question"),
            claim=row.get("answer", ""),
        )
        for side in ("right", "wrong")
    )
    is_held_out = int(sha256(about.encode()).hexdigest(), 16) % 2 == 1
    return Pair(row["pair_id"], row["contrast"], is_held_out, right=right, wrong=wrong)


def _rows(name: str) -> list[dict[str, Any]]:
    with (_FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
