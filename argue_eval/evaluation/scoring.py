"""From evidence to a score table, and the signature that names what it rests on.

Pure: it reads no file and reaches no judge. Two scores with the same signature, from the same
judgments, are equal to the last bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, compress
from typing import Any, NamedTuple

from argue_eval import __version__
from argue_eval.errors import Finding, Severity, some
from argue_eval.measures import Family, Measure
from argue_eval.measures.averages import ALL, Column, average_topics, measure_topics
from argue_eval.records import (
    EMPTY,
    NUGGET_KINDS,
    SENTENCE_KINDS,
    Bounds,
    Kind,
    MeasureValue,
    ReportRequest,
    ScoreTable,
    ScoringOptions,
    TopicEvidence,
    TopicNuggets,
)


def score(
    run_id: str,
    team_id: str,
    signature: str,
    topics: Sequence[TopicEvidence],
    families: Sequence[Family],
    groups: Mapping[str, Collection[str]] = EMPTY,
    parts: Mapping[str, Sequence[tuple[str, Collection[str]]]] = EMPTY,
) -> ScoreTable:
    """Scores one run.

    Where missing judgments leave a value open, it has bounds and no point: what is judged is no
    fair sample of all units. With the option `judged_only`, the point is that over judged units.

    Args:
        topics: one per topic to average over, in the order of the output. A topic without a
            report is 0 for every measure.
        groups: topics by a label; each measure is averaged over each group besides.
        parts: topics, each with some of its nuggets, by a label; so is each measure over these, if
            all protocols grade nuggets one by one.
    """
    topic_ids = [evidence.topic.topic_id for evidence in topics]
    tables = []
    for family in families:
        bounds = [family.module.tally(evidence) for evidence in topics]
        columns = measure_topics(family.measures, topic_ids, bounds)
        tables.append(_Table(measures=family.measures, columns=columns, bounds=bounds))
    missing = [place for place, evidence in enumerate(topics) if evidence.report is None]
    if missing:
        for table in tables:
            _count_missing(table.columns, missing)
    averages = [row for table in tables for row in average_topics(*table)]
    for label, members in groups.items():
        averages.extend(_of_group(label, frozenset(members), tables))
    by_id = {evidence.topic.topic_id: evidence for evidence in topics}
    for label, found in parts.items():
        some = [_part(by_id[topic_id], ids) for topic_id, ids in found if topic_id in by_id]
        averages.extend(_of_parts(label, some, families))
    columns = [column for table in tables for column in table.columns]
    is_open = any(each.worst is not each.best for table in tables for each in table.bounds)
    if is_open and not any(evidence.options.judged_only for evidence in topics):
        averages = [row._replace(value=None) if row.is_bounded else row for row in averages]
        columns = [_without_points(column) for column in columns]
    undefined = {
        topic_id for column in columns for topic_id in compress(column.topic_ids, column.undefined)
    }
    unjudged = sum(_num_unjudged(evidence) for evidence in topics if evidence.needs)
    if any(measure.is_graded for family in families for measure in family.measures):
        unjudged += num_ungraded(families, averages)
    return ScoreTable(
        run_id,
        team_id,
        signature,
        Rows(columns, averages),
        {
            "num_q": len(topics),
            "num_q_run": len(topics) - len(missing),
            "num_unjudged": unjudged,
            "num_undefined": len(undefined),
        },
        tuple(topics[place].topic.topic_id for place in missing),
        groups,
        tuple([row.measure for row in averages if not (row.num_units or row.is_count)]),
    )


@dataclass(eq=False)
class Rows(Sequence[MeasureValue]):
    """The rows of a table. Those of topics are made when they are looked at: mostly, the averages
    are enough.
    """

    columns: Sequence[Column]
    averages: Sequence[MeasureValue]

    @cached_property
    def _all(self) -> tuple[MeasureValue, ...]:
        of_topics = zip(*[column.rows() for column in self.columns], strict=True)
        return (*chain.from_iterable(of_topics), *self.averages)

    def __len__(self) -> int:
        return len(self._all)

    def __getitem__(self, place: Any) -> Any:
        return self._all[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all == tuple(other)

    __hash__ = None  # type: ignore[assignment]


class _Table(NamedTuple):
    """The measures of a family, each with a row per topic, and the statistics of the topics."""

    measures: Sequence[Measure]
    columns: Sequence[Column]
    bounds: Sequence[Bounds]


def _count_missing(columns: Sequence[Column], missing: Sequence[int]) -> None:
    """Gives every topic without a report a value: 0."""
    for column in columns:
        for place in missing:
            if column.values[place] is None:
                column.values[place], column.undefined[place] = 0.0, False


def _without_points(column: Column) -> Column:
    """The column without the points of open values."""
    if column.lowers is column.uppers:
        return column
    bounded = zip(column.values, column.lowers, column.uppers, strict=True)
    return column._replace(values=[None if low != up else each for each, low, up in bounded])


def _of_group(
    label: str, members: frozenset[str], tables: Sequence[_Table]
) -> Iterator[MeasureValue]:
    """Yields how many of the topics are in a group, and every measure's averages over them."""
    for table in tables:
        topic_ids = table.columns[0].topic_ids
        places = [place for place, topic_id in enumerate(topic_ids) if topic_id in members]
        if table is tables[0]:
            count = float(len(places))
            yield MeasureValue(f"num_q[{label}]", ALL, count, count, count, is_count=True)
        columns = [column.at(places) for column in table.columns]
        bounds = [table.bounds[place] for place in places]
        for row in average_topics(table.measures, columns, bounds):
            yield row._replace(measure=f"{row.measure}[{label}]")


