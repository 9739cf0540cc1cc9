"""Pools: what several runs cite, to be judged once for all of them.

The items of a pool are documents, or pairs of a sentence and a document that it cites. Which run
an item is from is not in the pool.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from argue_eval.analysis.bootstrap import Floats
from argue_eval.analysis.drawing import hashed
from argue_eval.analysis.sheet_rows import evidence_of, row_of
from argue_eval.analysis.teams import TEAM_ID, teams_of
from argue_eval.errors import Finding, InputError, UsageError, option, shorten, some, unknown_name
from argue_eval.formats.files import File, path_of, sources
from argue_eval.formats.files import listed as each_of
from argue_eval.formats.jsonl import Source, atomic_writer
from argue_eval.formats.processes import Progress, in_turn
from argue_eval.formats.reading import iter_documents, read_run, read_topics
from argue_eval.formats.sheet_parts import OVERLAP, write_parts
from argue_eval.formats.sheets import FORMATS, Row, lines
from argue_eval.measures.rankings import ORDERS, ranking, trec_id
from argue_eval.records import Document, Kind, Question, Report, ReportRequest, Run, nfc

_Result = TypeVar("_Result")

_REPORTS = "*.reports.jsonl"

DOCUMENTS, PAIRS = ITEMS = ("documents", "pairs")
TREC = "trec"

RRF = 60
"""The constant of reciprocal rank fusion, as in its paper."""


@dataclass(frozen=True, kw_only=True)
class PoolOptions:
    """What goes into a pool.

    Attributes:
        items: ``documents`` that are cited, or ``pairs`` of a sentence and a cited document.
        depth: of each report, the first so many; None for all.
        budget: for each topic, at most so many: those with the highest sum of 1 / (60 + depth) over
            the runs. None for no limit.
        order: the order of a report's documents: ``first`` cited, or by ``confidence``.
        contributing: ids of the runs whose items are pooled; empty for all.
        teams: see `argue_eval.analysis.teams.teams_of`.
        seed: decides between items that are equal, and the order on a sheet.

    Source: of the budget: Cormack, Clarke, Büttcher: Reciprocal rank fusion (SIGIR 2009).
    """

    items: str = DOCUMENTS
    depth: int | None = None
    budget: int | None = None
    order: str = "first"
    contributing: Sequence[str] = ()
    teams: str = TEAM_ID
    seed: int = 0

    def __post_init__(self) -> None:
        for name, choices in (("items", ITEMS), ("order", ORDERS)):
            if getattr(self, name) not in choices:
                raise unknown_name(name, getattr(self, name), choices)
        if not isinstance(self.seed, int) or abs(self.seed) >= 1 << 64:
            raise UsageError(f"--seed: expected a whole number, found {shorten(self.seed)}")
        for name in ("depth", "budget"):
            found = getattr(self, name)
            if found is not None and not (isinstance(found, int) and found >= 1):
                shown = f"{found:,}" if isinstance(found, int) else shorten(found)
                raise UsageError(f"--{name}: expected 1 or more, found {shown}")


class Item(NamedTuple):
    """What is to be judged.

    Attributes:
        sentence: None for a document alone.
    """

    topic_id: str
    doc_id: str
    sentence: str | None = None


class Coverage(NamedTuple):
    """How much of a run is in the pool.

    Attributes:
        num_items: documents or pairs of the run, over all topics.
        num_pooled: how many of them are in the pool.
        num_unique: how many of these no other team's run has.
    """

    run_id: str
    team: str
    num_items: int
    num_pooled: int
    num_unique: int

    @property
    def share(self) -> float | None:
        """The share in the pool; None if the run cites nothing."""
        return self.num_pooled / self.num_items if self.num_items else None


@dataclass(frozen=True)
class Pool:
    """What was pooled.

    Attributes:
        items: by topic, in an order by chance.
        coverage: of every run, whether it contributed or not.
    """

    options: PoolOptions
    items: Sequence[Item]
    coverage: Sequence[Coverage]
    _requests: Mapping[str, ReportRequest]
    _texts: Mapping[str, Document]

    def __repr__(self) -> str:
        return f"<Pool of {len(self.items):,} {self.options.items} of {len(self.coverage):,} runs>"

    @property
    def doc_ids(self) -> dict[str, set[str]]:
        """The documents by topic."""
        found: dict[str, set[str]] = {}
        for item in self.items:
            found.setdefault(item.topic_id, set()).add(item.doc_id)
        return found

    def rows(self) -> Iterator[Row]:
        """Yields the rows of a sheet."""
        for item in self.items:
            yield _row(item, self._requests, self._texts)

    def lines(self, format_name: str = TREC, assessor: str = "") -> Iterator[str]:
        """Yields the lines of the pool in TREC's form, or of a sheet (a format of `FORMATS`).

        TREC's form has a line ``topic Q0 document 0 0 pool`` for each document, in the order of
        their ids.

        Raises:
            UsageError: there is no such format, or it cannot hold pairs.
        """
        check_format(format_name, self.options)
        if format_name in FORMATS:
            yield from lines(self.rows(), len(self.items), format_name, assessor)
            return
        for topic_id, doc_ids in self.doc_ids.items():
            for doc_id in sorted(doc_ids):
                yield f"{trec_id(topic_id)} Q0 {trec_id(doc_id)} 0 0 pool\n"

    def write(
        self,
        path: str | PathLike[str],
        assessor: str | Sequence[str] = "",
        overlap: float = OVERLAP,
    ) -> list[str]:
        """Writes the pool: as a sheet, if the file's name ends as one, otherwise in TREC's form.

        Several assessors get a sheet each, and a share of the items all of them.

        Returns:
            The files.

        Raises:
            UsageError: the form cannot hold pairs.
            MissingResourceError: a file cannot be written.
        """
        file = path_of("path", path)
        form = format_of(file)
        if form in FORMATS:
            return write_parts(list(self.rows()), file, form, assessor, overlap)
        with atomic_writer(file) as stream:
            stream.writelines(self.lines(form))
        return [file]


def format_of(path: str) -> str:
    """The format that the name of a file says."""
    ending = path.removesuffix(".gz").rpartition(".")[2].casefold()
    ending = "html" if ending == "htm" else ending
    return ending if ending in FORMATS else TREC


def check_format(format_name: str, options: PoolOptions) -> None:
    """Checks that a pool can be written in a format.

    Raises:
        UsageError: there is no such format, or it cannot hold pairs.
    """
    if format_name not in (TREC, *FORMATS):
        raise unknown_name("--format", format_name, (TREC, *FORMATS))
    if format_name == TREC and options.items == PAIRS:
        raise UsageError("TREC's form has no sentences: write pairs to a sheet, -o FILE.csv")


def pool(
    runs: File | Run | Sequence[File | Run],
    *,
    options: PoolOptions | None = None,
    topics: File | Sequence[File | ReportRequest] = (),
    collection: File | Sequence[File] = (),
    progress: Progress | None = None,
    warnings: list[Finding] | None = None,
) -> Pool:
    """Pools what runs cite.

    Args:
        topics: report requests, for sheets; only their topics are pooled.
        collection: files with the texts of documents, for sheets.

    Raises:
        InputError: a run has errors, two runs have one id, or no run has a requested topic.
        UsageError: an option is wrong, or nothing is cited.
    """
    options = option("options", options, PoolOptions)
    requests = _requests(topics, warnings)
    given = _given(runs, warnings)
    files = list(_each(given, lambda each: _of_file(each, options, requests), progress))
    _check_runs([each.run_id for of_file in files for each in of_file], requests)
    chosen = _choose(files, options)
    if not chosen.digests:
        raise UsageError("nothing to pool: no contributing run cites a document")
    items: dict[int, Item] = {}
    texts: dict[str, Document] = {}
    for taken in _each(given, lambda each: _items(each, chosen, options, requests), progress):
        items |= taken.items
        texts |= taken.documents
    paths = [each for each in each_of("collection", collection, Source, may_be_empty=True) if each]
    wanted = {item.doc_id for item in items.values()} - texts.keys()
    for document in iter_documents(paths, wanted) if paths and wanted else ():
        texts.setdefault(document.doc_id, document)
    ordered = tuple(items[digest] for digest in chosen.digests)
    return Pool(options, ordered, chosen.coverage, requests, texts)


def _check_runs(run_ids: Sequence[str], requests: Mapping[str, ReportRequest]) -> None:
    if requests and not run_ids:
        message = f"no run has a report for any of the requested topics: {some(list(requests))}"
        hint = "use the requests of the runs' own track"
        raise InputError(Finding("no_common_topic", message, hint))
    if twice := [run_id for run_id, number in Counter(run_ids).items() if number > 1]:
        message = f"two runs have the id {some(twice)}: their items would count twice"
        hint = "name every run once, and give every run an id of its own"
        raise InputError(Finding("run_id_taken", message, hint))


def _requests(
    topics: File | Sequence[File | ReportRequest], warnings: list[Finding] | None
) -> dict[str, ReportRequest]:
    given = each_of("topics", topics, Source, ReportRequest, may_be_empty=True)
    found = [each for each in given if isinstance(each, ReportRequest)]
    files = [each for each in given if not isinstance(each, ReportRequest)]
    found += read_topics(files, warnings=warnings) if files else []
    return {each.topic_id: each for each in found}


def _given(
    runs: File | Run | Sequence[File | Run], warnings: list[Finding] | None
) -> list[Source | Run]:
    found: list[Source | Run] = []
    for each in each_of("runs", runs, Source, Run):
        # Beside the reports in a folder of score -o lie files of no known format.
        reports = sorted(map(str, Path(each).glob(_REPORTS))) if isinstance(each, str) else []
        found += [each] if isinstance(each, Run) else sources(reports or each, "runs", warnings)
    return found


def _row(item: Item, requests: Mapping[str, ReportRequest], texts: Mapping[str, Document]) -> Row:
    question = Question(
        kind=Kind.RELEVANT if item.sentence is None else Kind.SUPPORT,
        topic_id=item.topic_id,
        sentence_index=-1 if item.sentence is None else 0,
        doc_id=item.doc_id,
        text=item.sentence or "",
        document=texts.get(item.doc_id),
        request=requests.get(item.topic_id),
    )
    return row_of(question)._replace(evidence=evidence_of(question.document))


# --- what each run has ----------------------------------------------------------------------------


class _OfRun(NamedTuple):
    """The items of one run, each once: digests, numbers of topics, and depths in their reports."""

    run_id: str
    team_id: str
    digests: array[int]
    topics: array[int]
    depths: array[int]
    topic_ids: list[str]


def _items_of(report: Report, options: PoolOptions) -> Iterator[Item]:
    """Yields the items of a report in their order, each once. A sentence without text is none."""
    if options.items == DOCUMENTS:
        for doc_id in ranking(report, options.order):
            yield Item(report.topic_id, doc_id)
        return
    pairs = (
        (nfc(sentence.text).strip(), citation.doc_id)
        for sentence in report.sentences
        for citation in sentence.citations
    )
    for text, doc_id in dict.fromkeys(pairs):
        if text:
            yield Item(report.topic_id, doc_id, text)


def _digest(item: Item, seed: int) -> int:
    return hashed((each for each in item if each is not None), seed)


def _reports(
    given: Source | Run, requests: Mapping[str, ReportRequest]
) -> Iterator[tuple[str, Iterator[Report]]]:
    """Yields the runs of a file, each with its reports."""
    reports: Iterable[Report] = given if isinstance(given, Run) else read_run(given)
    wanted = (each for each in reports if not requests or each.topic_id in requests)
    yield from groupby(wanted, key=lambda each: each.run_id)


def _each(
    given: Sequence[Source | Run],
    work: Callable[[Source | Run], _Result],
    progress: Progress | None,
) -> Iterator[_Result]:
    """Yields what comes of each file, side by side if they are many.

    Raises:
        InputError: at the end, with the errors of all files.
    """
    errors: list[Finding] = []

    def tried(place: int) -> _Result | InputError:
        try:
            return work(given[place])
        except InputError as exc:
            return exc

    for each in in_turn(range(len(given)), tried, what="reading runs", progress=progress):
        if isinstance(each, InputError):
            errors += each.findings
        else:
            yield each
    if errors:
        raise InputError(errors)


def _of_file(
    given: Source | Run, options: PoolOptions, requests: Mapping[str, ReportRequest]
) -> list[_OfRun]:
    found: dict[str, _OfRun] = {}
    for run_id, reports in _reports(given, requests):
        for report in reports:
            made = _OfRun(run_id, report.team_id, array("Q"), array("I"), array("I"), [])
            of_run = found.setdefault(run_id, made)
            for depth, item in enumerate(_items_of(report, options), 1):
                of_run.digests.append(_digest(item, options.seed))
                of_run.topics.append(len(of_run.topic_ids))
                of_run.depths.append(depth)
            of_run.topic_ids.append(report.topic_id)
    return list(found.values())


# --- what is pooled -------------------------------------------------------------------------------


class _Chosen(NamedTuple):
    """The digests of the pool, by topic and then by chance."""

    digests: dict[int, None]
    coverage: tuple[Coverage, ...]


def _choose(files: Sequence[Sequence[_OfRun]], options: PoolOptions) -> _Chosen:
    runs = [each for of_file in files for each in of_file]
    known = [each.run_id for each in runs]
    for run_id in options.contributing:
        if run_id not in known:
            raise unknown_name("run", run_id, known)
    teams = teams_of(((each.run_id, each.team_id) for each in runs), options.teams)
    team_numbers = {name: number for number, name in enumerate(dict.fromkeys(teams.values()))}
    topic_numbers: dict[str, int] = {}
    for each in runs:
        for topic_id in each.topic_ids:
            topic_numbers.setdefault(topic_id, len(topic_numbers))
    sizes = [len(each.digests) for each in runs]
    digests = _joined([np.array(each.digests, np.uint64) for each in runs], np.uint64)
    depths = _joined([np.array(each.depths, np.int64) for each in runs], np.int64)
    topics = _joined(
        [
            np.array([topic_numbers[name] for name in each.topic_ids], np.int64)[
                np.array(each.topics, np.int64)
            ]
            for each in runs
        ],
        np.int64,
    )
    members = np.repeat([team_numbers[teams[run_id]] for run_id in known], sizes)
    chosen = set(options.contributing or known)
    counts = np.repeat([run_id in chosen for run_id in known], sizes)
    counts &= depths <= (options.depth or np.inf)
    units, firsts, inverse = np.unique(digests[counts], return_index=True, return_inverse=True)
    fused = np.bincount(inverse, 1 / (RRF + depths[counts]), minlength=len(units))
    of_topic = topics[counts][firsts]
    order = np.lexsort((units, -np.round(fused, 12), of_topic))
    if options.budget is not None:
        starts = np.searchsorted(of_topic[order], of_topic[order])
        order = order[np.arange(len(order)) - starts < options.budget]
    order = order[np.lexsort((units[order], of_topic[order]))]
    pooled = np.isin(digests, units[order])
    unique = pooled & _is_of_one(digests, members)
    ends = np.cumsum(sizes)
    coverage = [
        Coverage(
            run_id,
            teams[run_id],
            num_items=size,
            num_pooled=int(np.count_nonzero(pooled[end - size : end])),
            num_unique=int(np.count_nonzero(unique[end - size : end])),
        )
        for run_id, size, end in zip(known, sizes, ends.tolist(), strict=True)
    ]
    return _Chosen(dict.fromkeys(units[order].tolist()), tuple(coverage))


def _joined(parts: Sequence[Floats], kind: Any) -> Floats:
    return np.concatenate(parts) if parts else np.zeros(0, kind)


def _is_of_one(digests: Floats, members: Floats) -> Floats:
    """Whether the item of each place is of one team alone."""
    _, inverse = np.unique(digests, return_inverse=True)
    pairs = np.unique(np.stack([inverse, members]), axis=1)
    return (np.bincount(pairs[0]) == 1)[inverse] if len(inverse) else np.zeros(0, bool)


class _Taken(NamedTuple):
    """The items of the pool in one file by their digests, and the texts that it has itself."""

    items: dict[int, Item]
    documents: dict[str, Document]


def _items(
    given: Source | Run,
    chosen: _Chosen,
    options: PoolOptions,
    requests: Mapping[str, ReportRequest],
) -> _Taken:
    taken = _Taken({}, {})
    for _, reports in _reports(given, requests):
        for report in reports:
            for item in _items_of(report, options):
                digest = _digest(item, options.seed)
                if digest in chosen.digests:
                    taken.items[digest] = item
                    if item.doc_id in report.documents:
                        taken.documents[item.doc_id] = report.documents[item.doc_id]
    return taken
