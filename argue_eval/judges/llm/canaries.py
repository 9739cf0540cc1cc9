"""Questions with a known answer, put into a call to see whether the model still judges.

A model that is talked into saying yes to everything, or into calling everything alike, gets them
wrong. The lighthouse is made up: no report and no document speaks of it.
"""

from __future__ import annotations

from argue_eval.judges.llm.calls import Call, Item
from argue_eval.judges.llm.delimiters import Block, quoted
from argue_eval.records import Verdict

_QUESTION = "What colour is the door of the lighthouse on Venn Island?"
_ANSWER = "bright green"
_CLAIM = "The door of the lighthouse on Venn Island is bright green."
_FACT = "The lighthouse on Venn Island has 214 steps and a bright green door."
_UNKNOWN = "Nothing is known about who painted the door of the lighthouse on Venn Island."


def with_canary(call: Call) -> Call:
    """Returns the call with one or two more questions, at the end of its list."""
    if call.task == "sentences":
        return _with_sentences(call)
    label = str(len(call.items) + 1)
    item = Item(label, None, Verdict.NO)
    if call.task == "support":
        line = f"{label}: {quoted(_CLAIM)}"
        own = call.own._replace(lines=(*call.own.lines, line))
        return call._replace(own=own, items=(*call.items, item))
    lines = {
        "answers": (f"question: {quoted(_QUESTION)}", f"{label}: {quoted(_ANSWER)}"),
        "covers": (f"{label}: {quoted(_CLAIM)}",),
        "agrees": (f"{label}: {quoted(_QUESTION)}",),
    }[call.task]
    *before, last = call.shared
    shared = (*before, Block(last.name, (*last.lines, *lines)))
    return call._replace(shared=shared, items=(*call.items, item))


def _with_sentences(call: Call) -> Call:
    number = 1 + max(int(line.partition(":")[0]) for line in call.own.lines)
    lines = (f"{number}: {quoted(_UNKNOWN)}", f"{number + 1}: {quoted(_FACT)}")
    items = (
        Item(f"negative_{number}", None, Verdict.YES),
        Item(f"negative_{number + 1}", None, Verdict.NO),
    )
    own = call.own._replace(lines=(*call.own.lines, *lines))
    return call._replace(own=own, items=(*call.items, *items))
