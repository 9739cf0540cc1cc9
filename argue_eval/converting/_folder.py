"""A directory with a file per topic, which is whole or absent."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from argue_eval.errors import MissingResourceError, UsageError


def write_folder(folder: Path, texts: Iterable[tuple[str, str]]) -> None:
    """Writes a JSON file per topic into a new or empty directory, all of them or none.

    Args:
        texts: topic ids with their files' content.

    Raises:
        UsageError: there are other files in the directory.
        MissingResourceError: it cannot be written.
    """
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(
            f"-o: the directory {folder} is not empty, and all files in it would be read together; "
            "name a new one"
        )
    names = FileNames()
    part: Path | None = None
    try:
        part = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".argue-eval-"))
        for topic_id, text in texts:
            part.joinpath(f"{names.unique(topic_id)}.json").write_bytes(f"{text}\n".encode())
        part.chmod(0o755)
        part.replace(folder)
    except OSError as exc:
        raise MissingResourceError(f"{folder}: cannot be written: {exc.strerror}") from exc
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)


class FileNames:
    """Gives every topic a file name of its own, also where names differ by case alone."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, topic_id: str) -> str:
        """Returns a name of letters, digits, ``.``, ``_`` and ``-``, without an ending.

        >>> names = FileNames()
        >>> [names.unique(each) for each in ("../a", "A", "a-2", "тема", "")]
        ['a', 'A-2', 'a-2-2', 'topic', 'topic-2']
        """
        plain = re.sub(r"[^A-Za-z0-9._-]+", "_", topic_id).strip("._-")[:100] or "topic"
        name, number = plain, 2
        while name.lower() in self._taken:
            name, number = f"{plain}-{number}", number + 1
        self._taken.add(name.lower())
        return name
