"""Pages and tables for people and machines. Called, the room makes pages: `report.interface`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """``argue_eval.report`` is the function of the Python interface and this room: one name."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        from argue_eval.report.interface import report

        return report(*given, **named)


sys.modules[__name__].__class__ = _Room
