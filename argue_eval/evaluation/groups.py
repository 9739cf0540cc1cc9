"""Groups of topics by what their requests or nuggets say of them: ``--by domain``. Groups of
nuggets by what these say of themselves: ``--by mapped_sub_narrative``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from argue_eval.errors import UsageError, unknown_name
from argue_eval.records import Nugget, ReportRequest, TopicNuggets

Groups = dict[str, tuple[str, ...]]
"""The topics of a group by its label, such as ``domain=film``."""

Parts = dict[str, tuple[tuple[str, frozenset[str]], ...]]
"""Topics with some of their nuggets, by label: under the key for each value of each topic, and for
each value that several topics have, such as ``source=original``."""

_NONE = "none"


def groups_of(
    keys: Sequence[str],
    topic_ids: Iterable[str],
    requests: Iterable[ReportRequest],
    nuggets: Iterable[TopicNuggets],
) -> Groups:
    """Groups the topics by every value of the keys, in the order of the labels.

    A key is one of a request, or failing that of a topic's nuggets. A topic without it is in the
    group ``none``; one with a list of values is in several.

    A key that only nuggets have is left to `parts_of`.

    Raises:
        UsageError: no topic or nugget has a key, or its value is neither text nor a number.
    """
    said: dict[str, dict[str, Any]] = {topic_id: {} for topic_id in topic_ids}
    of_nuggets: set[str] = set()
    for topic in nuggets:
        if topic.topic_id in said:
            said[topic.topic_id].update(topic.extra)
            of_nuggets.update(*(nugget.extra for nugget in topic.nuggets))
    for request in requests:
        if request.topic_id in said:
            language = {"language": request.language} if request.language else {}
            said[request.topic_id].update({**request.extra, **language})
    known = {each for values in said.values() for each in values}
    groups: dict[str, list[str]] = {}
    for key in dict.fromkeys(keys):
        if key not in known:
            if not known | of_nuggets:
                message = "neither the requests nor the nuggets say more of a topic"
                raise UsageError(f"--by {key}: {message}")
            if key not in of_nuggets:
                raise unknown_name("key in --by", key, known | of_nuggets)
            continue
        found: dict[str, list[str]] = {}
        for topic_id, values in said.items():
            for value in dict.fromkeys(_values(key, values, topic_id)):
                found.setdefault(value, []).append(topic_id)
        groups.update((f"{_plain(key)}={value}", found[value]) for value in sorted(found))
    return {label: tuple(members) for label, members in groups.items()}


def parts_of(keys: Sequence[str], groups: Groups, topics: Mapping[str, Sequence[Nugget]]) -> Parts:
    """The nuggets of each topic by every value of the keys that only nuggets have. Those without
    a value are in no part.

    Args:
        groups: those of the other keys.

    Raises:
        UsageError: a value is neither text nor a number.
    """
    parts: Parts = {}
    for key in dict.fromkeys(keys):
        if any(label.startswith(f"{_plain(key)}=") for label in groups):
            continue
        found: dict[str, dict[str, set[str]]] = {}
        for topic_id, nuggets in topics.items():
            for nugget in nuggets:
                if nugget.extra.get(key) is not None:
                    for value in _values(key, nugget.extra, topic_id):
                        of_topic = found.setdefault(value, {}).setdefault(topic_id, set())
                        of_topic.add(nugget.nugget_id)
        of_value = {
            f"{_plain(key)}={value}": tuple((each, frozenset(ids)) for each, ids in about.items())
            for value, about in sorted(found.items())
        }
        parts[_plain(key)] = tuple(part for each in of_value.values() for part in each)
        # A value of one topic has no average: there are hundreds of sub-narratives.
        parts.update({label: each for label, each in of_value.items() if len(each) > 1})
    return parts


def _values(key: str, values: Mapping[str, Any], topic_id: str) -> Iterator[str]:
    value = values.get(key)
    listed = value if isinstance(value, list) else [value]
    for each in listed or [None]:
        if each is not None and not isinstance(each, (str, int, float)):
            raise UsageError(
                f"--by {key}: expected texts or numbers, found {type(each).__name__} in topic "
                f"{topic_id}"
            )
        yield _NONE if each is None else _plain(str(each)) or _NONE


def _plain(text: str) -> str:
    """The text as it can be part of a measure's name: spaces and the like become ``_``."""
    joined = "_".join(text.split())
    return "".join(char if char.isprintable() and char not in "[]=" else "_" for char in joined)
