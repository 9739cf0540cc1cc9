"""Tracks as dated data: one TOML file per track and year, named as the track.

Third parties add tracks with entry points in the group ``argue_eval.tracks``. Each names a package
or module, in whose folder ``NAME.toml`` is, or ``package:file.toml``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval import _registry
from argue_eval.errors import (
    Findings,
    InputError,
    MissingResourceError,
    Severity,
    UsageError,
    nearest,
    shorten,
    unknown_name,
)
from argue_eval.formats.runs import Layout
from argue_eval.formats.toml import read as read_toml
from argue_eval.validation.tracks.rules import CHOICES, OWN, RULES, describe

__all__ = [
    "OF_REFERENCES",
    "OWN",
    "RULES",
    "Rule",
    "Track",
    "load",
    "load_all",
    "load_file",
    "names",
]

OF_REFERENCES = (
    "references_missing",
    "references_duplicate",
    "references_undeclared",
    "references_uncited",
    "references_max",
)
"""The rules for the list of references, where a track has one."""

_TOP = {
    "title": "text",
    "revision": "date",
    "source": "text",
    "requests": "text",
    "extends": "text",
    "form": "table",
    "rules": "table",
}
_LAYOUT = {
    "sentences": "names",
    "metadata": "metadata",
    "topic_id": "names",
    "run_id": "text",
    "citations": "shapes",
    "results": "text",
    "nuggets": "bank",
    "table": "table_kind",
    "topics": "pattern",
}
_RULE = {"severity": "severity", "revision": "date", "source": "text"}


class Rule(NamedTuple):
    """A rule as a track sets it.

    Attributes:
        severity: None if the track does not check it.
        values: such as the pattern that document ids match, compiled; digits are those of ASCII.
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


class Track(NamedTuple):
    """A track and year.

    Attributes:
        revision: the date of the rules, ISO 8601; rules move during a campaign.
        source: where the rules were taken from.
        requests: the format of its report requests, as in ``argue-eval list formats``.
        layout: how its runs are written.
        topics: a pattern of its topic ids, by which its runs are recognized, if it has one.
        rules: all rules by code, those that it does not check too.
    """

    name: str
    title: str
    revision: str
    source: str
    requests: str
    layout: Layout
    topics: re.Pattern[str] | None
    rules: Mapping[str, Rule]

    def rule(self, code: str) -> Rule | None:
        """A rule that the track checks; None if it does not."""
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

    def needs(self) -> dict[str, str]:
        """The option that each rule needs which can't be checked without one."""
        needs = {code: kind.needs for code, kind in RULES.items() if kind.needs}
        if self.rules["length"].values.get("limit") == "request":
            needs["length"] = "--requests"
        return {code: needs[code] for code in RULES if code in needs and self.rules[code].severity}

    def for_nuggets(self) -> Track:
        """The track's rules for nugget banks; the track itself if it takes none."""
        name = f"{self.name}-nuggets"
        return load(name) if name in names() else self

    def strict(self) -> Track:
        """The track with every warning made an error."""
        rules = {
            code: rule._replace(severity=Severity.ERROR) if rule.severity else rule
            for code, rule in self.rules.items()
        }
        return self._replace(rules=rules)


def names() -> list[str]:
    """The names of the built-in tracks, sorted."""
    return list(_registry.files_of("tracks"))


def load_all() -> list[Track]:
    """All tracks, by name; those of third parties last."""
    return [load(name) for name in (*names(), *_registry.installed("tracks"))]


def load(name: str) -> Track:
    """One track.

    Raises:
        UsageError: there is no such track; lists those that there are.
    """
    if file := _registry.files_of("tracks").get(name):
        return _Reader(str(file)).track()
    installed = _registry.installed("tracks")
    if name.endswith(".toml"):
        raise UsageError(f"--track takes a name, found the file {name}: give it with --rules")
    if name not in installed:
        raise unknown_name("track", name, [*names(), *installed])
    return _Reader(_resource(name, installed[name])).track()._replace(name=name)


def _resource(name: str, entry: str) -> str:
    from importlib.util import find_spec

    module, _, file = entry.partition(":")
    try:
        spec = find_spec(module.strip())
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise MissingResourceError(f"the track {name!r} is in {module!r}, which is not installed")
    path = Path(spec.origin).parent / (file.strip() or f"{name}.toml")
    if not path.is_file():
        message = f"the plug-in {name!r} of argue_eval.tracks: there is no file {path}"
        raise MissingResourceError(f"{message}; add it to the package data of its package")
    return str(path)


def load_file(path: str, base: str | None = None) -> Track:
    """The track that a file describes.

    Args:
        base: the track that it extends, unless it names another.

    Raises:
        InputError: the file has errors; all of them are in its `findings`.
        MissingResourceError: there is no such file.
    """
    if path in names() and not Path(path).exists():
        raise UsageError(f"--rules takes a file, found the track {path!r}: give it with --track")
    return _Reader(path).track(base or "")