def _part(evidence: TopicEvidence, nugget_ids: Collection[str]) -> TopicEvidence:
    """The evidence on some nuggets of a topic, as protocols give it that grade them one by one."""
    nuggets = tuple([each for each in evidence.nuggets if each.nugget_id in nugget_ids])
    outcomes = {
        name: tuple([grade for grade in grades if grade.unit_id in nugget_ids])
        for name, grades in evidence.outcomes.items()
    }
    topic = evidence.topic._replace(nuggets=nuggets)
    return evidence._replace(topic=topic, outcomes=outcomes)


def _of_parts(
    label: str, parts: Sequence[TopicEvidence], families: Sequence[Family]
) -> Iterator[MeasureValue]:
    """Yields how many parts there are, and every measure's average over those where it is defined.

    (What is undefined in a part is undefined for all runs: no nugget of a part may be vital.)
    """
    count = float(len(parts))
    yield MeasureValue(f"num_q[{label}]", ALL, count, count, count, is_count=True)
    topic_ids = [part.topic.topic_id for part in parts]
    for family in families:
        if family.module.PROTOCOL is None:
            continue  # its measures are not about nuggets
        bounds = [family.module.tally(part) for part in parts]
        columns = measure_topics(family.measures, topic_ids, bounds)
        for measure, column in zip(family.measures, columns, strict=True):
            defined = [place for place, is_not in enumerate(column.undefined) if not is_not]
            behind = [bounds[place] for place in defined]
            for row in average_topics([measure], [column.at(defined)], behind):
                yield row._replace(measure=f"{row.measure}[{label}]")


def num_ungraded(families: Sequence[Family], averages: Iterable[MeasureValue]) -> int:
    """How many units of a run lack a grade that only assessors give."""
    graded = {
        (family.name, measure.unit): measure.name
        for family in families
        for measure in family.measures
        if measure.is_graded
    }
    missing = {row.measure: row.num_unjudged for row in averages}
    return sum(missing.get(name, 0) for name in graded.values())


def nothing_measured(tables: Iterable[ScoreTable]) -> list[Finding]:
    """Warns of measures that are without units in every run: their 0 is no result."""
    first, *others = [table.without_units for table in tables]
    empty = [name for name in first if all(name in each for each in others) and "[" not in name]
    if not empty:
        return []
    message = (
        f"nothing to measure in any topic of any run: {some(empty, 20)}; the 0 shown is no result"
    )
    hint = "choose measures that fit the nuggets and the runs: -m NAME, --protocol NAME"
    return [Finding("nothing_to_measure", message, hint, severity=Severity.WARNING)]


