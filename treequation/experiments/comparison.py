"""Compares decoders: each is trained from its recipe, or loaded if already trained, and solves the same problems.

The same scorer and machine measure all of them; for speed they take turns in one process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, get_args

import numpy as np

from treequation.data.batches import in_order_of_length
from treequation.data.statistics import spread_of
from treequation.errors import TreequationError
from treequation.evaluation.analysis.decoding_steps import gold_steps
from treequation.evaluation.paired_comparison import Score, compare
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import SCORES, Report, Summary
from treequation.experiments.peers import PeerRow
from treequation.experiments.repeats import Repeat, run_all
from treequation.model import TreequationModel, WordProblemModel, decode
from treequation.model.captured import CapturedSearch
from treequation.model.greedy import Search
from treequation.text.problem import Problem
from treequation.timing import evenly, in_turn
from treequation.training.environment import hardware
from treequation.training.epoch_reports import read_reports
from treequation.training.loop import METRICS
from treequation.training.recipe import Data, Recipe, read_recipe
from treequation.training.run_folder import RunFolder
from treequation.training.sources import Problems, load_problems

METHOD = (
    "Every entry solves all test problems, and all of them count. Speeds: in one process, after a warm-up, entries "
    "take turns on each problem (latency) and on each batch of problems of similar length (problems a second; median, "
    "min and max of the rounds). A time is from the text to the equation and includes the encoder. On a GPU our "
    "own search is also timed as CUDA graphs, captured beforehand for the problems' sizes. Training problems a second "
    "are the median over the epochs of the run, without evaluation. The p-value is "
    "McNemar's exact test, two-sided, on the problems of the first seed. Unlike text: the problems whose nearest "
    "training text has a TF-IDF similarity below 0.6."
)
_WARM_UP = 3


@dataclass(frozen=True, slots=True)
class ComparedRecipe:
    """A recipe with some changes."""

    path: Path
    changes: tuple[str, ...]
    recipe: Recipe
    row: PeerRow | None = None  # of a published table, which this is

    @property
    def name(self) -> str:
        """The recipe's name and the changes; only the name if a change sets it."""
        named = any(change.startswith("name=") for change in self.changes)
        return self.recipe.name if named else " ".join([self.recipe.name, *self.changes])

    def repeats(self, seeds: int) -> list[Repeat]:
        """Its runs. The first is the one that ``treequation train`` makes from the recipe."""
        folder = re.sub(r"[^\w.=-]+", "+", self.name)
        first = self.recipe.training.seed
        more = [
            Repeat(f"{folder}-seed-{seed}", (*self.changes, f"training.seed={seed}"))
            for seed in range(first + 1, first + seeds)
        ]
        return [Repeat(folder, self.changes), *more]


