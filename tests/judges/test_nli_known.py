"""Known fact-checkers are asked as their authors do, computed here with transformers alone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import UsageError
from argue_eval.judges import Settings
from argue_eval.judges.local.classifier import Classifier, Pair, Scored
from argue_eval.judges.local.loading import find
from argue_eval.judges.nli import judge as nli
from argue_eval.judges.nli.judge import NliJudge
from argue_eval.judges.nli.known import heads, recipe, settled, table, use
from argue_eval.records import Verdict
from tests.judges.asking import probs, replies, support
from tests.tiny_models import change, named, plain_bytes, save, tiny_checker, untrained

CLAIM = "The old ferry at Harrow carried 31 passengers."
DOCUMENT = "The ferry left Harrow at noon. It carried 31 passengers, and all of them were safe."
LONG = " ".join(
    f"In year {1700 + number} the old mill at Harrow ground {number} sacks of rye for the town."
    for number in range(60)
)
SCRIPTED = "No passenger was lost"
SHORT_PAIRS = [
    (DOCUMENT, CLAIM),
    (DOCUMENT, "Nobody was hurt."),
    ("Short.", CLAIM),
    (f"{DOCUMENT}\nA second line. It ends.", "All of them were safe."),
]
LETTUCE = "lettucedect-base-modernbert-en-v1"
FOLDERS = {
    "MiniCheck-RoBERTa-Large": "roberta",
    "MiniCheck-DeBERTa-v3-Large": "deberta",
    "MiniCheck-Flan-T5-Large": "t5",
    "t5_xxl_true_nli_mixture": "t5",
    LETTUCE: "modernbert",
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Tiny models of each architecture, in folders of the names that the known models have."""
    whole = tmp_path_factory.mktemp("models")
    texts = [LONG, CLAIM, SCRIPTED, *(text for pair in SHORT_PAIRS for text in pair)]
    texts += ["predict: premise: hypothesis: Summarize the following text:\npassage 1: output:"]
    return {name: tiny_checker(kind, whole / name, texts) for name, kind in FOLDERS.items()}


def _judge(folder: Path, **settings: Any) -> NliJudge:
    return nli.create(str(folder), settings=Settings(device="cpu", **settings), dtype="fp32")


def _chunks(text: str, size: int, count: Callable[[str], int]) -> Iterator[str]:
    """Sentences in a row, up to a size, as MiniCheck's program packs them."""
    packed: list[str] = []
    total = 0
    for sentence in re.split(r"(?<=[.!?]) ", text):
        if packed and total + count(sentence) > size:
            yield " ".join(packed)
            packed, total = [], 0
        packed.append(sentence)
        total += count(sentence)
    yield " ".join(packed)


class _Model:
    """A tokenizer and a model, as transformers loads them."""

    def __init__(self, folder: Path, head: str) -> None:
        import transformers

        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = getattr(transformers, head).from_pretrained(folder).eval()

    def count(self, text: str) -> int:
        return len(self.tokenizer(text, add_special_tokens=False).input_ids)

    def logits(self, *texts: str, **inputs: Any) -> Any:
        import torch

        with torch.inference_mode():
            return self.model(**self.tokenizer(*texts, return_tensors="pt"), **inputs).logits[0]

    def first_word(self, text: str) -> float:
        """The probability of token 209, of which 3 is the alternative."""
        import torch

        begun = torch.zeros((1, 1), dtype=torch.long)
        both = self.logits(text, decoder_input_ids=begun)[0, [3, 209]]
        return float(both.softmax(-1)[1])


def _minicheck(folder: Path, document: str, claim: str) -> float:
    model = _Model(folder, "AutoModelForSequenceClassification")
    eos = model.tokenizer.eos_token
    texts = (chunk + eos + claim for chunk in _chunks(document, 400, model.count))
    return max(float(model.logits(text).softmax(-1)[1]) for text in texts)


