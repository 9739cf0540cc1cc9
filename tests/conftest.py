"""Two Hypothesis profiles: the same cases in every run of the tests; new ones in `make fuzz`.

Also what tests of several rooms need: the command line, a trained model, and a package without its
start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

from tests.cli.conftest import argue_eval, files, stdin
from tests.tiny_models import tiny_nli

__all__ = ["argue_eval", "files", "stdin"]

settings.register_profile("repeatable", derandomize=True, database=None, deadline=None)
settings.register_profile("fuzz", max_examples=1000, print_blob=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _working_directory_stays_clean() -> Iterator[None]:
    """No test writes to where the tests were started."""
    before = _names()
    yield
    assert _names() == before


def _names() -> set[str]:
    return {path.name for path in Path.cwd().iterdir() if not path.name.startswith(".")}


@pytest.fixture(scope="session")
def nli_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trained NLI classifier; see `tests.tiny_models`. Copy it before you change it."""
    return tiny_nli(tmp_path_factory.mktemp("models") / "tiny-nli")


@pytest.fixture(scope="module")
def autojudge_base() -> Iterator[Callable[[str], Any]]:
    """Imports modules of autojudge-base, without the package's start and the module that cuts
    documents: they download word lists, and no test needs them.

    All of them are forgotten afterwards.
    """
    spec = find_spec("autojudge_base")
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip("autojudge-base is not installed")
    package, cutter = ModuleType("autojudge_base"), ModuleType("text_chunker")
    package.__path__ = list(spec.submodule_search_locations)
    for unit in ("limit_length_chunks", "sentence_chunks_on_newline", "paragraph_chunks"):
        setattr(cutter, f"get_{unit}", None)
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "autojudge_base", package)
        patch.setitem(sys.modules, "autojudge_base.document.text_chunker", cutter)
        yield lambda name: import_module(f"autojudge_base.{name}")
    for name in set(sys.modules) - before:
        if name.startswith("autojudge_base."):
            del sys.modules[name]
