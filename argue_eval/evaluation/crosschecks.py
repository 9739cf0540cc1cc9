"""Compares the input files with each other: topics, document ids, attestation.

These checks need several files: they find a run of another track, a mistyped document id, nuggets
that name no documents. Warnings are collected; errors are raised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set

from argue_eval.errors import (
    Finding,
    Findings,
    InputError,
    count,
    likely,
    shorten,
    some,
)
from argue_eval.records import Document, Nugget, Run, TopicNuggets
from argue_eval.validation.doc_ids import check_placeholders, like_cited

PLACEHOLDER_ANSWERS = 10
"""So many answers of several topics that all name one document do not mean that document."""


def topics_to_score(
    qrels: str, requested: Sequence[str], nuggets: Sequence[TopicNuggets], findings: Findings
) -> dict[str, tuple[Nugget, ...]]:
    """The topics of the request file with their nuggets.

    Raises:
        InputError: the two files have no topic in common.
    """
    by_id = {each.topic_id: each.nuggets for each in nuggets}
    without = [topic_id for topic_id in requested if topic_id not in by_id]
    are_requested = set(requested)
    beyond = [topic_id for topic_id in by_id if topic_id not in are_requested]
    if len(without) == len(requested):
        message = f"no topic of the requests ({some(requested)}) has nuggets ({some(beyond)})"
        hint = "use the requests and the nuggets of the same track"
        raise InputError(Finding("no_common_topic", message, hint, qrels))
    if without:
        findings.warn(
            "topic_without_nuggets",
            f"{count(len(without), 'requested topic')} without nuggets: {some(without)}",
            "recall is undefined there, and 0 in the mean",
            file=qrels,
        )
    if beyond:
        findings.warn(
            "topic_not_requested",
            f"{count(len(beyond), 'topic')} not in the request file: {some(beyond)}",
            "they are not scored",
            file=qrels,
        )
    return {topic_id: by_id.get(topic_id, ()) for topic_id in requested}


def check_nuggets_made(nuggets: Sequence[TopicNuggets], qrels: str) -> None:
    """Refuses what the readers of files refuse: of a topic or nugget that is there twice, one
    would be left out; so would the second answer of a claim.
    """
    for topic_id in _repeated(each.topic_id for each in nuggets):
        message, hint = "the topic has two records of nuggets", "keep one of the two, or merge them"
        raise InputError(Finding("duplicate_topic", message, hint, qrels, topic_id=topic_id))
    for each in nuggets:
        for nugget_id in _repeated(nugget.nugget_id for nugget in each.nuggets):
            message = f"the topic has two nuggets {shorten(nugget_id)}"
            hint = "give each an id of its own"
            found = Finding("duplicate_nugget", message, hint, qrels, topic_id=each.topic_id)
            raise InputError(found)
        for nugget in each.nuggets:
            if nugget.is_claim and len(nugget.answers) != 1:
                message = "a nugget without question has one answer, its claim; found "
                message += f"{len(nugget.answers):,} in {shorten(nugget.nugget_id)}"
                hint = "give the question, or a nugget for each claim"
                found = Finding("claim_answers", message, hint, qrels, topic_id=each.topic_id)
                raise InputError(found)


def check_run_made(run: Run) -> None:
    """Refuses a run with reports of another run, or two of one topic."""
    name = run.source or run.run_id
    for run_id in {report.run_id for report in run.reports} - {run.run_id}:
        message = f"the run {shorten(run.run_id)} has reports with the run id {shorten(run_id)}"
        hint = "give both the same: report._replace(run_id=…)"
        raise InputError(Finding("run_id_differs", message, hint, name))
    for topic_id in _repeated(report.topic_id for report in run.reports):
        message, hint = "the topic has two reports", "a run has one report for a topic: remove one"
        raise InputError(Finding("duplicate_topic", message, hint, name, topic_id=topic_id))


def _repeated(ids: Iterable[str]) -> list[str]:
    return [each for each, number in Counter(ids).items() if number > 1]


def check_run_topics(
    file: str, runs: Sequence[Sequence[str]], topics: Collection[str], findings: Findings
) -> list[Finding]:
    """Warns of missing and extra topics; gives an error if no topic of a file is scored.

    Args:
        runs: the topics of each run in the file.
    """
    found = dict.fromkeys(topic_id for each in runs for topic_id in each)
    extra = [topic_id for topic_id in found if topic_id not in topics]
    missing = [topic_id for topic_id in topics if topic_id not in found]
    if extra and len(extra) == len(found):
        message = f"no topic of the run ({some(extra)}) is to be scored ({some(list(topics))})"
        hint = "use the nuggets (and requests) of the run's own track"
        return [Finding("no_common_topic", message, hint, file)]
    if extra:
        message = f"{count(len(extra), 'topic is', 'topics are')} not scored: {some(extra)}"
        findings.warn("extra_topics", message, "check the topic ids", file=file)
    if missing:
        message = f"no report for {count(len(missing), 'topic')}: {some(missing)}"
        findings.warn("missing_topics", message, "each counts 0, unless --only-answered", file=file)
    partial = [each for each in runs if not found.keys() <= set(each)]
    if partial:
        message = f"{len(partial)} of {count(len(runs), 'run')} lack reports that others have"
        findings.warn("missing_topics", message, "each counts 0, unless --only-answered", file=file)
    return []


def check_texts(files: Mapping[str, str], usable: Sequence[str], *, is_needed: bool) -> None:
    """Stops where the texts of reports are needed and only judgments of them are at hand.

    Args:
        files: where each run is judged, by its id.
        usable: the protocols that need no texts.
        is_needed: does some measure need the texts?

    Raises:
        InputError: there is such a run, or its judgments cannot be read.
    """
    if "-" in files.values():
        message = "expected runs, found judgments of them, which need a file"
        raise InputError(Finding("no_texts", message, "name the file instead of -", "-"))
    if files and is_needed:
        found = f"{count(len(files), 'run')} without texts: {some(list(files))}"
        message = f"expected runs, found judgments of {found}"
        hint = (
            "name the runs, and this file with --judgments; or use the --protocol of its track: "
            f"{', '.join(usable)}"
        )
        raise InputError(Finding("no_texts", message, hint, next(iter(files.values()))))


def check_attestation(qrels: str, nuggets: Sequence[TopicNuggets], findings: Findings) -> None:
    """Stops where no citation could ever be credited, rather than score 0 in silence.

    Raises:
        InputError: no answer names a document, or those of several topics name one and the same.
    """
    if nuggets and not any(topic.nuggets for topic in nuggets):
        message = f"none of the {count(len(nuggets), 'topic')} has a nugget"
        hint = "recall is undefined: name the file of the nuggets; see also --protocol"
        findings.warn("no_nuggets", message, hint, file=qrels)
    with_answers = [topic for topic in nuggets if any(each.answers for each in topic.nuggets)]
    bare = [topic.topic_id for topic in with_answers if not topic.doc_ids]
    hint = "add --attestation any-document, which credits an answer whatever document is cited"
    if with_answers and len(bare) == len(with_answers):
        if all(nugget.is_claim for topic in with_answers for nugget in topic.nuggets):
            hint = f"use --protocol nuggetizer, which looks for claims; or {hint}"
        message = "the nuggets name no documents, so no answer could count"
        unread = [each for each in findings if each.code == "unread_key"]
        unread = [each for each in unread if "'doc_ids'" in each.message]
        hint = f"correct the key above; or {hint}" if unread else hint
        raise InputError([*unread, Finding("no_attestation", message, hint, qrels)])
    named = set[str]().union(*(topic.doc_ids for topic in with_answers))
    num_answers = sum(len(nugget.answers) for topic in with_answers for nugget in topic.nuggets)
    if len(named) == 1 and len(with_answers) > 1 and num_answers >= PLACEHOLDER_ANSWERS:
        message = f"all topics name the same document, {shorten(min(named))}: a placeholder"
        raise InputError(Finding("no_attestation", message, hint, qrels))
    if bare:
        message = f"{count(len(bare), 'topic')} whose nuggets name no documents: {some(bare)}"
        findings.warn("no_attestation", message, hint, file=qrels)


def check_claims(qrels: str, nuggets: Iterable[Nugget]) -> None:
    """Finds that nothing is to be scored but claims, and there are none.

    Args:
        nuggets: those of the topics to score.

    Raises:
        InputError: there are none.
    """
    found = list(nuggets)
    if any(nugget.is_claim for nugget in found):
        return
    what = f"all {count(len(found), 'nugget')} are questions" if found else "there are no nuggets"
    message = f"claims are to be graded, and {what}"
    hint = "questions are scored by --protocol argue, the default, and by its measures"
    raise InputError(Finding("no_claim_nuggets", message, hint, qrels))


def check_cited(
    collection: str, cited: Collection[str], documents: Mapping[str, Document], findings: Findings
) -> None:
    """Warns of cited ids that no document of the collections has."""
    unknown = sorted(set(cited) - documents.keys())
    if unknown:
        message = f"{count(len(unknown), 'cited id')} that no document has: {some(unknown)}"
        hint = "check the ids; without a text, the support of these citations stays unjudged"
        findings.warn("unknown_document", message, hint, file=collection)


def check_whole(cut: Set[str], documents: Mapping[str, Document], findings: Findings) -> None:
    """Warns of documents of which judges see the start alone.

    Args:
        cut: ids of those that only runs have, and have cut.
        documents: those that the collections have.
    """
    found = sorted({*cut, *(each.doc_id for each in documents.values() if each.is_cut)})
    if found:
        message = f"of {count(len(found), 'document')}, only the start is kept: {some(found)}"
        hint = "judges read no more than that; name the documents as they were, with --collection"
        findings.warn("cut_document", message, hint)


def check_attesting(
    qrels: str,
    nuggets: Sequence[TopicNuggets],
    cited: Set[str],
    documents: Mapping[str, Document] | None,
    findings: Findings,
) -> None:
    """Warns of ids in the nuggets that no document and no run has: mistyped ones, placeholders.

    Args:
        documents: those of the nuggets and the runs that the collections have; None if none was
            read. Then the ids are warned of that look like none that a run cites.
    """
    of_nuggets = Findings(qrels, listed=findings.listed)
    named = set[str]().union(*(topic.doc_ids for topic in nuggets))
    if documents is None:
        placeholders = check_placeholders(of_nuggets, nuggets, cited, like_cited(cited))
        if named and cited and not placeholders and named.isdisjoint(cited):
            message = (
                f"no run cites any of the {count(len(named), 'document id')}: {some(sorted(named))}"
            )
            hint = "use the nuggets of the runs' own track: no answer can be credited"
            of_nuggets.warn("unknown_document", message, hint)
        return
    unknown = sorted(named - documents.keys() - cited)
    if unknown:
        near = likely(unknown[0], documents)
        guess = f" (is {unknown[0]} meant to be {near}?)" if near else ""
        message = (
            f"{len(unknown):,} of {count(len(named), 'document id')} that no document and no run "
            f"has: {some(unknown)}{guess}"
        )
        hint = "correct them: an answer counts only if a document that attests it is cited"
        of_nuggets.warn("unknown_document", message, hint)
