"""Beginning with what another model has learnt, and hiding words from the encoder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.model.tiny import batch_of, examples_of, make_model
from tests.training.tiny_run import tiny_recipe
from treequation.data.synthetic import generate
from treequation.evaluation.evaluator import load_model
from treequation.expression.parsing import parse_infix
from treequation.training import RecipeError, train
from treequation.training.recipe import recipe_from
from treequation.training.sources import Problems, build_model, load_problems


def test_a_run_begins_with_the_weights_and_constants_of_another(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "training.epochs=1")
    problems = load_problems(recipe.data).train
    half = replace(problems[0], graph=parse_infix("n0*0.5"))
    first = train(recipe, tmp_path / "first", device="cpu", problems=Problems([*problems, half, half], [], []))
    changes = (f"start={first.folder}", "encoder.dropout=0.37", f"data.extra={tmp_path}/dev.jsonl")
    begun = build_model(tiny_recipe(tmp_path, *changes), problems)
    assert build_model(recipe, problems).config.constants == []
    assert begun.config.constants == ["1/2"]  # what it was taught, it keeps
    assert {part.p for part in begun.encoder.modules() if isinstance(part, torch.nn.Dropout)} == {0.37}
    assert begun.config.trained_on == [f"{tmp_path}/{name}.jsonl" for name in ("train", "dev")]  # each once
    taught = dict(load_model(first.folder).named_parameters())
    for name, own in begun.named_parameters():
        torch.testing.assert_close(own, taught[name])


def test_operators_that_the_equations_need_come_after_those_that_are_known(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "training.epochs=1")
    problems = load_problems(recipe.data).train
    first = train(recipe, tmp_path / "first", device="cpu")
    assert load_model(first.folder).config.operators == ["+", "-", "*", "/", "^"]
    buses = replace(problems[0], graph=parse_infix("ceil(n0/2)"))
    begun = build_model(tiny_recipe(tmp_path, f"start={first.folder}"), [*problems, buses, buses])
    assert begun.config.operators == ["+", "-", "*", "/", "^", "ceil"]
    taught = load_model(first.folder)
    torch.testing.assert_close(begun.decoder.operators[:-1], taught.decoder.operators)
    assert len(begun.decoder.operators) == 7


def test_a_start_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    recipe = tiny_recipe(tmp_path, "training.epochs=1")
    folder = train(recipe, tmp_path / "first", device="cpu").folder
    problems = load_problems(recipe.data).train
    with pytest.raises(RecipeError, match="built differently"):
        build_model(tiny_recipe(tmp_path, f"start={folder}", "model.queries=4"), problems)
    with pytest.raises(RecipeError, match="built differently"):
        build_model(tiny_recipe(tmp_path, f"start={folder}", "decoder=seq2tree"), problems)
    for whole in (folder, folder / "best"):
        with pytest.raises(RecipeError, match="is a run or a whole model, not an encoder; set start to it"):
            build_model(tiny_recipe(tmp_path, f"encoder.name={whole}"), problems)


def test_what_a_recipe_does_not_say_is_as_in_the_model_that_it_starts_from(tmp_path: Path) -> None:
    own = ("decoder=chained", "model.queries=3", "model.update_problem=false", "model.decoder_width=16")
    folder = train(tiny_recipe(tmp_path, "training.epochs=1", *own), tmp_path / "first", device="cpu").folder
    problems = load_problems(tiny_recipe(tmp_path).data).train
    plain = {"start": str(folder), "data": {"train": ["mine.jsonl"]}, "model": {"token_dropout": 0.25}}
    begun = build_model(recipe_from(plain), problems)
    assert (begun.DECODER, begun.config.queries, begun.config.update_problem) == ("chained", 3, False)
    assert begun.config.token_dropout == 0.25
    assert recipe_from({**plain, "start": ""}).decoder == "expression-tree"


def test_hidden_words_change_what_is_read_in_training_alone() -> None:
    problems = generate(4, seed=0, level="easy", language="en")
    model = make_model(problems, token_dropout=0.5)
    batch = batch_of(model, examples_of(model, problems))
    hidden = model._with_hidden_words(batch)
    assert (hidden != batch.ids).any()
    markers = torch.gather(hidden, 1, batch.positions) == model.problem_encoder.marker
    there = torch.arange(batch.positions.shape[1]) < batch.numbers.unsqueeze(1)
    assert markers[there].all()
    with torch.no_grad():
        assert not torch.equal(model.train()(batch), model(batch))
        torch.testing.assert_close(model.eval()(batch), model(batch))
