"""Who answers what the judgments leave open: judges by the names that users give."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import cast

from argue_eval._registry import all_names
from argue_eval._registry import load as load_plugin
from argue_eval.errors import (
    VERY_CLOSE,
    UsageError,
    did_you_mean,
    nearest,
    unknown_name,
)
from argue_eval.evaluation.scoring import Digest
from argue_eval.formats.reading import iter_documents
from argue_eval.judges import Judge, JudgePlugin, Settings, cascade
from argue_eval.records import NUGGET_KINDS, SENTENCE_KINDS, Document, Kind, TopicNuggets


@dataclass(frozen=True, slots=True)
class JudgeNames:
    """Who answers what the judgments leave open: a judge's name, or ``none``.

    Attributes:
        own: judges that the caller has made, by the names that stand for them here.
    """

    support: str = "lexical"
    nugget: str = "lexical"
    sentence: str = "lexical"
    own: Mapping[str, Judge] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        support: str | Judge,
        nugget: str | Judge | None = None,
        sentence: str | Judge | None = None,
    ) -> JudgeNames:
        """By names or judges that the caller has made: one for all kinds, if no other is given.

        Raises:
            UsageError: one is neither, or a judge that lacks something.
        """
        own: dict[str, Judge] = {}
        first, second, third = [
            _name_of(support if each is None else each, own) for each in (support, nugget, sentence)
        ]
        return cls(first, second, third, own)

    def by_kind(self) -> dict[Kind, str]:
        """The judge's name for every kind that a judge answers."""
        names = {Kind.SUPPORT: self.support}
        names.update(dict.fromkeys(NUGGET_KINDS, self.nugget))
        names.update(dict.fromkeys(SENTENCE_KINDS, self.sentence))
        return {kind: name for kind, name in names.items() if name != "none"}

    def stages(self, name: str) -> list[str]:
        """The judges that a name stands for: several for a cascade.

        Raises:
            UsageError: it is no cascade that can be asked.
        """
        return [name] if name in self.own else cascade.names_in(name)

    def all_stages(self) -> list[str]:
        """The judges that may be asked, each once.

        Raises:
            UsageError: as `stages`.
        """
        named = [each for each in (self.support, self.nugget, self.sentence) if each != "none"]
        return list(dict.fromkeys(chain.from_iterable(map(self.stages, named))))

    def plugin(self, name: str) -> JudgePlugin | None:
        """The module of one of the judges; None for a judge that the caller has made.

        Raises:
            UsageError: there is no such judge, or it takes a model where none is named, or none.
        """
        if name in self.own:
            return None
        plugin, _, model = name.partition(":")
        if plugin == "none":
            raise UsageError(f"the judge 'none' takes no model, found {name!r}")
        try:
            module = cast(JudgePlugin, load_plugin("judges", plugin))
        except UsageError:
            raise _unknown_judge(name) from None
        if model and not module.MODEL:
            raise UsageError(f"the judge {plugin!r} takes no model, found {name!r}")
        if module.MODEL and not model:
            raise UsageError(f"the judge {plugin!r} needs a model: {plugin}:MODEL, {module.MODEL}")
        return module

    def is_costly(self) -> bool:
        """Whether some judge's answers are slow or paid, so that they are to be kept."""
        plugins = map(self.plugin, self.all_stages())
        return any(plugin.IS_COSTLY for plugin in plugins if plugin is not None)


NOBODY = JudgeNames("none", "none", "none")
"""No judge is asked."""


def texts_of(
    nuggets: Sequence[TopicNuggets],
    collections: Sequence[str | Sequence[Document]],
    wanted: set[str],
    documents: dict[str, Document],
    digest: Digest,
) -> Iterator[str]:
    """Yields the texts from which judges may count terms: the nuggets and the collections.

    Never the runs: a verdict must not depend on what else is scored.

    Args:
        documents: those that are wanted are added to these on the way, and to `digest` all.
    """
    for given in collections:
        is_data_set = isinstance(given, str) and given.startswith("irds:")
        found: Iterable[Document] = (
            iter_documents(given, wanted if is_data_set else None)
            if isinstance(given, str)
            else given
        )
        for document in found:
            if document.doc_id in wanted:
                documents[document.doc_id] = document
            if not is_data_set:
                digest.add(document.doc_id, document.title, document.text)
                yield f"{document.title}\n{document.text}"
    for topic in nuggets:
        for nugget in topic.nuggets:
            yield nugget.question or ""
            for answer in nugget.answers:
                yield answer.answer


