"""Groups of topics by what their requests or nuggets say of them: ``--by domain``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from argue_eval.errors import UsageError, unknown_name
from argue_eval.records import ReportRequest, TopicNuggets

Groups = dict[str, tuple[str, ...]]
"""The topics of a group by its label, such as ``domain=film``."""

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

    Raises:
        UsageError: no topic has a key, or its value is neither text nor a number.
    """
    said: dict[str, dict[str, Any]] = {topic_id: {} for topic_id in topic_ids}
    for topic in nuggets:
        if topic.topic_id in said:
            said[topic.topic_id].update(topic.extra)
    for request in requests:
        if request.topic_id in said:
            said[request.topic_id].update(_of_request(request))
    groups: dict[str, list[str]] = {}
    for key in dict.fromkeys(keys):
        _check_known(key, said)
        found: dict[str, list[str]] = {}
        for topic_id, values in said.items():
            for value in dict.fromkeys(_values(key, values, topic_id)):
                found.setdefault(value, []).append(topic_id)
        groups.update((f"{_plain(key)}={value}", found[value]) for value in sorted(found))
    return {label: tuple(members) for label, members in groups.items()}


def _of_request(request: ReportRequest) -> Mapping[str, Any]:
    language = {"language": request.language} if request.language else {}
    return {**request.extra, **language}


def _check_known(key: str, said: Mapping[str, Mapping[str, Any]]) -> None:
    known = {each for values in said.values() for each in values}
    if not known:
        raise UsageError(f"--by {key}: neither the requests nor the nuggets say more of a topic")
    if key not in known:
        raise unknown_name("key in --by", key, known)


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
