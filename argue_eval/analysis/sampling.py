"""Which questions people should judge next: drawn by chance, with known probabilities.

Units are drawn: single questions, sentences with all their questions, or whole topics. Their
probabilities are on the sheet, so that an estimate can weigh what people say by them.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from argue_eval.analysis.drawing import DESIGNS, hashed, probabilities, systematic
from argue_eval.analysis.sheet_rows import row_of
from argue_eval.analysis.systems import check_scores
from argue_eval.errors import UsageError, check_names, option, shorten, some
from argue_eval.formats.files import Files, listed, path_of
from argue_eval.formats.jsonl import Source
from argue_eval.formats.processes import Progress, in_turn
from argue_eval.formats.reading import iter_documents
from argue_eval.formats.sheet_parts import OVERLAP, write_parts
from argue_eval.formats.sheets import Row, format_of, is_assessor, lines
from argue_eval.records import Document, Kind, Question, Verdict, nfc

if TYPE_CHECKING:
    from argue_eval.analysis.systems import Scored
    from argue_eval.evaluation.explaining import Asked

_Result = TypeVar("_Result")

UNITS = ("sentence", "judgment", "topic")

_UNKNOWN_ERROR = 0.1
"""How often a judge errs that does not say how sure it is."""
_LEAST_ERROR = 0.01


@runtime_checkable
class WithDocuments(Protocol):
    """Scores that know a file with the texts of documents, such as those of a folder."""

    @property
    def documents(self) -> str | None:
        """The file."""


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """How questions are drawn.

    Attributes:
        design: ``stratified``: as many units from each run and each combination of verdicts as
            possible. ``uniform``: all units alike. ``optimal``: more of what weighs more in the
            runs' means, and of what the judge is less sure of, which narrows the intervals most.
        unit: what is drawn: a ``sentence`` with all its questions, a ``judgment``, or a ``topic``.
        kinds: only questions of these kinds; empty for all.
        seed: the same draws the same units, in whatever order the runs come.
    """

    design: str = "stratified"
    unit: str = "sentence"
    kinds: Sequence[str] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in (("design", DESIGNS), ("unit", UNITS)):
            check_names(f"--{name}", [getattr(self, name)], choices)
        if isinstance(self.kinds, str):
            raise UsageError("kinds: expected a list of kinds, found one text")
        known = [kind.value for kind in Kind if kind is not Kind.RELEVANT]
        if not isinstance(self.seed, int) or abs(self.seed) >= 1 << 64:
            raise UsageError(f"--seed: expected a whole number, found {shorten(self.seed)}")
        for kind in self.kinds:
            if kind == Kind.RELEVANT:
                raise UsageError("documents are judged on the sheets of argue-eval pool")
            check_names("kind of question", [kind], known)


class Stratum(NamedTuple):
    """Units that are alike.

    Attributes:
        run_id: the first run, by its id, that has them.
        verdicts: what the judges said, such as ``support=yes``; ``open`` if something is unjudged.
    """

    run_id: str
    verdicts: str
    num_units: int
    num_drawn: int


@dataclass(frozen=True)
class Sample:
    """What was drawn.

    Attributes:
        rows: the questions, by topic and unit.
        num_units: how many units there are; `num_drawn`: how many were drawn.
        strata: with at least one unit, in the order of the ids of the runs.
    """

    rows: Sequence[Row]
    options: SampleOptions
    num_units: int
    num_drawn: int
    strata: Sequence[Stratum]

    def __repr__(self) -> str:
        unit = self.options.unit
        return f"<Sample of {self.num_drawn:,} of {self.num_units:,} units ({unit})>"

    def lines(self, format_name: str = "csv", assessor: str = "") -> Iterator[str]:
        """Yields the lines of the sheet, as ``csv``, ``jsonl`` or ``html``."""
        return lines(self.rows, len(self.rows), format_name, assessor)

    def write(
        self,
        path: str | PathLike[str],
        assessor: str | Sequence[str] = "",
        overlap: float = OVERLAP,
    ) -> list[str]:
        """Writes the sheet, as JSON lines, CSV or HTML by the file's name.

        Several assessors get a file each, and a share of the sentences all of them.

        Returns:
            The files.

        Raises:
            UsageError: the name says none of these.
            MissingResourceError: a file cannot be written.
        """
        file = path_of("path", path)
        return write_parts(self.rows, file, format_of(file), assessor, overlap)


def sample(
    scores: Mapping[str, Scored],
    size: int,
    *,
    options: SampleOptions | None = None,
    collection: Files = (),
    progress: Progress | None = None,
) -> Sample:
    """Draws questions that people should judge.

    What an assessor has judged already is not drawn again.

    Args:
        scores: what `argue_eval.score` or `argue_eval.read_scores` returned.
        size: how many units; if there are no more, all of them.
        collection: files with the texts of documents, if not those of the scores.

    Raises:
        UsageError: an option is unknown, or there is nothing to draw.
    """
    check_scores(scores)
    options = option("options", options, SampleOptions)
    if not isinstance(size, int) or size < 1:
        raise UsageError(f"size (-n): expected 1 or more, found {size!r}")
    names = sorted(scores)
    frames = dict(_each(scores, names, lambda run: _frame(run, options), progress))
    chances, num_units, strata = _draw(list(frames.values()), size, options)
    if not strata:
        kinds = f" of the kind {' or '.join(options.kinds)}" if options.kinds else ""
        asked = {each.kind.value for run in scores.values() for each in run.asked()}
        if options.kinds and asked.isdisjoint(options.kinds):
            raise UsageError(
                f"the scores rest on no question{kinds}, but on {some(sorted(asked), len(asked))}; "
                "score again with measures that rest on it: -m NAME"
            )
        raise UsageError(f"no question{kinds} is left that no assessor has judged")
    having = [name for name in names if not chances.keys().isdisjoint(frames[name].units)]
    rows: dict[tuple[str, ...], _Placed] = {}
    chosen = _each(scores, having, lambda run: _chosen(run, chances, options), progress)
    for _, found in chosen:
        for key, placed in found:
            rows.setdefault(key, placed)
    files = listed("files", collection, Source, may_be_empty=True)
    if isinstance(scores, WithDocuments) and scores.documents:
        files.append(scores.documents)
    wanted = {each.question.doc_id for each in rows.values() if each.question.lacks_document}
    texts: dict[str, Document] = {}
    for document in iter_documents(files, wanted) if wanted and files else ():
        texts.setdefault(document.doc_id, document)
    sheet = []
    for _, question, chance in sorted(rows.values(), key=lambda each: each.place):
        if question.lacks_document:
            question = replace(question, document=texts.get(question.doc_id))
        sheet.append(row_of(question, chance))
    return Sample(tuple(sheet), options, num_units, len(chances), strata)


def _each(
    scores: Mapping[str, Scored],
    names: Sequence[str],
    work: Callable[[Scored], _Result],
    progress: Progress | None,
) -> Iterator[tuple[str, _Result]]:
    """Yields what comes of each run, side by side if they are many."""
    return in_turn(
        names, lambda name: (name, work(scores[name])), what="reading runs", progress=progress
    )


# --- the units of a run ---------------------------------------------------------------------------


class _Frame(NamedTuple):
    """The units of one run, each once: digests, shares in the variance, and labels by number."""

    run_id: str
    units: array[int]
    shares: array[float]
    labels: array[int]
    names: list[str]


_RANKS = ("", "no", "contradicts", "partial", "yes", "open")


class _Unit:
    """What is known of a unit of one run.

    Attributes:
        places: where it occurs in a report.
        verdicts: the highest on any question of a kind; ``open`` if an outcome waits for one.
        chance_right: that no verdict on it is wrong.
        share: in the variance of the run's mean.
    """

    def __init__(self) -> None:
        self.places: set[Any] = set()
        self.verdicts: dict[str, str] = {}
        self.chance_right = 1.0
        self.share = 0.0

    @property
    def label(self) -> str:
        """What was said of it."""
        return ", ".join(f"{kind}={verdict}" for kind, verdict in sorted(self.verdicts.items()))


def _frame(scores: Scored, options: SampleOptions) -> _Frame:
    units: dict[int, _Unit] = {}
    for _, questions in groupby(scores.asked(), key=lambda each: each.evidence.topic_id):
        mine: dict[int, _Unit] = {}
        for each in questions:
            if _is_asked(each, options):
                unit = mine.setdefault(_digest(each, options), _Unit())
                is_sentence = options.unit == "sentence"
                unit.places.add(each.index if is_sentence else (each.index, each.kind, each.target))
                _add(unit, each)
        # Of some sentences, only what would be asked if something else were answered is left.
        mine = {digest: unit for digest, unit in mine.items() if unit.verdicts}
        total = sum(len(each.places) for each in mine.values())
        for digest, unit in mine.items():
            unit.share = (len(unit.places) / total) ** 2 * (1 - unit.chance_right)
            unit.places.clear()
            units[digest] = unit
    is_topic = options.unit == "topic"  # all runs have it, and with all verdicts
    names: dict[str, int] = {}
    said = ["" if is_topic else each.label for each in units.values()]
    return _Frame(
        "" if is_topic else scores.run_id,
        array("Q", units),
        array("d", [each.share for each in units.values()]),
        array("I", [names.setdefault(each, len(names)) for each in said]),
        list(names),
    )


def _is_asked(each: Asked, options: SampleOptions) -> bool:
    """Whether people can be asked, and have not been."""
    if options.kinds and each.kind.value not in options.kinds:
        return False
    if each.judged is None:
        return each.is_needed or options.unit != "judgment"
    return not is_assessor(each.judged.judge)


def _add(unit: _Unit, each: Asked) -> None:
    """Adds a question to a unit: what was said, and how sure that is."""
    kind = each.kind.value
    if each.judged is None:
        if each.is_needed:
            unit.verdicts[kind] = "open"
            unit.chance_right *= 0.5
        return
    verdict, prob = each.judged.verdict, each.judged.prob
    unit.verdicts[kind] = max(unit.verdicts.get(kind, ""), verdict.value, key=_RANKS.index)
    error = _UNKNOWN_ERROR if prob is None else 1 - prob if verdict is Verdict.YES else prob
    if prob is not None and verdict is Verdict.PARTIAL:
        error = 0.5
    unit.chance_right *= 1 - min(max(error, _LEAST_ERROR), 0.5)


def _digest(each: Asked, options: SampleOptions) -> int:
    """A number for the unit of a question; those of a seed are in an order by chance."""
    topic_id = each.evidence.topic_id
    if options.unit == "topic":
        return hashed((topic_id,), options.seed)
    if options.unit == "sentence" and not _is_whole(each):
        return hashed((topic_id, _text(each)), options.seed)
    return hashed(_key(each), options.seed)


def _key(each: Asked) -> tuple[str, ...]:
    """What makes a question this one: of equal texts it is asked once."""
    target = each.target if isinstance(each.target, tuple) else (each.target,)
    name: tuple[str, ...] = (_text(each),)
    if (_is_whole(each) or each.kind is Kind.FIRST_INSTANCE) and each.evidence.report is not None:
        name = (each.evidence.report.run_id, str(each.index))
    return (each.evidence.topic_id, each.kind.value, *target, "", *name)


def _is_whole(each: Asked) -> bool:
    return each.index is None and each.kind is Kind.COVERS


def _text(each: Asked) -> str:
    return nfc(each.text).strip()


# --- drawing --------------------------------------------------------------------------------------


def _draw(
    frames: Sequence[_Frame], size: int, options: SampleOptions
) -> tuple[dict[int, float], int, list[Stratum]]:
    """The probabilities of what was drawn, by digest; the number of all units, and their strata."""
    numbers: dict[tuple[str, str], int] = {}
    codes = [
        np.array(
            [numbers.setdefault((each.run_id, name), len(numbers)) for name in each.names], int
        )
        for each in frames
    ]
    every = np.concatenate([np.array(each.units, np.uint64) for each in frames])
    if not len(every):
        return {}, 0, []
    shares = np.concatenate([np.array(each.shares, float) for each in frames])
    labels = [code[np.array(each.labels, int)] for each, code in zip(frames, codes, strict=True)]
    units, firsts, inverse = np.unique(every, return_index=True, return_inverse=True)
    strata = np.concatenate(labels)[firsts]
    sizes = np.sqrt(np.bincount(inverse, shares))
    chances = probabilities(options.design, size, strata, sizes)
    order = np.lexsort((units, strata)) if options.design != "uniform" else np.arange(len(units))
    start = np.random.default_rng(abs(options.seed)).random()
    chosen = order[systematic(chances[order], start)]
    there, drawn = Counter(strata.tolist()), Counter(strata[chosen].tolist())
    return (
        dict(zip(units[chosen].tolist(), chances[chosen].tolist(), strict=True)),
        len(units),
        [
            Stratum(*name, there[number], drawn[number])
            for name, number in numbers.items()
            if there[number]
        ],
    )


# --- the rows of what was drawn -------------------------------------------------------------------


class _Placed(NamedTuple):
    """A question with its probability and its place on the sheet.

    Within a topic the order is by chance, so that it says nothing of the run.
    """

    place: tuple[int, int, int, str]
    question: Question
    chance: float


_ORDER = {kind: place for place, kind in enumerate(Kind)}


def _chosen(
    scores: Scored, chances: Mapping[int, float], options: SampleOptions
) -> list[tuple[tuple[str, ...], _Placed]]:
    """The questions of the units that were drawn, each with what makes it this one."""
    found = []
    numbers = {each.topic_id: place for place, each in enumerate(scores.evidence)}
    for each in scores.asked():
        chance = chances.get(_digest(each, options)) if _is_asked(each, options) else None
        if chance is not None:
            topic_id = each.evidence.topic_id
            by_chance = hashed((topic_id, _text(each)), options.seed)
            place = (numbers[topic_id], by_chance, _ORDER[each.kind], str(each.target))
            found.append((_key(each), _Placed(place, each.question(), chance)))
    return found
