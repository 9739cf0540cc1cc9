"""A scripted model that makes a haystack as it should be, and the defects that a test plants.

    server = HaystackServer(plants={"t-d003": leave_out(first=1)})
    with ChatServer(server) as chat, chat.environment():
        argue_eval("curate haystack topics.jsonl --model m -o haystack.json …")

``make_haystack()`` makes the same haystack without a model or a command.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tests.chat_server import Answer, Received, says

NUM_SUBTOPICS, NUM_INSIGHTS, NUM_DOCUMENTS, PER_DOCUMENT, NUM_WORDS = 3, 4, 12, 3, 120
SHAPE = (
    f"--subtopics {NUM_SUBTOPICS} --insights {NUM_INSIGHTS} --documents {NUM_DOCUMENTS} "
    f"--per-document {PER_DOCUMENT} --words {NUM_WORDS}"
)
"""The options for the haystack that this server can write."""

TOPIC = {"topic_id": "t", "title": "Neighbours talk about life on the island"}

_PEOPLE = ("Ada", "Bo", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kim", "Leo")
_FACTS = {
    "the ferry": (
        "The ferry 'Elba' has left the north pier at 6:40 every morning since May 2019.",
        "A monthly ticket of the Skerry Line costs 58 euros, and children under 14 pay nothing.",
        "In the storm of 2021 the captain Rasmussen turned back 9 miles before the harbour.",
        "The new electric boat 'Tern' takes 120 passengers and charges for 35 minutes in Lund.",
    ),
    "the school": (
        "The village school of Ronne teaches 31 pupils in 2 classrooms this year.",
        "The teacher Ms Okafor won the Lindgren prize for reading in October 2022.",
        "The school garden grows 17 kinds of apples, among them the old sort Filippa.",
        "Pupils of grade 7 sail to Gotland for 5 days, paid by the Hansen foundation.",
    ),
    "the power supply": (
        "The wind turbine at Cape Sorrel made 4,200 megawatt hours in its first year.",
        "The undersea cable to Malmo was cut by an anchor on 3 March and repaired after 11 days.",
        "The battery in the old cannery of Vik stores power for 260 homes and 8 hours.",
        "The cooperative Sunfold put solar panels on 44 roofs for 190,000 kroner.",
    ),
}
"""The subtopics with their insights. No insight has all numbers and names of another."""

SPARE = "The mailman Pettersson walks 13 kilometres along the Gull path every day."
"""An insight that belongs to no subtopic."""

_CHAT = (
    "well really I do wonder what they will think of it when the wind turns and everybody goes "
    "home slowly because it was such a quiet evening again and nobody wanted to say much more"
)
_WORDS = _CHAT.split()


def subtopics() -> list[dict[str, str]]:
    """The subtopics as a reply lists them."""
    return [
        {"name": name, "subtopic": f"The neighbours talk about {name} of the island.",
         "query": f"What do the neighbours say about {name}?"}
        for name in _FACTS
    ]  # fmt: skip


def insights(subtopic: int) -> list[dict[str, str]]:
    """The insights of a subtopic, counted from 1, as a reply lists them."""
    facts = list(_FACTS.values())[subtopic - 1]
    return [{"name": " ".join(fact.split()[1:4]), "insight": fact} for fact in facts]


def document(number: int, facts: Sequence[str]) -> str:
    """A conversation that says these facts, and nothing else that counts."""
    people = [_PEOPLE[(number + at) % len(_PEOPLE)] for at in range(3)]
    turns = [f"{people[at % 3]}: {fact}" for at, fact in enumerate(facts)]
    at = number
    while sum(len(turn.split()) for turn in turns) < NUM_WORDS - 12:
        chat = " ".join(_WORDS[(at + place) % len(_WORDS)] for place in range(11))
        turns.append(f"{people[at % 3]}: {chat.capitalize()}.")
        at += 5
    return "\n".join(turns)


class Asked(NamedTuple):
    """What a call asks for.

    Attributes:
        step: such as ``write``; `doc_id`: the document, where the step is about one.
        lines: of the call's own block, label and text.
        attempt: 0 when a document is written, then the number of the repair.
    """

    step: str
    doc_id: str
    lines: Sequence[tuple[str, str]]
    attempt: int = 0

    def texts(self, label: str) -> list[str]:
        """The texts with a label."""
        return [text for name, text in self.lines if name == label]


Plant = Callable[[Asked, str], Answer | None]
"""Given what was asked and the right reply, another answer; None for the right one."""

_STEPS = {
    "wanted_subtopics": "subtopics",
    "overlapping": "overlaps",
    "wanted_insights": "insights",
    "unsorted": "sort",
    "points": "dedupe",
    "planned": "write",
    "examined": "check",
    "defective": "repair",
}
_LINE = re.compile(r'([^":]+): (.*)')


def block(prompt: str, name: str) -> list[tuple[str, str]]:
    """The lines of a block of a prompt, as label and text."""
    inner = re.search(rf"<<<{name} \w+>>>\n(.*?)\n<<<end \w+>>>", prompt, re.S)
    found = [_LINE.fullmatch(line) for line in inner[1].split("\n")] if inner else []
    return [(line[1], _text(line[2])) for line in found if line]


def plain(prompt: str) -> str:
    """A prompt without what is random in it: the codes of its delimiters."""
    return re.sub(r"(?<=<<<)(\w+) \w+(?=>>>)", r"\1", prompt)


def _text(value: str) -> str:
    try:
        return str(json.loads(value))
    except ValueError:
        return value


class HaystackServer:
    """The script of a chat server that makes a haystack.

    Args:
        plants: by the document, or by the step (``insights``), what goes wrong there.
        other: answers requests that are about something else, such as summaries.

    Attributes:
        asked: what was asked for so far.
        times: how often each prompt was asked, without its delimiters.
    """

    def __init__(
        self,
        plants: Mapping[str, Plant] | None = None,
        other: Callable[[Received], Answer] | None = None,
    ) -> None:
        self.plants = dict(plants or {})
        self.asked: list[Asked] = []
        self.times: Counter[str] = Counter()
        self._other = other
        self._by_text: dict[str, str] = {}
        self._lock = threading.Lock()

    def __call__(self, received: Received) -> Answer:
        """Answers a request."""
        prompt = received.prompt
        step = next((step for own, step in _STEPS.items() if f"<<<{own} " in prompt), None)
        if step is None:
            assert self._other is not None, prompt
            return self._other(received)
        with self._lock:
            asked = self._read(step, prompt)
            self.asked.append(asked)
            self.times[plain(prompt)] += 1
            reply = json.dumps(getattr(self, f"_{step}")(asked, prompt))
            answer = says(reply)
            for name in (asked.doc_id, step):
                planted = self.plants[name](asked, reply) if name in self.plants else None
                answer = planted or answer
            self._note(asked, answer)
        return answer

    def _read(self, step: str, prompt: str) -> Asked:
        own = next(name for name, each in _STEPS.items() if each == step)
        lines = block(prompt, own)
        found = Asked(step, "", lines)
        if step == "write":
            return found._replace(doc_id=f"t-d{int(found.texts('number')[0].split()[0]):03}")
        if step in ("check", "repair"):
            doc_id = self._by_text[found.texts("document")[0]]
            return found._replace(doc_id=doc_id, attempt=int((*found.texts("attempt"), "0")[0]))
        return found

    def _note(self, asked: Asked, answer: Answer) -> None:
        """Remembers which document has a text."""
        if asked.step in ("write", "repair"):
            content = json.loads(answer.body).get("choices", [{}])[0].get("message", {})
            try:
                text = json.loads(content["content"])["document"]
                self._by_text.setdefault(text, asked.doc_id)
            except (KeyError, TypeError, ValueError):
                pass

    # --- the right replies ----------------------------------------------------------------------

    def _subtopics(self, asked: Asked, prompt: str) -> Any:
        known = " ".join(asked.texts("known"))
        left = [each for each in subtopics() if each["name"] not in known]
        return {"subtopics": left[: int(asked.texts("wanted")[0])]}

    def _overlaps(self, asked: Asked, prompt: str) -> Any:
        return {"overlaps": []}

    def _insights(self, asked: Asked, prompt: str) -> Any:
        taken = {*asked.texts("known")}
        own = insights(int(asked.texts("subtopic")[0]))
        left = [each for each in own if each["insight"] not in taken]
        return {"insights": left[: int(asked.texts("wanted")[0])]}

    def _sort(self, asked: Asked, prompt: str) -> Any:
        homes = {fact: at for at, facts in enumerate(_FACTS.values(), 1) for fact in facts}
        return {
            "sorted": [
                {"insight": at, "subtopic": homes.get(text, 1), "name": "s"}
                for at, (_, text) in enumerate(asked.lines, 1)
            ]
        }

    def _dedupe(self, asked: Asked, prompt: str) -> Any:
        numbers = range(1, len(asked.lines) + 1)
        return {"groups": [{"point": f"point {number}", "numbers": [number]} for number in numbers]}

    def _write(self, asked: Asked, prompt: str) -> Any:
        number = int(asked.texts("number")[0].split()[0])
        return {"document": document(number, asked.texts("insight"))}

    def _repair(self, asked: Asked, prompt: str) -> Any:
        number = int(asked.doc_id[-3:])
        return {"document": document(number, asked.texts("insight"))}

    def _check(self, asked: Asked, prompt: str) -> Any:
        text = asked.texts("document")[0]
        found = []
        for at, (_, insight) in enumerate(block(prompt, "insights"), 1):
            # As a model does, it takes a fact with another number or name for the fact.
            pattern = re.sub(r"\b(\d|[A-Z])\w*", r"\\w+", re.escape(insight))
            if match := re.search(pattern, text):
                found.append({"number": at, "quote": match[0]})
        return {"found": found}


# --- defects ------------------------------------------------------------------------------------


def changed(change: Callable[[str, Asked], str], until: int = 1, step: str = "") -> Plant:
    """Changes a document's text, in as many attempts; from then on it is right.

    Args:
        step: only the replies of this step.
    """

    def plant(asked: Asked, reply: str) -> Answer | None:
        if asked.step not in ((step,) if step else ("write", "repair")) or asked.attempt >= until:
            return None
        return says(json.dumps({"document": change(json.loads(reply)["document"], asked)}))

    return plant


def leave_out(until: int = 1) -> Plant:
    """The first insight is not in the document."""
    return changed(lambda text, asked: text.replace(asked.texts("insight")[0], "Hm, yes."), until)


def leak(insight: str, until: int = 1) -> Plant:
    """An insight is in a document where it must not be."""
    return changed(lambda text, asked: f"{text}\nZoe: {insight}", until)


def change_number(until: int = 1) -> Plant:
    """The first number of the first insight is another one in the document."""

    def other(text: str, asked: Asked) -> str:
        insight = asked.texts("insight")[0]
        return text.replace(insight, re.sub(r"\d+", "77", insight, count=1))

    return changed(other, until)


def first_times(answer: Answer, number: int, steps: Sequence[str]) -> Plant:
    """The first answers to some steps are others, such as a refusal."""
    left = [number]

    def plant(asked: Asked, reply: str) -> Answer | None:
        if asked.step not in steps or not left[0]:
            return None
        left[0] -= 1
        return answer

    return plant


REFUSAL = says(None, refusal="I cannot write that.")
BROKEN = says('{"document": "Ada: The fer')


# --- without a model ----------------------------------------------------------------------------


def make_haystack() -> dict[str, Any]:
    """A haystack of 3 subtopics and 12 documents; a document has two insights of one subtopic.

    Every subtopic has 4 documents, in turn, and every insight 2.
    """
    themes: list[dict[str, Any]] = []
    for place, theme in enumerate(subtopics(), 1):
        listed = [
            {"insight_id": f"t-s{place}-i{at}", "insight_name": each["name"],
             "insight": each["insight"]}
            for at, each in enumerate(insights(place), 1)
        ]  # fmt: skip
        themes.append(
            {"subtopic_id": f"t-s{place}", "subtopic_name": theme["name"],
             "subtopic": theme["subtopic"], "insights": listed, "query": theme["query"],
             "retriever": {}, "summaries": {}, "eval_summaries": {}}
        )  # fmt: skip
    documents = []
    for number in range(NUM_DOCUMENTS):
        facts = themes[number % NUM_SUBTOPICS]["insights"]
        first = number // NUM_SUBTOPICS
        own = [facts[first % NUM_INSIGHTS], facts[(first + 1) % NUM_INSIGHTS]]
        text = document(number + 1, [each["insight"] for each in own])
        documents.append(
            {"document_id": f"t-d{number + 1:03}", "document_text": text, "document_metadata": [],
             "insights_included": [each["insight_id"] for each in own]}
        )  # fmt: skip
    return {
        "topic_id": TOPIC["topic_id"],
        "topic": TOPIC["title"],
        "topic_metadata": {},
        "subtopics": themes,
        "documents": documents,
    }
