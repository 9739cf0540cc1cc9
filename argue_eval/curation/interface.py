"""What a researcher types: banks of nuggets, merged and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike

from argue_eval import formats
from argue_eval.curation import changes, merge
from argue_eval.curation.uniting import Bank, Merged
from argue_eval.curation.versions import BankDiff
from argue_eval.errors import UsageError
from argue_eval.judges.lexical import judge as lexical
from argue_eval.records import TopicNuggets

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


def _read(given: Nuggets) -> Sequence[TopicNuggets]:
    return formats.read_nuggets(given) if isinstance(given, (str, PathLike)) else given
