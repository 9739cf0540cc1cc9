"""A model that writes text in this process, whatever its tokenizer knows of conversations."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_eval.errors import ArgueEvalError
from argue_eval.judges import Settings
from argue_eval.judges.clients import Completion, Failed, Message, Request
from argue_eval.judges.limits import Limits, Meter
from argue_eval.judges.local.loading import WRITER, find

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from argue_eval.judges.clients.hf import Generator, identity
from tests.tiny_models import change, tiny_llm

MESSAGES = (Message("system", "Judge."), Message("user", "Is it?"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_llm(tmp_path_factory.mktemp("models") / "tiny", max_length=256)


@pytest.fixture
def generator(model: Path) -> Iterator[Generator]:
    made = Generator(str(model), "cpu")
    yield made
    made.close()


def request(
    text: str = "Is it?",
    limits: Limits | None = None,
    max_tokens: int = 12,
    temperature: float = 0.0,
    seed: int = 0,
) -> Request:
    return Request(
        messages=(MESSAGES[0], Message("user", text)),
        max_tokens=max_tokens,
        schema={},
        meter=Meter(limits or Limits()),
        temperature=temperature,
        seed=seed,
    )


def prompt_of(generator: Generator) -> str:
    return str(generator.tokenizer.decode(generator.tokens(MESSAGES))).replace(" ", "")


def plain(text: str) -> str:
    return text.replace("Ġ", "").replace("Ċ", "\n")


def test_a_conversation_is_written_as_the_template_has_it(generator: Generator) -> None:
    assert plain(prompt_of(generator)) == "[system]\nJudge.\n[user]\nIsit?\n[assistant]\n"


def test_a_template_that_knows_no_system_gets_it_from_the_user(generator: Generator) -> None:
    generator.tokenizer.chat_template = (
        "{% for message in messages %}{% if message.role == 'system' %}"
        "{{ raise_exception('no system') }}{% endif %}{{ message.content }}{% endfor %}"
    )
    assert plain(prompt_of(generator)) == "Judge.\n\nIsit?"


def test_a_tokenizer_without_a_template_gets_plain_text(generator: Generator) -> None:
    generator.tokenizer.chat_template = None
    assert "Judge.\n\nIsit?\n\nReply:" in plain(prompt_of(generator))


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("tokenizer_config.json", {"model_max_length": "x\x1b[31m"}),
        ("tokenizer_config.json", {"chat_template": 5}),
        ("tokenizer_config.json", {"chat_template": "{{ raise_exception('never') }}"}),
        ("tokenizer_config.json", {"chat_template": "{% for"}),
        ("generation_config.json", {"eos_token_id": 10**400}),
        ("generation_config.json", {"num_beams": -1}),
        ("generation_config.json", {"stop_strings": {"x": 1}}),
        ("config.json", {"architectures": 5}),
        ("config.json", {"architectures": ["LlamaForSequenceClassification"]}),
    ],
)
def test_odd_values_in_a_models_files_are_errors_at_the_start(
    model: Path, tmp_path: Path, name: str, changed: dict[str, Any]
) -> None:
    copy = shutil.copytree(model, tmp_path / "copy")
    (copy / "chat_template.jinja").unlink()
    change(copy / name, **changed)
    with pytest.raises(ArgueEvalError) as raised:
        Generator(str(copy), "cpu")
    assert str(raised.value).startswith(f"{copy}: ")
    assert str(raised.value).isprintable()


def test_a_template_that_fails_on_a_text_fails_that_request_alone(generator: Generator) -> None:
    generator.tokenizer.chat_template = (
        "{% for message in messages %}{% if 'bad' in message.content %}"
        "{{ raise_exception('no') }}{% endif %}{{ message.content }}{% endfor %}"
    )
    bad, good = generator.complete([request("A bad one?"), request("Is it?")])
    assert bad == Failed("the model's chat template fails: TemplateError")
    assert isinstance(good, Completion)


def test_results_come_in_order_with_their_tokens(generator: Generator) -> None:
    limits = [Limits(), Limits(), Limits()]
    texts = ["Is it?", "Is it " * 40, "Was it, or was it not, and if so, when?"]
    asked = [request(text, each) for text, each in zip(texts, limits, strict=True)]
    results = generator.complete(asked)
    assert isinstance(results[1], Failed)
    assert results[1].reason.startswith("the prompt is longer than the model's context")
    assert limits[1].num_calls == 0
    for place in (0, 2):
        result = results[place]
        assert isinstance(result, Completion)
        assert result.finish_reason in ("stop", "length")
        assert limits[place].prompt_tokens == len(generator.tokens(asked[place].messages))
        assert 0 < limits[place].reply_tokens <= 12


def test_a_reply_is_no_longer_than_allowed_and_says_that_it_was_cut_off(
    generator: Generator,
) -> None:
    generator.model.generation_config.eos_token_id = None
    generator.tokenizer.eos_token = None
    short, longer = generator.complete([request(max_tokens=3), request(max_tokens=9)])
    assert isinstance(short, Completion)
    assert isinstance(longer, Completion)
    assert (short.finish_reason, short.reply_tokens) == ("length", 3)
    assert (longer.finish_reason, longer.reply_tokens) == ("length", 9)


def test_a_reply_does_not_depend_on_the_prompts_beside_it(generator: Generator) -> None:
    """A long prompt leaves little room for a reply: to itself, not to the others of its batch."""
    generator.model.generation_config.eos_token_id = None
    generator.tokenizer.eos_token = None
    long = request("Is it? " * 20, max_tokens=100)
    while len(generator.tokens(long.messages)) < 256 - 40:
        long = request(f"{long.messages[1].text} Is it?", max_tokens=100)
    asked = [request(max_tokens=100), long, request(max_tokens=100)]
    together = generator.complete(asked)
    assert together == [generator.complete([each])[0] for each in asked]
    lengths = [each.reply_tokens or 0 for each in together if isinstance(each, Completion)]
    assert lengths[0] == lengths[2] == 100 > lengths[1]


def test_what_the_limits_do_not_allow_is_not_begun(generator: Generator) -> None:
    results = generator.complete([request(), request(limits=Limits(max_calls=0))])
    assert isinstance(results[0], Completion)
    assert results[1] is None


def test_the_same_seed_draws_the_same_reply(generator: Generator) -> None:
    drawn = [
        generator.complete([request(temperature=1.0, seed=seed, max_tokens=40)])[0]
        for seed in (1, 1, 2, 3, 4)
    ]
    texts = [result.text for result in drawn if isinstance(result, Completion)]
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_an_identity_names_files_and_format_of_numbers(model: Path) -> None:
    settings = Settings(device="cpu")
    revision = find(str(model), WRITER).revision[:12]
    assert identity(str(model), settings).startswith(f"tiny@{revision}/")
    assert identity(f"{model}/", settings) == identity(str(model), settings)
    assert identity(str(model), settings).endswith(("/fp32", "/bf16"))