def _num_unjudged(evidence: TopicEvidence) -> int:
    """How many sentences and claim nuggets have an open question."""
    return len(
        {
            question.nugget_id
            if question.kind is Kind.COVERS or question.sentence_index < 0
            else question.sentence_index
            for question in evidence.needs
        }
    )


# --- the signature --------------------------------------------------------------------------------

_SEPARATOR = "|"
_KINDS = {"support": (Kind.SUPPORT,), "nugget": NUGGET_KINDS, "sentence": SENTENCE_KINDS}


@dataclass(slots=True, eq=False)
class Digest:
    """A running hash over records: equal content gives an equal digest, whatever the format."""

    _hash: hashlib._Hash = field(default_factory=hashlib.sha256)

    def add(self, *parts: object) -> None:
        """Adds one record as its parts."""
        for part in parts:
            raw = str(part).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(raw))
            self._hash.update(raw)

    def __str__(self) -> str:
        return self._hash.hexdigest()[:8]


def of_nuggets(nuggets: Iterable[TopicNuggets]) -> str:
    """The digest of a set of nuggets: their ids, texts, documents, importance and weights."""
    digest = Digest()
    for topic in nuggets:
        digest.add("topic", topic.topic_id)
        for nugget in topic.nuggets:
            importance = nugget.importance.value if nugget.importance else ""
            digest.add(nugget.nugget_id, nugget.question, nugget.aggregator.value, importance)
            if nugget.weight is not None or nugget.group:
                digest.add("weight", nugget.weight, nugget.group)
            for answer in nugget.answers:
                digest.add(answer.answer, *answer.doc_ids)
    return str(digest)


def of_requests(requests: Sequence[ReportRequest]) -> str:
    """The digest of what judges see of the requests; ``none`` if there are none."""
    digest = Digest()
    for request in requests:
        texts = (request.title, request.problem_statement, request.background)
        digest.add(request.topic_id, *texts, request.language)
    return str(digest) if requests else "none"


@dataclass(frozen=True, slots=True)
class Signature:
    """All that could change a number, but for the topics that are averaged over.

    Attributes:
        judges: the signature of the judge for each kind that a judge answers.
        judgments: what the SHA-256 of each judgment file's unpacked content starts with (anyone
            can check it with ``sha256sum``), or ``none``.
        documents: where the judges' texts come from: a digest, ``irds:ID``, ``run`` or ``none``.
        requests: digest of the requests that judges see, or ``none``.
        points: digest of the key points that were extracted from responses; empty without.
    """

    protocol: str
    options: ScoringOptions
    nuggets: str
    judges: Mapping[Kind, str] = field(default_factory=dict)
    judgments: str = "none"
    documents: str = "none"
    requests: str = "none"
    points: str = ""

    def line(self, topic_ids: Sequence[str]) -> str:
        """The signature of the scores of a run, with the number of its topics and their digest."""
        options = self.options
        is_argue = self.protocol == "argue"
        judges = {
            name: dict.fromkeys(self.judges.get(kind, "none") for kind in kinds)
            for name, kinds in _KINDS.items()
        }
        topics = Digest()
        topics.add(*topic_ids)
        weights = [
            name + (str(int(value)) if value == int(value) else repr(value))
            for name, value in options.weights.items()
        ]
        parts = [
            f"protocol:{self.protocol}" + (f"-{options.reading}" if is_argue else ""),
            *([] if is_argue else [f"reading:{options.reading}"]),
            f"citations:{options.citations}",
            f"attestation:{options.attestation}",
            *([f"covers:{options.covers}"] if options.covers == "report" else []),
            f"nuggets:{self.nuggets}",
            *([f"points:{self.points}"] if self.points else []),
            f"judgments:{self.judgments}",
            *[f"{name}:{'+'.join(found)}" for name, found in judges.items()],
            f"documents:{self.documents}",
            f"requests:{self.requests}",
            f"weights:{'-'.join(weights)}",
            f"topics:{len(topic_ids)}/{topics}",
            f"missing:{'left-out' if options.only_answered else 'zero'}",
            *(["unjudged:left-out"] if options.judged_only else []),
            *(["citation-order:confidence"] if options.citation_order != "first" else []),
            f"v:{__version__}",
        ]
        return _SEPARATOR.join("".join(part.split()).replace(_SEPARATOR, "/") for part in parts)