def _minicheck_t5(folder: Path, document: str, claim: str) -> float:
    model = _Model(folder, "AutoModelForSeq2SeqLM")
    chunks = _chunks(document, 500, lambda sentence: len(sentence.split()))
    return max(model.first_word(f"predict: {chunk}</s>{claim}") for chunk in chunks)


def _true(folder: Path, document: str, claim: str) -> float:
    model = _Model(folder, "AutoModelForSeq2SeqLM")
    return model.first_word(f"premise: {document} hypothesis: {claim}")


def _lettuce_tokens(folder: Path, document: str, claim: str) -> Any:
    """The probability of each of the claim's tokens that it is not supported."""
    model = _Model(folder, "AutoModelForTokenClassification")
    prompt = f"Summarize the following text:\npassage 1: {document}\noutput:"
    unsupported = model.logits(prompt, claim).softmax(-1)[:, 1]
    return unsupported[-model.count(claim) - 1 : -1]  # the last one is a border


def _lettuce(folder: Path, document: str, claim: str) -> float:
    return 1 - float(_lettuce_tokens(folder, document, claim).max())


RECIPES = {
    "MiniCheck-RoBERTa-Large": _minicheck,
    "MiniCheck-DeBERTa-v3-Large": _minicheck,
    "MiniCheck-Flan-T5-Large": _minicheck_t5,
    "t5_xxl_true_nli_mixture": _true,
    LETTUCE: _lettuce,
}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_probability_is_that_of_the_models_own_recipe(
    name: str, folders: dict[str, Path]
) -> None:
    judge = _judge(folders[name])
    found = probs(judge, [support(claim, document) for document, claim in SHORT_PAIRS])
    expected = [RECIPES[name](folders[name], *pair) for pair in SHORT_PAIRS]
    assert found == pytest.approx(expected, abs=2e-5)
    assert len({round(each, 3) for each in found}) == len(SHORT_PAIRS)


@pytest.mark.parametrize("name", [name for name in FOLDERS if name.startswith("MiniCheck")])
def test_long_documents_are_read_in_the_chunks_of_the_models_own_program(
    name: str, folders: dict[str, Path]
) -> None:
    judge = _judge(folders[name])
    (reply,) = replies(judge, [support(CLAIM, LONG)])
    assert reply.prob == pytest.approx(RECIPES[name](folders[name], LONG, CLAIM), abs=2e-5)
    chunks = list(_chunks(LONG, 500, lambda sentence: len(sentence.split())))
    if name != "MiniCheck-Flan-T5-Large":
        chunks = list(_chunks(LONG, 400, _Model(folders[name], "AutoModel").count))
    assert len(chunks) > 1
    assert json.loads(reply.raw or "")["windows"] == len(chunks)
    assert reply.rationale in chunks


def test_parts_that_are_not_supported_are_named_and_make_the_verdict(
    folders: dict[str, Path],
) -> None:
    folder = folders[LETTUCE]
    words = CLAIM.rstrip(".").split()
    claims = [" ".join(words[start:end]) for start in range(6) for end in range(start + 1, 7)]
    found = replies(_judge(folder), [support(claim, DOCUMENT) for claim in claims])
    for claim, reply in zip(claims, found, strict=True):
        tokens = _lettuce_tokens(folder, DOCUMENT, claim)
        below = [word for word, prob in zip(claim.split(), tokens, strict=True) if prob > 0.5]
        said = json.loads(reply.raw or "")["unsupported"]
        assert " ".join(said).split() == below
        assert all(part in claim for part in said)
        share = sum(map(len, said)) / len(claim)
        assert reply.verdict == ("yes" if not below else "partial" if share < 0.5 else "no")
    assert {reply.verdict for reply in found} == {Verdict.YES, Verdict.PARTIAL, Verdict.NO}