def make_judges(names: JudgeNames, texts: Iterable[str], settings: Settings) -> cascade.Judges:
    """The judges of every kind; one instance per name, whose answers are read as was set."""
    made = dict(names.own)
    for name in names.all_stages():
        module = names.plugin(name)
        if module is not None:
            model = name.partition(":")[2]
            made[name] = module.create(model, texts, settings)
            if settings.executor == "ray" and module.IS_COSTLY:
                from argue_eval.judges import cluster

                made[name] = cluster.Spread(made[name], name, settings)
    judges: dict[Kind, cascade.Stages] = {}
    for kind, name in names.by_kind().items():
        *before, last = names.stages(name)
        stages = [cascade.Stage(each, made[each], must_be_sure=True) for each in before]
        stages.append(cascade.Stage(last, made[last]))
        judges[kind] = tuple(each for each in stages if kind in each.judge.kinds)
    if settings.calibrations or settings.leaves_unsure or cascade.is_in(judges):
        from argue_eval.judges import calibration

        judges = calibration.applied(judges, settings)
    if judges:
        _check_stages(names, judges)
    return {kind: stages for kind, stages in judges.items() if stages}


def _check_stages(names: JudgeNames, judges: cascade.Judges) -> None:
    """Checks that every judge of a cascade can be of use."""
    kinds: dict[str, list[Kind]] = {}
    for kind, name in names.by_kind().items():
        kinds.setdefault(name, []).append(kind)
    for name, of_name in kinds.items():
        used = {stage.name for kind in of_name for stage in judges[kind]}
        for each in names.stages(name)[:-1]:
            if each not in used:
                raise UsageError(
                    f"{name}: no answer of {each!r} would be used: it answers none of these kinds "
                    "of question, or nothing says from which probabilities it is sure. Name it "
                    "last, leave it out, or calibrate it: argue-eval meta-eval … --calibrate FILE, "
                    "then --calibration FILE"
                )


def _name_of(given: str | Judge, own: dict[str, Judge]) -> str:
    """The name of a judge. One that the caller has made is called by its signature.

    Args:
        own: such a judge is added to these.
    """
    if isinstance(given, str):
        return given
    from argue_eval.judges.installed import check_judge

    signature = getattr(given, "signature", None)
    if isinstance(given, type) or not isinstance(signature, str):
        found = type(given).__name__
        raise UsageError(f"judge: expected a name, such as none, or a Judge, found {found}")
    taken = ("none", cascade.NAME, *all_names("judges"))
    if not re.fullmatch(r"[^\s|]+", signature) or signature in taken:
        message = "expected a signature of its own without white space and bars, such as 'mine@1'"
        raise UsageError(f"judge: {message}, found {signature!r}")
    check_judge(given, f"judge {signature!r}")
    own[signature] = given
    return signature


def _unknown_judge(name: str) -> UsageError:
    """The error for a name that no judge has: it may be that of a model."""
    plugin, colon, model = name.partition(":")
    choices = [*all_names("judges"), cascade.NAME, "none"]
    if not plugin or nearest(plugin, choices, VERY_CLOSE):
        return unknown_name("judge", plugin, choices)
    if plugin == "assessor":
        guess = " What assessors judged is read from files: --judgments FILE."
    else:
        # Other tools write the provider before the model.
        model = name.removeprefix("openai").lstrip(":/") if colon or "/" in name else name
        guess = did_you_mean([f"llm:{model}"]) + f" A classifier is nli:{model}."
    return UsageError(f"unknown judge {name!r}.{guess} Choices: {', '.join(sorted(choices))}")
