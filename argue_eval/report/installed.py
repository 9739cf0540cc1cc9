"""Views of third parties: what they have and what they give is checked."""

from __future__ import annotations

from typing import Any

from argue_eval._registry import ThirdParty


def check(plugin: ThirdParty, module: Any) -> None:
    """Makes of a module one that gives what it must; one that has something else is refused."""
    for name in ("HEADER", "SEPARATOR", "FOOTER", "BOUNDS") if plugin.family == "outputs" else ():
        plugin.expect(name, getattr(module, name), str)
    module.render = plugin.yielding("render", module.render, str)
