"""``argue-eval curate merge``: one bank of several."""

from collections.abc import Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

from argue_eval.cli import console
from argue_eval.cli.app import INPUT, MODELS, param
from argue_eval.cli.curate import inputs
from argue_eval.cli.curate.banks import Note, write_version
from argue_eval.cli.curate.step import NAMED, Models, Work, open_step
from argue_eval.errors import EXIT_OK, UsageError, count, some

if TYPE_CHECKING:
    from argue_eval.curation.merge import Bank, Merged
    from argue_eval.records import TopicNuggets


def merge(
    paths: Annotated[list[str], param(
        "BANK...", "Nugget files of any format, or versions of one. The first keeps its ids. - is "
        "stdin.", INPUT)],
    models: Models,
    work: Work,
    model: Annotated[str | None, param(
        "--model MODEL", f"Default: words in common. {NAMED}", MODELS)] = None,
    requests: Annotated[str | None, param(
        "--requests FILE", "What is asked, shown to the model.", INPUT)] = None,
    note: Note = "",
) -> int:  # fmt: skip
    """Merge banks: nuggets that ask the same become one, with the answers and documents of all.

    Every nugget of the result lists its originals. Importance on which the banks differ is
    proposed, for people to decide.

    Example: argue-eval curate merge team-a.json team-b.json -o bank.json
    """
    from argue_eval.curation import merge as merging
    from argue_eval.judges.lexical import judge as lexical

    work.check([*paths, requests, models.prices])
    found = _read(paths)
    paths, banks = list(found), list(found.values())
    texts = (x.answer for bank in banks for t in bank.topics for n in t.nuggets for x in n.answers)
    judge = lexical.create(texts=texts)
    if model is None:
        work.without_model()
        _finish(merging.by_likeness(banks, judge), banks, paths, work.output, note)
        return EXIT_OK
    topics = (topic for bank in banks for topic in bank.topics)
    asked = inputs.read_asked(requests, topics, "the model is not shown what is asked")
    do = partial(merging.by_model, banks, asked, judge=judge)
    with open_step(model, models, work) as step:
        _finish(step.run(do), banks, paths, work.output, note)
        return step.close()


def _read(paths: "Sequence[str]") -> "dict[str, Bank]":
    """Read the banks. The files of a folder are one bank if no topic is in two of them.

    A bank is named by its file; by the whole path if several are called so.
    """
    from argue_eval.curation.merge import Bank

    found: dict[str, list[TopicNuggets]] = {}
    for path in paths:
        read = {file: inputs.read_bank(file) for file in inputs.files_of_banks([path])}
        topics = [topic for each in read.values() for topic in each]
        if len({topic.topic_id for topic in topics}) == len(topics):
            read = {path: topics}
        if found.keys() & read.keys():
            raise UsageError("merge: a bank is named twice; name every bank once")
        found |= read
    names = [PurePath(path).name for path in found]
    return {
        path: Bank(path if names.count(name) > 1 else name, topics)
        for (path, topics), name in zip(found.items(), names, strict=True)
    }


def _finish(
    merged: "Merged", banks: "Sequence[Bank]", paths: "Sequence[str]", output: str, note: str
) -> None:
    """Write the bank and its history, and print what came of the merge."""
    sources = [bank.name for bank in banks]
    write_version(merged.topics, (paths[0], banks[0].topics), output, sources, note)
    console.note(
        f"{count(merged.num_originals, 'nugget')} of {count(len(banks), 'bank')}: "
        f"{count(merged.num_nuggets, 'nugget')}, {merged.num_shared:,} of more than one bank"
    )
    if merged.num_proposed:
        console.note(f"importance is proposed for {count(merged.num_proposed, 'nugget')}")
    if merged.answered_absences:
        shown = some([f"{topic} {nugget}" for topic, nugget in merged.answered_absences], 3)
        console.note(
            f"warning: {count(len(merged.answered_absences), 'nugget')} without an answer in one "
            f"bank and with one in another, which counts: {shown}"
        )
    if merged.kept_apart:
        shown = some([" ".join(each) for each in merged.kept_apart], 3)
        console.note(
            f"warning: {count(len(merged.kept_apart), 'group')} not merged, since AND requires "
            f"other answers: {shown}"
        )
    if merged.ungrouped:
        console.note(f"warning: only equal questions are merged in topics {some(merged.ungrouped)}")
