"""Variants of one recipe: the ablations, the paper's and ours, and different numbers of queries.

Each is trained with several seeds, in parallel; finished runs are not trained again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from treequation.errors import TreequationError
from treequation.evaluation.analysis.matching_stability import matching_figures
from treequation.evaluation.paired_comparison import compare
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import SCORES, Report, Summary, mean_and_std
from treequation.experiments.comparison import ComparedRecipe
from treequation.experiments.repeats import run_all
from treequation.model import TreequationModel
from treequation.model.config import TreequationConfig
from treequation.training.loop import RESULT
from treequation.training.recipe import Data, Recipe, read_recipe
from treequation.training.run_folder import RunFolder
from treequation.training.sources import Problems


@dataclass(frozen=True, slots=True)
class Variant:
    """Named changes to a recipe; ``origin`` says whether they are the paper's or ours."""

    name: str
    changes: tuple[str, ...] = ()
    origin: str = "ours"


BASE = Variant("bipartite matching", (), "paper")
VARIANTS = (
    BASE,
    Variant("sequence matching", ("model.matching=sequence",), "paper"),
    Variant("random matching", ("model.matching=random",), "paper"),
    Variant("operand None loss", ("model.none_loss=operand",), "paper"),
    Variant("no operator None loss", ("model.none_loss=off",), "paper"),
    Variant("no parallel decoding", ("model.queries=1",), "paper"),
    Variant("one query, 16 steps", ("model.queries=1", "model.steps=16")),  # enough steps for one expression per step
    Variant("Layer-Shared(2)", ("model.shared_layers=2",)),
    Variant("results from embeddings", ("model.teacher=gold",)),
    Variant("our decoder", ("decoder=chained",)),
    Variant("our decoder, problem not updated", ("decoder=chained", "model.update_problem=false")),
    Variant("our decoder, denoising queries", ("decoder=chained", "model.denoising=0.3")),
    Variant("hidden words", ("model.token_dropout=0.1",)),
    Variant("numbers without their digits", ("model.keep_number_text=false",)),
)


def choose(only: Sequence[str]) -> list[Variant]:
    """The variants with these names, or all of them if there are no names.

    >>> [variant.name for variant in choose(["random matching"])]
    ['bipartite matching', 'random matching']
    """
    known = {variant.name: variant for variant in VARIANTS}
    groups = {origin: [v for v in VARIANTS if v.origin == origin] for origin in ("paper", "ours")}
    chosen = {BASE: None}
    for name in only or known:
        if name not in known and name not in groups:
            raise TreequationError(f"there is no variant {name!r}; choose from paper, ours, {', '.join(known)}")
        chosen |= dict.fromkeys(groups.get(name) or [known[name]])
    return list(chosen)


def query_variants(recipe: Recipe, counts: Sequence[int]) -> list[Variant]:
    """A variant for each number of queries; the recipe's own number needs no change.

    >>> [variant.changes for variant in query_variants(Recipe(), [6, 1])]
    [('model.queries=1',), ()]
    """
    if not counts or min(counts) < 1:
        raise TreequationError("a model needs at least one query")
    inherited = 0 if recipe.start else TreequationConfig().queries  # not known before the model is read
    own = recipe.model.get("queries", inherited)
    return [Variant(str(n), () if n == own else (f"model.queries={n}",), "paper") for n in sorted(set(counts))]


@dataclass(frozen=True, slots=True)
class Tried:
    """A variant's finished runs (one per seed), the problems of the first, and the test outcomes of all."""

    variant: Variant
    runs: tuple[RunFolder, ...]
    problems: Problems
    outcomes: tuple[list[Outcome], ...]


