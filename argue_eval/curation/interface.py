"""What a researcher types: banks of nuggets, merged and compared; questions made of seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from argue_eval import formats
from argue_eval.curation import changes, merge
from argue_eval.curation.merge import Bank, Merged
from argue_eval.curation.model import Model, Replies
from argue_eval.curation.questions import making
from argue_eval.curation.questions.records import QuestionOptions, Questions
from argue_eval.curation.versions import BankDiff
from argue_eval.errors import UsageError, option
from argue_eval.formats.files import listed, path_of
from argue_eval.judges import Settings
from argue_eval.judges.lexical import judge as lexical
from argue_eval.records import ReportRequest, TopicNuggets

Nuggets = str | PathLike[str] | Sequence[TopicNuggets]
"""A file, or nuggets that were read."""


def merge_nuggets(banks: Mapping[str, Nuggets]) -> Merged:
    """Merges banks by the words of their questions, as ``argue-eval curate merge`` does.

    Args:
        banks: by the names under which the result lists their nuggets, the most important first.

    Returns:
        The bank in `Merged.topics`, and what to look at in it.

    Raises:
        InputError, MissingResourceError: a file cannot be read.
        UsageError: the banks have no names.
    """
    if not isinstance(banks, Mapping):
        raise UsageError(
            "banks: expected names and banks, such as {'ours': 'bank.json', 'theirs': 'b.json'}, "
            f"found {type(banks).__name__}"
        )
    read = [Bank(name, _read(given)) for name, given in banks.items()]
    topics = [topic for bank in read for topic in bank.topics]
    texts = (each.answer for topic in topics for nugget in topic.nuggets for each in nugget.answers)
    return merge.by_likeness(read, lexical.create(texts=texts))


def diff_nuggets(old: Nuggets, new: Nuggets) -> BankDiff:
    """What changed between two versions of a bank, as ``argue-eval curate diff`` says it.

    Raises:
        InputError, MissingResourceError: a file cannot be read.
    """
    return changes.diff(_read(old), _read(new))


def make_questions(
    seeds: str | PathLike[str] | Sequence[ReportRequest],
    model: str,
    replies: str | PathLike[str],
    options: QuestionOptions = QuestionOptions(),  # noqa: B008
    settings: Settings | None = None,
) -> Questions:
    """Makes questions of seeds, as ``argue-eval curate questions`` does.

    Args:
        model: its name at the server of ``OPENAI_BASE_URL``, or ``hf:MODEL``.
        replies: a file that keeps what the model says; what it answers is not asked again.

    Returns:
        The questions in `Questions.requests`, and what is not as it was to be in `findings`.

    Raises:
        InputError, MissingResourceError: a file or the model cannot be used.
        UsageError: a category or domain is named twice.
    """
    read = formats.read_topics(seeds) if isinstance(seeds, (str, PathLike)) else seeds
    options = option("options", options, QuestionOptions)
    with Replies(path_of("replies", replies)) as kept:
        return making.make(
            read, Model(model, option("settings", settings, Settings), kept), options
        )


def _read(given: Nuggets) -> Sequence[TopicNuggets]:
    if isinstance(given, (str, PathLike)):
        return formats.read_nuggets(given)
    return listed("nuggets", given, TopicNuggets, may_be_empty=True)
