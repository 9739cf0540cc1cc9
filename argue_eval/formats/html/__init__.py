"""HTML in one file: it holds all it needs and loads nothing, and texts of others do nothing.

The content-security policy allows the one script and the one style sheet that are in the file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""Characters that reorder, hide or control others."""
TITLES = {"judging": "Assessment sheet", "editing": "Nugget sheet"}
"""Of the pages on which people work, by what is done on them."""
EXPORT = "open it there, press e, and name the file that is exported"
"""What to do with such a page where its answers are expected."""
_UNSAFE = re.compile(f"[<>&\ud800-\udfff{HIDDEN.pattern[1:]}")


def visible(text: str) -> str:
    """The text with characters that reorder, hide or control others written as their code.

    >>> visible("a" + chr(0x202E) + "b")
    'a[U+202E]b'
    """
    return HIDDEN.sub(lambda match: f"[U+{ord(match.group()):04X}]", text)


def as_json(value: Any) -> str:
    """A value as JSON on one line, its text unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def harmless(text: str) -> str:
    """JSON of the same value that does nothing inside a script element, whatever its texts are.

    >>> harmless(as_json(["</script>", chr(0x202E)])) == r'["\\u003c/script\\u003e","\\u202e"]'
    True
    """
    return _UNSAFE.sub(lambda match: _escaped(match.group()), text)


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if char.isascii() else json.dumps(char)[1:-1]


def policy(script: str, style: str) -> str:
    """The content-security policy of a page with this script and this style sheet."""

    def digest(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(script)}'; "
        f"style-src 'sha256-{digest(style)}'; base-uri 'none'; form-action 'none'"
    )


def part(name: str) -> str:
    """A part of pages that lies beside this module, such as ``base.css``."""
    return (files(__package__) / name).read_text("utf-8")
