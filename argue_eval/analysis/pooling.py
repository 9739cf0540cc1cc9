"""Pools: what several runs cite, to be judged once for all of them.

The items of a pool are documents, or pairs of a sentence and a document that it cites. Which run
an item is from is not in the pool.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

from argue_eval.analysis.drawing import hashed
from argue_eval.analysis.sheet_rows import row_of
from argue_eval.analysis.teams import TEAM_ID, are_shared, teams_of
from argue_eval.errors import Finding, InputError, UsageError, check_names, option, shorten, some
from argue_eval.formats import sheets
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
            check_names(name, [getattr(self, name)], choices)
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
            yield row_of(
                Question(
                    kind=Kind.RELEVANT if item.sentence is None else Kind.SUPPORT,
                    topic_id=item.topic_id,
                    sentence_index=-1 if item.sentence is None else 0,
                    doc_id=item.doc_id,
                    text=item.sentence or "",
                    document=self._texts.get(item.doc_id),
                    request=self._requests.get(item.topic_id),
                )
            )

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
    """The format of a sheet that the name of a file says; TREC's if it says none."""
    try:
        return TREC if path == "-" else sheets.format_of(path)
    except UsageError:
        return TREC


def check_format(format_name: str, options: PoolOptions) -> None:
    """Checks that a pool can be written in a format.

    Raises:
        UsageError: there is no such format, or it cannot hold pairs.
    """
    check_names("--format", [format_name], (TREC, *FORMATS))
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
    about = each_of("topics", topics, Source, ReportRequest, may_be_empty=True)
    files = [each for each in about if not isinstance(each, ReportRequest)]
    about = [each for each in about if isinstance(each, ReportRequest)]
    about += read_topics(files, warnings=warnings) if files else []
    requests = {each.topic_id: each for each in about}
    reading = _Reading(options, requests)
    given: list[Source | Run] = []
    for each in each_of("runs", runs, Source, Run):
        # Beside the reports in a folder of score -o lie files of no known format.
        reports = sorted(map(str, Path(each).glob(_REPORTS))) if isinstance(each, str) else []
        given += [each] if isinstance(each, Run) else sources(reports or each, "runs", warnings)
    parts = [part for of_file in _each(given, reading.parts, progress) for part in of_file]
    if requests and not parts:
        message = f"no run has a report for any of the requested topics: {some(list(requests))}"
        hint = "use the requests of the runs' own track"
        raise InputError(Finding("no_common_topic", message, hint))
    numbers = Counter(each.run_id for each in parts)
    if twice := [run_id for run_id, number in numbers.items() if number > 1]:
        message = f"two runs have the id {some(twice)}: their items would count twice"
        hint = "name every run once, and give every run an id of its own"
        raise InputError(Finding("run_id_taken", message, hint))
    digests, coverage = _choose(parts, options)
    if not digests:
        raise UsageError("nothing to pool: no contributing run cites a document")
    items: dict[int, Item] = {}
    texts: dict[str, Document] = {}
    for found, documents in _each(given, partial(reading.pooled, digests), progress):
        items |= found
        texts |= documents
    paths = [each for each in each_of("collection", collection, Source, may_be_empty=True) if each]
    wanted = {item.doc_id for item in items.values()} - texts.keys()
    for document in iter_documents(paths, wanted) if paths and wanted else ():
        texts.setdefault(document.doc_id, document)
    return Pool(options, [items[digest] for digest in digests], coverage, requests, texts)


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


# --- what each run has ----------------------------------------------------------------------------


class _OfRun(NamedTuple):
    """The items of one run, each once: digests, numbers of topics, and depths in their reports."""

    run_id: str
    team_id: str
    digests: array[int]
    topics: array[int]
    depths: array[int]
    topic_ids: list[str]


class _Reading(NamedTuple):
    """How files are read, each on its own.

    Attributes:
        requests: by topic; others are left out. Empty for all.
    """

    options: PoolOptions
    requests: Mapping[str, ReportRequest]

    def parts(self, given: Source | Run) -> list[_OfRun]:
        """The items of each run of a file."""
        found: dict[str, _OfRun] = {}
        for report in self._reports(given):
            made = _OfRun(report.run_id, report.team_id, array("Q"), array("I"), array("I"), [])
            of_run = found.setdefault(report.run_id, made)
            for depth, (digest, _) in enumerate(self._items(report), 1):
                of_run.digests.append(digest)
                of_run.topics.append(len(of_run.topic_ids))
                of_run.depths.append(depth)
            of_run.topic_ids.append(report.topic_id)
        return list(found.values())

    def pooled(
        self, digests: Container[int], given: Source | Run
    ) -> tuple[dict[int, Item], dict[str, Document]]:
        """The items of the pool in a file by their digests, and the texts that it has itself."""
        items: dict[int, Item] = {}
        documents: dict[str, Document] = {}
        for report in self._reports(given):
            for digest, item in self._items(report):
                if digest in digests:
                    items[digest] = item
                    if item.doc_id in report.documents:
                        documents[item.doc_id] = report.documents[item.doc_id]
        return items, documents

    def _reports(self, given: Source | Run) -> Iterator[Report]:
        for each in given if isinstance(given, Run) else read_run(given):
            if not self.requests or each.topic_id in self.requests:
                yield each

    def _items(self, report: Report) -> Iterator[tuple[int, Item]]:
        """Yields the items of a report in their order, each once, with their digests.

        A sentence without text is none.
        """
        found: Iterable[Item]
        if self.options.items == DOCUMENTS:
            doc_ids = ranking(report, self.options.order)
            found = [Item(report.topic_id, doc_id) for doc_id in doc_ids]
        else:
            found = dict.fromkeys(
                Item(report.topic_id, citation.doc_id, text)
                for sentence in report.sentences
                if (text := nfc(sentence.text).strip())
                for citation in sentence.citations
            )
        for item in found:
            yield hashed((each for each in item if each is not None), self.options.seed), item


# --- what is pooled -------------------------------------------------------------------------------


def _choose(runs: Sequence[_OfRun], options: PoolOptions) -> tuple[dict[int, None], list[Coverage]]:
    """The digests of the pool, by topic and then by chance, and how much of each run is in it."""
    known = [each.run_id for each in runs]
    check_names("run", options.contributing, known)
    if not runs:
        return {}, []
    teams = teams_of(((each.run_id, each.team_id) for each in runs), options.teams)
    topic_numbers: dict[str, int] = {}
    for topic_id in (topic_id for each in runs for topic_id in each.topic_ids):
        topic_numbers.setdefault(topic_id, len(topic_numbers))
    sizes = [len(each.digests) for each in runs]
    digests = np.concatenate([np.array(each.digests, np.uint64) for each in runs])
    depths = np.concatenate([np.array(each.depths, np.int64) for each in runs])
    topics = np.concatenate(
        [
            np.array([topic_numbers[name] for name in each.topic_ids], np.int64)[
                np.array(each.topics, np.int64)
            ]
            for each in runs
        ]
    )
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
    unique = pooled & ~are_shared(digests, [teams[run_id] for run_id in known], sizes)
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
    return dict.fromkeys(units[order].tolist()), coverage
