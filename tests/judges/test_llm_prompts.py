"""Prompts: those of the package, and a user's own, checked before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_eval.errors import InputError, MissingResourceError, UsageError
from argue_eval.judges.llm.batch import batch_lines
from argue_eval.judges.llm.prompts import FOLDER, TASKS, Prompts
from tests.judges.asking import answers, llm

QUESTION = answers("When did it burn?", "in 1912", "It burned in 1912. {{keys}} {{sentence}}")


def own(folder: Path, name: str, text: str) -> str:
    (folder / f"{name}.txt").write_text(text, "utf-8")
    return str(folder)


def prompt_of(folder: str | None) -> tuple[str, str]:
    (line,) = batch_lines(llm(prompts=folder), [QUESTION])
    return tuple(message["content"] for message in line["body"]["messages"])


def texts_of(task: str) -> dict[str, str]:
    names = [*TASKS[task].shared, TASKS[task].own, "keys"]
    return {name: f"<{name}>" for name in names}


def turn(prompts: Prompts, name: str) -> tuple[str, str]:
    """What the model is told first, and a call."""
    task = prompts.tasks[name]
    return task.system, task.user.substitute(texts_of(name))


def test_the_package_has_a_prompt_for_every_task_and_all_are_installed() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {
        *(*TASKS, "rules", "repair"),
        *("support_opposed", "covers_opposed", "covers_criteria"),
    }
    for task in TASKS:
        system, user = turn(Prompts(), task)
        assert "{{" not in system + user
        assert 'is "yes"' in system
        assert all(text in user for text in texts_of(task).values())


def test_an_own_prompt_is_used_beside_those_of_the_package(tmp_path: Path) -> None:
    text = "Mine. {{scale}}\n=====\n{{sentence}}\n{{nuggets}}\n{{keys}}"
    folder = own(tmp_path, "answers", text)
    system, user = prompt_of(folder)
    assert system == 'Mine. "yes" or "no"'
    assert user.startswith("<<<sentence ")
    assert user.endswith('"1"')
    turns = [turn(each, "covers") for each in (Prompts(folder), Prompts())]
    assert turns[0] == turns[1]


def test_the_signature_names_the_prompts_by_their_content(tmp_path: Path) -> None:
    plain = llm().signature
    copied = own(tmp_path, "rules", (FOLDER / "rules.txt").read_text("utf-8"))
    assert llm(prompts=copied).signature == plain
    changed = own(tmp_path, "rules", "{{scale}} and nothing else")
    assert llm(prompts=changed).signature != plain


def test_a_placeholder_in_a_text_of_others_is_left_alone() -> None:
    _, user = prompt_of(None)
    assert 'sentence: "It burned in 1912. {{keys}} {{sentence}}"' in user


@pytest.mark.parametrize(
    ("name", "text", "line", "words"),
    [
        ("answers", "A\n=====\n{{sentence}}{{nuggets}}{{keys}}\n{{answer}}", 4, "'answer'"),
        ("answers", "A\n=====\n{{nuggets}}{{keys}}", None, "no sentence"),
        ("answers", "A\n=====\n{{sentence}}{{nuggets}}", None, "no keys"),
        ("answers", "{{sentence}}{{nuggets}}{{keys}}", None, "two parts"),
        ("answers", "A\n=====\nB\n=====\n{{sentence}}{{nuggets}}{{keys}}", None, "two parts"),
        ("answers", "{{nuggets}}\n=====\n{{sentence}}{{keys}}", 1, "before the ====="),
        ("repair", "{{problems}} {{sentence}} {{keys}}", 1, "'sentence'"),
        ("rules", "{{keys}}", 1, "'keys'"),
    ],
)
def test_a_prompt_with_a_mistake_is_told_with_its_place(
    tmp_path: Path, name: str, text: str, line: int | None, words: str
) -> None:
    folder = own(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        llm(prompts=folder)
    finding = caught.value.findings[0]
    assert (finding.code, finding.line) == ("wrong_prompt", line)
    assert finding.file.endswith(f"{name}.txt")
    assert words in finding.message
    assert finding.hint


def test_all_mistakes_are_told_together(tmp_path: Path) -> None:
    own(tmp_path, "answers", "nothing")
    folder = own(tmp_path, "covers", "nothing either")
    with pytest.raises(InputError) as caught:
        Prompts(folder)
    assert len({finding.file for finding in caught.value.findings}) == 2


def test_a_file_that_nothing_asks_for_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'answers'"):
        Prompts(own(tmp_path, "answer", "x"))


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingResourceError, match="no such folder"):
        Prompts(str(tmp_path / "none"))


def test_a_file_that_is_no_text_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_bytes(b"one\n\xff\xfe")
    with pytest.raises(InputError, match=r"rules\.txt:2.*UTF-8"):
        Prompts(str(tmp_path))
    (tmp_path / "rules.txt").write_bytes(b"x" * 200_000)
    with pytest.raises(InputError, match="100,000 bytes"):
        Prompts(str(tmp_path))
