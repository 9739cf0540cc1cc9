"""NLI on a CPU: pairs per second of the backend beside a loop over a transformers pipeline.

Both get the same distinct pairs of made-up words and the same model, an encoder of base size with
random weights. The vocabulary is small, which changes nothing: a token is one row of a table.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

from argue_eval.judges.local.classifier import Classifier, Pair
from argue_eval.judges.local.loading import find
from argue_eval.judges.nli.windows import Passage
from benchmarks.measuring import print_table, print_title, verdict
from tests.tiny_models import named, untrained

NUM_PAIRS = 48
HYPOTHESIS_TOKENS = 24
MAX_LENGTH = 512
PIPELINE_BATCH = 16
NUM_GROUPS = 3
"""So many groups of pairs of the same lengths: the slow ways get one, the fastest gets all, since
the copies that fill its last batches would weigh more among few pairs than they do in a run."""

NUM_DOCUMENTS = 3
DOCUMENT_SENTENCES = 70
WANTED, AIM, WANTED_FP32 = 5.0, 9.0, 1.8
LABELS = {0: "entailment", 1: "neutral", 2: "contradiction"}
_PIPELINE = f"pipeline, batch {PIPELINE_BATCH}"
_FP32, _BF16 = "judge, fp32", "judge, bf16"
_WORDS = [f"word{number}" for number in range(5000)]
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


class _Texts(NamedTuple):
    premise: str
    hypothesis: str


def main() -> None:
    """Measures and prints."""
    silence()
    print_title("nli: pairs per second, base size, random weights, the same pairs for all")
    rows = []
    for name in ("RoBERTa", "DeBERTa-v3"):
        with TemporaryDirectory() as folder:
            make(name, "base", Path(folder))
            rows += _measured(name, Path(folder))
    head = ["model, pairs", "way", "pairs/s", "x pipeline", "wanted", "", "", "of a core", "x"]
    print_table(head, rows)


def _measured(name: str, folder: Path) -> list[list[str]]:
    card = find(str(folder))
    fp32, best = Classifier(card, "cpu", "fp32"), Classifier(card, "cpu")
    rows = []
    for what, texts, more in (
        ("as documents differ", *_pairs()),
        ("long documents' windows", *_windows(fp32)),
    ):
        ways = {_PIPELINE: _pipeline(folder, texts), _FP32: _backend(fp32, texts)}
        if best.dtype == "bf16":
            ways[_BF16] = _backend(best, more)
        num_tokens = mean(_num_tokens(fp32, each) for each in texts)
        rows += _rows(f"{name}, {what}, {num_tokens:.0f} tokens", ways)
    return rows


def _num_tokens(classifier: Classifier, texts: _Texts) -> int:
    lengths = (len(classifier.encode(text).ids) for text in texts)
    return sum(lengths) + classifier.tokenizer.num_special


def _rows(what: str, ways: dict[str, Callable[[], list[int]]]) -> list[list[str]]:
    """A row per way, measured one after the other."""
    rates: dict[str, float] = {}
    of_core: dict[str, float] = {}
    labels: dict[str, list[int]] = {}
    for way, ask in ways.items():
        started, worked = perf_counter(), process_time()
        labels[way] = ask()
        rates[way] = len(labels[way]) / (perf_counter() - started)
        of_core[way] = len(labels[way]) / (process_time() - worked)
    if labels[_FP32] != labels[_PIPELINE]:
        raise AssertionError(f"{what}: the two do not give the same labels")
    return [
        [
            what,
            way,
            f"{rate:.2f}",
            f"{rate / rates[_PIPELINE]:.1f}",
            *_target(way, rate / rates[_PIPELINE]),
            f"{of_core[way]:.2f}",
            f"{of_core[way] / of_core[_PIPELINE]:.1f}",
        ]
        for way, rate in rates.items()
    ]


def _target(way: str, times: float) -> list[str]:
    """What was wanted of a way, and whether it was met."""
    if way == _FP32:
        return [f">= {WANTED_FP32:g}", verdict(times >= WANTED_FP32), ""]
    if way == _BF16:
        return [f">= {WANTED:g}", verdict(times >= WANTED), f"aim {AIM:g}: {verdict(times >= AIM)}"]
    return ["", "", ""]


def _backend(classifier: Classifier, texts: Sequence[_Texts]) -> Callable[[], list[int]]:
    """What classifies the texts as the judge does, tokenising included."""

    def ask() -> list[int]:
        pairs = (
            Pair(key, classifier.encode(each.premise).ids, classifier.encode(each.hypothesis).ids)
            for key, each in enumerate(texts)
        )
        found = {each.key: each.probs for each in classifier.predict(pairs)}
        return [probs.index(max(probs)) for _, probs in sorted(found.items())]

    return ask


def _pipeline(folder: Path, texts: Sequence[_Texts]) -> Callable[[], list[int]]:
    """What classifies the texts by transformers' own pipeline, as its page shows it."""
    from transformers import pipeline

    made = pipeline("text-classification", model=str(folder), device="cpu")
    inputs = [{"text": each.premise, "text_pair": each.hypothesis} for each in texts]
    numbers = {label: number for number, label in LABELS.items()}

    made(inputs[:1])

    def ask() -> list[int]:
        found = made(inputs, batch_size=PIPELINE_BATCH, truncation=True, max_length=MAX_LENGTH)
        return [numbers[each["label"]] for each in found]

    return ask


