"""Reads all runs once, and what is judged of them, before the first is scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from argue_eval.errors import ArgueEvalError, Finding, Findings, InputError, count, some
from argue_eval.evaluation.crosschecks import check_run_made, check_run_topics, check_texts
from argue_eval.evaluation.scoring import Digest
from argue_eval.evaluation.walking import Plan, protocols_where
from argue_eval.formats.files import ONE_RUN_A_FILE, holds
from argue_eval.formats.jsonl import JSON, STORE, Source
from argue_eval.formats.judgments import canonical
from argue_eval.formats.processes import Progress
from argue_eval.formats.reading import iter_parts, read_run
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.records import Judgment, Kind, Report, Run, TopicNuggets, digest_of

Reports = dict[str, Report]

_MAX_KEPT = 200_000
"""So many sentences are kept from the first reading, about 200 MB; further runs are read again."""


class RunOfFile(NamedTuple):
    """One run. A file of most forms holds one; a haystack of SummHay holds many."""

    source: Source
    run_id: str

    @property
    def name(self) -> str:
        """Returns the file's name."""
        return self.source.name


@dataclass(slots=True)
class Runs:
    """What was found in all runs, read once so that an error in the last stops the first.

    Attributes:
        found: all runs, in the order of the files and of their first reports.
        lists_count: are the documents wanted that the reports list and do not cite?
        confidence_counts: are citations ranked by their confidence?
        confident: the ids of runs that have some, if it counts.
        cited: ids of the documents that are cited.
        listed: ids of those that the reports list, if they are wanted.
        has_documents: does any run bring texts of its own?
        cut: ids of documents that reports bring, and of which they have the start alone.
        textless: the files of runs of which only judgments are at hand, by the runs' ids.
        kept: the reports of each run that are to be scored, while there are few.
    """

    topics: Set[str]
    lists_count: bool = False
    confidence_counts: bool = False
    confident: set[str] = field(default_factory=set)
    cited: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    has_documents: bool = False
    cut: set[str] = field(default_factory=set)
    textless: dict[str, str] = field(default_factory=dict)
    kept: dict[RunOfFile, Reports] = field(default_factory=dict)
    found: list[RunOfFile] = field(default_factory=list)
    num_sentences: int = 0

    def add(
        self, source: Source, found: Iterable[Report], *, is_kept: bool = False
    ) -> dict[str, list[str]]:
        """Adds the reports of a source; returns the topics of each run in it, by the run's id.

        Args:
            is_kept: they cannot be read again.
        """
        topic_ids: dict[str, list[str]] = {}
        reports: dict[str, Reports] = {}
        has_room = True
        for report in found:
            topic_ids.setdefault(report.run_id, []).append(report.topic_id)
            if report.documents:
                self.has_documents = True
                self.cut.update(each.doc_id for each in report.documents.values() if each.is_cut)
            self.num_sentences += len(report.sentences)
            if not report.has_text:
                self.textless[report.run_id] = source.name
            if self.lists_count:
                self.listed.update(report.references or ())
            citations = [*chain.from_iterable([each.citations for each in report.sentences])]
            self.cited.update([doc_id for doc_id, _ in citations])
            if self.confidence_counts and any(each.score is not None for each in citations):
                self.confident.add(report.run_id)
            has_room = self.num_sentences <= _MAX_KEPT and not self.has_documents
            if (is_kept or has_room) and report.topic_id in self.topics:
                reports.setdefault(report.run_id, {})[report.topic_id] = report
        for run_id in topic_ids or ("",):
            run = RunOfFile(source, run_id)
            self.found.append(run)
            if is_kept or has_room:
                self.kept[run] = reports.get(run_id, {})
        return topic_ids


