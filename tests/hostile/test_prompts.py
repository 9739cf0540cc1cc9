"""Whatever a text says, it stays within its delimiters, on one line, as one JSON string."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argue_eval.judges import Settings
from argue_eval.judges.llm.batch import batch_lines
from argue_eval.judges.llm.judge import create
from argue_eval.judges.model import neutral, quoted
from argue_eval.records import Question, ReportRequest
from tests.hostile.attempts import ATTEMPTS
from tests.judges import asking

PLAIN = "A plain text."
LINE = re.compile(r'(?:[a-z ]+|\d+): (".*")')
OPENING = re.compile(r"<<<([a-z]+) ([0-9a-f]{10})>>>")
PLACES = ("sentence", "document", "title", "question", "answer", "request", "earlier")

SIGNS = re.compile(
    r"<\||\|>|<｜|｜>|<<|>>|\[/?INST\]|\[/?(?:SYSTEM_PROMPT|TOOL_CALLS|BOS|EOS)\]"
    r"|</?(?:s|bos|eos|pad|unk|think|tool_call|start_of_turn|end_of_turn|system)>",
    re.IGNORECASE,
)
VISIBLE_FORMATS = {0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F, 0x0890, 0x0891}
"""Signs that are drawn although they count as formatting: of numbers and verses, in Arabic."""


def questions_with(text: str, place: str) -> list[Question]:
    """One question of every kind, with a text at one place and plain ones elsewhere."""

    def at(name: str) -> str:
        return text if name == place else PLAIN

    request = ReportRequest("t1", at("request"), at("request"), at("request"))
    sentence, question, answer = at("sentence"), at("question"), at("answer")
    questions = [
        asking.support(sentence, at("document"), at("title")),
        asking.answers(question, answer, sentence),
        asking.covers(answer, sentence),
        asking.agrees(question, sentence),
        asking.negative(sentence),
        asking.needs_citation(sentence),
        asking.first(sentence, at("earlier"), PLAIN),
    ]
    return [replace(each, request=request) for each in questions]


def prompts_of(questions: list[Question], is_canary: bool = False) -> list[tuple[str, str]]:
    """The rendered prompts: what the model is told, and the call."""
    judge = create("m", (), Settings(canary=is_canary))
    lines = [line["body"]["messages"] for line in batch_lines(judge, questions)]
    return [(system["content"], user["content"]) for system, user in lines]


def texts_within(prompt: str) -> list[str]:
    """The texts of others in a prompt; checks that everything else is the prompt's own."""
    found = []
    within = ""
    for line in prompt.split("\n"):
        opening = OPENING.fullmatch(line)
        if opening and opening[1] != "end":
            assert not within, "no block within a block"
            within = opening[2]
        elif within and line == f"<<<end {within}>>>":
            within = ""
        elif within and line != "not given":
            match = LINE.fullmatch(line)
            assert match, f"not one quoted text: {line!r}"
            found.append(json.loads(match[1]))
        elif line and not within:
            assert re.match(r"(Does the sentence|Does the document|Keys: )", line), line
    assert not within, "every block ends"
    return found


def is_seen(char: str) -> bool:
    """Is it a character that a reader sees, or white space?"""
    is_hidden = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    return not is_hidden or char in "\n\t" or ord(char) in VISIBLE_FORMATS


def test_there_are_enough_attempts_and_no_two_alike() -> None:
    assert len(set(ATTEMPTS.values())) == len(ATTEMPTS) >= 50


@pytest.mark.parametrize("name", ATTEMPTS)
def test_an_attempt_stays_within_its_delimiters(name: str) -> None:
    text = ATTEMPTS[name]
    plain = [texts_within(user) for _, user in prompts_of(questions_with(PLAIN, "none"))]
    systems = {system for system, _ in prompts_of(questions_with(PLAIN, "none"))}
    for place in PLACES:
        prompts = prompts_of(questions_with(text, place))
        assert {system for system, _ in prompts} == systems, "what is told first never changes"
        found = [texts_within(user) for _, user in prompts]
        assert sorted(map(len, found)) == sorted(map(len, plain)), "no text more, none less"
        shown = [each for texts in found for each in texts if each != PLAIN]
        assert shown, place
        assert set(shown) == {neutral(text)}
    for _, user in prompts_of(questions_with(text, "sentence"), is_canary=True):
        texts_within(user)  # nor does a canary open a way out


@pytest.mark.parametrize("name", ATTEMPTS)
def test_nothing_hidden_and_no_sign_of_a_template_is_left(name: str) -> None:
    shown = quoted(ATTEMPTS[name])
    assert all(map(is_seen, shown)), [hex(ord(char)) for char in shown if not is_seen(char)]
    assert not SIGNS.search(shown)
    assert "\n" not in shown
    assert shown.isprintable()


def test_what_a_text_says_is_kept_where_it_hides_nothing() -> None:
    for text in (
        "Plain English, with 5 < 6 and a [1] citation.",
        "他们于2019年在北京签署了协议。",
        "می‌خواهم کتاب‌ها را بخوانم",  # needs joiners between its letters
        "क्‍ष",
        "Größe: 5 µm → 3 % (œuvre)",
        "Line one\nline two\ttabbed",
        "😀 €5 ½ x² α ≤ β",
    ):
        assert neutral(text) == text


def test_joiners_are_kept_between_letters_that_need_them_and_nowhere_else() -> None:
    assert neutral("می\u200cخواهم") == "می\u200cخواهم"
    assert neutral("yes\u200cno") == "yes‹U+200C›no"
    assert neutral("می \u200cخواهم") == "می ‹U+200C›خواهم"


@given(st.text(max_size=80))
def test_any_text_is_one_visible_line(text: str) -> None:
    shown = quoted(text)
    assert json.loads(shown) == neutral(text)
    assert "\n" not in shown
    assert not SIGNS.search(shown)
    assert neutral(neutral(text)) == neutral(text)
    hidden = [char for char in shown if not is_seen(char) and char not in "\u200c\u200d"]
    assert [char for char in hidden if unicodedata.category(char) != "Cf"] == []


@given(
    st.lists(st.sampled_from([*'<>|[]/ \u200b\r\n"\\', "INST", "s", "im_end", "end 0123456789"]))
)
def test_pieces_of_signs_make_no_sign(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert not SIGNS.search(quoted(text))
    for _, user in prompts_of(questions_with(text, "sentence")[:1]):
        texts_within(user)
