"""argue-eval as a judge of TREC AutoJudge: the class that its ``workflow.yml`` names.

The package autojudge-base calls it with objects of its own. They are read as the files that they
come from, so that a report means here what it means to ``argue-eval score``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

from argue_eval import formats
from argue_eval.cli import console
from argue_eval.cli.judging import note_reasons
from argue_eval.errors import ArgueEvalError, Finding, UsageError, count, some, unknown_name
from argue_eval.evaluation.interface import score
from argue_eval.evaluation.results import Scores
from argue_eval.formats.jsonl import Source, atomic_writer, encode
from argue_eval.formats.nuggets import auto_argue
from argue_eval.measures import rankings, select
from argue_eval.records import Judgment, Kind, ReportRequest, Run, TopicNuggets, Verdict

_SCORING = signature(score).parameters.keys() - {"runs", "nuggets", "topics", "settings"}
_SETTINGS = {*_SCORING, "nuggets", "curator"}
"""What a workflow may set: what `score` takes, nugget files, and the model that makes nuggets."""

_JUDGES = ("judge", "support", "nugget", "sentence")
_OF_AUTOJUDGE = ("description", "filebase", "outdir")
_WITHOUT_NUGGETS = "support"
_REQUEST_KEYS = {
    "request_id", "title", "problem_statement", "background", "limit", "collection_ids"
}  # fmt: skip
_REPORT_KEYS = {"metadata", "responses", "references", "documents"}

Objects = Iterable[Any]
"""Objects of autojudge-base."""


class AutoJudge:
    """Nuggets, relevance labels and scores, as the protocols of autojudge-base want them.

    The settings of a workflow are the arguments of `argue_eval.score`; ``nuggets``, files of
    nuggets; and ``curator``, the language model that makes some. ``llm`` is the model that
    AutoJudge is configured with.
    """

    @property
    def nugget_banks_type(self) -> type[Any]:
        """The type of nugget banks that are made and read."""
        from autojudge_base.nugget_data import NuggetBanks

        found: type[Any] = NuggetBanks
        return found

    def create_nuggets(
        self,
        rag_responses: Objects | None,
        rag_topics: Objects,
        llm_config: Any,
        nugget_banks: Any = None,
        corpus: str | None = None,
        **settings: Any,
    ) -> Any:
        """The nuggets of the setting ``nuggets``, those that are given, or those of a model.

        None if there are none, and the protocol does without.
        """
        with _reported():
            chosen = _checked(settings)
            requests = _requests(rag_topics)
            if "curator" in chosen and nugget_banks is None and chosen.get("nuggets") is None:
                name = llm_config.model if chosen["curator"] == "llm" else chosen["curator"]
                replies = Path(settings.get("outdir", "."), settings.get("filebase", "nuggets"))
                topics = _curated(
                    name, requests, _runs(rag_responses or []), f"{replies}.replies.jsonl"
                )
            elif chosen.get("nuggets") is None and nugget_banks is not None:
                return nugget_banks
            else:
                topics = _nuggets(None, chosen)
            return _banks(topics, requests) if topics else None

    def create_qrels(
        self,
        rag_responses: Objects,
        rag_topics: Objects,
        llm_config: Any,
        nugget_banks: Any = None,
        corpus: str | None = None,
        **settings: Any,
    ) -> Any:
        """Relevance labels: 1 for a document that attests an answer, 0 for others that are cited.

        None if the nuggets name no documents, or a topic has none, which AutoJudge does not allow.
        """
        from autojudge_base.qrels import QrelRow, Qrels

        with _reported():
            requested = {each.topic_id for each in _requests(rag_topics)}
            topics = _nuggets(nugget_banks, _checked(settings))
            relevant = {
                (each.topic_id, doc_id)
                for each in topics
                for _, doc_id in rankings.subtopics(each.nuggets)
            }
            cited = (
                (report.topic_id, doc_id)
                for run in _runs(rag_responses)
                for report in run
                for doc_id in rankings.ranking(report)
            )
            rows = [
                row for row in dict.fromkeys([*sorted(relevant), *cited]) if row[0] in requested
            ]
            without = requested.difference(topic_id for topic_id, _ in rows)
            if without or not relevant:
                where = f" for {some(sorted(without))}" if relevant else ""
                console.note(f"no relevance labels: the nuggets name no documents{where}")
                return None
            return Qrels([QrelRow(*row, int(row in relevant)) for row in rows])

    def judge(
        self,
        rag_responses: Objects,
        rag_topics: Objects,
        llm_config: Any,
        nugget_banks: Any = None,
        qrels: Any = None,
        corpus: str | None = None,
        **settings: Any,
    ) -> Any:
        """The scores of all runs by topic, and averaged over the topics of the requests.

        A value that missing judgments leave open is left out. The judgments behind the scores are
        written beside the leaderboard.
        """
        with _reported():
            chosen = _checked(settings)
            requests = _requests(rag_topics)
            topics = _nuggets(nugget_banks, chosen)
            topics = topics or [TopicNuggets(each.topic_id) for each in requests]
            for name in _JUDGES:
                if chosen.get(name) == "llm":
                    chosen[name] = f"llm:{llm_config.model}"
            chosen["collection"] = [*_listed(chosen.get("collection")), *_corpus(corpus)]
            labels = [] if qrels is None else map(_judgment, qrels.rows)
            chosen["judgments"] = [*_listed(chosen.get("judgments")), *labels]
            warnings: list[Finding] = []
            runs = _runs(rag_responses, warnings)
            console.warn(warnings)
            scores = score(
                runs,
                topics,
                topics=requests,
                **{name: value for name, value in chosen.items() if name in _SCORING},
            )
            _note(scores)
            if "filebase" in settings:
                _write_judgments(scores, f"{settings['filebase']}.judgments.jsonl")
            return _leaderboard(scores, chosen)


@contextmanager
def _reported() -> Iterator[None]:
    """Has a mistake of the user shown as a message of auto-judge, without a traceback."""
    from click import ClickException

    try:
        yield
    except ArgueEvalError as exc:
        raise ClickException(str(exc)) from exc


def _checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are ours; those that are neither ours nor AutoJudge's are refused."""
    for name in settings:
        if name not in _SETTINGS and name not in _OF_AUTOJUDGE:
            raise unknown_name("setting in the workflow", name, sorted(_SETTINGS))
    return {name: value for name, value in settings.items() if name in _SETTINGS}


