"""The judge ``nli``: what it asks a model, and what it makes of the reply."""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator, Iterable
from itertools import islice
from pathlib import Path

import pytest

from argue_eval.errors import UsageError
from argue_eval.judges import Settings, Workload
from argue_eval.judges.limits import Limits
from argue_eval.judges.local.classifier import Classifier, Pair, Scored
from argue_eval.judges.local.loading import find
from argue_eval.judges.local.tokens import Encoded
from argue_eval.judges.nli import judge as nli
from argue_eval.judges.nli.judge import NliJudge
from argue_eval.records import Document, Question, Reply, Verdict
from tests.judges.asking import covers, negative, probs, replies, support
from tests.tiny_models import MAX_LENGTH, change, plain_bytes, save, tiny_roberta, training_pairs

DOCUMENT = " ".join(f"Sentence {number} says what it says, and no more." for number in range(60))


@pytest.fixture(scope="module")
def classifier(nli_folder: Path) -> Classifier:
    return Classifier(find(str(nli_folder)), "auto")


@pytest.fixture(scope="module")
def judge(classifier: Classifier) -> NliJudge:
    return NliJudge(classifier)


def _reply(judge: NliJudge, question: Question) -> Reply:
    (reply,) = replies(judge, [question])
    return reply


def test_verdicts_are_what_the_model_has_learned(judge: NliJudge) -> None:
    pairs = training_pairs()
    found = replies(judge, [support(sentence, text) for text, sentence, _ in pairs])
    expected = [Verdict.YES if is_own else Verdict.NO for _, _, is_own in pairs]
    right = [reply.verdict is verdict for reply, verdict in zip(found, expected, strict=True)]
    assert sum(right) >= 0.95 * len(pairs)