def try_variants(
    variants: Sequence[Variant],
    recipe: Path,
    changes: Sequence[str],
    runs: Path,
    *,
    seeds: int = 1,
    parallel: int = 1,
    device: str | None = None,
    train: bool = True,
    report: Callable[[str], None] = lambda message: None,
) -> tuple[list[Tried], dict[str, str]]:
    """Trains the unfinished runs, if ``train`` is set, and solves the test problems.

    ``changes`` apply to all variants. Returns the variants tried, and the reasons for failures by the run's name.
    """
    repeats = {}
    for variant in variants:
        changed = read_recipe(recipe, [*changes, *variant.changes])
        repeats[variant] = ComparedRecipe(recipe, variant.changes, changed).repeats(seeds)
    everything = [repeat for each in repeats.values() for repeat in each]
    failures = {}
    if not train:
        failures = {each.name: "not finished" for each in everything if not (runs / each.name / RESULT).exists()}
    waiting = [repeat for repeat in everything if repeat.name not in failures]
    failures |= run_all(waiting, recipe, changes, runs, parallel=parallel, device=device, report=report)
    known: dict[tuple[Data, int], Problems] = {}
    tried = []
    for variant, each in repeats.items():
        finished = [RunFolder.read(runs / repeat.name) for repeat in each if repeat.name not in failures]
        if not finished:
            continue
        outcomes = []
        for run in finished:
            problems = known.get(_key(run)) or known.setdefault(_key(run), run.problems())
            report(f"{run.folder.name}: {len(problems.test):,} test problems")
            outcomes.append(run.outcomes(problems, device=device))
        tried.append(Tried(variant, tuple(finished), known[_key(finished[0])], tuple(outcomes)))
    if not tried:
        raise TreequationError(f"no run is finished: {'; '.join(f'{n}: {r}' for n, r in failures.items())}")
    return tried, failures


def _key(run: RunFolder) -> tuple[Data, int]:
    """Runs with the same key have the same problems; the seed counts only if it chooses the dev problems."""
    data = run.recipe.data
    return data, run.recipe.training.seed if data.dev_part else 0


def ablation(tried: Sequence[Tried], failures: dict[str, str]) -> dict[str, Any]:
    """The finding of an ablation; every variant is compared with the first, the unchanged recipe."""
    base = tried[0]
    if base.variant != BASE:
        raise TreequationError(
            "the run of the unchanged recipe is not finished, so there is nothing to compare with; train it first"
        )
    return {**_about(tried), "variants": [_described(each, base) for each in tried], "failed": failures}


def queries(tried: Sequence[Tried], failures: dict[str, str], *, device: str | None = None) -> dict[str, Any]:
    """The finding of different numbers of queries, each compared with the smallest.

    The matching is measured on the first seed's model.
    """
    base = min(tried, key=lambda each: int(each.variant.name))
    found = []
    for each in sorted(tried, key=lambda each: int(each.variant.name)):
        run = each.runs[0]
        model = run.model(device)
        if not isinstance(model, TreequationModel):
            raise TreequationError(f"{run.folder} has the decoder {model.DECODER}, which has no queries")
        matching = matching_figures(model, each.problems.dev or each.problems.test)
        found.append({**_described(each, base), "matching": matching})
    return {**_about(tried), "counts": found, "failed": failures}


def _about(tried: Sequence[Tried]) -> dict[str, Any]:
    """What all variants share, for the finding."""
    run = tried[0].runs[0]
    return {
        "recipe": run.recipe.name,
        "encoder": run.recipe.encoder_name,
        "epochs": run.recipe.training.epochs,
        "problems": len(tried[0].outcomes[0]),
        "seeds": max(len(each.runs) for each in tried),
        "code": run.record["code"].get("commit", ""),
    }


def _described(each: Tried, base: Tried) -> dict[str, Any]:
    """A variant's figures, and its paired comparison with ``base`` on the problems of the first seed."""
    accuracies = [_accuracies(outcomes) for outcomes in each.outcomes]
    first = Report.of(each.outcomes[0])
    return {
        "name": each.variant.name,
        "origin": each.variant.origin,
        "changes": list(each.variant.changes),
        "runs": accuracies,
        **{score: _over_seeds([run[score] for run in accuracies]) for score in (*SCORES, "unseen_accuracy")},
        "interval": first.intervals["literature_accuracy"],
        "by_shape": {shape: summary.literature_accuracy for shape, summary in first.by_shape.items()},
        "mean_steps": fmean(Summary.of(outcomes).mean_steps for outcomes in each.outcomes),
        "left_out_of_training": sum(each.runs[0].record["left_out"].values()),
        "against_base": None if each is base else compare(each.outcomes[0], base.outcomes[0], "literature").figures,
    }


def _accuracies(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    unseen = [outcome for outcome in outcomes if outcome.seen is False]
    return {
        **Summary.of(outcomes).scores,
        "unseen_accuracy": Summary.of(unseen).literature_accuracy if unseen else None,
    }


def _over_seeds(values: Sequence[float | None]) -> Mapping[str, float | None]:
    known = [value for value in values if value is not None]
    mean, std = mean_and_std(known) if known else (None, None)
    return {"mean": mean, "std": std}
