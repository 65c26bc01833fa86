"""What a recipe trains on, and what its encoder reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from treequation.data import jsonl, parallel
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training import sources
from treequation.training.recipe import Data, Encoder, RecipeError
from treequation.training.sources import load_encoder, load_problems, load_sources


def problem(id: str, text: str) -> Problem:
    return Problem(id, text, find_numbers(text), graph=parse_infix("n0+n1"))


def test_other_editions_of_an_excluded_problem_are_left_out(tmp_path: Path) -> None:
    tested = problem("tested", "Tom's bag has 3 pears; he adds 4. How many?")
    edition = problem("edition", "tom 's bag has 12 pears ; he adds 5 . how many ?")
    other = problem("other", "Tom's box has 3 pears; he adds 4. How many?")
    jsonl.write([edition, other], tmp_path / "train.jsonl")
    jsonl.write([tested], tmp_path / "test.jsonl")
    data = Data(train=(str(tmp_path / "train.jsonl"),), exclude=(str(tmp_path / "test.jsonl"),))
    assert [problem.id for problem in load_problems(data).train] == ["other"]
    with pytest.raises(RecipeError, match="leaves no training problem"):
        load_problems(Data(train=data.train, exclude=data.train))


def test_extra_problems_bring_nothing_of_dev_and_test_and_leave_the_training_set_as_it_is(tmp_path: Path) -> None:
    own = [problem(f"own-{n}", f"Ann's {word} has 3 pears; she adds 4.") for n, word in enumerate("abcdefghij")]
    twice = problem("twice", "Tom's bag has 7 pears; he adds 2.")  # data sets have such problems, in train and in test
    tested = problem("tested", "Tom's bag has 3 pears; he adds 4.")
    other = problem("other", "Tom's box has 3 pears; he adds 4.")
    editions = [problem(f"edition-{one.id}", one.text.replace("'s", " 's")) for one in (*own, tested)]
    for name, problems in {"train": [*own, twice], "test": [tested], "extra": [*editions, other]}.items():
        jsonl.write(problems, tmp_path / f"{name}.jsonl")
    source = {name: (str(tmp_path / f"{name}.jsonl"),) for name in ("train", "test", "extra")}
    without = load_problems(Data(train=source["train"], test=source["test"], dev_part=0.3))
    loaded = load_problems(Data(**source, dev_part=0.3))
    assert len(loaded.dev) == 3
    assert loaded.dev == without.dev
    assert loaded.train[: len(without.train)] == without.train
    held_out = {f"edition-{one.id}" for one in loaded.dev}
    brought = {one.id for one in loaded.train[len(without.train) :]}
    assert brought == {one.id for one in (*editions, other)} - held_out - {"edition-tested"}


def test_a_large_set_is_prepared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = [problem(f"own-{n}", f"Ann's {word} has 30 pears; she adds 48.") for n, word in enumerate("abcdefghij")]
    jsonl.write(own, tmp_path / "train.jsonl")
    source = (str(tmp_path / "train.jsonl"),)
    data = Data(train=source, varied=source, dev_part=0.3)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    load_problems(data)
    assert not (tmp_path / "cache").exists()  # it is small

    monkeypatch.setattr(sources, "_MIN_CACHED", 1)
    read = sources._read_problems
    seeds: list[int] = []
    monkeypatch.setattr(sources, "_read_problems", lambda data, seed: seeds.append(seed) or read(data, seed))
    first = load_problems(data)
    assert load_problems(data) == first
    assert seeds == [0]
    assert load_problems(data, seed=1) != first  # other problems are held out, and other numbers are drawn
    for kept in (tmp_path / "cache" / "treequation" / "problems").iterdir():
        kept.write_bytes(b"damaged")
    for _ in range(2):
        assert load_problems(data) == first
    assert seeds == [0, 1, 0]
    jsonl.write(own[:-1], tmp_path / "train.jsonl")
    assert load_problems(data) != first

    (tmp_path / "file").write_text("a folder cannot be made here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load_problems(data).train


def test_the_problems_do_not_depend_on_how_many_processes_prepare_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_MANY", 20)
    data = Data(train=("written/facts:train=900",), varied=("written/facts:train=300",))
    loaded = []
    for count in (1, 3):
        monkeypatch.setattr(parallel, "_cores", lambda count=count: count)
        loaded.append(load_problems(data))
    assert loaded[0] == loaded[1]
    varied = loaded[0].train[900:]
    assert len(varied) == 600
    assert [problem.id for problem in varied[:300]] == [problem.id for problem in varied[300:]]
    assert sum(a != b for a, b in zip(varied[:300], varied[300:], strict=True)) > 100  # drawn anew


def test_an_encoder_that_tells_capitals_apart_can_be_made_to_read_them_as_small_letters(tmp_path: Path) -> None:
    words = {"[UNK]": 0, "tom": 1, "has": 2}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]").save_pretrained(tmp_path)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    BertModel(BertConfig(vocab_size=3, **sizes)).save_pretrained(tmp_path)
    for lowercase, expected in ((False, ["[UNK]", "[UNK]"]), (True, ["tom", "has"])):
        _, made = load_encoder(Encoder(name=str(tmp_path), lowercase=lowercase), [])
        assert made.encode("Tom HAS").tokens == expected


def test_a_source_may_say_how_many_of_its_problems_to_take() -> None:
    whole, some = (load_sources([source], Data()) for source in ("written/facts:train", "written/facts:train=100"))
    assert len(some) == 100 < len(whole)
    assert some == load_sources(["written/facts:train=100"], Data())  # the same each time
    ids = [problem.id for problem in whole]
    places = [ids.index(problem.id) for problem in some]
    assert places == sorted(places)
    assert places[-1] - places[0] > 200  # from all of it
    assert load_sources(["written/facts:train=1000000"], Data()) == whole


def test_a_test_set_may_say_how_many_of_its_problems_to_take() -> None:
    few, all_ = (load_problems(Data(train=("synthetic:dev",), test=(f"synthetic:test{n}",))).test for n in ("=5", ""))
    assert len(few) == 5
    assert {problem.id for problem in few} < {problem.id for problem in all_}


@pytest.mark.parametrize("source", ["written/facts:train=", "written/facts:train=many", "written/facts:train=0"])
def test_a_count_that_is_none_is_an_error(source: str) -> None:
    with pytest.raises(RecipeError, match="write a number of problems"):
        load_sources([source], Data())


def test_a_theme_of_a_set_that_is_named_as_a_whole_is_not_named_again() -> None:
    data = Data(train=("written/facts:train", "written:train=10", "mine/a.jsonl"), extra=("written-en/x:train",))
    assert sources._sources(data) == ("written:train", "mine/a.jsonl", "written-en/x:train")
    assert sources._sources(Data(train=("written/facts:train",))) == ("written/facts:train",)
