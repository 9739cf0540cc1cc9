"""Where models run, and in which format of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError, shorten


def device_of(torch: Any, name: str) -> str:
    """Returns where a model runs.

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
    """Returns the 16-bit format where the device computes with it faster, else 32 bits."""
    if device == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp32"
    checks = ("_is_amx_tile_supported", "_is_avx512_bf16_supported")
    has_bf16 = any(getattr(torch.cpu, check, lambda: False)() for check in checks)
    return "bf16" if has_bf16 else "fp32"


# --- Finds a model and loads it, from a folder or the Hugging Face hub, without running its code


_WEIGHTS = "*.safetensors"
_OLD_WEIGHTS = "pytorch_model*.bin"
_DESCRIPTIONS = ("*.json", "*.txt", "*.model", "*.jinja")
"""Files that can change what a model says: configuration, tokenizer, vocabulary."""

_BLOCK = 1 << 20


class Head(NamedTuple):
    """What a model is for.

    Attributes:
        suffix: how transformers' names for such models end.
        words: what such a model is.
        loader: what loads it.
    """

    suffix: str
    words: str
    loader: str


CLASSIFIER = Head(
    "ForSequenceClassification",
    "a model with a classification head",
    "AutoModelForSequenceClassification",
)
WRITER = Head("ForCausalLM", "a model that writes text", "AutoModelForCausalLM")


class Card(NamedTuple):
    """A model that was found and is not loaded yet.

    Attributes:
        name: as the user wrote it, without the revision.
        revision: the commit on the hub; for a folder a digest of its files.
        labels: the name of every output, in order.
        config: the configuration of transformers.
        head: what it is for.
    """

    name: str
    place: str
    revision: str
    is_local: bool
    labels: tuple[str, ...]
    config: Any
    head: Head = CLASSIFIER


def find(model: str, head: Head = CLASSIFIER) -> Card:
    """Returns what is known of a model before its weights are loaded.

    Args:
        model: a folder, or a name on the hub, either alone or with ``@REVISION``.
        head: what it is to be for.

    Raises:
        MissingResourceError: there is no such model, or transformers is not installed.
        UsageError: it is for something else, or brings code of its own.
    """
    name, revision = _split(model)
    is_local = Path(name).expanduser().is_dir()
    place = str(Path(name).expanduser()) if is_local else name
    if not is_local:
        _check_hub_name(name)
    elif not Path(place, "config.json").is_file():
        raise MissingResourceError(f"{name}: no model: the folder has no config.json")
    transformers = _transformers()
    with _told(name), _quiet():
        config = transformers.AutoConfig.from_pretrained(
            place, revision=revision, trust_remote_code=False, local_files_only=is_local
        )
    _check_architecture(name, config, head)
    id2label = dict(config.id2label or {})
    labels = tuple(str(id2label[key]) for key in sorted(id2label))
    if sorted(id2label) != list(range(len(labels))):
        raise UsageError(
            f"{name}: id2label in its config.json numbers the labels {sorted(id2label)}; expected "
            "0, 1, 2, …"
        )
    found = _digest(Path(place)) if is_local else _commit(name, revision)
    return Card(name, place, found, is_local, labels, config, head)


def load(card: Card) -> tuple[Any, Any]:
    """Returns tokenizer and model, in the number format of the file, on the CPU.

    Raises:
        MissingResourceError: its files are missing, broken or of a kind that is not installed.
        UsageError: weights are missing, so that what the model says would mean nothing.
    """
    transformers = _transformers()
    options = {
        "revision": None if card.is_local else card.revision,
        "trust_remote_code": False,
        "local_files_only": card.is_local,
    }
    with _told(card.name), _quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(card.place, **options)
        model, info = getattr(transformers, card.head.loader).from_pretrained(
            card.place, config=card.config, output_loading_info=True, **options
        )
    lacking = sorted([*info["missing_keys"], *(str(key) for key in info["mismatched_keys"])])
    if lacking:
        raise UsageError(
            f"{card.name}: its files lack {len(lacking)} of its weights, among them {lacking[0]}; "
            f"transformers would draw them at random: expected {card.head.words} that was trained "
            "as one"
        )
    model.eval()
    return tokenizer, model


def max_positions(model: Any) -> int | None:
    """Returns how many tokens a model takes by its configuration; None if it does not say.

    Models of RoBERTa's kind do not use the first positions of their table.
    """
    limit = getattr(model.config, "max_position_embeddings", None)
    if not isinstance(limit, int) or limit <= 0:
        return None
    for name, module in model.named_modules():
        if name.endswith("position_embeddings"):
            unused = getattr(module, "padding_idx", None)
            return limit if unused is None else limit - unused - 1
    return limit


def _split(model: str) -> tuple[str, str | None]:
    """Returns name and revision. An @ in the name of a folder that exists starts no revision."""
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


def _check_hub_name(name: str) -> None:
    path = Path(name).expanduser()
    if path.exists():
        raise MissingResourceError(f"{name}: no model: expected a folder with a config.json")
    is_path = name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name
    if is_path:
        raise MissingResourceError(f"{name}: no such folder")


def _commit(name: str, revision: str | None) -> str:
    """Returns the commit that a branch or a tag names, by where its files were put."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, "config.json", revision=revision)
    if not isinstance(path, str):
        raise MissingResourceError(f"{name}: the commit of its files cannot be told")
    return Path(path).parent.name


def _check_architecture(name: str, config: Any, head: Head) -> None:
    kinds = [str(kind) for kind in (getattr(config, "architectures", None) or ())]
    if kinds and not any(kind.endswith(head.suffix) for kind in kinds):
        raise UsageError(f"{name}: it is a {kinds[0]}; expected {head.words} (…{head.suffix})")


def _transformers() -> Any:
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as exc:
        raise MissingResourceError(
            f"models that run here need transformers and torch ({exc}): "
            "pip install 'argue-eval[nli]'"
        ) from exc
    return transformers


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Turns whatever loading raises into an error that says which model, and what to do.

    Loading runs many libraries over files of any content, which raise errors of any kind.
    """
    try:
        yield
    except (MissingResourceError, UsageError):
        raise
    except Exception as exc:
        lines = str(exc).strip().splitlines() or [type(exc).__name__]
        if "trust_remote_code" in str(exc):
            raise UsageError(
                f"{name}: the model brings code of its own, which argue-eval does not run; use a "
                "model of a kind that transformers knows"
            ) from exc
        raise MissingResourceError(
            f"{name}: the model cannot be loaded: {lines[0].strip()} "
            "(check the name, the folder and the network)"
        ) from exc


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps transformers from writing notes and progress; what matters is told as an error."""
    from transformers.utils import logging

    verbosity, has_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(logging.CRITICAL)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if has_bars:
            logging.enable_progress_bar()


def _digest(folder: Path) -> str:
    """Returns the SHA-256 of all files that can change what a model says, with their names."""
    weights = list(folder.glob(_WEIGHTS)) or list(folder.glob(_OLD_WEIGHTS))
    described = [path for pattern in _DESCRIPTIONS for path in folder.glob(pattern)]
    digest = sha256()
    for path in sorted({*weights, *described}):
        content = sha256()
        try:
            with path.open("rb") as stream:
                while block := stream.read(_BLOCK):
                    content.update(block)
        except OSError as exc:
            raise MissingResourceError(f"{path}: cannot be read: {exc.strerror}") from exc
        digest.update(f"{path.name}\0{content.hexdigest()}\n".encode())
    return digest.hexdigest()
