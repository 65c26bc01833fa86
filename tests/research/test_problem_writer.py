"""The program that writes problems with a language model, tried with a tiny one."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import Qwen2Config, Qwen2ForCausalLM

from treequation.data import jsonl
from treequation.text.problem import Problem

sys.path.append(str(Path(__file__).parents[2] / "research"))

import problem_selection as selection
import problem_writer as writer
from problem_sampler import Sampler

ROWS = [
    writer.Row("en", f"Tom has {a} {thing} and {verb} {b} more. How many {thing} has he now?", f"{a}+{b}")
    for thing in ("pens", "nuts")
    for verb in ("buys", "finds")
    for a in (3, 4, 5)
    for b in (2, 6)
]


@pytest.fixture(scope="module")
def tokens() -> Any:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([row.text for row in ROWS], trainer)
    return writer.Tokens(tokenizer, ROWS)


@pytest.fixture(scope="module")
def model(tokens: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny model that has learned the rows by heart."""
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=400,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        tie_word_embeddings=True,
    )
    folder = tmp_path_factory.mktemp("qwen2")
    Qwen2ForCausalLM(config).save_pretrained(folder)
    model = writer.language_model(folder, tokens)
    assert model.get_input_embeddings().weight is model.lm_head.weight
    writer.train(model, [tokens.whole(row) for row in ROWS], tokens.equation, epochs=150, tokens=2_000, rate=5e-3)
    return model


def test_a_row_survives_its_tokens(tokens: Any) -> None:
    for row in ROWS[:3]:
        ids = tokens.whole(row)
        middle = ids.index(tokens.equation)
        assert ids[0] == tokens.sources["en"]
        assert ids[-1] == tokens.end
        assert (tokens.text(ids[1:middle]), tokens.text(ids[middle:])) == (row.text, row.equation)


def test_it_solves_what_it_learned_as_plain_greedy_decoding_does(tokens: Any, model: Any) -> None:
    sampler = Sampler(model, end=tokens.end, equation=tokens.equation, rows=5, starts=[tokens.sources["en"]])
    questions = [tokens.question(row) for row in ROWS]  # more than there are rows
    solved = sampler.solve(questions, longest=12)
    for row, question, (ids, log_p) in zip(ROWS, questions, solved, strict=True):
        plain = model.generate(torch.tensor([question]), max_new_tokens=12, do_sample=False, eos_token_id=tokens.end)
        assert ids == [token for token in plain[0, len(question) :].tolist() if token != tokens.end]
        assert -5 < log_p < 0
        assert tokens.text(ids) == row.equation
    assert writer.accuracy(tokens, sampler, ROWS, 0.5).startswith(f"{len(ROWS)} of {len(ROWS)} right")


def test_what_it_writes_is_a_text_and_its_likeliest_equation(tokens: Any, model: Any) -> None:
    torch.manual_seed(0)
    sampler = Sampler(model, end=tokens.end, equation=tokens.equation, rows=4, starts=[tokens.sources["en"]])
    written = sampler.write()
    assert len(written) > 20
    texts = [tokens.text(text) for text, _, _ in written]
    assert {text.split()[0] for text in texts} == {"Tom"}
    assert len(set(texts)) > 5
    questions = [[tokens.sources["en"], *text, tokens.equation] for text, _, _ in written[:8]]
    for (_, equation, log_p), (again, log_p_again) in zip(written, sampler.solve(questions), strict=False):
        assert equation == again
        assert log_p == pytest.approx(log_p_again, abs=1e-3)


def _problem(text: str, equation: str) -> Problem:
    return jsonl.read_row("", {"text": text, "equation": equation}).problem


def test_only_new_readable_and_sure_problems_are_kept() -> None:
    held_out = [_problem("A van brings 40 crates of plums to the market. It sells 12. How many remain?", "40-12")]
    old = "Ann has 3 cats and 4 dogs. How many pets has she?"
    judge = selection.Judge(frozenset({Fraction(2)}), least=0.6)
    candidates = [
        ("Ben reads 12 pages a day. How many does he read in 5 days?", "12*5", -0.01, "kept"),
        ("Ben reads 14 pages a day. How many does he read in 3 days?", "14*3", -0.01, "known text"),  # new numbers only
        ("Ann has 5 cats and 6 dogs. How many pets has she?", "5+6", -0.01, "known text"),
        ("A van brings 30 crates of plums to the market. It sells 9. How many still remain?", "30-9", 0, "held out"),
        ("Eva cycles 8 km to work. How far is it there and back?", "8*2", -0.2, "kept"),
        ("Eva walks 8 km to town. How far is it in all?", "8*17", -0.2, "number from nowhere"),
        ("Max has 9 coins and loses 4. How many are left?", "9-4", -0.7, "unsure"),
        ("Max has 9 coins and loses 4. How many are", "9-4", -0.1, "broken text"),
        ("Max has 9 stamps and loses 4. How many are left?", "9-", -0.1, "broken equation"),
        ("Max has 9 shells. How many shells has he?", "9", -0.1, "no expression"),
        ("Max has 4 keys and loses 9. How many are left?", "4-9", -0.1, "odd value"),
        ("He cuts 7 m into 67 parts. How long is each?", "7/67", -0.1, "odd value"),
    ]
    rows = [candidate[:3] for candidate in candidates]
    kept, counts = selection.select(rows, judge, {_problem(old, "3+4").wording}, held_out)
    assert [problem.text for problem in kept] == [text for text, _, _, fate in candidates if fate == "kept"]
    assert [str(problem.answer) for problem in kept] == ["60", "16"]
    expected = {"like a held-out text" if fate == "held out" else fate for *_, fate in candidates}
    assert {reason for reason, count in counts.items() if count} == expected
    assert sum(counts.values()) == len(candidates)
