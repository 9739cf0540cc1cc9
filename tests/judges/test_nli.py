"""The judge ``nli``: what it asks a model, and what it makes of the reply."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from argue_eval.errors import UsageError
from argue_eval.judges import Settings
from argue_eval.judges.limits import Limits
from argue_eval.judges.local.classifier import Classifier, Encoded, Pair, Scored, find
from argue_eval.judges.nli import judge as nli
from argue_eval.judges.nli.judge import NliJudge
from argue_eval.records import Ask, Document, JudgeFailure, Judgment, Kind, Verdict
from tests.judges.asking import covers, negative, replies, support
from tests.tiny_models import MAX_LENGTH, plain_bytes, save, tiny_roberta, training_pairs

DOCUMENT = " ".join(f"Sentence {number} says what it says, and no more." for number in range(60))


@pytest.fixture(scope="module")
def judge(nli_folder: Path) -> NliJudge:
    return nli.create(str(nli_folder))


def _judged(judge: NliJudge, ask: Ask) -> Judgment:
    (answer,) = replies(judge, [ask])
    assert isinstance(answer, Judgment)
    return answer


def _reason(judge: NliJudge, ask: Ask) -> str:
    (answer,) = replies(judge, [ask])
    assert isinstance(answer, JudgeFailure)
    return answer.reason


def test_verdicts_are_what_the_model_has_learned(judge: NliJudge) -> None:
    pairs = training_pairs()
    found = replies(judge, [support(sentence, text) for text, sentence, _ in pairs])
    expected = [Verdict.YES if is_own else Verdict.NO for _, _, is_own in pairs]
    right = [
        isinstance(each, Judgment) and each.verdict is verdict
        for each, verdict in zip(found, expected, strict=True)
    ]
    assert sum(right) >= 0.95 * len(pairs)


def test_probabilities_are_those_of_entailment_as_transformers_gives_them(
    nli_folder: Path,
) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    judge = NliJudge(Classifier(find(str(nli_folder)), "cpu", "fp32"))
    model = AutoModelForSequenceClassification.from_pretrained(nli_folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(nli_folder)
    asks = [support(sentence, text, "Title") for text, sentence, _ in training_pairs()[:20]]
    for ask, answer in zip(asks, replies(judge, asks), strict=True):
        assert ask.document is not None
        inputs = tokenizer(f"Title\n{ask.document.text}", ask.sentence, return_tensors="pt")
        with torch.inference_mode():
            expected = model(**inputs).logits.softmax(-1)[0, 1].item()
        assert isinstance(answer, Judgment)
        assert answer.prob == pytest.approx(expected, abs=2e-6)


def test_a_claim_is_judged_with_the_sentence_as_its_premise(judge: NliJudge) -> None:
    text, sentence, _ = training_pairs()[1]
    claim = _judged(judge, covers(sentence, text))
    assert claim.prob == _judged(judge, support(sentence, text)).prob
    assert claim.kind is Kind.COVERS
    assert claim.rationale == ""


def test_the_same_ask_gets_the_same_alone_and_among_others(judge: NliJudge) -> None:
    asks = [support(sentence, text) for text, sentence, _ in training_pairs()]
    asks += [support(sentence, DOCUMENT) for _, sentence, _ in training_pairs()[:5]]
    together = replies(judge, asks)
    assert replies(judge, asks[::-1])[::-1] == together
    assert [_judged(judge, ask) for ask in asks[-8:]] == together[-8:]


class _Scripted:
    """A classifier whose probabilities a test chooses, by the number of the pair that it is given.

    It splits texts as the real one does.
    """

    def __init__(self, real: Classifier, *entailment: float) -> None:
        self.card, self.dtype = real.card, real.dtype
        self.tokenizer, self.max_length = real.tokenizer, real.max_length
        self.encode = real.encode
        self.pairs: list[Pair] = []
        self._entailment = entailment

    def predict(self, pairs: Iterator[Pair], is_halted: object = None) -> Iterator[Scored]:
        self.pairs = list(pairs)
        for pair, prob in zip(self.pairs, self._entailment, strict=True):
            yield Scored(pair.key, [1 - prob, prob])


def _scripted(judge: NliJudge, *entailment: float) -> tuple[NliJudge, _Scripted]:
    scripted = _Scripted(judge._classifier, *entailment)
    return NliJudge(scripted), scripted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("prob", "verdict"), [(0.4999, "no"), (0.5, "yes"), (0.9, "yes"), (0.0, "no"), (1.0, "yes")]
)
def test_half_the_probability_is_a_yes_and_nothing_is_partial(
    judge: NliJudge, prob: float, verdict: str
) -> None:
    scripted, _ = _scripted(judge, prob)
    found = _judged(scripted, support("It is so.", "It is so."))
    assert (found.verdict.value, found.prob) == (verdict, prob)


def test_the_most_entailing_window_decides_and_is_the_evidence(judge: NliJudge) -> None:
    ask = support("It is so.", DOCUMENT)
    num_windows = judge.workload([ask]).num_calls
    assert num_windows > 5
    probs = [0.1] * num_windows
    probs[3] = probs[4] = 0.8
    scripted, asked = _scripted(judge, *probs)
    (reply,) = scripted.judge([ask])
    assert isinstance(reply.answer, Judgment)
    assert (reply.answer.verdict, reply.answer.prob) == (Verdict.YES, 0.8)
    # Sentence by sentence, what the fourth window holds stands in the document.
    assert reply.answer.rationale in DOCUMENT
    fourth = judge._classifier.encode(reply.answer.rationale).ids
    assert list(asked.pairs[3].first) == list(fourth)
    assert json.loads(reply.raw or "") == {
        "probs": {"not_entailment": 0.2, "entailment": 0.8},
        "window": 4,
        "windows": num_windows,
    }


def test_a_number_that_is_none_is_a_failure_whatever_the_other_windows_say(
    judge: NliJudge,
) -> None:
    ask = support("It is so.", DOCUMENT)
    num_windows = judge.workload([ask]).num_calls
    for place in (0, 3, num_windows - 1):
        probs = [0.9] * num_windows
        probs[place] = float("nan")
        scripted, _ = _scripted(judge, *probs)
        assert _reason(scripted, ask) == nli.NO_NUMBER


def test_equal_texts_are_asked_once_and_answer_every_ask(judge: NliJudge) -> None:
    asks = [
        support("It is so.", "It is so."),
        covers("It is so.", "It is so."),
        support("It is so.", "It is so.")._replace(topic_id="t2"),
    ]
    scripted, asked = _scripted(judge, 0.75)
    found = replies(scripted, asks)
    assert len(asked.pairs) == 1
    assert [each.topic_id for each in found] == ["t1", "t1", "t2"]
    assert [each.kind for each in found] == [Kind.SUPPORT, Kind.COVERS, Kind.SUPPORT]


def test_a_document_is_tokenised_once(judge: NliJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "A text that no other test has, about a heron."
    encoded: list[str] = []
    encode = judge._classifier.encode

    def watched(each: str) -> Encoded:
        encoded.append(each)
        return encode(each)

    monkeypatch.setattr(judge._classifier, "encode", watched)
    replies(judge, [support(f"Sentence {number}.", text) for number in range(9)])
    replies(judge, [support("Another wave.", text)])
    assert encoded.count(text) == 1


def test_workload_is_what_is_then_asked(judge: NliJudge) -> None:
    asks = [support(sentence, DOCUMENT) for _, sentence, _ in training_pairs()[:3]]
    asks += [support(sentence, text) for text, sentence, _ in training_pairs()[:3]]
    load = judge.workload(asks)
    scripted, asked = _scripted(judge, *[0.5] * load.num_calls)
    replies(scripted, asks)
    special = judge._classifier.tokenizer.num_special
    lengths = [len(each.first) + len(each.second) + special for each in asked.pairs]
    assert (load.num_calls, load.prompt_tokens, load.reply_tokens) == (
        len(lengths),
        sum(lengths),
        0,
    )
    assert max(lengths) <= MAX_LENGTH


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (support("It is so.", None), nli.NO_DOCUMENT),
        (support("It is so.", " \n"), nli.NO_DOCUMENT),
        (support(" ", "It is so."), nli.NO_SENTENCE),
        (covers(" ", "It is so."), nli.NO_CLAIM),
        (covers("It is so.", ""), nli.NO_SENTENCE),
        (negative("It is unknown."), nli.OTHER_KIND),
    ],
)
def test_what_cannot_be_asked_is_a_failure_with_the_reason(
    judge: NliJudge, ask: Ask, reason: str
) -> None:
    assert _reason(judge, ask) == reason


def test_a_document_with_a_title_alone_is_judged(judge: NliJudge) -> None:
    assert _judged(judge, support("It is so.", "", "It is so")).rationale == "It is so"


def test_a_sentence_that_leaves_no_room_is_a_failure_not_a_truncation(judge: NliJudge) -> None:
    reason = _reason(judge, support("word " * 90, "It is so."))
    assert "leaves too little room" in reason
    assert f"the model reads {MAX_LENGTH} tokens" in reason
    among = replies(judge, [support("word " * 90, "It is so."), support("So.", "It is so.")])
    assert [type(each) for each in among] == [JudgeFailure, Judgment]


def test_strange_texts_are_judged(judge: NliJudge) -> None:
    for text in ("\ud800 so", "[SEP] entailment [SEP]", "字" * 500, "a" * 5000, "🦆" * 300):
        assert isinstance(replies(judge, [support("It is so.", text)])[0], Judgment)


def test_a_text_without_a_token_is_a_failure(judge: NliJudge) -> None:
    assert _reason(judge, support("It is so.", "\x00")) == nli.NO_TOKENS
    assert _reason(judge, support("\x00", "It is so.")) == nli.NO_TOKENS


def test_replies_come_batch_by_batch_and_stop_when_halted(nli_folder: Path) -> None:
    limits = Limits()
    judge = nli.create(str(nli_folder), settings=Settings(limits=limits))
    asks = [support(f"Sentence {number} of many.", "It is so.") for number in range(400)]
    found = []
    for reply in judge.judge(asks):
        found.append(reply)
        limits.halt("interrupted")
    assert 0 < len(found) < 200
    assert list(judge.judge([*asks, support("It is so.", None)])) == []


@pytest.mark.parametrize("stop_after", [1, 7, 20, 33])
def test_what_was_stopped_ends_as_if_it_had_not_been(judge: NliJudge, stop_after: int) -> None:
    asks = [support(sentence, text) for text, sentence, _ in training_pairs()]
    asks += [support(sentence, DOCUMENT) for _, sentence, _ in training_pairs()[:4]]
    found: dict[int, Judgment | JudgeFailure] = {}
    unfinished = judge.judge(asks)
    for reply in unfinished:
        found[reply.ask_index] = reply.answer
        if len(found) == stop_after:
            break
    left = [at for at in range(len(asks)) if at not in found]
    found.update(zip(left, replies(judge, [asks[at] for at in left]), strict=True))
    assert [found[at] for at in range(len(asks))] == replies(judge, asks)


def test_signature_names_what_could_change_a_verdict(nli_folder: Path, tmp_path: Path) -> None:
    first = NliJudge(Classifier(find(str(nli_folder)), "cpu", "fp32")).signature
    revision = find(str(nli_folder)).revision[:12]
    assert first == f"nli@1/tiny-nli@{revision}/fp32/window96/yes0.5/entailment1of2"
    assert NliJudge(Classifier(find(str(nli_folder)), "cpu", "bf16")).signature != first
    changed = shutil.copytree(nli_folder, tmp_path / "tiny nli|new")
    config = json.loads((changed / "config.json").read_text("utf-8"))
    (changed / "config.json").write_text(json.dumps({**config, "layer_norm_eps": 1e-5}), "utf-8")
    second = NliJudge(Classifier(find(str(changed)), "cpu", "fp32")).signature
    assert second.split("@")[2][:12] != revision
    assert second.startswith("nli@1/tiny_nli_new@")


def test_a_fact_checking_model_is_read_by_its_labels(tmp_path: Path) -> None:
    plain_bytes(64).save_pretrained(tmp_path)
    save(tiny_roberta(300, {0: "unsupported", 1: "supported"}, 64), tmp_path)
    judge = nli.create(str(tmp_path))
    assert judge.signature.endswith("/entailment1of2")
    (reply,) = judge.judge([support("It is so.", "It is so.")])
    assert isinstance(reply.answer, Judgment)
    probs = json.loads(reply.raw or "")["probs"]
    assert reply.answer.prob == probs["supported"]
    assert probs["supported"] + probs["unsupported"] == pytest.approx(1, abs=1e-3)


def test_a_model_without_names_is_refused_before_its_weights_are_read(tmp_path: Path) -> None:
    from transformers import BertConfig

    config = BertConfig(num_labels=2, architectures=["BertForSequenceClassification"])
    config.save_pretrained(tmp_path)
    with pytest.raises(UsageError, match="LABEL_0"):  # there are no weights
        nli.create(str(tmp_path))


def test_the_language_of_a_document_is_told_to_the_splitter(judge: NliJudge) -> None:
    text = "水坝很高。" * 60
    document = Document("d1", "", text, "zh")
    found = _judged(judge, support("It is so.", "")._replace(document=document))
    assert found.rationale.endswith("。")