# --- from AutoJudge's objects ---------------------------------------------------------------------


def _source(name: str, objects: Objects, keys: set[str] | None = None) -> Source:
    values = [each.model_dump(mode="json", exclude_none=True, include=keys) for each in objects]
    for value in values:
        for sentence in value.get("responses", ()):
            sentence.setdefault("citations", [])  # AutoJudge has None for a sentence without any
    return Source.of_bytes(name, "".join(f"{encode(value)}\n" for value in values).encode())


def _requests(topics: Objects) -> list[ReportRequest]:
    return formats.read_topics(_source("--rag-topics", topics, _REQUEST_KEYS))


def _runs(responses: Objects, warnings: list[Finding] | None = None) -> list[Run]:
    by_run: dict[str, list[Any]] = {}
    for each in responses:
        by_run.setdefault(each.metadata.run_id, []).append(each)
    sources = [_source(f"run {name}", each, _REPORT_KEYS) for name, each in by_run.items()]
    return formats.read_runs(sources, "canonical", warnings)


def _nuggets(banks: Any, chosen: Mapping[str, Any]) -> list[TopicNuggets]:
    """The nuggets that are given or named; none where the protocol does without.

    Raises:
        UsageError: there are none.
    """
    if banks is not None:
        return formats.read_nuggets(_source("the nugget banks", banks.banks.values()))
    if chosen.get("nuggets") is not None:
        return formats.read_nuggets(chosen["nuggets"])
    if chosen.get("protocol") == _WITHOUT_NUGGETS:
        return []
    raise UsageError(
        "there are no nuggets: give --nugget-banks FILE, or the setting nuggets: FILE, or have "
        "a language model make some with curator: MODEL; without nuggets, score with protocol: "
        f"{_WITHOUT_NUGGETS}"
    )


def _curated(
    model: str, requests: Sequence[ReportRequest], runs: Iterable[Run], replies: str
) -> list[TopicNuggets]:
    """Claims that a language model finds in the documents that reports cite and bring along.

    Raises:
        UsageError: there is no such document.
    """
    from argue_eval.curation import dedupe, extract
    from argue_eval.curation.model import Model, Replies
    from argue_eval.judges import Settings

    asked = {each.topic_id: each for each in requests}
    pairs = {
        (report.topic_id, doc_id): (asked[report.topic_id], report.documents[doc_id])
        for run in runs
        for report in run
        for doc_id in rankings.ranking(report)
        if report.topic_id in asked and doc_id in report.documents
    }
    if not pairs:
        raise UsageError(
            "the curator reads the documents of the reports, and they bring none along: give "
            "nuggets, or set nugget_depends_on_responses: true"
        )
    Path(replies).absolute().parent.mkdir(parents=True, exist_ok=True)
    with Replies(replies) as kept:
        curator = Model(model, Settings(), kept)
        found = extract.extract(list(pairs.values()), curator)
        topics = dedupe.by_model(found.topics, asked, curator).topics
    for reason, number in Counter(curator.tally.unanswered).most_common(5):
        console.note(
            f"warning: {count(number, 'call')} of the curator without a usable reply: {reason}"
        )
    return topics


