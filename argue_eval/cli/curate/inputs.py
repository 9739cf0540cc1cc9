"""What the commands of ``argue-eval curate`` read, with the warnings of reading printed."""

from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

from argue_eval.cli import console
from argue_eval.errors import Finding, InputError, count, some

if TYPE_CHECKING:
    from argue_eval.records import Report, ReportRequest, Run, TopicNuggets

    OfTopic = Report | ReportRequest | TopicNuggets


def read_bank(path: str) -> "list[TopicNuggets]":
    """Read the nuggets of a file. That they name no documents is said by lint and score."""
    from argue_eval.formats import read_nuggets
    from argue_eval.validation.ingest import OWN_CHECKS

    with console.following() as (warnings, _):
        topics = read_nuggets(path, warnings=warnings)
        warnings[:] = [each for each in warnings if each.code not in OWN_CHECKS]
    check_bank(topics, path)
    return topics


def check_bank(topics: "Sequence[TopicNuggets]", path: str) -> None:
    """Refuse a bank without topics."""
    if not topics:
        hint = "check the step that wrote it"
        raise InputError(Finding("no_topics", "the file has no topics", hint, path))


def files_of_banks(paths: "Sequence[str]") -> list[str]:
    """The banks that are named, those of folders and patterns one by one."""
    from argue_eval.formats.files import sources

    with console.following() as (warnings, _):
        return [each.name for path in paths for each in sources(path, "nuggets", warnings)]


def read_asked(
    path: str | None, needed: "Iterable[OfTopic]" = (), then: str = ""
) -> "dict[str, ReportRequest]":
    """Read the requests of a file by topic; none without a file.

    Args:
        needed: see `check_topics`.
        then: what becomes of those that the file lacks.
    """
    from argue_eval.formats import read_topics

    if not path:
        return {}
    with console.following() as (warnings, _):
        found = {each.topic_id: each for each in read_topics(path, warnings=warnings)}
    check_topics(needed, found, path, then)
    return found


def read_runs(paths: "Sequence[str]") -> "list[Run]":
    """Read runs, each once.

    Raises:
        InputError: two have the same id: their sentences and citations would count twice.
    """
    from argue_eval import formats

    with console.following() as (warnings, _):
        runs = formats.read_runs(paths, warnings=warnings)
    files: dict[str, str] = {}
    for run in runs:
        if run.run_id in files:
            message = f"the run id {run.run_id!r} is that of {files[run.run_id]} too"
            hint = "name every run once; give different runs different ids"
            raise InputError(Finding("run_id_taken", message, hint, run.source or ""))
        files[run.run_id] = run.source or ""
    return runs


def check_topics(needed: "Iterable[OfTopic]", known: Container[str], file: str, then: str) -> None:
    """Print which topics a file lacks, and what becomes of them.

    Args:
        needed: what the file should have the topics of.

    Raises:
        InputError: it has none of them.
    """
    wanted = list(dict.fromkeys(each.topic_id for each in needed))
    lacking = [topic_id for topic_id in wanted if topic_id not in known]
    if lacking and len(lacking) == len(wanted):
        message = f"it has none of the topics that are needed: {some(lacking)}"
        hint = "name the file of the same topics; their ids have to be equal to the letter"
        raise InputError(Finding("no_common_topic", message, hint, file))
    if lacking:
        lacks = f"{count(len(lacking), 'topic')}: {some(lacking)}"
        console.note(f"warning: {file} lacks {lacks} ({then})")
