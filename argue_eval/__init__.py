"""argue-eval: TREC-style evaluation of cited, machine-generated reports.

The names below are the stable Python interface; each is imported when it is first used, so
that ``import argue_eval`` stays cheap.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "ArgueEvalError": "argue_eval.errors",
    "Finding": "argue_eval.errors",
    "Judgment": "argue_eval.records",
    "Nugget": "argue_eval.records",
    "Report": "argue_eval.records",
    "ReportRequest": "argue_eval.records",
    "ScoreTable": "argue_eval.records",
    "evaluate": "argue_eval.evaluation.pipeline",
}

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'argue_eval' has no attribute {name!r}")