class _Scripted(Classifier):
    """A classifier of tokens that supports what a test says, by the number of the window."""

    def __init__(self, folder: Path, *support: list[float]) -> None:
        rules = recipe(str(folder))
        card = find(str(folder), *heads(rules))
        super().__init__(card, "cpu", "fp32", use(settled(rules, card)))
        self._support = support

    def predict(
        self, pairs: Iterable[Pair], limits: object = None
    ) -> Generator[Scored, None, None]:
        for pair, chosen in zip(pairs, self._support, strict=True):
            yield Scored(pair.key, chosen)


@pytest.mark.parametrize(
    ("windows", "verdict", "prob", "parts", "deciding"),
    [
        (([0.9, 0.9, 0.8, 0.7], [0.1, 0.1, 0.1, 0.1]), "yes", 0.7, [], 1),
        (([0.9, 0.9, 0.1, 0.2], [0.1, 0.2, 0.6, 0.7]), "yes", 0.6, [], 1),
        (([0.1, 0.2, 0.1, 0.2], [0.1, 0.9, 0.5, 0.7]), "partial", 0.1, ["No"], 2),
        (([0.1, 0.2, 0.1, 0.2], [0.1, 0.9, 0.3, 0.7]), "partial", 0.1, ["No", "was"], 2),
        (([0.9, 0.1, 0.1, 0.2], [0.1, 0.1, 0.1, 0.1]), "no", 0.1, ["passenger was lost"], 1),
        (([0.1, 0.1, 0.1, 0.1], [0.1, float("nan"), 0.1, 0.1]), None, None, None, 2),
        (([0.1, 0.1, 0.1, float("nan")], [0.9, 0.9, 0.9, 0.9]), None, None, None, 1),
    ],
)
def test_a_token_is_supported_where_any_window_supports_it(
    windows: tuple[list[float], ...],
    verdict: str | None,
    prob: float | None,
    parts: list[str] | None,
    deciding: int,
    folders: dict[str, Path],
) -> None:
    folder = folders[LETTUCE]
    judge = NliJudge(_Scripted(folder, *windows), recipe=recipe(str(folder)))
    (reply,) = replies(judge, [support(SCRIPTED, " ".join([LONG] * 5))])
    assert (reply.verdict, reply.prob) == (verdict, prob)
    said = json.loads(reply.raw or "")
    assert (said["window"], said["windows"]) == (deciding, 2)
    if parts is None:
        assert reply.reason == "the model gave no number"
    else:
        assert said["unsupported"] == parts


TABLE_NAMES = [name.replace("*", "any") for name in table()]


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_a_model_is_known_by_its_name_on_the_hub_and_a_copy_by_its_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = recipe(name)
    last = name.rpartition("/")[2]
    assert known.name
    assert recipe(name.upper()) == known
    assert recipe(f"somebody/{last}") == recipe("somebody/else")
    for place in (last, last.lower(), f"models--{name.replace('/', '--')}/snapshots/a1b2c3"):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        assert recipe(str(tmp_path / place)) == known
    (tmp_path / "link").symlink_to(tmp_path / last)
    assert recipe(str(tmp_path / "link")) == known
    monkeypatch.chdir(tmp_path / last)
    assert recipe(".") == known
    assert recipe(str(tmp_path)) == recipe("somebody/else")


