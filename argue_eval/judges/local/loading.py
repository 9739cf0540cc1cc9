"""Finds and loads models of transformers, from a folder or the Hugging Face hub.

Code that comes with a model is never run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from argue_eval.errors import MissingResourceError, UsageError, shorten

_WEIGHTS = "*.safetensors"
_OLD_WEIGHTS = "pytorch_model*.bin"
_DESCRIPTIONS = ("*.json", "*.txt", "*.model", "*.jinja")
"""Files that can change the output: configuration, tokenizer, vocabulary."""

_BLOCK = 1 << 20


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
    """

    name: str
    place: str
    revision: str
    is_local: bool
    labels: tuple[str, ...]
    config: Any
    head: Head = CLASSIFIER


def find(model: str, head: Head = CLASSIFIER) -> Card:
    """Finds a model and reads its configuration, without its weights.

    Args:
        model: a folder, or a name on the hub, alone or with ``@REVISION``.
        head: the purpose that it must have.

    Raises:
        MissingResourceError: there is no such model, or transformers is not installed.
        UsageError: the model has another purpose, or needs its own code.
    """
    name, revision = _split(model)
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
    with _explained(name), _quiet():
        config = transformers.AutoConfig.from_pretrained(
            place, revision=revision, trust_remote_code=False, local_files_only=is_local
        )
    types = [str(each) for each in (getattr(config, "architectures", None) or ())]
    if types and not any(each.endswith(head.suffix) for each in types):
        raise UsageError(f"{name}: it is a {types[0]}; expected {head.words} (…{head.suffix})")
    id2label = dict(config.id2label or {})
    numbers = sorted(id2label)
    if numbers != list(range(len(numbers))):
        raise UsageError(
            f"{name}: id2label in its config.json numbers the labels {numbers}; expected 0, 1, 2, …"
        )
    labels = tuple(str(id2label[number]) for number in numbers)
    found = _digest(path) if is_local else _commit(name, revision)
    return Card(name, place, found, is_local=is_local, labels=labels, config=config, head=head)


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
        "local_files_only": card.is_local,
    }
    with _explained(card.name), _quiet():
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


def _split(model: str) -> tuple[str, str | None]:
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
def _explained(name: str) -> Iterator[None]:
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
        raise MissingResourceError(
            f"{name}: the model cannot be loaded: {lines[0].strip()} "
            "(check the name, the folder and the network)"
        ) from exc


@contextmanager
def _quiet() -> Iterator[None]:
    """Silences notes and progress of transformers; problems are raised as errors."""
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
    """The SHA-256 of all files that can change a model's output, and of their names."""
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