def test_probabilities_are_those_of_entailment_as_transformers_gives_them(
    nli_folder: Path,
) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    judge = NliJudge(Classifier(find(str(nli_folder)), "cpu", "fp32"))
    model = AutoModelForSequenceClassification.from_pretrained(nli_folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(nli_folder)
    pairs = training_pairs()[:20]
    found = probs(judge, [support(sentence, text, "Title") for text, sentence, _ in pairs])
    for (text, sentence, _), prob in zip(pairs, found, strict=True):
        inputs = tokenizer(f"Title\n{text}", sentence, return_tensors="pt")
        with torch.inference_mode():
            expected = model(**inputs).logits.softmax(-1)[0, 1].item()
        assert prob == pytest.approx(expected, abs=2e-6)


def test_a_claim_is_judged_with_the_sentence_as_its_premise(judge: NliJudge) -> None:
    text, sentence, _ = training_pairs()[1]
    claim = _reply(judge, covers(sentence, text))
    assert claim.prob == _reply(judge, support(sentence, text)).prob
    assert claim.rationale == ""


def test_the_same_question_gets_the_same_alone_and_among_others(judge: NliJudge) -> None:
    questions = [support(sentence, text) for text, sentence, _ in training_pairs()]
    questions += [support(sentence, DOCUMENT) for _, sentence, _ in training_pairs()[:5]]
    together = probs(judge, questions)
    assert probs(judge, questions[::-1])[::-1] == together
    assert [_reply(judge, question).prob for question in questions[-8:]] == together[-8:]


class _Scripted(Classifier):
    """A classifier whose probabilities a test chooses, by the number of the pair that it is given.

    It splits texts as the real one does. `pairs` and `encoded` are what it was given.
    """

    def __init__(self, real: Classifier, *entailment: float) -> None:
        self.card, self.dtype = real.card, real.dtype
        self.tokenizer, self.max_length = real.tokenizer, real.max_length
        self.pairs: list[Pair] = []
        self.encoded: list[str] = []
        self._entailment = entailment

    def encode(self, text: str) -> Encoded:
        self.encoded.append(text)
        return super().encode(text)

    def predict(
        self, pairs: Iterable[Pair], limits: object = None
    ) -> Generator[Scored, None, None]:
        self.pairs = list(pairs)
        chosen = self._entailment or (0.5,) * len(self.pairs)
        for pair, prob in zip(self.pairs, chosen, strict=True):
            yield Scored(pair.key, [1 - prob, prob])


@pytest.mark.parametrize(
    ("prob", "verdict"), [(0.4999, "no"), (0.5, "yes"), (0.9, "yes"), (0.0, "no"), (1.0, "yes")]
)
def test_half_the_probability_is_a_yes_and_nothing_is_partial(
    classifier: Classifier, prob: float, verdict: str
) -> None:
    found = _reply(NliJudge(_Scripted(classifier, prob)), support("It is so.", "It is so."))
    assert (found.verdict, found.prob) == (Verdict(verdict), prob)


def test_the_most_entailing_window_decides_and_is_the_evidence(
    classifier: Classifier, judge: NliJudge
) -> None:
    question = support("It is so.", DOCUMENT)
    num_windows = judge.workload([question]).num_calls
    assert num_windows > 5
    chosen = [0.1] * num_windows
    chosen[3] = chosen[4] = 0.8
    scripted = _Scripted(classifier, *chosen)
    reply = _reply(NliJudge(scripted), question)
    assert (reply.verdict, reply.prob) == (Verdict.YES, 0.8)
    # Sentence by sentence, what the fourth window holds stands in the document.
    assert reply.rationale in DOCUMENT
    fourth = classifier.encode(reply.rationale).ids
    assert list(scripted.pairs[3].first) == list(fourth)
    assert json.loads(reply.raw or "") == {
        "probs": {"not_entailment": 0.2, "entailment": 0.8},
        "window": 4,
        "windows": num_windows,
    }


def test_a_contradiction_is_told_where_that_is_asked_and_the_model_can(
    classifier: Classifier, judge: NliJudge
) -> None:
    question = support("It is so.", DOCUMENT)
    num_windows = judge.workload([question]).num_calls
    chosen = [0.6] * num_windows
    for deciding, verdict in ((0.4, "yes"), (0.2, "yes")):
        chosen[2] = deciding  # what another window entails is not contradicted
        assert _reply(_opposing(classifier, *chosen), question).verdict is Verdict(verdict)
    chosen = [0.45, 0.3, 0.1, *[0.4] * (num_windows - 3)]
    reply = _reply(_opposing(classifier, *chosen), question)
    assert (reply.verdict, reply.prob) == (Verdict.CONTRADICTS, 0.45)
    assert json.loads(reply.raw or "")["window"] == 3
    plain = _reply(NliJudge(_Scripted(classifier, *chosen)), question)
    assert (plain.verdict, plain.prob) == (Verdict.NO, 0.45)


def _opposing(classifier: Classifier, *entailment: float) -> NliJudge:
    """A judge that is asked for contradictions, whose model has a label for them."""
    scripted = _Scripted(classifier, *entailment)
    scripted.card = classifier.card._replace(labels=("contradiction", "entailment"))
    return NliJudge(scripted, contradictions=True)


def test_signatures_differ_only_where_contradictions_are_told(
    classifier: Classifier, judge: NliJudge
) -> None:
    assert NliJudge(classifier, contradictions=True).signature == judge.signature
    opposing = _opposing(classifier).signature
    assert opposing == f"{judge.signature}/contradiction0"


def test_a_number_that_is_none_is_a_failure_whatever_the_other_windows_say(
    classifier: Classifier, judge: NliJudge
) -> None:
    question = support("It is so.", DOCUMENT)
    num_windows = judge.workload([question]).num_calls
    for place in (0, 3, num_windows - 1):
        chosen = [0.9] * num_windows
        chosen[place] = float("nan")
        reply = _reply(NliJudge(_Scripted(classifier, *chosen)), question)
        assert (reply.verdict, reply.reason) == (None, "the model gave no number")


def test_equal_texts_are_asked_once_and_answer_every_question(classifier: Classifier) -> None:
    text = "It is so."
    scripted = _Scripted(classifier, 0.75)
    found = replies(NliJudge(scripted), [support(text, text), covers(text, text)] * 2)
    assert len(scripted.pairs) == 1
    assert [each.prob for each in found] == [0.75] * 4
    assert [each.rationale for each in found] == [text, "", text, ""]


def test_a_document_is_tokenised_once(classifier: Classifier) -> None:
    text = "A text about a heron."
    scripted = _Scripted(classifier)
    judge = NliJudge(scripted)
    replies(judge, [support(f"Sentence {number}.", text) for number in range(9)])
    replies(judge, [support("Another wave.", text)])
    assert scripted.encoded.count(text) == 1


def test_workload_is_what_is_then_asked(classifier: Classifier, judge: NliJudge) -> None:
    questions = [support(sentence, DOCUMENT) for _, sentence, _ in training_pairs()[:3]]
    questions += [support(sentence, text) for text, sentence, _ in training_pairs()[:3]]
    load = judge.workload(questions)
    scripted = _Scripted(classifier)
    replies(NliJudge(scripted), questions)
    special = classifier.tokenizer.num_special
    lengths = [len(each.first) + len(each.second) + special for each in scripted.pairs]
    assert load == Workload(num_calls=len(lengths), prompt_tokens=sum(lengths))
    assert max(lengths) <= MAX_LENGTH


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (support("It is so.", None), "no document text"),
        (support("It is so.", " \n"), "no document text"),
        (support(" ", "It is so."), "no sentence text"),
        (covers(" ", "It is so."), "no claim text"),
        (covers("It is so.", ""), "no sentence text"),
        (negative("It is unknown."), "not a kind that this judge answers"),
        (support("It is so.", "\x00"), "the model's tokenizer finds no token in a text"),
        (support("\x00", "It is so."), "the model's tokenizer finds no token in a text"),
        (
            support("word " * 90, "It is so."),
            "the sentence or claim leaves too little room for the text that should entail it: "
            f"the model reads {MAX_LENGTH} tokens",
        ),
    ],
)
def test_what_cannot_be_asked_is_a_failure_with_the_reason(
    judge: NliJudge, question: Question, reason: str
) -> None:
    found = replies(judge, [question, support("So.", "It is so.")])
    assert [(each.reason, each.verdict is None) for each in found] == [(reason, True), ("", False)]


