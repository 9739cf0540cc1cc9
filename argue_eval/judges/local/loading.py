"""Finds and loads models of transformers, from a folder or the Hugging Face hub.

Code that comes with a model is never run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOENT
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.errors import (
    MissingResourceError,
    UsageError,
    describe,
    plain,
    shorten,
)

_WEIGHTS = "*.safetensors"
_OLD_WEIGHTS = "pytorch_model*.bin"
_DESCRIPTIONS = ("*.json", "*.txt", "*.model", "*.jinja")
"""Files that can change the output: configuration, tokenizer, vocabulary."""

_SINGLE, _INDEX = "model.safetensors", ".index.json"
_BLOCK = 1 << 20
_SHOWN = 300
_MAX_LABELS = 100_000


def device_of(torch: Any, name: str) -> str:
    """The device on which a model runs: ``cpu`` or ``cuda``.

    Raises:
        MissingResourceError: there is no such device.
    """
    has_cuda = bool(torch.cuda.is_available())
    if name == "cuda" and not has_cuda:
        raise MissingResourceError(
            "--device cuda: PyTorch finds no GPU; use --device cpu, or install PyTorch for CUDA"
        )
    return "cuda" if has_cuda and name != "cpu" else "cpu"


def best_dtype(torch: Any, device: str) -> str:
    """The number format: 16 bits where the device computes faster with it, otherwise 32."""
    if device == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    checks = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    has_bf16 = any(getattr(torch.cpu, check, lambda: False)() for check in checks)
    return "bf16" if has_bf16 else "fp32"


class Head(NamedTuple):
    """The purpose of a model.

    Attributes:
        suffix: the end of transformers' class names for such models.
        words: what such a model is called in messages.
        loader: the class of transformers that loads it.
    """

    suffix: str
    words: str
    loader: str


CLASSIFIER = Head(
    suffix="ForSequenceClassification",
    words="a model with a classification head",
    loader="AutoModelForSequenceClassification",
)
TAGGER = Head(
    suffix="ForTokenClassification",
    words="a model that classifies tokens",
    loader="AutoModelForTokenClassification",
)
TRANSLATOR = Head(
    suffix="ForConditionalGeneration",
    words="a model that reads a text and writes another",
    loader="AutoModelForSeq2SeqLM",
)
WRITER = Head(suffix="ForCausalLM", words="a model that writes text", loader="AutoModelForCausalLM")


class Card(NamedTuple):
    """A model that was found and is not loaded yet.

    Attributes:
        name: as the user wrote it, without the revision.
        place: the folder, or the name on the hub.
        revision: the commit on the hub; for a folder, a digest of its files.
        labels: the name of every output, in order.
        config: the configuration of transformers.
        head: its purpose.
        is_offline: whether nothing is downloaded: it is a folder, or the hub cannot be reached.
    """

    name: str
    place: str
    revision: str
    is_local: bool
    labels: tuple[str, ...]
    config: Any
    head: Head = CLASSIFIER
    is_offline: bool = False


def find(model: str, *heads: Head) -> Card:
    """Finds a model and reads its configuration, without its weights.

    Args:
        model: a folder, or a name on the hub, alone or with ``@REVISION``.
        heads: the purposes that it may have; that of a classifier if none is named.

    Raises:
        MissingResourceError: there is no such model, or transformers is not installed.
        UsageError: the model has another purpose, or needs its own code.
    """
    name, revision = split_revision(model)
    path = Path(name).expanduser()
    is_local = path.is_dir()
    if path.exists() and not (path / "config.json").is_file():
        what = "the folder has no" if is_local else "expected a folder with a"
        raise MissingResourceError(f"{name}: no model: {what} config.json")
    is_path = name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name
    if is_path and not is_local:
        raise MissingResourceError(f"{name}: no such folder")
    place = str(path) if is_local else name
    transformers = _transformers()
    with explained(name), _quiet():
        if is_local:
            _check_number(name, path)
        is_offline = is_local or not _is_reached(name, revision)
        config = transformers.AutoConfig.from_pretrained(
            place, revision=revision, trust_remote_code=False, local_files_only=is_offline
        )
    types = getattr(config, "architectures", None) or []
    if not (isinstance(types, list) and all(isinstance(each, str) for each in types)):
        raise _odd(name, "architectures", types, "a list of class names")
    heads = heads or (CLASSIFIER,)
    fitting = [head for head in heads if any(each.endswith(head.suffix) for each in types)]
    if types and not fitting:
        shown = plain(types[0][:_SHOWN])
        expected = " or ".join(f"{head.words} (…{head.suffix})" for head in heads)
        raise UsageError(f"{name}: it is a {shown}; expected {expected}")
    head = (*fitting, *heads)[0]
    labels = _labels(name, config)
    found = _digest(path, config) if is_local else _commit(name, revision)
    return Card(name, place, found, is_local, labels, config, head, is_offline)


def _is_reached(name: str, revision: str | None) -> bool:
    """Whether the hub answers for a model. Without a network, transformers would go on asking for
    half a minute before it looks at the cache alone.
    """
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.errors import HfHubHTTPError

    try:
        get_hf_file_metadata(hf_hub_url(name, "config.json", revision=revision))
    except (HfHubHTTPError, ValueError):
        return True  # what is wrong is said when the model is read
    except Exception:  # of requests or httpx, by the version of the hub's package
        return False
    return True


def _check_number(name: str, folder: Path) -> None:
    """Transformers makes a name for every label of this number before anything can be looked at."""
    content = json.loads((folder / "config.json").read_bytes())
    number = content.get("num_labels") if isinstance(content, dict) else None
    if number is not None and not (type(number) is int and 0 < number <= _MAX_LABELS):
        raise _odd(name, "num_labels", number, f"a whole number from 1 to {_MAX_LABELS:,}")


def _labels(name: str, config: Any) -> tuple[str, ...]:
    """The names of the labels by their numbers, which `label2id` must not contradict in kind."""
    id2label, label2id = config.id2label or {}, getattr(config, "label2id", None) or {}
    if not isinstance(id2label, dict) or not all(
        isinstance(each, str) for each in id2label.values()
    ):
        raise _odd(name, "id2label", id2label, "a name for every number")
    if not isinstance(label2id, dict) or not all(type(each) is int for each in label2id.values()):
        raise _odd(name, "label2id", label2id, "a whole number for every name")
    numbers = sorted(id2label)
    if numbers != list(range(len(numbers))):
        raise UsageError(
            f"{name}: id2label in its config.json numbers the labels {numbers}; expected 0, 1, 2, …"
        )
    return tuple(id2label[number] for number in numbers)


def _odd(name: str, key: str, value: Any, expected: str) -> UsageError:
    return UsageError(
        f"{name}: {key} in its config.json: expected {expected}, found {describe(value)}; correct "
        "it in a copy of its folder"
    )


def load(card: Card) -> tuple[Any, Any]:
    """Loads tokenizer and model, in the number format of the file, on the CPU.

    Raises:
        MissingResourceError: its files are missing or broken, or need a missing package.
        UsageError: weights are missing, so the model's output would be meaningless.
    """
    transformers = _transformers()
    options = {
        "revision": None if card.is_local else card.revision,
        "trust_remote_code": False,
        "local_files_only": card.is_offline,
    }
    with explained(card.name), _quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(card.place, **options)
        model, info = getattr(transformers, card.head.loader).from_pretrained(
            card.place, config=card.config, output_loading_info=True, **options
        )
    lacking = sorted([*info["missing_keys"], *(str(key) for key in info["mismatched_keys"])])
    if lacking:
        raise UsageError(
            f"{card.name}: its files lack {len(lacking):,} of its weights, for example "
            f"{lacking[0]}, for which transformers would use random numbers; expected "
            f"{card.head.words} that was trained as one"
        )
    model.eval()
    return tokenizer, model


def max_positions(model: Any) -> int | None:
    """The maximum number of tokens according to a model's configuration; None if it has none.

    Models like RoBERTa do not use the first positions of their table.
    """
    limit = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit <= 0:
        return None
    for name, module in model.named_modules():
        if name.endswith("position_embeddings"):
            unused = getattr(module, "padding_idx", None)
            return limit if unused is None else limit - unused - 1
    return limit


def split_revision(model: str) -> tuple[str, str | None]:
    """Name and revision. An @ in the name of an existing folder does not start a revision."""
    name, at, revision = model.rpartition("@")
    if not at or Path(model).expanduser().exists():
        return model, None
    if not name or not revision:
        raise UsageError(f"expected MODEL or MODEL@REVISION, found {shorten(model)}")
    if Path(name).expanduser().exists():
        raise UsageError(
            f"{name}: a folder has no revisions, found @{revision}; its files are its revision"
        )
    return name, revision


def _commit(name: str, revision: str | None) -> str:
    """The commit of a branch or tag, taken from the path of its files in the cache."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, "config.json", revision=revision)
    if not isinstance(path, str):
        raise MissingResourceError(f"{name}: the commit of its files is unknown")
    return Path(path).parent.name


