"""Reads and writes files: bytes to records and back.

A sub-package per kind of file, a module per format, the module's name being the format's
(`plugins` says what it has). What is named here is imported when it is first used: a short command
needs little of it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argue_eval.formats.files import Files, holding, holds, kinds_in, kinds_of, sources
    from argue_eval.formats.reading import (
        format_names,
        iter_assessed,
        iter_documents,
        iter_judgments,
        iter_parts,
        read_documents,
        read_judgments,
        read_nuggets,
        read_run,
        read_runs,
        read_topics,
    )
    from argue_eval.formats.writing import write_nuggets, write_requests, write_run
else:

    def __getattr__(name):
        from importlib import import_module

        if name not in __all__:
            raise AttributeError(f"module 'argue_eval.formats' has no attribute {name!r}")
        of_files = ("Files", "holding", "holds", "kinds_in", "kinds_of", "sources")
        home = "writing" if name.startswith("write_") else "reading"
        home = "files" if name in of_files else home
        return getattr(import_module(f"argue_eval.formats.{home}"), name)


__all__ = [
    "Files",
    "format_names",
    "holding",
    "holds",
    "iter_assessed",
    "iter_documents",
    "iter_judgments",
    "iter_parts",
    "kinds_in",
    "kinds_of",
    "read_documents",
    "read_judgments",
    "read_nuggets",
    "read_run",
    "read_runs",
    "read_topics",
    "sources",
    "write_nuggets",
    "write_requests",
    "write_run",
]