class _Reader(Findings):
    """One TOML file, and what is wrong with it."""

    def wrong(self, path: str, message: str, hint: str = "") -> None:
        self.error("bad_rules", message, hint, path=path)

    def track(self, base_name: str = "") -> Track:
        """Reads the file; raises as `load_file` does."""
        hint = "write TOML, as in: argue-eval explain track generic"
        table = read_toml(self.file, "bad_rules", hint)
        found = self.table("$", table, _TOP, {"extends": base_name, "form": {}, "rules": {}})
        base = self.base(found["extends"]) if found["extends"] else None
        if base:
            same = ("title", "revision", "source", "requests")
            found = {**{key: getattr(base, key) for key in same}, **found}
        for key in ("revision", "source", "title"):
            if key not in found:
                expected, hint = _EXPECTED[_TOP[key]]
                self.wrong(f"$.{key}", f"expected {expected}, found nothing", hint.format(key))
                found[key] = ""
        old: dict[str, Any] = base.layout._asdict() if base else {"sentences": ("responses",)}
        old["topics"] = base.topics if base else None
        layout = self.table("$.form", found["form"], _LAYOUT, old)
        topics = layout.pop("topics")
        rules = dict(base.rules) if base else {}
        for code, kind in RULES.items():
            severity = None if kind.severity == "off" else Severity(kind.severity)
            own = Rule(code, severity, values={}, revision=found["revision"], source=OWN)
            rules.setdefault(code, own)
        codes = dict.fromkeys(RULES, "rule")
        for code, value in self.table("$.rules", found["rules"], codes, {}).items():
            # Whoever changes a rule is its source from then on.
            changed = rules[code]._replace(revision=found["revision"], source=found["source"])
            rules[code] = self.rule(changed, value)
        if self.listed:
            raise InputError(self.listed)
        return Track(
            name=Path(self.file).stem,
            title=found["title"],
            revision=found["revision"],
            source=found["source"],
            requests=found.get("requests", "canonical"),
            layout=Layout(**layout),
            topics=topics,
            rules=rules,
        )

    def base(self, name: str) -> Track | None:
        try:
            return load(name)
        except UsageError:
            self.wrong("$.extends", f"unknown track {shorten(name)}", _meant(name, names()))
        return None

    def rule(self, rule: Rule, value: Any) -> Rule:
        """A rule, changed as a table or a bare severity says."""
        where = f"$.rules.{rule.code}"
        value = {"severity": value} if isinstance(value, str) else value
        if not isinstance(value, dict):
            self.wrong(where, f"expected a table or a severity, found {shorten(value)}")
            return rule
        wanted = RULES[rule.code].values
        severity = rule.severity.value if rule.severity else "error"
        old = {**rule.values, "severity": severity}
        found = self.table(where, value, {**_RULE, **wanted}, old)
        severity = found["severity"]
        for name in wanted:
            if name not in found and severity != "off":
                self.wrong(where, f"the key {name!r} is missing", f"add {name} = …")
        return Rule(
            code=rule.code,
            severity=Severity(severity) if severity in ("error", "warning") else None,
            values={name: found[name] for name in wanted if name in found},
            revision=found.get("revision", rule.revision),
            source=found.get("source", rule.source),
        )

    def table(
        self, where: str, table: Any, kinds: Mapping[str, str], old: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The old values with those of a table; an empty one for each that is not of its kind."""
        found = dict(old)
        for key, value in table.items():
            if key not in kinds:
                self.wrong(where, f"unknown key {shorten(key)}", _meant(key, kinds))
                continue
            kind, read, shown, why = kinds[key], None, value, ""
            expected, hint = _EXPECTED[kind]
            if kind in _TYPES:
                read = value if isinstance(value, _TYPES[kind]) else None
            elif kind in ("whole", "limit"):
                is_word = kind == "limit" and value == "request"
                read = value if is_word or (type(value) is int and value > 0) else None
            elif kind == "date":
                read = value.isoformat()[:10] if isinstance(value, datetime.date) else None
            elif kind == "pattern":
                try:
                    read = re.compile(value, re.ASCII)
                except (re.error, TypeError, RecursionError, OverflowError) as exc:
                    why = f": {exc}"
            elif kind not in ("names", "shapes"):
                read = value if value in CHOICES[kind] else None
            elif isinstance(value, list) and value and {str}.issuperset(map(type, value)):
                others = [each for each in value if kind == "shapes" and each not in _SHAPES]
                if others:
                    expected, shown = _ONE_OF.format(", ".join(_SHAPES)), others[0]
                read = None if others else tuple(value)
            if read is None:
                message = f"expected {expected}, found {shorten(shown)}{why}"
                self.wrong(f"{where}.{key}", message, hint.format(key))
                read = {} if kind == "table" else ""
            found[key] = read
        return found


_TYPES: Mapping[str, type] = {"text": str, "table": dict, "rule": object}
_SHAPES = CHOICES["shapes"]
_ONE_OF = "one of {}"
_EXPECTED = {
    **{kind: (_ONE_OF.format(", ".join(choices)), "") for kind, choices in CHOICES.items()},
    "text": ("text", 'add {} = "…"'),
    "table": ("a table", "write [{}]"),
    "rule": ("", ""),
    "names": ("a list of names", ""),
    "shapes": ("a list of names", ""),
    "date": ("a date", "write it without quotes: revision = 2026-08-07"),
    "pattern": (
        "a regular expression",
        "write it in single quotes, so that \\ stays as it is",
    ),
    "whole": ("a whole number from 1", ""),
    "limit": ('a whole number from 1 or "request"', ""),
}
"""What a value of each kind is; and what to do where one is not, ``{}`` being its key."""


def _meant(name: str, choices: Iterable[str]) -> str:
    near = nearest(name, choices)
    return f"is {near!r} meant?" if near else f"known: {', '.join(choices)}"