def test_a_signature_names_the_recipe_and_differs_with_all_of_it(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = folders["MiniCheck-RoBERTa-Large"]
    known = _judge(folder).signature
    assert re.search(r"/window512/yes0.5/entailment1of2/recipe:MiniCheck-RoBERTa:\w{8}$", known)
    words = _judge(folders["MiniCheck-Flan-T5-Large"]).signature
    assert re.search(r"/window2048/yes0.5/entailment1of2/recipe:MiniCheck-Flan-T5:\w", words)
    plain = shutil.copytree(folder, tmp_path / "mine")
    templates = ["{document}{pair}{claim}", "{document}{eos}{claim}", "{claim}{eos}{document}"]
    own = [_judge(plain, nli_label="1", nli_template=each).signature for each in templates]
    assert own[0] == _judge(plain, nli_label="LABEL_1").signature
    assert own[0].endswith("/entailment1of2")
    assert _judge(plain, nli_label="0").signature.endswith("/entailment0of2")
    assert all("/recipe:own:" in signature for signature in own[1:])
    assert len({known.replace("MiniCheck-RoBERTa-Large@", "mine@"), *own}) == 4
    assert not any(set(signature) & set(" |") for signature in (known, words, *own))


def test_a_template_of_ones_own_gives_what_the_same_known_one_does(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    questions = [support(claim, document) for document, claim in SHORT_PAIRS]
    for name, template, label in (
        ("MiniCheck-RoBERTa-Large", "{document}{eos}{claim}", "LABEL_1"),
        ("MiniCheck-Flan-T5-Large", "predict: {document}{eos}{claim}", "209/3"),
        (LETTUCE, recipe(f"KRLabsOrg/{LETTUCE}").template, "0"),
    ):
        copy = shutil.copytree(folders[name], tmp_path / f"my {name}")
        own = _judge(copy, nli_template=template, nli_label=label)
        assert probs(own, questions) == probs(_judge(folders[name]), questions)


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{document}", "{document} and {claim} once each"),
        ("", "{document} and {claim} once each"),
        ("{claim} {claim} {document}", "{document} and {claim} once each"),
        ("{document}{eos}{claim}{pair}", "{pair} or {eos} at most once"),
        ("{eos}{document} {claim}", "{pair} or {eos} between {document} and {claim}"),
        ("\x1b[31m", r"found '\x1b[31m'"),
    ],
)
def test_a_template_without_the_texts_is_refused(template: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        recipe("some/model", template)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("MiniCheck-RoBERTa-Large", {"nli_label": "2"}, "expected one of them or its number"),
        ("MiniCheck-RoBERTa-Large", {"nli_label": "YES"}, "found 'YES'"),
        ("MiniCheck-RoBERTa-Large", {"nli_label": "9" * 5000}, "expected one of them"),
        ("MiniCheck-Flan-T5-Large", {"nli_label": "209"}, "the numbers of two tokens"),
        ("MiniCheck-Flan-T5-Large", {"nli_label": "3/3"}, "the numbers of two tokens"),
        (
            LETTUCE,
            {"nli_template": "{document} {claim}"},
            "its template must end in {pair}{claim}",
        ),
    ],
)
def test_labels_and_templates_that_do_not_fit_the_model_are_refused(
    name: str, settings: dict[str, str], told: str, folders: dict[str, Path]
) -> None:
    with pytest.raises(UsageError) as raised:
        _judge(folders[name], **settings)
    assert told in str(raised.value)
    assert len(str(raised.value)) < 500


