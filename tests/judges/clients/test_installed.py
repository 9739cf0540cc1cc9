"""Clients of other packages, installed by an entry point; and which client a model's name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval.judges import Settings
from argue_eval.judges.limits import Limits
from argue_eval.judges.llm.judge import create
from argue_eval.judges.model import Model
from argue_eval.records import Verdict
from tests.judges.asking import answers, negative
from tests.plugins.files import install

_MODULE = """
from argue_eval.judges.clients import Completion


def identity(model, settings):
    return f"{model}@7"


def create(model, settings):
    return Client(model)


class Client:
    concurrency = 1
    batch_size = 4
    sizes = []

    def __init__(self, model):
        self.is_hoarse = model == "hoarse"
        self.beside = "\\ud83d" if model == "cut" else ""

    def complete(self, requests):
        if self.is_hoarse and len(requests[0].messages) > 2:
            raise RuntimeError("out of memory")
        self.sizes.append(len(requests))
        return [self._reply(request) for request in requests]

    def _reply(self, request):
        if not request.meter.begin():
            return None
        request.meter.end(10, 2)
        is_first = len(request.messages) == 2
        said = '{"1":"perhaps","negative_1":"no"}' if is_first else '{"1":"yes"}'
        return Completion(said + self.beside)

    def close(self):
        pass
"""


@pytest.fixture(autouse=True)
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with the client `oracle`."""
    install(tmp_path, "oracle", _MODULE, "clients")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.parametrize(
    ("name", "client", "served", "identity"),
    [
        ("gpt-4o", "chat", "gpt-4o", "gpt-4o"),
        ("org/model", "chat", "org/model", "org/model"),
        ("llama3:8b", "chat", "llama3:8b", "llama3:8b"),
        ("a model|x", "chat", "a model|x", "a%20model%7Cx"),
        ("chat:gpt-4o", "chat", "gpt-4o", "gpt-4o"),
        ("oracle:delphi", "oracle", "delphi", "oracle:delphi@7"),
    ],
)
def test_the_name_of_a_model_names_its_client(
    name: str, client: str, served: str, identity: str
) -> None:
    model = Model(name, Settings())
    assert (model.client_name, model.served_name, model.identity) == (client, served, identity)
    assert model.is_served == (client == "chat")


def test_an_installed_client_is_asked_turn_by_turn_several_requests_at_a_time() -> None:
    limits = Limits()
    judge = create("oracle:delphi", (), Settings(limits=limits))
    questions = [*(answers("When?", "in 1912", f"Sentence {n}.") for n in range(3)), negative("S.")]
    replies = sorted(judge.answer(questions), key=lambda reply: reply.index)
    assert [reply.verdict for reply in replies] == [Verdict.YES] * 3 + [Verdict.NO]
    assert [reply.num_attempts for reply in replies] == [2, 2, 2, 1]
    assert (limits.num_calls, limits.prompt_tokens, limits.reply_tokens) == (7, 70, 14)
    import oracle  # type: ignore[import-not-found]

    assert oracle.Client.sizes == [4, 3]
    assert judge.signature.startswith("llm@2/oracle:delphi@7/")


def test_what_ended_before_a_client_fails_is_answered() -> None:
    judge = create("oracle:hoarse", (), Settings())
    replies = judge.answer([answers("When?", "in 1912", "Sentence."), negative("S.")])
    assert next(replies).verdict is Verdict.NO
    with pytest.raises(RuntimeError, match="out of memory"):
        next(replies)


def test_half_a_character_in_a_reply_does_not_end_the_judging() -> None:
    (reply,) = create("oracle:cut", (), Settings()).answer([negative("S.")])
    assert reply.verdict is Verdict.NO