def _listed(given: Any) -> Sequence[Any]:
    return [] if given is None else given if isinstance(given, list) else [given]


def _corpus(corpus: str | None) -> list[str]:
    """The collection that --corpus names: a file, a folder, or a data set of ir_datasets."""
    if corpus is None:
        return []
    return [corpus if Path(corpus).exists() or ":" in corpus else f"irds:{corpus}"]


def _judgment(row: Any) -> Judgment:
    verdict = Verdict.YES if row.grade > 0 else Verdict.NO
    return Judgment(Kind.RELEVANT, row.topic_id, verdict, judge="qrels", doc_id=row.doc_id)


# --- to AutoJudge's objects -----------------------------------------------------------------------


def _banks(topics: Iterable[TopicNuggets], requests: Sequence[ReportRequest]) -> Any:
    """The nuggets of the requested topics.

    Raises:
        UsageError: a topic has none, which AutoJudge does not allow.
    """
    from autojudge_base.nugget_data import NuggetBank, NuggetBanks

    by_topic = {topic.topic_id: topic for topic in topics if topic.nuggets}
    missing = [each.topic_id for each in requests if each.topic_id not in by_topic]
    if missing:
        raise UsageError(
            f"no nuggets for {len(missing):,} of {count(len(requests), 'topic')}: {some(missing)}; "
            "name a file that has them, or leave these topics out"
        )
    banks = []
    for topic in (by_topic[each.topic_id] for each in requests):
        nuggets = [nugget for _, nugget in auto_argue.arranged(enumerate(topic.nuggets))]
        value = auto_argue.encode(topic._replace(nuggets=tuple(nuggets)))
        banks.append(NuggetBank.model_validate(value))
    return NuggetBanks.from_banks_list(banks)


def _leaderboard(scores: Scores, chosen: Mapping[str, Any]) -> Any:
    from autojudge_base.leaderboard import (
        Leaderboard,
        LeaderboardEntry,
        LeaderboardSpec,
        MeasureSpec,
    )

    entries = []
    types: dict[str, type] = {}
    for run_id, run in scores.items():
        by_topic: dict[str, dict[str, float]] = {}
        for row in run.table.rows:
            types[row.measure] = int if row.is_count else float
            value = 0.0 if row.is_undefined else row.value
            if value is not None:
                kept = int(value) if row.is_count and value == int(value) else value
                by_topic.setdefault(row.topic_id, {})[row.measure] = kept
        entries += [LeaderboardEntry(run_id, topic, values) for topic, values in by_topic.items()]
    rewards = {
        measure.name: measure.explanation.rewards
        for family in select(_listed(chosen.get("measures")), chosen.get("protocol") or "argue")
        for measure in family.measures
    }
    specs = tuple(
        MeasureSpec(name, type_, rewards.get(name) or rewards.get(name.rpartition("_")[0], ""))
        for name, type_ in types.items()
    )
    return Leaderboard(tuple(types), LeaderboardSpec(specs), tuple(entries))


def _note(scores: Scores) -> None:
    """Writes warnings, what is left open and why, and how the scores were made."""
    console.warn(scores.warnings)
    tables = [each.table for each in scores.values()]
    num_open = sum(row.value is None and row.is_bounded for each in tables for row in each.rows)
    if num_open:
        console.note(f"{count(num_open, 'value')} left out, since judgments are missing:")
        note_reasons(sum((run.open_reasons for run in scores.values()), Counter()))
    for text in dict.fromkeys(table.signature for table in tables):
        console.note(f"signature: {text}")


def _write_judgments(scores: Scores, path: str) -> None:
    from argue_eval.report.folder import judgment_object

    Path(path).absolute().parent.mkdir(parents=True, exist_ok=True)
    used = dict.fromkeys(each for run in scores.values() for each in run.used_judgments())
    with atomic_writer(path) as stream:
        stream.writelines(encode(judgment_object(each)) + "\n" for each in used)
