"""Models that a test makes within seconds: real files of transformers, tiny and without sense.

`tiny_nli` memorises which sentences of the example collection their document entails. Its answers
on other sentences mean nothing, but they are the same every time.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from argue_eval.text import sentences

COLLECTION = Path(__file__).parents[1] / "collection" / "example.jsonl"
MAX_LENGTH = 96
NUM_PAIRS = 64
NUM_STEPS = 30
LABELS = {0: "not_entailment", 1: "entailment"}
_SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "intermediate_size": 128}
_LEAST = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}


def training_pairs() -> list[tuple[str, str, int]]:
    """First sentences of documents, each with a sentence and 1 if that is of the same document."""
    drawn = random.Random(0)
    documents = [json.loads(line) for line in COLLECTION.read_text("utf-8").splitlines()]
    split = [sentences.split(document["text"], "en") for document in documents]
    found = [(at, sentence) for at, texts in enumerate(split) for sentence in texts]
    drawn.shuffle(found)
    pairs = []
    for number, (at, sentence) in enumerate(found[:NUM_PAIRS]):
        is_own = number % 2
        other = at if is_own else (at + 1 + drawn.randrange(len(split) - 1)) % len(split)
        pairs.append((split[other][0], sentence, is_own))
    return pairs


def tiny_nli(folder: Path) -> Path:
    """The folder of a classifier that was trained on the training pairs."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)  # more only wait for each other
    try:
        pairs = training_pairs()
        tokenizer = word_pieces([text for premise, other, _ in pairs for text in (premise, other)])
        tokenizer.save_pretrained(folder)
        model = tiny_bert(len(tokenizer))
        texts = [premise for premise, _, _ in pairs], [other for _, other, _ in pairs]
        inputs = tokenizer(
            *texts, truncation="only_first", max_length=MAX_LENGTH, padding=True,
            return_tensors="pt",
        )  # fmt: skip
        labels = torch.tensor([label for _, _, label in pairs])
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        for _ in range(NUM_STEPS):
            model(**inputs, labels=labels).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        save(model, folder)
    finally:
        torch.set_num_threads(before)
    return folder


