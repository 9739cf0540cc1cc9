"""Tracks as dated data: one TOML file per track and year, named as the track."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.errors import Severity, unknown_name
from argue_eval.validation.tracks.rules import OWN, RULES, describe

__all__ = ["OWN", "RULES", "Form", "Rule", "Track", "load", "load_all", "load_file", "names"]

_FOLDER = Path(__file__).parent


class Rule(NamedTuple):
    """A rule as a track sets it.

    Attributes:
        severity: None if the track does not check it.
        values: such as the pattern that document ids match.
        revision: the date of the rule, ISO 8601.
        source: where it was taken from.
    """

    code: str
    severity: Severity | None
    values: Mapping[str, Any]
    revision: str
    source: str

    def __str__(self) -> str:
        return describe(self.code, dict(self.values))


class Form(NamedTuple):
    """How a track's runs are written.

    Attributes:
        sentences: the keys under which the list of sentences may be, the usual one first.
        metadata: where the ids are: in an object under ``metadata``, ``beside`` the sentences, or
            ``either``.
        topic_id: the key of the topic id, and the others that are read in its place.
        run_id: the key of the run id.
        citations: the shapes that citations may have: scores, doc_ids, indexes or inline.
        results: for a run that is one JSON document, the key of its list of reports.
        topics: a pattern of the track's topic ids, by which its runs are made out.
    """

    sentences: tuple[str, ...]
    metadata: str = "metadata"
    topic_id: tuple[str, ...] = ("topic_id",)
    run_id: str = "run_id"
    citations: tuple[str, ...] = ("scores", "doc_ids", "indexes")
    results: str = ""
    topics: str = ""


class Track(NamedTuple):
    """A track and year.

    Attributes:
        revision: the date of the rules, ISO 8601; rules move during a campaign.
        source: where the rules were taken from.
        requests: the form of its report requests, as in ``argue-eval list formats``.
        form: how its runs are written.
        rules: all rules by code, those that it does not check too.
    """

    name: str
    title: str
    revision: str
    source: str
    requests: str
    form: Form
    rules: Mapping[str, Rule]

    def rule(self, code: str) -> Rule | None:
        """Returns a rule that the track checks; None if it does not."""
        rule = self.rules[code]
        return rule if rule.severity else None

    @property
    def length(self) -> str:
        """The limit on a report's length, with its unit, in words."""
        rule = self.rule("length")
        if rule is None:
            return "none"
        if rule.values["limit"] == "request":
            return f"limit of the request, in {rule.values['unit']}"
        return f"{rule.values['limit']} {rule.values['unit']}"

    def strict(self) -> Track:
        """Returns the track with every warning made an error."""
        rules = {
            code: rule._replace(severity=Severity.ERROR) if rule.severity else rule
            for code, rule in self.rules.items()
        }
        return self._replace(rules=rules)


def names() -> list[str]:
    """Returns the names of all tracks, sorted."""
    return sorted(path.stem for path in _FOLDER.iterdir() if path.suffix == ".toml")


def load_all() -> list[Track]:
    """Returns all tracks, by name."""
    return [load(name) for name in names()]


def load(name: str) -> Track:
    """Returns one track.

    Raises:
        UsageError: there is no such track; lists those that there are.
    """
    if name not in names():
        raise unknown_name("track", name, names())
    return load_file(str(_FOLDER / f"{name}.toml"))


def load_file(path: str, base: str | None = None) -> Track:
    """Returns the track that a file describes; its name is that of the file.

    Args:
        base: the track that it extends, unless it names another.

    Raises:
        InputError: the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    from argue_eval.validation.tracks.reading import read

    return read(path, base)
