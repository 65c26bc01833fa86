"""A compact store of the outcomes of finished runs: ``results/runs/DATA/VARIANT.jsonl`` has one line per run.

Tables can grow run by run, and nothing is trained twice. ``test-set.json`` in the same folder has what all runs of a
data set share, such as the shapes of its equations and which problems a nearest neighbour solves.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from treequation.data.catalogue import MissingDataError
from treequation.data.statistics import spread_of
from treequation.errors import TreequationError
from treequation.evaluation.analysis.decoding_steps import gold_steps
from treequation.evaluation.paired_comparison import check_problems
from treequation.evaluation.problem_set import source_name
from treequation.evaluation.scoring import Outcome
from treequation.evaluation.summary import MAX_EXPRESSIONS
from treequation.experiments.claim_variants import OTHER, ClaimVariants, Settings, regime, settings, trained
from treequation.experiments.neighbour_entry import copy_equations
from treequation.expression.parsing import parse_infix
from treequation.records import STRICT, checked
from treequation.storage import write_json, write_json_lines
from treequation.training.epoch_reports import read_reports
from treequation.training.loop import METRICS, RESULT
from treequation.training.recipe import Recipe, read_recipe
from treequation.training.run_folder import RunFolder
from treequation.training.sources import Problems, load_problems

STORE, TEST_SET = "runs", "test-set.json"
_ALWAYS = (
    *("decoder", "model.queries", "model.steps", "model.teacher", "encoder.name"),
    *("training.epochs", "training.batch_size", "training.learning_rate", "training.encoder_learning_rate"),
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A finished run. ``right`` has a 1 for each test problem that it solves, by the literature's score, or a 0."""

    __pydantic_config__ = STRICT

    variant: str
    seed: int
    recipe: Settings  # by key, such as model.queries: those that differ from the defaults, and a few more
    command: str
    date: str
    device: str
    code: str  # the commit
    seconds: float | None
    best_epoch: int
    dev: Mapping[str, float]  # by epoch
    steps: Mapping[str, float]  # mean, std and max
    right: str

    @property
    def encoder(self) -> str:
        """The encoder's name and, if some layers are cut off, how many remain."""
        return _encoder(self.recipe)

    @property
    def regime(self) -> str:
        """The training settings as text; the same for runs that differ only in the seed."""
        return _regime(self.recipe)

    @property
    def best_dev(self) -> float | None:
        """Its best accuracy on dev."""
        return max(self.dev.values(), default=None)


@dataclass(frozen=True, slots=True)
class StoredTestSet:
    """What all runs of a data set share; the strings have one character per test problem."""

    __pydantic_config__ = STRICT

    problems: int
    ids: str  # a checksum of the problems' ids, in order
    shape: str  # n(umber), s(ingle), c(hain), t(ree)
    expressions: str  # 8 means eight or more
    gold_steps: Mapping[str, Mapping[str, float]]  # by family of decoders
    seen: str | None  # 1: the text, numbers aside, is a training text
    unlike: str | None  # 1: no training text has a similarity of 0.6 or more
    nearest_neighbour: str | None  # 1: right


def store_name(recipe: Recipe) -> str:
    """The name of the data set's folder; a fold is a test set of its own."""
    data = recipe.data
    sources = data.test or data.pool
    if not sources:
        raise TreequationError(f"the recipe {recipe.name} has no test problems: set data.test")
    return source_name(sources[0]) + (f"-fold-{data.fold}" if data.fold >= 0 else "")


def read_store(folder: Path) -> dict[str, tuple[StoredTestSet, list[StoredRun]]]:
    """All stored runs by data set; checks that each has as many outcomes as its test set has problems."""
    found = {}
    for path in sorted(folder.glob(f"*/{TEST_SET}")):
        test_set = _test_set(path)
        runs = [run for file in sorted(path.parent.glob("*.jsonl")) for run in _read_runs(file)]
        for run in runs:
            if len(run.right) != test_set.problems:
                raise TreequationError(
                    f"{path.parent}: a run of {run.variant} has {len(run.right)} outcomes, not {test_set.problems}"
                )
        found[path.parent.name] = test_set, runs
    return found