def compared_recipes(
    recipes: Sequence[Path], peers: Sequence[str], common: Sequence[str] = (), rows: Sequence[PeerRow] = ()
) -> list[ComparedRecipe]:
    """Each recipe unchanged, then each with each peer's changes, such as ``decoder=seq2tree model.symbols=45``.

    Then come the ``rows`` of a published table. ``common`` changes apply to all entries and appear in no name.
    """
    found = [ComparedRecipe(path, (), read_recipe(path, common)) for path in recipes]
    for path in recipes:
        for peer in peers:
            changes = tuple(peer.split())
            found.append(ComparedRecipe(path, changes, read_recipe(path, [*common, *changes])))
        for row in rows:
            if not row.same_as:
                changes = row.changes_to(read_recipe(path, common).name)
                found.append(ComparedRecipe(path, changes, read_recipe(path, [*common, *changes]), row))
    names = [compared.name for compared in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise TreequationError(f"two entries are called {', '.join(sorted(twice))}; give each recipe its own name")
    return found


def problems_of(entered: Sequence[ComparedRecipe]) -> dict[Data, Problems]:
    """The problems of each recipe; raises an error unless all of them are tested on the same problems."""
    known: dict[Data, Problems] = {}
    for compared in entered:
        data = compared.recipe.data
        if data in known:
            continue
        known[data] = load_problems(data, compared.recipe.training.seed)
        if not known[data].test:
            raise TreequationError(f"{compared.name} has no test problems: set data.test, such as to mathqa:test")
        first, own = ([(each.id, each.text) for each in known[one].test] for one in (entered[0].recipe.data, data))
        if own != first:
            raise TreequationError(
                f"{compared.name} has other test problems than {entered[0].name}: give all of them the same test "
                "problems, such as with --set data.test=mathqa:test"
            )
    return known


@dataclass(slots=True)
class Entry:
    """A compared recipe with one beam size.

    A language model behind an endpoint and the nearest neighbour have no ``model``; their steps and speed are not
    measured.
    """

    name: str
    decoder: str
    outcomes: list[Outcome]  # of the first seed
    beam: int | None = None
    model: WordProblemModel | None = None
    accuracies: list[dict[str, float | None]] = field(default_factory=list)  # of every seed
    training: dict[str, float] | None = None
    search: Search | None = None  # used instead of the decoder's default search
    row: PeerRow | None = None  # of a published table


def train_all(
    recipes: Sequence[ComparedRecipe],
    common: Sequence[str],
    runs: Path,
    *,
    seeds: int = 1,
    parallel: int = 1,
    device: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> dict[str, str]:
    """Trains the entries that are not trained yet, ``parallel`` runs at a time.

    Returns the rows of a published table that failed, with reasons; the comparison goes on without them. Any other
    failure is an error.
    """
    lost: dict[str, str] = {}
    for path in dict.fromkeys(compared.path for compared in recipes):
        own = [each for each in recipes if each.path == path]
        repeats = [repeat for each in own for repeat in each.repeats(seeds)]
        failures = run_all(repeats, path, common, runs, parallel=parallel, device=device, report=report)
        for each in own:
            failed = [repeat.name for repeat in each.repeats(seeds) if repeat.name in failures]
            if failed and each.row is not None:
                lost[each.name] = "; ".join(failures.pop(name) for name in failed)
        if failures:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in failures.items())
            raise TreequationError(f"some entries could not be trained: {reasons}")
    return lost


def enter(
    compared: ComparedRecipe,
    runs: Path,
    problems: Problems,
    *,
    seeds: int = 1,
    device: str | None = None,
    report: Callable[[str], None] = lambda message: None,
) -> list[Entry]:
    """Solves the test problems with a trained entry, with its paper's beam and greedily."""
    finished = [RunFolder.read(runs / repeat.name) for repeat in compared.repeats(seeds)]
    models = [run.model(device) for run in finished]
    entries = []
    rates = [each.problems_per_second for each in read_reports(finished[0].folder / METRICS)]
    training = {"problems_per_second": median(rates), "epochs": len(rates)} if rates else None
    model = models[0]
    for beam in sorted({1, model.BEAM}, reverse=True):
        own = beam == model.BEAM
        name = compared.name if own else f"{compared.name}, greedy"
        report(f"{name}: solving {len(problems.test):,} problems")
        solved = [
            run.outcomes(problems, model=each, beam=None if own else beam)
            for run, each in zip(finished, models, strict=True)
        ]
        accuracies = [Summary.of(outcomes).scores for outcomes in solved]
        row = compared.row if own else None
        entries.append(Entry(name, model.DECODER, solved[0], beam, model, accuracies, training, row=row))
    return entries


def result(
    entries: Sequence[Entry],
    problems: Sequence[Problem],
    *,
    sources: Sequence[str],
    count: int,
    batch_size: int,
    rounds: int,
    unlike: Collection[str] = (),
) -> dict[str, Any]:
    """The whole result as plain values; every entry is compared with the first one of our own decoder.

    ``unlike`` has the ids of the problems that resemble no training text.
    ``count`` problems, spread evenly over the test set, are timed, ``batch_size`` at a time in bulk, in ``rounds``.
    """
    ours = next((entry for entry in entries if isinstance(entry.model, TreequationModel)), entries[0])
    if isinstance(ours.model, TreequationModel) and ours.model.device.type == "cuda":
        entries = [*entries, replace(ours, name=f"{ours.name}, captured", search=CapturedSearch(ours.model))]
    # A language model runs elsewhere.
    device = next((entry.model.device.type for entry in entries if entry.model is not None), "cpu")
    speeds = _speeds([entry for entry in entries if entry.model is not None], problems, count, batch_size, rounds)
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": list(sources),
        "problems": len(problems),
        "hardware": hardware(device),
        "method": METHOD,
        "timed": {"problems": min(count, len(problems)), "batch_size": batch_size, "rounds": rounds},
        "gold_steps": gold_steps(problem.graph for problem in problems),
        "compared_with": ours.name,
        "entries": [
            {**_described(entry, ours, speeds.get(entry.name), unlike), "row": entry.row and entry.row.about(sources)}
            for entry in entries
        ],
    }


