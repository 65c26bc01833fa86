"""What a recipe trains on, and what its encoder reads."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from treequation.data import jsonl
from treequation.expression.parsing import parse_infix
from treequation.text.numbers import find_numbers
from treequation.text.problem import Problem
from treequation.training.recipe import Data, Encoder
from treequation.training.sources import load_encoder, load_problems


def problem(id: str, text: str) -> Problem:
    return Problem(id, text, find_numbers(text), graph=parse_infix("n0+n1"))


def test_other_editions_of_an_excluded_problem_are_left_out(tmp_path: Path) -> None:
    asked = problem("asked", "Tom's bag has 3 pears; he adds 4. How many?")
    edition = problem("edition", "tom 's bag has 12 pears ; he adds 5 . how many ?")
    other = problem("other", "Tom's box has 3 pears; he adds 4. How many?")
    jsonl.write([edition, other], tmp_path / "train.jsonl")
    jsonl.write([asked], tmp_path / "test.jsonl")
    data = Data(train=(str(tmp_path / "train.jsonl"),), exclude=(str(tmp_path / "test.jsonl"),))
    assert [problem.id for problem in load_problems(data).train] == ["other"]


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
