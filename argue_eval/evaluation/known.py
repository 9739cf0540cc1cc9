"""Reads what is judged already: files of judgments, stores, and what runs and nuggets hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argue_eval.errors import Findings, count
from argue_eval.evaluation.signature import Digest
from argue_eval.formats.files import is_store
from argue_eval.formats.jsonl import Source
from argue_eval.formats.reading import holds, iter_parts
from argue_eval.judgments.index import JudgmentIndex
from argue_eval.records import Judgment, Report, TopicNuggets

NO_STORED = "none"
"""Among the files of judgments: leave out those that runs or nuggets hold."""

_ENOUGH_SENTENCES = 1_000
"""Where none of so many has a document that is cited and judged, the ids differ."""


def read_known(
    judgments: Sequence[str | Sequence[Judgment]],
    holders: Sequence[Source],
    nuggets: Sequence[TopicNuggets],
    findings: Findings,
) -> tuple[JudgmentIndex, str]:
    """The judgments of all files, those of the first file first, and the files' digests.

    Args:
        holders: other files that may hold judgments too, standard input among them as it was
            read; these come after the others.
    """
    index = JudgmentIndex()
    digests = []
    named = [given for given in judgments if given != NO_STORED]
    paths = [given for given in named if isinstance(given, str)]
    others = {each.name: each for each in holders if each.name not in paths}
    are_wanted = len(named) == len(judgments)
    held = {name: each for name, each in others.items() if are_wanted and holds("judgments", each)}
    for given in [*named, *held]:
        records = _stored(given) if isinstance(given, str) else given
        if records is not None or not isinstance(given, str):
            digest = Digest()
            for judgment in records or ():
                digest.add(*judgment)
                index.add(judgment)
            digests.append(str(digest))
            continue
        source = held.get(given) or Source(given)
        judges = set()
        for found in iter_parts(source, nuggets, findings.listed, index.next_fact):
            if isinstance(found, Judgment):
                judges.add(found.judge)
                index.add(found)
            else:
                judges.update(found.judges)
                index.merge(found)
        if given in paths or judges:
            digests.append(source.digest()[:8])
        if given not in paths and judges:
            message = f"the judgments that it holds are used, by {', '.join(sorted(judges))}"
            findings.warn(
                "stored_judgments", message, f"leave them out: --judgments {NO_STORED}", file=given
            )
    return index, "+".join(digests) or "none"


def _stored(path: str) -> Iterable[Judgment] | None:
    """The judgments of a store; None if the file is none."""
    if not is_store(path):
        return None
    from argue_eval.judgments import exchange

    return exchange.judgments(path)


def check_foreign(
    index: JudgmentIndex,
    reports: Iterable[Report],
    judgments: Sequence[str | Sequence[Judgment]],
    findings: Findings,
) -> None:
    """Warns if judgments are given, and none is about the reports that are scored, or none of
    support about what the first sentences with such judgments cite.
    """
    if not judgments or not index.judges:
        return
    paths = [each for each in judgments if isinstance(each, str) and each != NO_STORED]
    file = [*paths, "judgments"][0]
    is_about, num_seen, apart = False, 0, ("", "")
    for report in reports:
        is_about = is_about or any(True for _ in index.subjects_in(report))
        for judged, cited in index.supported_in(report):
            if not judged.isdisjoint(cited):
                return
            apart = min(judged), cited[0]
        num_seen += len(report.sentences)
        if is_about and num_seen >= _ENOUGH_SENTENCES:
            break
    if not is_about:
        number = count(sum(index.judges.values()), "judgment")
        message = f"none of {number} is about a sentence of the runs"
        hint = "are they of these runs and topics? sentences have to be equal to the letter"
        findings.warn("foreign_judgments", message, hint, file=file)
    elif apart[0]:
        message = "no judgment of support is of a document that its sentence cites"
        hint = f"write ids as the runs do: judged is {apart[0]!r}, cited there is {apart[1]!r}"
        findings.warn("foreign_documents", message, hint, file=file)


def check_set_aside(
    index: JudgmentIndex,
    reports: Iterable[Report],
    judgments: Sequence[str | Sequence[Judgment]],
    findings: Findings,
) -> None:
    """Warns of judgments that are not used, since an earlier judge answers the same question.

    Args:
        reports: all reports that are scored; only looked at where they can show more of these.
    """
    num_set_aside = index.num_set_aside
    if index.is_named_both_ways:
        num_set_aside += sum(map(index.num_set_aside_in, reports))
    if not num_set_aside:
        return
    first, *rest = index.judges
    message = (
        f"{count(num_set_aside, 'judgment')} set aside, since an earlier judge answers the same "
        f"question: {first} is used before {', '.join(rest)}"
    )
    paths = [each for each in judgments if isinstance(each, str) and each != NO_STORED]
    hint = "the file that is named first is used first: change the order if another is meant"
    if store := next(filter(is_store, paths), ""):
        hint = f"name first what argue-eval store export {store} --judge NAME -o FILE writes"
    findings.warn("several_judges", message, hint, file=[*paths, "judgments"][0])