def word_pieces(texts: Sequence[str], max_length: int = MAX_LENGTH) -> Any:
    """A tokenizer of BERT's kind: the words of the texts, and letters for other words.

    The trainers of the library break ties by chance, so that the vocabulary is made here.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = {word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())}
    letters = {letter for word in words for letter in word}
    pieces = [*letters, *(f"##{letter}" for letter in letters), *words]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *sorted(set(pieces))]
    made = Tokenizer(
        models.WordPiece({piece: at for at, piece in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=max_length,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def plain_bytes(max_length: int, padding_side: str = "right") -> Any:
    """A tokenizer of RoBERTa's kind for which every byte is a token."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = ["<s>", "<pad>", "</s>", *alphabet]
    made = Tokenizer(models.BPE({piece: at for at, piece in enumerate(vocabulary)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        padding_side=padding_side,
        model_max_length=max_length,
    )


def untrained(architecture: str, vocabulary: int, **config: Any) -> Any:
    """A model of transformers with random weights, the same every time."""
    import torch
    import transformers

    torch.manual_seed(0)
    config_class = getattr(transformers, f"{architecture.partition('For')[0]}Config")
    return getattr(transformers, architecture)(config_class(vocab_size=vocabulary, **config))


def tiny_bert(vocabulary: int, max_length: int = MAX_LENGTH) -> Any:
    """A small untrained BERT."""
    return untrained(
        "BertForSequenceClassification",
        vocabulary,
        **_SIZES,
        num_attention_heads=1,
        max_position_embeddings=max_length,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        **named(LABELS),
    )


def tiny_roberta(vocabulary: int, labels: Mapping[int, str], max_length: int) -> Any:
    """A small untrained RoBERTa."""
    return untrained(
        "RobertaForSequenceClassification",
        vocabulary,
        **_SIZES,
        num_attention_heads=2,
        max_position_embeddings=max_length + 2,
        type_vocab_size=1,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        initializer_range=0.3,
        **named(labels),
    )


def named(labels: Mapping[int, str]) -> dict[str, Any]:
    """Labels as a configuration has them."""
    return {"id2label": dict(labels), "label2id": {name: at for at, name in labels.items()}}


def change(path: Path, **changed: Any) -> None:
    """Sets keys of a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changed}), "utf-8")


def save(model: Any, folder: Path) -> None:
    """Saves a model without transformers' notes about it."""
    from transformers.utils import logging

    has_bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        model.save_pretrained(folder)
    finally:
        if has_bars:
            logging.enable_progress_bar()


def tiny_llm(folder: Path, max_length: int = 2560) -> Path:
    """The folder of an untrained model that writes bytes without sense, to chat with."""
    tokenizer = plain_bytes(max_length)
    tokenizer.chat_template = (
        "{% for message in messages %}[{{ message.role }}]\n{{ message.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}[assistant]\n{% endif %}"
    )
    tokenizer.save_pretrained(folder)
    model = untrained(
        "LlamaForCausalLM",
        len(tokenizer),
        **_LEAST,
        num_hidden_layers=1,
        max_position_embeddings=max_length,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=list(range(2, len(tokenizer), 4)),  # so that it comes to an end
    )
    save(model, folder)
    return folder


def tiny_checker(kind: str, folder: Path, texts: Sequence[str]) -> Path:
    """The folder of an untrained fact-checker, whose files say nothing of labels or templates.

    Args:
        kind: its architecture: ``roberta``, ``deberta``, ``t5`` or ``modernbert``, which
            classifies tokens.
        texts: what its tokenizer has words for, if it has words.
    """
    import torch

    tokenizer = _MAKERS[kind][0](texts)
    tokenizer.save_pretrained(folder)
    model = _MAKERS[kind][1](len(tokenizer))
    generator = torch.Generator().manual_seed(0)
    for weights in model.parameters():  # so that one text differs clearly from another
        if weights.dim() > 1:
            weights.data = torch.randn(weights.shape, generator=generator) * 0.3
    save(model, folder)
    return folder


def _pieces(texts: Sequence[str], special: Sequence[str]) -> list[tuple[str, float]]:
    """A vocabulary of SentencePiece's kind: special tokens, words, letters."""
    words = {word for text in texts for word in text.split()}
    letters = {letter for word in words for letter in word}
    found = [(token, 0.0) for token in special]
    found += [(f"▁{word}", -3.0) for word in sorted(words)]
    found += [(letter, -9.0) for letter in sorted(letters)]
    return found + [(f"filler{number}", -20.0) for number in range(210)]


def _deberta_tokenizer(texts: Sequence[str]) -> Any:
    from transformers import DebertaV2Tokenizer

    make: Any = DebertaV2Tokenizer
    special = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", "▁")
    return make(vocab=_pieces(texts, special), unk_id=3)


def _t5_tokenizer(texts: Sequence[str]) -> Any:
    from transformers import T5Tokenizer

    make: Any = T5Tokenizer
    return make(vocab=_pieces(texts, ("<pad>", "</s>", "<unk>", "▁")), model_max_length=512)


def _modernbert_tokenizer(texts: Sequence[str]) -> Any:
    tokenizer = word_pieces(texts, 8192)
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    return tokenizer


def _tiny_deberta(vocabulary: int) -> Any:
    return untrained(
        "DebertaV2ForSequenceClassification",
        vocabulary,
        **_LEAST,
        num_hidden_layers=1,
        max_position_embeddings=512,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        type_vocab_size=0,
        pad_token_id=0,
    )


def _tiny_t5(vocabulary: int) -> Any:
    return untrained(
        "T5ForConditionalGeneration",
        vocabulary,
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=1,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    )


def _tiny_modernbert(vocabulary: int) -> Any:
    return untrained(
        "ModernBertForTokenClassification",
        vocabulary,
        **_LEAST,
        num_hidden_layers=2,
        max_position_embeddings=8192,
        pad_token_id=0,
        bos_token_id=2,
        cls_token_id=2,
        eos_token_id=3,
        sep_token_id=3,
    )


_MAKERS: dict[str, tuple[Callable[[Sequence[str]], Any], Callable[[int], Any]]] = {
    "roberta": (
        lambda texts: plain_bytes(512),
        lambda vocabulary: tiny_roberta(vocabulary, {0: "LABEL_0", 1: "LABEL_1"}, 512),
    ),
    "deberta": (_deberta_tokenizer, _tiny_deberta),
    "t5": (_t5_tokenizer, _tiny_t5),
    "modernbert": (_modernbert_tokenizer, _tiny_modernbert),
}
