"""Pages as HTML: one file that holds all it needs, and nothing from others but text.

Everything is escaped by Jinja, and characters that reorder or hide text are made visible. The
content-security policy allows the one script and the one style sheet that are in the page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from argue_eval.errors import count
from argue_eval.formats.html import as_json, harmless, part, policy, visible


class Page(NamedTuple):
    """One page.

    Attributes:
        name: what links call it, such as ``topic-ex1``; its file in a site. The template is named
            by what stands before the first dash.
        label: what the menu calls it.
        group: that of the menu in which it stands; one without stands by itself, if at all.
        make: gives what is filled into the template.
    """

    name: str
    label: str
    group: str
    make: Callable[[], dict[str, Any]]


def _shown(value: Any) -> Any:
    if isinstance(value, Markup):
        return value
    return visible(value) if isinstance(value, str) else value


def _json(value: Any) -> Markup:
    """A value as JSON that is harmless inside a script element, and in which all is visible."""
    return Markup(harmless(visible(as_json(value))))


def score(value: float | None) -> str:
    """A value for people: three decimals, or a number of units.

    >>> score(0.87996), score(12.0), score(-1e-9), score(None)
    ('0.880', '12', '0.000', '-')
    """
    if value is None:
        return "-"
    value = round(value, 3) + 0.0  # not -0.0
    return f"{value:,.0f}" if value == int(value) and abs(value) > 1 else f"{value:.3f}"


def _resource(name: str) -> str:
    return (files(__package__) / "templates" / name).read_text("utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(score=score, json=_json, count=count, number=lambda each: f"{each:,}")
    return made


class Book(NamedTuple):
    """All pages of a track, and how they are written.

    Attributes:
        is_site: they refer to each other as files in a folder; otherwise, within one file.
    """

    title: str
    version: str
    pages: Sequence[Page]
    is_site: bool

    def file_name(self, name: str) -> str:
        """The file of a page in a site."""
        return "index.html" if name == self.pages[0].name else f"{name}.html"

    def link(self, name: str, *places: object) -> str:
        """What leads to a place on a page."""
        rest = "/".join(map(str, places))
        if not self.is_site:
            return f"#{name}/{rest}" if rest else f"#{name}"
        return f"{self.file_name(name)}#{rest}" if rest else self.file_name(name)

    def place(self, name: str, *places: object) -> str:
        """The id of a place on a page."""
        rest = "/".join(map(str, places))
        return rest if self.is_site else f"{name}/{rest}"

    def file(self, sections: Sequence[Markup]) -> Iterator[str]:
        """Yields the text of one file with these pages."""
        script, style = _resource("page.js"), part("base.css") + _resource("page.css")
        template = _environment().get_template("base.html")
        yield from template.generate(
            book=self,
            sections=sections,
            script=Markup(script),
            style=Markup(style),
            policy=policy(script, style),
            link=self.link,
        )

    def section(self, page: Page) -> Markup:
        """A page without what stands around it."""
        template = _environment().get_template(f"{page.name.partition('-')[0]}.html")
        return Markup(template.render(page=page, link=self.link, place=self.place, **page.make()))