def add_runs(
    folders: Sequence[Path], store: Path, variants: ClaimVariants, report: Callable[[str], None] = lambda message: None
) -> int:
    """Adds finished runs to the store; returns how many were new. A folder of run folders stands for all of them."""
    added = 0
    for folder in folders:
        finished = (
            [folder] if (folder / RESULT).exists() else sorted(path.parent for path in folder.glob(f"*/{RESULT}"))
        )
        if not finished:
            raise TreequationError(f"there is no finished run in {folder}; train it, or continue it with `--resume`")
        added += sum([add_run(RunFolder.read(each), store, variants, report) for each in finished])
    return added


def add_run(run: RunFolder, store: Path, variants: ClaimVariants, report: Callable[[str], None]) -> bool:
    """Adds a finished run, unless the store has the same recipe with the same seed."""
    data = store_name(run.recipe)
    outcomes = run.outcomes()
    stored = stored_run(run, outcomes, variants)
    _check_test_set(store / data / TEST_SET, run, outcomes, variants.recipes[data])
    path = store / data / f"{_slug(stored.variant)}.jsonl"
    known = _read_runs(path) if path.exists() else []
    if any(_key(each.seed, each.recipe) == _key(stored.seed, stored.recipe) for each in known):
        report(
            f"{run.folder}: {stored.variant}, seed {stored.seed}, is already in {path}; delete its line to replace it"
        )
        return False
    write_json_lines(path, map(asdict, sorted([*known, stored], key=lambda run: (run.encoder, run.regime, run.seed))))
    report(f"{run.folder}: added to {path} as {stored.variant}, seed {stored.seed}")
    if stored.variant == OTHER:
        nearest, keys = next(iter(variants.differing(settings(run.recipe), data).items()), ("", []))
        report(f"{run.folder} is not a variant of the claims; it differs from {nearest!r} in {', '.join(keys)}")
    return True


def missing_runs(store: Path, variants: ClaimVariants, data: str, seeds: int, changes: Sequence[str] = ()) -> list[str]:
    """The commands of the runs that the store lacks: each variant with each seed, the first seed of all variants first.

    ``changes`` to the recipe give the regime and the encoder. What a variant itself changes takes precedence.
    """
    recipe = variants.recipe_for(data)
    _, runs = read_store(store).get(data, (None, []))
    known = {_key(run.seed, run.recipe) for run in runs}
    commands = []
    for seed in range(seeds):
        for name, own in variants.variants.items():
            changed = [*changes, *own, f"training.seed={seed}"]
            key = _key(seed, shortened(settings(read_recipe(recipe, changed))))
            if key in known:  # or another name of the same variant
                continue
            known.add(key)
            words = ["treequation", "train", str(recipe), "--test"]
            words += [word for change in changed for word in ("--set", change)]
            commands.append(shlex.join([*words, "--output", f"runs/{data}/{_slug(name)}-{seed}"]))
    return commands


def stored_run(run: RunFolder, outcomes: Sequence[Outcome], variants: ClaimVariants) -> StoredRun:
    """A run as it is stored."""
    own, data = settings(run.recipe), store_name(run.recipe)
    result = json.loads((run.folder / RESULT).read_text(encoding="utf-8"))
    reports = read_reports(run.folder / METRICS)
    return StoredRun(
        variant=variants.variant_of(own, data),
        seed=run.recipe.training.seed,
        recipe=shortened(own),
        command=variants.command(own, data),
        date=str(run.record["date"])[:10],
        device=run.device,
        code=str(run.record["code"].get("commit", "")),
        seconds=round(result["seconds"], 1),
        best_epoch=result["best_epoch"],
        dev={
            str(each.epoch): round(score, 5)
            for each in reports
            if each.dev and (score := each.dev["literature_accuracy"]) is not None
        },
        steps=spread_of([outcome.steps for outcome in outcomes]),
        right=_bits(outcome.literature_right for outcome in outcomes),
    )


