"""Judges and clients of third parties: what they have and what they give is checked."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from inspect import signature
from typing import Any

from argue_eval._registry import ThirdParty
from argue_eval.errors import UsageError, describe
from argue_eval.formats.installed import check_fields
from argue_eval.judges import Judge, Workload
from argue_eval.judges.clients import Client, Completion, Failed, Request, Result
from argue_eval.records import Kind


def check(plugin: ThirdParty, module: Any) -> None:
    """Makes of a module one that gives what it must."""
    create = plugin.giving("create", module.create, object)
    if plugin.family == "judges":

        def make(*args: Any) -> Judge:
            judge: Judge = create(*args)
            given = getattr(judge, "signature", None)
            if not isinstance(given, str) or not re.fullmatch(r"[^\s|]+", given):
                expected = "expected a signature such as 'mine@1', without white space and bars"
                raise plugin.wrong(f"{expected}, found {describe(given)}")
            check_judge(judge, str(plugin))
            workload = plugin.call(getattr, judge, "workload")
            plugin.expect("workload", plugin.call(workload, ()), Workload)
            return judge

        module.create = make
    else:
        identity = plugin.giving("identity", module.identity, str)

        def named(*args: Any) -> str:
            if found := identity(*args):
                return str(found)
            raise plugin.wrong("identity: expected what names the model, found an empty text")

        module.identity = named
        module.create = lambda *args: _Checked(plugin, create(*args))


def check_judge(judge: Judge, what: str) -> None:
    """Refuses a judge of a third party that lacks something.

    Raises:
        UsageError: with what it lacks.
    """
    for name in ("kinds", "joint"):
        kinds = getattr(judge, name, None)
        if not isinstance(kinds, Set) or not all(isinstance(each, Kind) for each in kinds):
            message = f"expected a frozenset of Kind, found {describe(kinds)}"
            raise UsageError(f"{what}: {name}: {message}")
    if not callable(getattr(judge, "answer", None)):
        raise UsageError(f"{what}: it has no method answer")


class _Checked:
    """A client that gives nothing but results. What it raises is for its callers."""

    def __init__(self, plugin: ThirdParty, client: Client) -> None:
        for name in ("complete", "close"):
            if not callable(getattr(client, name, None)):
                raise plugin.wrong(f"create: expected a client, it has no method {name}")
        plugin.call(signature(client.complete).bind, ())
        for name in ("concurrency", "batch_size"):
            number = plugin.expect(f"create: {name}", getattr(client, name, None), int)
            if number < 1:
                raise plugin.wrong(f"create: {name}: expected 1 or more, found {number:,}")
        self.concurrency, self.batch_size = client.concurrency, client.batch_size
        self.close = client.close
        self._plugin, self._client = plugin, client

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """One result per request, in their order."""
        plugin = self._plugin
        results: Sequence[Any] = plugin.expect("complete", self._client.complete(requests), list)
        if len(results) != len(requests):
            expected = f"complete: expected {len(requests):,} results, one per request"
            raise plugin.wrong(f"{expected}, found {len(results):,}")
        for each in results:
            plugin.expect("complete", each, Completion, Failed, type(None))
        check_fields(plugin, "complete", results)
        return [*results]