def test_a_document_with_a_title_alone_is_judged(judge: NliJudge) -> None:
    assert _reply(judge, support("It is so.", "", "It is so")).rationale == "It is so"


def test_strange_texts_are_judged(judge: NliJudge) -> None:
    texts = ("\ud800 so", "[SEP] entailment [SEP]", "字" * 500, "a" * 5000, "🦆" * 300)
    assert len(probs(judge, [support("It is so.", text) for text in texts])) == len(texts)


def test_replies_come_batch_by_batch_and_stop_when_halted(nli_folder: Path) -> None:
    limits = Limits()
    judge = nli.create(str(nli_folder), settings=Settings(limits=limits))
    questions = [support(f"Sentence {number} of many.", "It is so.") for number in range(400)]
    found = []
    for reply in judge.answer(questions):
        found.append(reply)
        limits.halt("interrupted")
    assert 0 < len(found) < 200
    assert list(judge.answer([*questions, support("It is so.", None)])) == []


@pytest.mark.parametrize("stop_after", [1, 7, 20, 33])
def test_what_was_stopped_ends_as_if_it_had_not_been(judge: NliJudge, stop_after: int) -> None:
    questions = [support(sentence, text) for text, sentence, _ in training_pairs()]
    questions += [support(sentence, DOCUMENT) for _, sentence, _ in training_pairs()[:4]]
    found = {reply.index: reply for reply in islice(judge.answer(questions), stop_after)}
    left = [at for at in range(len(questions)) if at not in found]
    for at, reply in zip(left, replies(judge, [questions[at] for at in left]), strict=True):
        found[at] = reply._replace(index=at)
    assert [found[at] for at in range(len(questions))] == replies(judge, questions)


def test_signature_names_what_could_change_a_verdict(nli_folder: Path, tmp_path: Path) -> None:
    first = NliJudge(Classifier(find(str(nli_folder)), "cpu", "fp32")).signature
    revision = find(str(nli_folder)).revision[:12]
    assert first == f"nli@1/tiny-nli@{revision}/fp32/window96/yes0.5/entailment1of2"
    assert NliJudge(Classifier(find(str(nli_folder)), "cpu", "bf16")).signature != first
    changed = shutil.copytree(nli_folder, tmp_path / "tiny nli|new")
    change(changed / "config.json", layer_norm_eps=1e-5)
    second = NliJudge(Classifier(find(str(changed)), "cpu", "fp32")).signature
    assert second.split("@")[2][:12] != revision
    assert second.startswith("nli@1/tiny_nli_new@")


def test_a_fact_checking_model_is_read_by_its_labels(tmp_path: Path) -> None:
    plain_bytes(64).save_pretrained(tmp_path)
    save(tiny_roberta(300, {0: "unsupported", 1: "supported"}, 64), tmp_path)
    judge = nli.create(str(tmp_path))
    assert judge.signature.endswith("/entailment1of2")
    reply = _reply(judge, support("It is so.", "It is so."))
    found = json.loads(reply.raw or "")["probs"]
    assert reply.prob == found["supported"]
    assert found["supported"] + found["unsupported"] == pytest.approx(1, abs=1e-3)


def test_a_model_without_names_is_refused_before_its_weights_are_read(tmp_path: Path) -> None:
    from transformers import BertConfig

    config = BertConfig(num_labels=2, architectures=["BertForSequenceClassification"])
    config.save_pretrained(tmp_path)
    with pytest.raises(UsageError, match="LABEL_0"):  # there are no weights
        nli.create(str(tmp_path))


def test_the_splitter_knows_the_language_of_a_document(judge: NliJudge) -> None:
    question = support("It is so.", "")
    question.document = Document("d1", "", "水坝很高。" * 60, "zh")
    assert _reply(judge, question).rationale.endswith("。")