def _described(entry: Entry, ours: Entry, speed: Mapping[str, Any] | None, unlike: Collection[str]) -> dict[str, Any]:
    steps = [outcome.steps for outcome in entry.outcomes]
    alone = [outcome for outcome in entry.outcomes if outcome.id in unlike]
    return {
        "name": entry.name,
        "decoder": entry.decoder,
        "beam": entry.beam,
        "parameters": None if entry.model is None else _parameters(entry.model),
        **Report.of(entry.outcomes).to_dict(),
        "unlike_text": asdict(Summary.of(alone)) if alone else None,
        "seeds": {"runs": entry.accuracies, **_over_seeds(entry.accuracies)},
        "steps": spread_of(steps) if entry.model is not None else None,
        "training": entry.training,
        "speed": speed,
        "against_ours": None
        if entry is ours
        else {score: compare(entry.outcomes, ours.outcomes, score).figures for score in get_args(Score)},
    }


def _parameters(model: WordProblemModel) -> dict[str, int]:
    encoder = sum(parameter.numel() for parameter in model.encoder.parameters())
    return {"all": sum(parameter.numel() for parameter in model.parameters()), "encoder": encoder}


def _over_seeds(accuracies: Sequence[Mapping[str, float | None]]) -> dict[str, Any]:
    known = {score: [share for run in accuracies if (share := run[score]) is not None] for score in SCORES}
    return {score: {"mean": fmean(shares), "std": stdev(shares)} for score, shares in known.items() if len(shares) > 1}


def _speeds(
    entries: Sequence[Entry], problems: Sequence[Problem], count: int, batch_size: int, rounds: int
) -> dict[str, dict[str, Any]]:
    """Latency and throughput of the entries, which take turns."""
    if not entries:
        return {}
    chosen = evenly(problems, count)
    solvers = [_solver(entry, chosen) for entry in entries]
    batches = list(in_order_of_length([len(problem.text) for problem in chosen], batch_size))
    for entry, solve in zip(entries, solvers, strict=True):
        if entry.search is not None:  # captured graphs pay off from the second run on
            for indices in [[index] for index in range(len(chosen))] + batches:
                solve(indices)
    single = in_turn(solvers, [[index] for index in range(len(chosen))], warm_up=_WARM_UP) * 1e3
    bulk = np.array([in_turn(solvers, batches, warm_up=1).sum(axis=1) for _ in range(rounds)])  # [rounds, entries]
    return {
        entry.name: {
            "latency_ms": {
                "p50": float(np.percentile(single[place], 50)),
                "p99": float(np.percentile(single[place], 99)),
                "mean": float(single[place].mean()),
            },
            "problems_per_second": {
                "median": float(len(chosen) / np.median(bulk[:, place])),
                "min": float(len(chosen) / bulk[:, place].max()),
                "max": float(len(chosen) / bulk[:, place].min()),
            },
        }
        for place, entry in enumerate(entries)
    }


def _solver(entry: Entry, problems: Sequence[Problem]) -> Callable[[list[int]], object]:
    model = entry.model
    assert model is not None
    return lambda chosen: decode(
        model,
        [problems[index] for index in chosen],
        beam=entry.beam,
        batch_size=len(chosen),
        truncate=True,
        captured=entry.search,
    )
