"""A model that answers every question with the same word, the model's name."""

import json
from collections.abc import Sequence

from argue_eval.judges import Settings
from argue_eval.judges.clients import Completion, Request, Result


class EchoClient:
    """Answers in this process, at once."""

    concurrency = 1
    batch_size = 8

    def __init__(self, word: str) -> None:
        self._word = word

    def complete(self, requests: Sequence[Request]) -> list[Result]:
        """One result per request."""
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Result:
        if not request.meter.begin():
            return None
        text = json.dumps(dict.fromkeys(request.schema["required"], self._word))
        request.meter.end(prompt_tokens=0, reply_tokens=len(text))
        return Completion(text)

    def close(self) -> None:
        """Nothing is open."""


def identity(model: str, settings: Settings) -> str:
    """What names the model in signatures."""
    return f"{model}@1"


def create(model: str, settings: Settings) -> EchoClient:
    """Makes the client."""
    return EchoClient(model)