def read_runs(
    given: Sequence[str | Run],
    plan: Plan,
    topics: Set[str],
    findings: Findings,
    progress: Progress | None,
) -> Runs:
    """What was found in all runs, after a check that they have what the measures look at.

    Args:
        topics: those that are scored.

    Raises:
        InputError: some run has errors; those of all runs are named.
    """
    protocols = plan.protocols.values()
    runs = Runs(
        topics,
        lists_count=any(each.reads_references for each in protocols),
        confidence_counts=plan.wanted.options.citation_order == "confidence",
    )
    errors: list[Finding] = []
    run_ids: dict[str, str] = {}
    for number, each in enumerate(given):
        if progress:
            progress("checking runs", number, len(given))
        try:
            if isinstance(each, Run):
                name = each.source or each.run_id
                check_run_made(each)
                source = Source(each.source or f"run {each.run_id}")
                found = runs.add(source, each.reports, is_kept=True)
            else:
                name = each
                source = Source(each)
                found = runs.add(source, read_run(source, warnings=findings.listed))
        except InputError as exc:
            errors.extend(exc.findings)
            continue
        if not found or any(set(each) != topics for each in found.values()):
            errors.extend(check_run_topics(name, list(found.values()), topics, findings))
        for run_id in found:
            if run_id in run_ids:
                message = f"the run id {run_id!r} is that of {run_ids[run_id]} too"
                findings.warn("run_id_taken", message, ONE_RUN_A_FILE, file=name)
            run_ids.setdefault(run_id, name)
            if runs.confidence_counts and run_id not in runs.confident:
                message = "no citation has a confidence"
                hint = "its documents are ranked in the order of first citation"
                findings.warn("no_confidence", message, hint, file=name)
    if errors:
        raise InputError(errors)
    if runs.textless:
        usable = protocols_where(lambda each: not each.reads_texts)
        is_needed = plan.has_others or any(each.reads_texts for each in protocols)
        check_texts(runs.textless, usable, is_needed=is_needed)
    return runs


# --- what is judged ----------------------------------------------------------------------------


NO_STORED = "none"
"""Among the files of judgments: leave out those that runs or nuggets hold."""

_ENOUGH_SENTENCES = 1_000
"""Where none of so many has a document that is cited and judged, the ids differ."""


@contextmanager
def read_ahead(
    first: str | Sequence[Judgment], runs: Sequence[str | Run], nuggets: Sequence[TopicNuggets]
) -> Iterator[list[Source]]:
    """The first file of judgments, which other processes read from now on if it is large. They end
    with the context, if nobody has fetched what they read.

    Args:
        runs: these are read meanwhile.
    """
    if not isinstance(first, str) or not Path(first).is_file():
        yield []
        return
    source = Source(first)
    with suppress(ArgueEvalError, OSError, ValueError):  # is raised when it is read
        if source.starts_with(*JSON):
            files = [run for run in runs if isinstance(run, str) and run != "-"]
            canonical.read_ahead(source, nuggets, sum(Path(run).stat().st_size for run in files))
    try:
        yield [source]
    finally:
        source.ahead = None


def read_known(
    judgments: Sequence[str | Sequence[Judgment]],
    holders: Sequence[Source],
    nuggets: Sequence[TopicNuggets],
    findings: Findings,
) -> tuple[JudgmentIndex, str]:
    """The judgments of all files, those of the first file first, and the files' digests.

    Args:
        holders: other files that may hold judgments too, standard input among them as it was
            read; these come after the others. And a file that is read ahead.
    """
    index = JudgmentIndex()
    digests = []
    named = [given for given in judgments if given != NO_STORED]
    paths = [given for given in named if isinstance(given, str)]
    others = {each.name: each for each in holders if each.name not in paths}
    ahead = {each.name: each for each in holders if each.ahead is not None}
    held = {name: each for name, each in others.items() if holds("judgments", each)}
    for given in [*named, *held]:
        source = None
        if isinstance(given, str):
            source = held.get(given) or ahead.pop(given, None) or Source(given)
        if source is None or source.starts_with(STORE):
            digest = Digest()
            for judgment in _stored(given) if isinstance(given, str) else given:
                digest.add(*judgment)
                index.add(judgment)
            digests.append(str(digest))
            continue
        early = source.digest() if source.ahead is not None else ""
        judges = set()
        for found in iter_parts(source, nuggets, findings.listed, index.next_fact):
            if isinstance(found, Judgment):
                judges.add(found.judge)
                index.add(found)
            else:
                judges.update(found.judges)
                index.merge(found)
        if given in paths or judges:
            digests.append((early or source.digest())[:8])
        if given not in paths and judges:
            by = some(sorted(judges))
            message = f"the judgments that it holds count where they are asked for, by {by}"
            findings.warn(
                "stored_judgments",
                message,
                f"leave them out: --judgments {NO_STORED}",
                file=source.name,
            )
    return index, "+".join(digests) or "none"