def test_a_model_that_writes_or_labels_tokens_needs_a_label_with_its_template(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    for name, told in (
        ("MiniCheck-Flan-T5-Large", "the numbers of two tokens, of support and of no support"),
        (LETTUCE, "such as --nli-label LABEL_1"),
    ):
        copy = shutil.copytree(folders[name], tmp_path / f"my {name}")
        with pytest.raises(UsageError, match=told):
            _judge(copy, nli_template="Text: {document}{pair}{claim}")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_same_question_gets_the_same_alone_and_among_others(
    name: str, folders: dict[str, Path]
) -> None:
    judge = nli.create(str(folders[name]), settings=Settings(device="cpu"))
    questions = [support(claim, document) for document, claim in SHORT_PAIRS]
    questions += [support(CLAIM, LONG), support(SCRIPTED, LONG)]
    together = probs(judge, questions)
    assert [probs(judge, [each])[0] for each in questions] == together
    assert probs(judge, questions[::-1])[::-1] == together


@pytest.mark.parametrize(
    ("source", "name", "told"),
    [
        ("MiniCheck-Flan-T5-Large", "MiniCheck-RoBERTa-Large", "it is a T5ForConditionalGener"),
        ("MiniCheck-RoBERTa-Large", "MiniCheck-Flan-T5-Large", "it is a RobertaForSequenceCl"),
        ("MiniCheck-RoBERTa-Large", "some-model", "such as --nli-label LABEL_1"),
        (LETTUCE, "some-model", "expected a model with a classific"),
    ],
)
def test_another_model_under_a_known_name_or_a_known_one_under_another_is_refused(
    source: str, name: str, told: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(folders[source], tmp_path / name)
    with pytest.raises(UsageError, match=told):
        _judge(copy)


def test_labels_that_contradict_what_is_known_are_refused(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    copy = shutil.copytree(folders["MiniCheck-RoBERTa-Large"], tmp_path / "MiniCheck-RoBERTa-Large")
    for names, is_refused in ((["unsupported", "supported"], False), (["yes", "no"], False),
                              (["supported", "unsupported"], True)):  # fmt: skip
        change(copy / "config.json", **named(dict(enumerate(names))))
        if not is_refused:
            assert "/entailment1of2/recipe:MiniCheck" in _judge(copy).signature
            continue
        with pytest.raises(UsageError, match="calls it 'unsupported'"):
            _judge(copy)


def test_a_long_claim_leaves_its_document_room_or_is_refused(folders: dict[str, Path]) -> None:
    judge = _judge(folders["MiniCheck-RoBERTa-Large"])
    found = replies(judge, [support("word " * count, LONG) for count in (20, 60, 90)])
    windows = [json.loads(each.raw)["windows"] if each.raw else 0 for each in found]
    assert 0 < windows[0] < windows[1]
    assert "leaves too little room" in found[2].reason


def test_special_tokens_that_a_text_spells_out_are_no_border(folders: dict[str, Path]) -> None:
    folder = folders["MiniCheck-Flan-T5-Large"]
    text = f"{DOCUMENT}</s>{CLAIM}"
    (prob,) = probs(_judge(folder), [support("Nobody was hurt.", text)])
    assert prob != pytest.approx(_minicheck_t5(folder, text, "Nobody was hurt."), abs=1e-4)


def _bart(folder: Path, labels: dict[int, str]) -> Path:
    model = untrained(
        "BartForSequenceClassification", 300, d_model=32, encoder_layers=1, decoder_layers=1,
        encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=64,
        decoder_ffn_dim=64, init_std=0.3, max_position_embeddings=512, bos_token_id=0,
        pad_token_id=1, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2,
        **named(labels),
    )  # fmt: skip
    plain_bytes(512).save_pretrained(folder)
    save(model, folder)
    return folder


ORDERS = [
    ("bart-large-mnli", ["contradiction", "neutral", "entailment"], 2, 0),
    ("roberta-large-mnli", ["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], 2, 0),
    ("nli-deberta-v3-base", ["contradiction", "entailment", "neutral"], 1, 0),
    ("DeBERTa-v3-base-mnli", ["entailment", "neutral", "contradiction"], 0, 2),
    ("albert-base-vitaminc-mnli", ["LABEL_0", "LABEL_1", "LABEL_2"], 0, 1),
    ("albert-base-vitaminc", ["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], 0, 1),
]


@pytest.mark.parametrize(("name", "labels", "entailment", "contradiction"), ORDERS)
def test_three_labels_are_found_in_any_order(
    name: str, labels: list[str], entailment: int, contradiction: int, tmp_path: Path
) -> None:
    folder = _bart(tmp_path / name, dict(enumerate(labels)))
    judge = _judge(folder, contradictions=True)
    assert judge.signature.endswith(f"/entailment{entailment}of3/contradiction{contradiction}")
    model = _Model(folder, "AutoModelForSequenceClassification")
    expected = [float(model.logits(*pair).softmax(-1)[entailment]) for pair in SHORT_PAIRS]
    found = probs(judge, [support(claim, document) for document, claim in SHORT_PAIRS])
    assert found == pytest.approx(expected, abs=2e-5)