def shortened(own: Settings) -> Settings:
    """The settings that differ from the defaults, and a few that are always shown."""
    default = settings(Recipe())
    return {key: value for key, value in own.items() if value != default[key] or key in _ALWAYS}


def stored_test_set(outcomes: Sequence[Outcome], problems: Problems | None) -> StoredTestSet:
    """The test set of a run. Without its ``problems``, the nearest neighbour's outcomes are unknown."""
    if not all(outcome.gold_equation for outcome in outcomes):
        raise TreequationError("a test problem of this run has no equation; the claims are about equations")
    copied = None if problems is None else copy_equations(problems)
    seen = [outcome.seen for outcome in (outcomes if copied is None else copied.outcomes)]
    return StoredTestSet(
        problems=len(outcomes),
        ids=_checksum(outcomes),
        shape="".join(outcome.shape[0] for outcome in outcomes),
        expressions="".join(str(min(outcome.expressions or 0, MAX_EXPRESSIONS)) for outcome in outcomes),
        gold_steps=gold_steps(parse_infix(outcome.gold_equation) for outcome in outcomes),
        seen=None if None in seen else _bits(seen),
        unlike=None if copied is None else _bits(copied.unlike),
        nearest_neighbour=None if copied is None else _bits(each.literature_right for each in copied.outcomes),
    )


def _check_test_set(path: Path, run: RunFolder, outcomes: Sequence[Outcome], recipe: Path) -> None:
    """Writes the test set if it is new, from the data set's ``recipe``; refuses a run with other problems."""
    if path.exists():
        known = _test_set(path)
        if known.ids != _checksum(outcomes):
            raise TreequationError(f"{run.folder} was tested on other problems than the runs in {path.parent}")
        if known.nearest_neighbour is not None:
            return
    own = read_recipe(recipe)
    try:
        problems = load_problems(own.data, own.training.seed)
    except MissingDataError:
        problems = None
    if problems is not None:
        check_problems([problem.id for problem in problems.test], outcomes)
    write_json(path, asdict(stored_test_set(outcomes, problems)))


def _test_set(path: Path) -> StoredTestSet:
    return _read(StoredTestSet, path.read_text(encoding="utf-8"), str(path))


def _read_runs(path: Path) -> list[StoredRun]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_read(StoredRun, line, f"{path}, line {number}") for number, line in enumerate(lines, 1)]


def _read(kind: type[T], text: str, where: str) -> T:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TreequationError(f"{where} is not JSON: {error}") from error
    return checked(kind, row, where, TreequationError)


def _key(seed: int, own: Settings) -> tuple[object, ...]:
    """The same for two runs if the second would only repeat the first."""
    return seed, _encoder(own), _regime(own), json.dumps(trained(own), sort_keys=True)


def _encoder(own: Settings) -> str:
    name, layers = own["encoder.name"], own.get("encoder.layers")
    return f"{name}, {layers} layers" if layers else str(name)


def _regime(own: Settings) -> str:
    return json.dumps(regime(own), sort_keys=True)


def _checksum(outcomes: Sequence[Outcome]) -> str:
    return hashlib.sha256("\n".join(outcome.id for outcome in outcomes).encode()).hexdigest()[:16]


def _bits(values: Iterable[object]) -> str:
    return "".join("1" if value else "0" for value in values)


def _slug(name: str) -> str:
    """A name in the form of a file name.

    >>> _slug("six queries, 12 layers"), _slug("Layer-Shared(2)")
    ('six-queries-12-layers', 'layer-shared-2')
    """
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-")
