"""Documents of the answers: missing, placeholders, unknown to the collection."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from argue_eval.errors import MissingResourceError
from argue_eval.validation.ingest import Ingested, ingest_nuggets
from tests.ingest.taking import Taking, codes, nugget, only, qrels

UUID = "5f91a162-7a1e-4e5e-af0e-6b1bab774964_374756147"


def _named(taking: Taking, *doc_ids: str, collection: str | None = None) -> Ingested:
    nuggets = [nugget(f"n{n}", (f"answer {n}", [doc_id])) for n, doc_id in enumerate(doc_ids)]
    return taking.nuggets(*nuggets, collections=[collection] if collection else [])


def test_nuggets_without_any_documents_are_told_once(taking: Taking) -> None:
    taken = taking.nuggets(nugget("n1", ("Lund", [])), nugget("n2", ("Vell", [])))
    assert "--attestation any-document" in only(taken, "no_document_ids").hint


def test_one_document_for_all_answers_is_a_placeholder(taking: Taking) -> None:
    warning = only(_named(taking, "x7", "x7", "x7", "x7"), "placeholder_document_ids")
    assert "'x7'" in warning.message


@pytest.mark.parametrize("doc_id", ["none", "N/A", "Unknown", "placeholder", "doc1", "DOC_12", "?"])
def test_a_word_that_is_no_id_is_a_placeholder(taking: Taking, doc_id: str) -> None:
    assert doc_id in only(_named(taking, "d7", doc_id), "placeholder_document_ids").message


def test_a_collection_may_call_its_documents_doc1(taking: Taking) -> None:
    collection = taking.path("ids.txt", "doc1", "doc2")
    assert codes(_named(taking, "doc1", "doc2", collection=collection)) == []
    assert codes(_named(taking, *(f"doc{n}" for n in range(30)))) == []


@pytest.mark.parametrize(
    ("mistyped", "meant"),
    [
        (UUID.replace("374756147", "37475614"), UUID),
        (UUID.replace("5f91", "5f19"), UUID),
        (UUID.upper(), UUID),
        (UUID.replace("a162", "a152"), UUID),
        (UUID + "0", UUID),
        (UUID.replace("7a1e-4e5e", "7a1e4e5e").replace("147", "174"), UUID),
    ],
)
@pytest.mark.parametrize("format_name", ["ids", "documents", "gzip"])
def test_the_id_that_was_meant_is_named(
    taking: Taking, format_name: str, mistyped: str, meant: str
) -> None:
    if format_name == "documents":
        documents = ({"doc_id": each, "text": "…"} for each in ("d0", meant))
        collection = taking.path("docs.jsonl", *documents)
    else:
        collection = taking.path("ids.txt", "d0", meant)
    if format_name == "gzip":
        Path(collection + ".gz").write_bytes(gzip.compress(Path(collection).read_bytes()))
        collection += ".gz"
    warning = only(_named(taking, "d0", mistyped, collection=collection), "unknown_document")
    assert mistyped in warning.message
    assert f"is {meant} meant?" in warning.hint


def test_an_id_like_no_other_gets_no_guess(taking: Taking) -> None:
    collection = taking.path("ids.txt", "d0", UUID)
    warning = only(_named(taking, "d0", "tyre-99-b", collection=collection), "unknown_document")
    assert "meant" not in warning.hint


def test_a_mistyped_id_is_found_among_many(taking: Taking) -> None:
    ids = [f"shard_{n // 100}_{n}" for n in range(200_000)]
    collection = taking.path("ids.txt", *ids)
    taken = _named(taking, "shard_7_700", "shard_70_O", "shard_1999-199999", collection=collection)
    hints = [finding.hint for finding in taken.findings]
    assert codes(taken) == ["unknown_document"] * 2
    assert "shard_0_0" not in hints[0]
    assert "is shard_1999_199999 meant?" in hints[1]


def test_another_collection_is_told_as_such(taking: Taking) -> None:
    collection = taking.path("ids.txt", "a", "b")
    assert "other_collection" in codes(_named(taking, "d1", "d2", collection=collection))


def test_an_id_may_be_in_any_of_several_collections(taking: Taking) -> None:
    path = taking.path("q.json", qrels(t1=[nugget("n1", ("Lund", ["a", "b"]))]))
    collections = [taking.path("one.txt", "a"), taking.path("two.txt", "b")]
    assert codes(ingest_nuggets([path], collections=collections)) == []


def test_a_collection_may_come_through_a_pipe(
    taking: Taking, stdin: Callable[[bytes], None]
) -> None:
    stdin(b"d0\nshard_1_7\n")
    warning = only(_named(taking, "d0", "shard_1-7", collection="-"), "unknown_document")
    assert "is shard_1_7 meant?" in warning.hint


def test_a_collection_that_is_not_there_is_a_missing_resource(taking: Taking) -> None:
    with pytest.raises(MissingResourceError, match=r"nowhere\.txt"):
        _named(taking, "a", collection="nowhere.txt")


@pytest.mark.parametrize(
    ("doc_id", "sign"), [("a b", "a space"), ("a,b", "','"), ("d(1)", "'('"), ("dоc7", "'о'")]
)
def test_unusual_characters_in_ids_are_told(taking: Taking, doc_id: str, sign: str) -> None:
    assert sign in only(_named(taking, "d7", doc_id), "unusual_id").message