def _transformers() -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as exc:
        raise MissingResourceError(
            f"local models need transformers and torch ({exc}): pip install 'argue-eval[nli]'"
        ) from exc
    return transformers


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Turns the exceptions of any library into errors that name the model and what to do."""
    try:
        yield
    except (MissingResourceError, UsageError):
        raise
    except Exception as exc:
        lines = str(exc).strip().splitlines() or [type(exc).__name__]
        if "trust_remote_code" in str(exc):
            raise UsageError(
                f"{name}: the model needs its own code, which argue-eval does not run; use a model "
                "of a type that transformers supports"
            ) from exc
        said = plain(lines[0].strip()[:_SHOWN])
        raise MissingResourceError(
            f"{name}: the model cannot be loaded: {said} "
            "(check the name, the folder and the network)"
        ) from exc


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences notes and progress of transformers and of the hub; problems are raised as errors."""
    from huggingface_hub.utils import logging as hub_logging
    from transformers.utils import logging

    has_bars = logging.is_progress_bar_enabled()
    before = [(each, each.get_verbosity()) for each in (logging, hub_logging)]
    for each, _ in before:
        each.set_verbosity(each.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        for each, verbosity in before:
            each.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()


def _digest(folder: Path, config: Any) -> str:
    """The SHA-256 of all files that can change a model's output, and of their names."""
    weights = list(folder.glob(_WEIGHTS)) or list(folder.glob(_OLD_WEIGHTS))
    described = [path for pattern in _DESCRIPTIONS for path in folder.glob(pattern)]
    files = {path.name: path for path in (*weights, *described)}
    if not any((folder / name).is_file() for name in (_SINGLE, _SINGLE + _INDEX)):
        files |= {path.name: path for path in folder.glob(_OLD_WEIGHTS)}
    # Weights may have any name, also in folders below: these files say which.
    named = getattr(config, "transformers_weights", None)
    named = [named] if isinstance(named, str) else []
    for index in (_SINGLE + _INDEX, f"pytorch_model.bin{_INDEX}", *named):
        if index.endswith(_INDEX) and (folder / index).is_file():
            named += _shards(folder / index)
    files |= {name: folder / name for name in named}
    digest = sha256()
    for name, path in sorted(files.items()):
        content = sha256()
        try:
            if not path.is_file():
                raise FileNotFoundError(ENOENT, "there is no such file")
            with path.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    content.update(block)
        except (OSError, ValueError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else exc
            raise MissingResourceError(f"{plain(str(path))}: cannot be read: {reason}") from exc
        digest.update(f"{name}\0{content.hexdigest()}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _shards(index: Path) -> list[str]:
    """The files with weights that an index names, relative to it: that is the model's folder."""
    try:
        names = {str(name) for name in json.loads(index.read_bytes())["weight_map"].values()}
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise MissingResourceError(
            f"{index}: expected an object with a weight_map from weights to files, found another"
        ) from None
    return sorted(names)
