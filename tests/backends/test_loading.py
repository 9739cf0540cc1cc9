"""What can be wrong with a model is told before anything is asked of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import ArgueEvalError, MissingResourceError, UsageError
from argue_eval.judges import Settings
from argue_eval.judges.local.classifier import Classifier
from argue_eval.judges.local.loading import find, max_positions
from argue_eval.judges.nli.judge import create
from tests.tiny_models import change, tiny_bert, tiny_roberta

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def copy(nli_folder: Path, tmp_path: Path) -> Path:
    """A copy of the model that a test may change."""
    return shutil.copytree(nli_folder, tmp_path / "copy")


def _error(model: Path | str) -> tuple[type[ArgueEvalError], str]:
    with pytest.raises(ArgueEvalError) as raised:
        Classifier(find(str(model)), "cpu")
    return type(raised.value), str(raised.value)


def test_a_model_of_a_folder_tells_its_labels_and_the_digest_of_its_files(copy: Path) -> None:
    card = find(str(copy))
    assert card.labels == ("not_entailment", "entailment")
    assert card.is_local
    assert len(card.revision) == 64


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_file_that_changes_changes_the_revision(copy: Path, name: str) -> None:
    before = find(str(copy)).revision
    path = copy / name
    if name == "config.json":
        change(path, layer_norm_eps=1e-5)
    else:
        path.write_bytes(path.read_bytes() + b" ")
    assert find(str(copy)).revision != before


def _sharded(folder: Path, index: str, name: str) -> Path:
    """Gives the weights another name, which only an index knows."""
    from safetensors.torch import load_file

    weights = folder / "model.safetensors"
    listed = {"metadata": {}, "weight_map": dict.fromkeys(load_file(weights), name)}
    (folder / index).write_text(json.dumps(listed), "utf-8")
    return _moved(folder, name)


def _moved(folder: Path, name: str) -> Path:
    moved = folder / name
    moved.parent.mkdir(exist_ok=True)
    return (folder / "model.safetensors").rename(moved)


def _named_in_config(folder: Path) -> Path:
    change(folder / "config.json", transformers_weights="parts/mine.safetensors")
    return _moved(folder, "parts/mine.safetensors")


def _beside_others(folder: Path) -> Path:
    (folder / "other.safetensors").write_bytes(b"of another model")
    return _moved(folder, "pytorch_model.bin")


@pytest.mark.parametrize(
    "weights_of",
    [
        lambda folder: _sharded(folder, "model.safetensors.index.json", "parts/a.safetensors"),
        lambda folder: _sharded(folder, "model.safetensors.index.json", "weights.bin"),
        lambda folder: _sharded(folder, "pytorch_model.bin.index.json", "weights.pt"),
        _named_in_config,
        _beside_others,
    ],
    ids=["folder below", "other name", "old weights", "named in config.json", "beside others"],
)
def test_weights_under_any_name_change_the_revision(
    copy: Path, weights_of: Callable[[Path], Path]
) -> None:
    weights = weights_of(copy)
    before = find(str(copy)).revision
    weights.write_bytes(weights.read_bytes() + b" ")
    assert find(str(copy)).revision != before


def test_weights_in_parts_are_loaded(copy: Path) -> None:
    _sharded(copy, "model.safetensors.index.json", "parts/a.safetensors")
    assert Classifier(find(str(copy)), "cpu").max_length == 96


@pytest.mark.parametrize(
    ("index", "told"),
    [
        ("{", "expected an object with a weight_map"),
        ("[]", "expected an object with a weight_map"),
        ('{"weight_map": 5}', "expected an object with a weight_map"),
        ('{"weight_map": {"a": "gone\\u001b.bin"}}', "gone\\x1b.bin: cannot be read: there is no"),
        ('{"weight_map": {"a": "/dev/zero"}}', "/dev/zero: cannot be read: there is no such file"),
    ],
)
def test_an_index_that_names_no_weights_is_an_error(copy: Path, index: str, told: str) -> None:
    (copy / "model.safetensors.index.json").write_text(index, "utf-8")
    kind, said = _error(copy)
    assert kind is MissingResourceError
    assert told in said


ODD: list[Any] = [True, -1, 2.5, 10**400, "x\x1b[31m", [1], {"x": "y"}, {"entailment": 10**400}]


@pytest.mark.parametrize("value", ODD, ids=lambda value: repr(value)[:12])
@pytest.mark.parametrize(
    "key",
    ["architectures", "label2id", "id2label", "num_labels", "model_max_length", "pad_token"],
)
def test_an_odd_value_in_a_models_files_is_refused_or_does_not_matter(
    copy: Path, key: str, value: Any
) -> None:
    name = "tokenizer_config.json" if key in ("model_max_length", "pad_token") else "config.json"
    change(copy / name, **{key: value})
    try:
        create(str(copy), (), Settings(device="cpu"))
    except ArgueEvalError as exc:
        said = str(exc)
        assert said.startswith(f"{copy}: ")
        assert said.isprintable()
        assert len(said) < 1000


def test_a_description_or_a_copy_elsewhere_changes_no_revision(copy: Path, tmp_path: Path) -> None:
    before = find(str(copy)).revision
    (copy / "README.md").write_text("Trained on a Monday.", "utf-8")
    elsewhere = shutil.copytree(copy, tmp_path / "elsewhere")
    assert find(str(elsewhere)).revision == before


def test_an_at_sign_in_the_name_of_a_folder_starts_no_revision(copy: Path) -> None:
    moved = copy.rename(copy.with_name("tiny@home"))
    assert find(str(moved)).name == str(moved)


def _cut_weights(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])


def _drop_head(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {name: each for name, each in weights.items() if not name.startswith("classifier")}
    save_file(kept, folder / "model.safetensors", {"format": "pt"})


MISSING, USAGE = MissingResourceError, UsageError


@pytest.mark.parametrize(
    ("model", "spoil", "kind", "message"),
    [
        ("{folder}/nothing", None, MISSING, "{folder}/nothing: no such folder"),
        ("{parent}", None, MISSING, "{parent}: no model: the folder has no config.json"),
        ("{folder}/model.safetensors", None, MISSING, "expected a folder with a config.json"),
        ("{folder}@main", None, USAGE, "a folder has no revisions, found @main"),
        ("@main", None, USAGE, "expected MODEL or MODEL@REVISION"),
        ("name@", None, USAGE, "expected MODEL or MODEL@REVISION"),
        (
            "{folder}",
            lambda folder: (folder / "config.json").write_text('{"model_type": ', "utf-8"),
            MISSING,
            "{folder}: the model cannot be loaded: ",
        ),
        ("{folder}", _cut_weights, MISSING, "{folder}: the model cannot be loaded: "),
        (
            "{folder}",
            lambda folder: (folder / "model.safetensors").unlink(),
            MISSING,
            "{folder}: the model cannot be loaded: ",
        ),
        ("{folder}", _drop_head, USAGE, "lack 2 of its weights, for example classifier.bias"),
        (
            "{folder}",
            lambda folder: change(
                folder / "config.json", architectures=["T5ForConditionalGeneration"]
            ),
            USAGE,
            "it is a T5ForConditionalGeneration; expected a model with a classification",
        ),
        (
            "{folder}",
            lambda folder: change(
                folder / "config.json", id2label={"1": "a", "2": "b"}, label2id=None
            ),
            USAGE,
            "numbers the labels [1, 2]; expected 0, 1, 2",
        ),
    ],
)
def test_a_model_that_cannot_be_used_is_refused_with_the_reason(
    copy: Path,
    model: str,
    spoil: Callable[[Path], object] | None,
    kind: type[ArgueEvalError],
    message: str,
) -> None:
    if spoil:
        spoil(copy)
    places = {"folder": copy, "parent": copy.parent}
    raised, said = _error(model.format(**places))
    assert raised is kind
    assert message.format(**places) in said


def test_a_model_with_code_of_its_own_is_refused_and_its_code_not_run(
    copy: Path, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    (copy / "own.py").write_text(f"open({str(ran)!r}, 'w').close()", "utf-8")
    change(copy / "config.json", model_type="own", auto_map={"AutoConfig": "own.Config"})
    kind, message = _error(copy)
    assert kind is UsageError
    assert "needs its own code, which argue-eval does not run" in message
    assert not ran.exists()


def test_old_weights_are_loaded_too_and_what_is_not_weights_in_them_is_not_run(
    copy: Path, tmp_path: Path
) -> None:
    import torch
    from safetensors.torch import load_file

    weights = load_file(copy / "model.safetensors")
    (copy / "model.safetensors").unlink()
    torch.save(weights, copy / "pytorch_model.bin")
    assert Classifier(find(str(copy)), "cpu").max_length == 96
    torch.save({**weights, "evil": _Evil(tmp_path / "ran")}, copy / "pytorch_model.bin")
    assert _error(copy)[0] is MissingResourceError
    assert not (tmp_path / "ran").exists()


class _Evil:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_a_missing_package_names_the_extra(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    kind, message = _error(copy)
    assert kind is MissingResourceError
    assert "pip install 'argue-eval[nli]'" in message


def test_without_a_gpu_the_device_cuda_is_refused(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MissingResourceError, match="--device cuda: PyTorch finds no GPU"):
        Classifier(find(str(copy)), "cuda")


def test_nothing_is_written_while_a_model_is_loaded(
    copy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Classifier(find(str(copy)), "cpu")
    assert capfd.readouterr() == ("", "")


def test_positions_that_a_model_does_not_use_do_not_count() -> None:
    roberta = tiny_roberta(300, {0: "a", 1: "b"}, 64)
    assert roberta.config.max_position_embeddings == 66
    assert max_positions(roberta) == 64
    assert max_positions(tiny_bert(300, 40)) == 40


COMMIT = "0123456789abcdef0123456789abcdef01234567"


NO_HUB = {"HF_ENDPOINT": "http://127.0.0.1:9"}
"""Nothing listens there, as on a machine without a network."""


def _loaded(home: Path, hub: Mapping[str, str], *models: str) -> tuple[int, str, str]:
    """Loads models of a hub, or of its cache. A time without end is a `TimeoutExpired`."""
    code = (
        "from argue_eval.judges.local.classifier import Classifier\n"
        "from argue_eval.judges.local.loading import find\n"
        "from argue_eval.errors import ArgueEvalError\n"
        f"for model in {models!r}:\n"
        "    try:\n"
        "        made = Classifier(find(model), 'cpu')\n"
        "    except ArgueEvalError as exc:\n"
        "        raise SystemExit(f'{type(exc).__name__} {exc}')\n"
        "    print(made.card.name, made.card.revision, made.card.is_local)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=REPOSITORY,
        env={**os.environ, "HF_HOME": str(home), "HF_HUB_DISABLE_XET": "1", **hub},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.parametrize("hub", [{"HF_HUB_OFFLINE": "1"}, NO_HUB], ids=["offline", "unreached"])
def test_a_model_of_the_hub_is_named_by_its_commit_or_told_to_be_missing(
    hub: Mapping[str, str], nli_folder: Path, tmp_path: Path
) -> None:
    cached = tmp_path / "hub" / "models--some--model"
    shutil.copytree(nli_folder, cached / "snapshots" / COMMIT)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(COMMIT, "utf-8")
    models = ("some/model", "some/model@main", f"some/model@{COMMIT}")
    code, out, err = _loaded(tmp_path, hub, *models, "nobody/nothing")
    assert (code, out) == (1, f"some/model {COMMIT} False\n" * 3)
    assert err.startswith("MissingResourceError nobody/nothing: the model cannot be loaded: ")
    assert len(err.splitlines()) == 1


class _Hub(SimpleHTTPRequestHandler):
    """Serves the files of a folder as those of one commit, whatever the model."""

    def translate_path(self, path: str) -> str:
        """The file of that name."""
        return str(Path(self.directory, path.rpartition("/")[2]))

    def end_headers(self) -> None:
        """Adds what the hub says of every file."""
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("X-Error-Code", "EntryNotFound")
        self.send_header("ETag", f'"{sha256(self.path.encode()).hexdigest()}"')
        super().end_headers()

    def log_message(self, *args: object) -> None:
        """Keeps quiet."""


def test_a_model_is_loaded_from_the_hub_and_then_from_its_cache(
    nli_folder: Path, tmp_path: Path
) -> None:
    handler = partial(_Hub, directory=str(nli_folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        hub = {"HF_ENDPOINT": f"http://127.0.0.1:{server.server_port}"}
        found = _loaded(tmp_path / "home", hub, "some/model")
        assert found == (0, f"some/model {COMMIT} False\n", "")
        server.shutdown()
    assert _loaded(tmp_path / "home", NO_HUB, "some/model") == found
