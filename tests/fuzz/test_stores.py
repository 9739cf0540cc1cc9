"""Whatever is damaged in a store, it is found, no command fails on it, and the rest is saved."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from tests.fuzz import stores
from tests.fuzz.budget import few
from tests.fuzz.commands import run
from tests.fuzz.stores import Damage

TRUTH = """{"topic_id": "t1", "kind": "support", "sentence": "Sentence 1.", "doc_id": "d1",
"verdict": "yes", "judge": "assessor:A"}""".replace("\n", " ")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "sound.store"
    stores.fill(path)
    assert path.stat().st_size == stores.SIZE
    return path


def _questions(path: Path) -> set[object]:
    with closing(sqlite3.connect(path)) as connection:
        return set(connection.execute("SELECT key, kind, inputs FROM judgments"))


@few(40)
@given(damage=stores.damages())
def test_damage_is_found_and_the_rest_is_saved(sound: Path, damage: Damage) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        store, repaired, merged = (folder / each for each in ("store", "repaired", "merged"))
        shutil.copyfile(sound, store)
        known = _questions(store)
        damage.spoil(store)
        verified = run("store", "verify", store)
        run("store", "info", store)
        exported = run("store", "export", store, "-o", folder / "exported")
        (folder / "truth").write_text(TRUTH)
        run("meta-eval", store, "--truth", folder / "truth", "--resamples", 0)
        if exported.code == 0:
            assert run("store", "import", folder / "imported", folder / "exported").code == 0
        saved = run("store", "verify", store, "--repair", repaired)
        added = run("store", "merge", merged, store)
        if verified.code == 0:
            assert (exported.code, saved.code, added.code) == (0, 0, 0)
        if saved.code == 0:
            assert run("store", "verify", repaired).code == 0
            assert run("store", "merge", merged, repaired).code == 0
            assert _questions(repaired) <= known
        else:
            assert not repaired.exists()
        run("store", "merge", store, merged)