def _pairs() -> tuple[list[_Texts], list[_Texts]]:
    """The pairs of the first group, and those of all."""
    drawn = random.Random(0)
    lengths = [length(drawn) for _ in range(NUM_PAIRS)]
    pairs = [
        _Texts(_words(drawn, each - HYPOTHESIS_TOKENS - 3), _words(drawn, HYPOTHESIS_TOKENS))
        for each in lengths * NUM_GROUPS
    ]
    return pairs[:NUM_PAIRS], pairs


def length(drawn: random.Random) -> int:
    """A length as documents have: many short, some long, 250 on average."""
    return min(MAX_LENGTH, max(60, round(drawn.lognormvariate(5.41, 0.6))))


def _windows(classifier: Classifier) -> tuple[list[_Texts], list[_Texts]]:
    """The windows in which the judge reads long documents, as texts; for all ways alike."""
    drawn = random.Random(1)
    room = classifier.max_length - classifier.tokenizer.num_special - HYPOTHESIS_TOKENS
    texts = []
    for _ in range(NUM_DOCUMENTS):
        sentences = [_words(drawn, drawn.randrange(10, 40)) for _ in range(DOCUMENT_SENTENCES)]
        passage = Passage(classifier.encode, " ".join(f"{each}." for each in sentences))
        hypothesis = _words(drawn, HYPOTHESIS_TOKENS)
        texts += [_Texts(passage.excerpt(window), hypothesis) for window in passage.windows(room)]
    return texts, texts


def _words(drawn: random.Random, number: int) -> str:
    return " ".join(drawn.choices(_WORDS, k=number))


def silence() -> None:
    """Keeps transformers from writing notes and progress between the figures."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def make(name: str, size: str, folder: Path) -> None:
    """Writes a model of a real shape with random weights, and a tokenizer of whole words."""
    import torch

    architecture, config = _SHAPES[name]
    tokens = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    model = untrained(
        architecture,
        len(_SPECIAL) + len(_WORDS) + 1,
        **config,
        **_SIZES[size],
        **tokens,
        **named(LABELS),
    )
    for module in model.modules():  # random weights of the usual size give all pairs one label
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.normal_(module.weight, std=0.05)
    model.save_pretrained(folder)
    _tokenizer().save_pretrained(folder)


_SIZES = {
    "base": {
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
    },
    "large": {
        "hidden_size": 1024,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "intermediate_size": 4096,
    },
}


_SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    # Its first positions are not used: padding's number and one more.
    "RoBERTa": (
        "RobertaForSequenceClassification",
        {"max_position_embeddings": MAX_LENGTH + 1, "type_vocab_size": 1},
    ),
    "DeBERTa-v3": (
        "DebertaV2ForSequenceClassification",
        {
            "type_vocab_size": 0,
            "relative_attention": True,
            "position_buckets": 256,
            "max_relative_positions": -1,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
            "max_position_embeddings": MAX_LENGTH,
        },
    ),
}


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: at for at, word in enumerate([*_SPECIAL, ".", *_WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B [SEP]", [("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=MAX_LENGTH,
        model_input_names=["input_ids", "attention_mask"],
    )