def _stored(path: str) -> Iterable[Judgment]:
    """The judgments of a store."""
    from argue_eval.judgments import exchange  # sqlite3 takes a while

    return exchange.judgments(path)


def check_judged(
    index: JudgmentIndex,
    reports: Iterable[Report],
    judgments: Sequence[str | Sequence[Judgment]],
    findings: Findings,
    *,
    may_be_foreign: bool,
) -> None:
    """Warns of judgments that are not used, and of those that were made of other sentences.

    Args:
        reports: all that are scored; no more are looked at than it takes.
        may_be_foreign: warn too if none is about these, or none of support about what the first
            sentences with such judgments cite.
    """
    is_named_both_ways = len(index.judges) > 1 and index.is_named_both_ways
    num_set_aside, num_seen = index.num_set_aside, 0
    moved: list[str] = []
    is_about, apart = False, ("", "")
    for report in reports:
        if is_named_both_ways:
            num_set_aside += index.num_set_aside_in(report)
        if index.shown:
            moved += _moved(index, report)
        if may_be_foreign and not (is_about and num_seen >= _ENOUGH_SENTENCES):
            known = index.about(report)
            views = [known.sentence(place) for place in range(len(report.sentences))]
            cited = [[each.doc_id for each in sentence.citations] for sentence in report.sentences]
            may_be_foreign = not any(
                view.get((Kind.SUPPORT, doc_id))
                for view, doc_ids in zip(views, cited, strict=True)
                for doc_id in doc_ids
            )
            is_about = is_about or any(views) or bool(known.whole())
            supporting = index.supporting(report) if may_be_foreign else ()
            for judged, doc_ids in zip(supporting, cited, strict=False):
                if judged and doc_ids:
                    apart = min(judged), doc_ids[0]
            num_seen += len(report.sentences)
        elif not (is_named_both_ways or index.shown):
            break
    if num_set_aside:
        _warn_of_set_aside(num_set_aside, list(index.judges), judgments, findings)
    if moved:
        number = count(len(moved), "sentence")
        message = f"judgments by position were made of other sentences: {number}; first {moved[0]}"
        hint = "the run has changed since: leave these judgments out, or judge the sentences again"
        findings.warn("moved_sentence", message, hint)
    if may_be_foreign and not is_about:
        number = count(sum(index.judges.values()), "judgment")
        message = f"none of {number} is about a sentence of the runs"
        hint = "are they of these runs and topics? sentences have to be equal to the letter"
        findings.warn("foreign_judgments", message, hint, file=_named(judgments))
    elif may_be_foreign and apart[0]:
        message = "no judgment of support is of a document that its sentence cites"
        hint = f"write ids as the runs do: judged is {apart[0]!r}, cited there is {apart[1]!r}"
        findings.warn("foreign_documents", message, hint, file=_named(judgments))


def _moved(index: JudgmentIndex, report: Report) -> Iterator[str]:
    """Yields the sentences of a report that judgments by place were made of when they were other
    ones.
    """
    for at, sentence in enumerate(report.sentences):
        shown = index.shown.get((report.topic_id, report.run_id, at))
        if shown and digest_of("", shown) != digest_of("", sentence.text):
            yield f"{report.run_id}, topic {report.topic_id}, sentence {at}"


def _warn_of_set_aside(
    num_set_aside: int,
    judges: Sequence[str],
    judgments: Sequence[str | Sequence[Judgment]],
    findings: Findings,
) -> None:
    """Warns of judgments that are not used, since an earlier judge answers the same question."""
    first, *rest = judges
    message = (
        f"{count(num_set_aside, 'judgment')} set aside, since an earlier judge answers the same "
        f"question: {first} is used before {', '.join(rest)}"
    )
    hint = "the file that is named first is used first: change the order if another is meant"
    paths = [each for each in judgments if isinstance(each, str)]
    files = [each for each in paths if Path(each).is_file()]  # a pipe cannot be read again
    if store := next((each for each in files if Source(each).starts_with(STORE)), ""):
        hint = f"name first what argue-eval store export {store} --judge NAME -o FILE writes"
    findings.warn("several_judges", message, hint, file=_named(judgments))


def _named(judgments: Sequence[str | Sequence[Judgment]]) -> str:
    """What a warning of judgments names: their first file."""
    paths = (each for each in judgments if isinstance(each, str) and each != NO_STORED)
    return next(paths, "judgments")
