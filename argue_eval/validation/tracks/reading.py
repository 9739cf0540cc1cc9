"""Reads a track's TOML file and checks every key and value in it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from argue_eval.errors import Finding, InputError, Severity, shorten
from argue_eval.formats import toml
from argue_eval.validation.tracks import Form, Rule, Track, load, names
from argue_eval.validation.tracks.rules import METADATA, OWN, RULES, SEVERITIES, SHAPES, UNITS

_TOP = ("title", "revision", "source", "requests", "extends", "form", "rules")
_LISTS = ("sentences", "topic_id", "citations")


def read(path: str, base: str | None) -> Track:
    """Returns the track; see `argue_eval.validation.tracks.load_file`."""
    reader = _Reader(path)
    table = toml.read(path, "bad_rules", "write TOML, as in: argue-eval explain track generic")
    base = reader.text(table, "extends", default=base or "") or None
    if base is not None and base not in names():
        reader.error("$.extends", f"unknown track {shorten(base)}", _nearest(base, names()))
        base = None
    found = reader.track(table, load(base) if base else None)
    if reader.findings:
        raise InputError(reader.findings)
    return found


class _Reader:
    """One TOML file, and what is wrong with it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self.findings: list[Finding] = []

    def error(self, path: str, message: str, hint: str = "") -> None:
        self.findings.append(Finding("bad_rules", message, hint, self._path, None, path))

    def track(self, table: Mapping[str, Any], base: Track | None) -> Track:
        self.check_keys("$", table, _TOP)
        revision = self.revision(table, "$", base.revision if base else "")
        source = self.text(table, "source", default=base.source if base else None)
        title = self.text(table, "title", default=base.title if base else None)
        requests = self.text(table, "requests", default=base.requests if base else "canonical")
        form = self.form(self.sub(table, "form"), base)
        rules = dict(base.rules) if base else _defaults(revision)
        given = self.sub(table, "rules")
        self.check_keys("$.rules", given, RULES)
        for code, value in given.items():
            if code in RULES:
                # Whoever changes a rule is its source from then on.
                blank = rules[code]._replace(revision=revision, source=source)
                rules[code] = self.rule(blank, value)
        return Track(Path(self._path).stem, title, revision, source, requests, form, rules)

    def sub(self, table: Mapping[str, Any], key: str) -> dict[str, Any]:
        value = table.get(key, {})
        if isinstance(value, dict):
            return value
        self.error(f"$.{key}", f"expected a table, found {shorten(value)}", f"write [{key}]")
        return {}

    def form(self, table: Mapping[str, Any], base: Track | None) -> Form:
        self.check_keys("$.form", table, Form._fields)
        values: dict[str, Any] = {"sentences": ("responses",)}
        if base:
            values = base.form._asdict()
        for key, value in table.items():
            if key in _LISTS:
                values[key] = self.names(f"$.form.{key}", value)
            elif key in Form._fields:
                values[key] = self.text(table, key, where="$.form")
        form = Form(**values)
        for shape in form.citations:
            self.choice("$.form.citations", shape, SHAPES)
        self.choice("$.form.metadata", form.metadata, METADATA)
        if form.topics:
            self.pattern("$.form.topics", form.topics)
        return form

    def rule(self, rule: Rule, value: Any) -> Rule:
        """Returns a rule, changed as a table or a bare severity says."""
        where = f"$.rules.{rule.code}"
        kind = RULES[rule.code]
        if isinstance(value, str):
            value = {"severity": value}
        if not isinstance(value, dict):
            self.error(where, f"expected a table or a severity, found {shorten(value)}")
            return rule
        self.check_keys(where, value, ["severity", "revision", "source", *kind.values])
        values = dict(rule.values)
        severity = value.get("severity", rule.severity.value if rule.severity else "error")
        self.choice(f"{where}.severity", severity, SEVERITIES)
        for name, of in kind.values.items():
            if name in value:
                values[name] = self.value(f"{where}.{name}", of, value[name])
            elif name not in values and severity != "off":
                self.error(where, f"the key {name!r} is missing", f"add {name} = …")
        return Rule(
            rule.code,
            Severity(severity) if severity in ("error", "warning") else None,
            values,
            self.revision(value, where, rule.revision),
            self.text(value, "source", default=rule.source, where=where),
        )

    def value(self, where: str, of: str, value: Any) -> Any:
        """Returns a value of a rule, which must be of a kind."""
        if of == "names":
            return self.names(where, value)
        if of == "pattern":
            self.pattern(where, value)
        elif of == "unit":
            self.choice(where, value, UNITS)
        elif (type(value) is not int or value < 1) and not (of == "limit" and value == "request"):
            choice = ' or "request"' if of == "limit" else ""
            self.error(where, f"expected a whole number from 1{choice}, found {shorten(value)}")
        return value

    def names(self, where: str, value: Any) -> tuple[str, ...]:
        if type(value) is list and value and all(type(name) is str for name in value):
            return tuple(value)
        self.error(where, f"expected a list of names, found {shorten(value)}")
        return ()

    def pattern(self, where: str, value: Any) -> None:
        try:
            re.compile(value, re.ASCII)  # as the checks do, for whom it is then compiled already
        except (re.error, TypeError, RecursionError, OverflowError) as exc:
            message = f"expected a regular expression, found {shorten(value)}: {exc}"
            self.error(where, message, "write it in single quotes, so that \\ stays as it is")

    def choice(self, where: str, value: Any, choices: Iterable[str]) -> None:
        if value not in choices:
            expected = ", ".join(choices)
            self.error(where, f"expected one of {expected}, found {shorten(value)}")

    def revision(self, table: Mapping[str, Any], where: str, default: str) -> str:
        value = table.get("revision", default)
        if isinstance(value, datetime.date):
            return value.isoformat()[:10]
        if "revision" in table or (where == "$" and not default):
            found = shorten(value) if "revision" in table else "nothing"
            hint = "write it without quotes: revision = 2026-08-07"
            self.error(f"{where}.revision", f"expected a date, found {found}", hint)
        return default

    def text(
        self, table: Mapping[str, Any], key: str, *, default: str | None = None, where: str = "$"
    ) -> str:
        value = table.get(key, default)
        if isinstance(value, str):
            return value
        found = "nothing" if value is None else shorten(value)
        self.error(f"{where}.{key}", f"expected text, found {found}", f'add {key} = "…"')
        return ""

    def check_keys(self, where: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        for key in table:
            if key not in known:
                self.error(where, f"unknown key {shorten(key)}", _nearest(key, known))


def _nearest(name: str, choices: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, choices, n=1)
    return f"is {near[0]!r} meant?" if near else f"known: {', '.join(choices)}"


def _defaults(revision: str) -> dict[str, Rule]:
    return {
        code: Rule(
            code,
            None if kind.severity == "off" else Severity(kind.severity),
            {},
            revision,
            OWN,
        )
        for code, kind in RULES.items()
    }
