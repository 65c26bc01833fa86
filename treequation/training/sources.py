"""The problems that a recipe names, and the model that it starts from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from safetensors import SafetensorError
from tokenizers import normalizers
from torch import nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from treequation.baselines import DECODERS
from treequation.data.catalogue import data_set, has_folds, load
from treequation.data.number_variation import vary
from treequation.data.parallel import collector_paused, each, several_processes
from treequation.data.problem_cache import cache_file, read_problems, write_problems
from treequation.evaluation.evaluator import load_model
from treequation.evaluation.problem_set import problem_set
from treequation.evaluation.scoring import can_be_scored
from treequation.expression.ordering import in_order
from treequation.model.base import WordProblemModel
from treequation.model.config import PAPER, TreequationConfig
from treequation.model.scratch import scratch_encoder
from treequation.text.number_vocabulary import Vocabulary
from treequation.text.problem import NumberFormat, Problem
from treequation.training.recipe import MODEL, SCRATCH, Data, Encoder, Recipe, RecipeError

_VARIATIONS = 2  # how many times the problems of data.varied are repeated
_MIN_CACHED = 20_000  # training problems; fewer are read in a few seconds


@dataclass(frozen=True, slots=True)
class Problems:
    """Training, dev and test problems of a recipe; test problems are in the number format of the training problems."""

    train: list[Problem]
    dev: list[Problem]
    test: list[Problem]

    @property
    def training_texts(self) -> frozenset[str]:
        """The number-masked texts of the training problems, to tell seen from unseen."""
        return frozenset(problem.masked_text for problem in self.train)


@collector_paused()
def load_problems(data: Data, seed: int = 0) -> Problems:
    """The problems that the recipe names; with ``dev_part``, some training problems become dev.

    The ``extra`` problems are added last: none are held out as dev, and any that are in dev or test are dropped.
    Large sets are kept in the user's cache folder, which makes the next start faster.
    """
    drawn = data.varied or data.dev_part  # only then does the seed matter
    sources = (*data.train, *data.dev, *data.test, *data.pool, *data.extra, *data.exclude, *data.varied)
    whole = [split_count(source)[0] for source in sources]
    path = cache_file({"data": asdict(data), "seed": seed if drawn else 0}, whole)
    if (kept := read_problems(path)) is not None:
        return Problems(**kept)
    with several_processes():
        problems = _read_problems(data, seed)
    if len(problems.train) >= _MIN_CACHED:
        parts = {"train": problems.train, "dev": problems.dev, "test": problems.test}
        with suppress(OSError):  # a cache that cannot be written is no reason not to train
            write_problems(path, parts)
    return problems


def _read_problems(data: Data, seed: int) -> Problems:
    of = cache(lambda source: load_sources([source], data))  # a source may be named in several places
    if data.pool:
        train, test = _fold_of(load_sources(data.pool, data), data)
    else:
        train = [problem for source in data.train for problem in of(source)]
        test = _test_set(data, train[0].format) if train else []
    if not train:
        raise RecipeError("the recipe names no training problems: set data.train, for example to mathqa:train")
    excluded = {problem.wording for problem in load_sources(data.exclude, data, split="test")}
    if excluded:
        train = [problem for problem in train if problem.wording not in excluded]
        if not train:
            raise RecipeError("data.exclude leaves no training problem: all have the wording of an excluded one")
    dev = [problem for source in data.dev for problem in _scored(source, data)]
    if data.dev_part:
        # Split by masked text, so that no text is on both sides.
        texts = sorted({problem.masked_text for problem in train})
        chosen = np.random.default_rng(seed).permutation(len(texts))[: round(data.dev_part * len(texts))]
        held_out = {texts[index] for index in chosen.tolist()}
        dev = dev + [problem for problem in train if problem.masked_text in held_out]
        train = [problem for problem in train if problem.masked_text not in held_out]
        if not held_out or not train:
            raise RecipeError(
                f"data.dev_part is {data.dev_part}, which takes {len(held_out)} of {len(texts)} different training "
                "texts: choose a share that leaves some on both sides"
            )
    if data.extra or data.varied:
        excluded |= {problem.wording for problem in (*dev, *test)}
        train += [problem for problem in load_sources(data.extra, data) if problem.wording not in excluded]
        again = [p for source in data.varied for p in of(source) if p.graph and p.wording not in excluded]
        again *= _VARIATIONS
        train += each(_varied, again, [f"{seed} {place}" for place in range(len(again))])
    if data.one_order:
        train = [replace(each, graph=in_order(each.graph)) if each.graph else each for each in train]
    return Problems(train, dev, test)


def _varied(problem: Problem, seed: str) -> Problem:
    return vary(problem, Random(seed))


def _test_set(data: Data, format: NumberFormat) -> list[Problem]:
    """All test problems, in the number format that the model was trained with."""
    problems: list[Problem] = []
    for source in data.test:
        whole, count = split_count(source)
        test_set = problem_set(whole, asdict(format), fold=_fold(whole, data))
        usable = _some(test_set.problems, source, test_set.unreadable)
        problems += [usable[place] for place in _drawn(len(usable), count)]
    return problems


def _drawn(size: int, count: int) -> list[int]:
    """The places of ``count`` of ``size`` problems, in order and the same ones each time; all if ``count`` is 0."""
    if not 0 < count < size:
        return list(range(size))
    return sorted(np.random.default_rng(0).permutation(size)[:count].tolist())


def _fold_of(problems: list[Problem], data: Data) -> tuple[list[Problem], list[Problem]]:
    """All folds but one, and that one. The shuffle is fixed, so that all seeds and machines have the same folds."""
    if data.fold not in range(data.folds):
        raise RecipeError(f"data.fold is {data.fold}; the pool has {data.folds} folds: 0 to {data.folds - 1}")
    fold = np.random.default_rng(0).permutation(len(problems)) % data.folds
    return (
        [problem for problem, own in zip(problems, fold, strict=True) if own != data.fold],
        [problem for problem, own in zip(problems, fold, strict=True) if own == data.fold],
    )


def load_sources(sources: Iterable[str], data: Data, split: str = "train") -> list[Problem]:
    """The problems of ``name:split`` sources and ``.jsonl`` files, in order; ``split`` is the default.

    ``name:split=500`` takes 500 of them, the same ones each time.
    """
    problems: list[Problem] = []
    for source in sources:
        whole, count = split_count(source)
        name, _, named = whole.partition(":") if not whole.endswith(".jsonl") else (whole, "", "")
        format = number_format(name, data)
        reading = load(name, named or split, fold=_fold(whole, data), format=format)
        usable = _some(reading.problems, source, reading.rows)
        problems += [usable[place] for place in _drawn(len(usable), count)]
    return problems


def split_count(source: str) -> tuple[str, int]:
    """A source without its count, and the count; 0 if it has none.

    >>> split_count("written:train=8000"), split_count("day=3/mine.jsonl")
    (('written:train', 8000), ('day=3/mine.jsonl', 0))
    """
    whole, equals, count = source.rpartition("=")
    if not equals or source.endswith(".jsonl"):
        return source, 0
    if not (count.isascii() and count.isdigit() and int(count)):
        raise RecipeError(f"{source}: write a number of problems after =, such as {whole}=500")
    return whole, int(count)


def _scored(source: str, data: Data) -> list[Problem]:
    """The problems of a dev source whose answer is known."""
    problems = [problem for problem in load_sources([source], data, split="dev") if can_be_scored(problem)]
    if not problems:
        raise RecipeError(f"data.dev: no problem of {source} has an equation or an answer, so none can be scored")
    return problems


def _some(problems: Sequence[Problem], source: str, rows: int) -> Sequence[Problem]:
    if not problems:
        raise RecipeError(f"{source} has no usable problems ({rows} rows); see `treequation data validate`")
    return problems


def _fold(source: str, data: Data) -> int | None:
    return data.fold if data.fold >= 0 and has_folds(source) else None


def number_format(name: str, data: Data) -> NumberFormat | None:
    """The data set's number format with the recipe's changes; None if the recipe makes none."""
    changes = {
        key: value
        for key in ("percent", "fraction", "words", "ordinals")
        if (value := getattr(data, key)) not in ("", None)
    }
    if not changes:
        return None
    own = NumberFormat() if name.endswith(".jsonl") else data_set(name).format
    return replace(own, **changes)


def _sources(data: Data) -> tuple[str, ...]:
    """The sources of the training problems, without counts; a theme of a set that is named as a whole is left out."""
    named = [split_count(source)[0] for source in (*(data.train or data.pool), *data.extra)]
    return tuple(each for each in named if re.sub("/[^:]*", "", each) not in named or "/" not in each)


def build_model(recipe: Recipe, problems: Sequence[Problem]) -> WordProblemModel:
    """The recipe's model before its first step.

    Constants, number format and operators beyond the paper's come from the training problems.
    """
    formats = {problem.format for problem in problems}
    if len(formats) > 1:
        raise RecipeError(
            "the training problems have several number formats: "
            "set data.percent, data.fraction, data.words and data.ordinals"
        )
    graphs = [problem.graph for problem in problems if problem.graph is not None]
    start = load_model(Path(recipe.start)).float() if recipe.start else None
    own = Vocabulary.of(graphs, min_count=recipe.data.min_constant)
    known = Vocabulary((), ()) if start is None else start.config.vocabulary
    constants = dict.fromkeys((*known.constants, *own.constants))  # known constants keep their slots
    operators = dict.fromkeys((*known.operators, *own.operators))
    (format,) = formats
    kind = DECODERS[recipe.decoder or start.config.decoder] if start else DECODERS[recipe.decoder or PAPER]
    settings = {
        **({} if start is None else {name: getattr(start.config, name) for name in MODEL}),
        **recipe.model,
        **kind.settings_from(graphs, recipe.data.min_constant, None if start is None else start.config),
        "constants": [str(value) for value in constants],
        "operators": [operator.value for operator in operators],
        "number_format": asdict(format),
        "trained_on": list(dict.fromkeys([*(start.config.trained_on if start else ()), *_sources(recipe.data)])),
    }
    if start is None:
        encoder, tokenizer = load_encoder(recipe.encoder, [problem.text for problem in problems])
    else:
        encoder, tokenizer = start.encoder, start.problem_encoder.tokenizer
        _set_dropout(encoder, recipe.encoder.dropout)
    try:
        model = kind.around(encoder, tokenizer, **settings)
    except (ValueError, TypeError) as error:
        raise RecipeError(f"the recipe's model cannot be built: {error}") from error
    if start is not None:
        _begin_with(model, start, recipe.start)
    return model


_GROWING = ("decoder.constants", "decoder.operators", "decoder.codes")  # one row per entry, new entries last


def _begin_with(model: WordProblemModel, start: WordProblemModel, where: str) -> None:
    """Copies the weights of another model; constants and operators that it does not know come last, untrained."""
    weights = dict(start.named_parameters())
    for name, own in model.named_parameters():
        old = weights.get(name)
        if old is None and name.startswith(("addon.", "auxiliaries.")):  # a new part starts untrained
            continue
        fits = old is not None and (
            old.shape == own.shape or (name in _GROWING and len(old) <= len(own) and old.shape[1:] == own.shape[1:])
        )
        if old is None or not fits:
            raise RecipeError(f"start: the model in {where} is built differently ({name}); use its own settings")
        own.data[: len(old)].copy_(old)


def load_encoder(settings: Encoder, texts: Sequence[str]):  # type: ignore[no-untyped-def]
    """The encoder and its tokenizer; only the lowest ``layers`` if the recipe asks for fewer than it has."""
    if settings.name == SCRATCH:
        encoder, tokenizer = scratch_encoder(
            texts, layers=settings.layers or 2, width=settings.width, heads=settings.heads
        )
    else:
        _refuse_model(Path(settings.name))
        try:
            encoder = AutoModel.from_pretrained(settings.name, dtype="float32")
            fast = AutoTokenizer.from_pretrained(settings.name, use_fast=True)
        except (OSError, ValueError, SafetensorError) as error:
            raise RecipeError(f"cannot load the encoder {settings.name}: {str(error).splitlines()[0]}") from error
        tokenizer = fast.backend_tokenizer
        if settings.lowercase:
            own = [tokenizer.normalizer] if tokenizer.normalizer else []
            tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), *own])
        if settings.layers:
            if not hasattr(encoder, "encoder") or settings.layers > len(encoder.encoder.layer):
                raise RecipeError(f"the encoder {settings.name} does not have {settings.layers} layers")
            encoder.encoder.layer = encoder.encoder.layer[: settings.layers]
            encoder.config.num_hidden_layers = settings.layers
    _set_dropout(encoder, settings.dropout)
    return encoder, tokenizer


def _refuse_model(folder: Path) -> None:
    """Refuses a run folder or a whole model where an encoder is expected."""
    kind = None
    with suppress(OSError, ValueError, AttributeError):  # loading the encoder will say what is wrong
        kind = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("model_type")
    if kind == TreequationConfig.model_type or (folder / "run.json").is_file():
        raise RecipeError(f"encoder.name: {folder} is a run or a whole model, not an encoder; set start to it instead")


def _set_dropout(encoder: PreTrainedModel, dropout: float) -> None:
    for part in encoder.modules():
        if isinstance(part, nn.Dropout):
            part.p = dropout
    encoder.config.hidden_dropout_prob = dropout
