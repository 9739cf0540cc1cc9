"""Nuggets for five questions that children ask, over the encyclopedia articles that runs cite.

The document ids are article titles.
"""

from __future__ import annotations

from typing import Any


def _nugget(
    topic_id: str, number: int, question: str, importance: str, *answers: tuple[str, list[str]]
) -> dict[str, Any]:
    return {
        "nugget_id": f"{topic_id}-{number}",
        "question": question,
        "aggregator": "OR",
        "importance": importance,
        "answers": [{"answer": answer, "doc_ids": doc_ids} for answer, doc_ids in answers],
    }


def _topic(topic_id: str, *nuggets: tuple[Any, ...]) -> dict[str, Any]:
    made = [_nugget(topic_id, number, *nugget) for number, nugget in enumerate(nuggets, 1)]
    return {"topic_id": topic_id, "nuggets": made}


NUGGETS: dict[str, Any] = {
    "format": "argue-eval/nuggets/1",
    "topics": [
        _topic(
            "leaf",
            ("What makes leaves green?", "vital", ("chlorophyll", ["Chlorophyll"])),
            (
                "Which colors show when the green is gone?",
                "vital",
                ("yellow and orange", ["Carotenoid"]),
            ),
            ("What makes leaves red?", "okay", ("sugars trapped in the leaves", ["Anthocyanin"])),
            ("Why do trees drop their leaves?", "okay", ("to save water", ["Deciduous"])),
        ),
        _topic(
            "cloud",
            ("What are clouds made of?", "vital", ("water droplets", ["Cloud"]),
             ("water", ["Cloud"])),
            ("What warms the water so that it rises?", "okay", ("the sun", ["Evaporation"])),
            ("Why are some clouds dark?", "okay",
             ("more water drops packed together", ["Cumulonimbus_cloud"])),
        ),
        _topic(
            "bee",
            ("What do bees collect from flowers?", "vital", ("nectar", ["Nectar"])),
            ("In what do bees carry nectar?", "okay", ("honey stomach", ["Honey_stomach"])),
            ("What is the comb made of?", "okay", ("wax cells", ["Honeycomb"]),
             ("wax boxes", ["Honeycomb"])),
        ),
        _topic(
            "earthworms",
            ("Where do worms live?", "vital", ("in tunnels", ["Earthworm"])),
            ("How do worms breathe?", "vital",
             ("through their skin", ["Cutaneous_respiration"])),
        ),
        _topic(
            "hibernation",
            ("What is hibernation?", "vital", ("a deep sleep that saves energy", ["Hibernation"])),
            ("What do animals do before winter?", "okay",
             ("eat lots of food", ["Hyperphagia"])),
            ("What do they live on meanwhile?", "okay", ("stored fat", ["Adipose_tissue"])),
        ),
    ],
}  # fmt: skip
