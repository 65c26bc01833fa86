"""``treequation analyze``: one command for each question about a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from treequation.cli.ablate import VariantOptions, train_variants
from treequation.cli.options import (
    RESULTS,
    Fold,
    FoldIfAny,
    Json,
    LightModelName,
    OnDevice,
    RecipeFile,
    Results,
    with_options,
)
from treequation.cli.output import note, present
from treequation.errors import TreequationError

if TYPE_CHECKING:
    from treequation.evaluation.problem_set import ProblemSet
    from treequation.evaluation.scoring import Outcome
    from treequation.experiments.evaluated_model import EvaluatedModel

app = typer.Typer(help="Analyse what a model does, and why.", no_args_is_help=True, rich_markup_mode=None)

ModelFolder = Annotated[Path, typer.Argument(help="A run, a model folder or a light model folder.", metavar="RUN")]
ModelFolders = Annotated[list[Path], typer.Argument(help="Runs, model folders or light model folders.", metavar="RUN…")]
DataOption = Annotated[
    str | None, typer.Option(help="NAME:split or a .jsonl file; by default the test problems of the run's recipe.")
]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an analysis of a test set."""

    data: DataOption = None
    fold: FoldIfAny = None
    device: OnDevice = None
    results: Results = RESULTS
    json: Json = False


@app.command()
@with_options
def queries(
    recipe: RecipeFile,
    counts: Annotated[str, typer.Option(help="Numbers of queries, separated by commas.")] = "1,2,4,6,8,12,20,30",
    *,
    options: VariantOptions,
) -> None:
    """Train a recipe with few and with many queries: accuracy, and what many queries do to the matching."""
    from treequation.experiments.variants import queries as analysed
    from treequation.experiments.variants import query_variants
    from treequation.training.recipe import read_recipe

    try:
        numbers = [int(count) for count in counts.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"{counts} is not a list of numbers such as 1,6,30", param_hint="--counts") from error
    variants = query_variants(read_recipe(recipe, options.changes or []), numbers)[::-1]  # longest runs first
    name, tried, failures = train_variants(variants, recipe, options)
    content = analysed(tried, failures, device=options.device)
    present("queries", name, tried[0].runs[0].device, content, options.results, options.json)


def _groups(kind: str, help: str) -> None:
    """Adds a command that reports accuracy by groups of gold equations."""

    @app.command(kind, help=help)
    @with_options
    def groups(folders: ModelFolders, options: Options) -> None:
        from treequation.evaluation.analysis.groups import measure

        solved = _solved(folders, options.data, options.fold, options.device)
        model, test_set, _ = solved[0]
        content = measure(kind, {each.model.name: each.outcomes for each in solved})
        present(kind, test_set.name, model.device, content, options.results, options.json)


_groups("structure", "Accuracy by the structure of the gold equation: a single expression, a chain, a tree.")
_groups("length", "Accuracy by the number of expressions of the gold equation, 1 to 8 and more.")


@app.command()
def steps(
    data: Annotated[str, typer.Argument(help="NAME:split, NAME for its test split, or a .jsonl file.")],
    run: Annotated[
        list[Path] | None, typer.Option(help="Also count the steps that this model takes; may be repeated.")
    ] = None,
    fold: FoldIfAny = None,
    device: OnDevice = None,
    results: Results = RESULTS,
    json: Json = False,
) -> None:
    """Decoding steps: what four families of decoders need for the gold equations, and what models take."""
    from treequation.evaluation.analysis.decoding_steps import measure
    from treequation.evaluation.problem_set import problem_set, source_name
    from treequation.training.environment import hardware
    from treequation.training.run_folder import device_name

    problems = [problem for problem in problem_set(data, {}, fold=fold).problems if problem.graph is not None]
    if not problems:
        raise TreequationError(f"{data} has no problem with an equation")
    solved = _solved(run or [], data, fold, device)
    content = measure(problems, {each.model.name: each.outcomes for each in solved})
    machine = solved[0].model.device if solved else device_name(hardware("cpu"))
    present("steps", source_name(data), machine, content, results, json)


@app.command()
def case(
    folder: ModelFolder,
    text: Annotated[str, typer.Argument(help="A problem.", metavar="TEXT")],
    name: Annotated[str, typer.Option(help="The name of the case, used in file names.")] = "example",
    device: OnDevice = None,
    results: Results = RESULTS,
    json: Json = False,
) -> None:
    """One problem, layer by layer: each query's similarity to the words, what it proposed, and the tree."""
    from treequation.decoding.answer import answer_to
    from treequation.evaluation.analysis.case import measure
    from treequation.experiments.evaluated_model import open_model
    from treequation.runtime.drawing import draw_text
    from treequation.text.language import language_of
    from treequation.text.numbers import find_numbers
    from treequation.text.problem import Problem

    if not re.fullmatch(r"[\w-]+", name):
        raise typer.BadParameter(
            f"{name} cannot be a file name; use letters, digits, - and _ only", param_hint="--name"
        )
    model = open_model(folder, device)
    problem = Problem(name, text, find_numbers(text, model.format), language_of(text), model.format)
    if not problem.numbers:
        raise TreequationError("there is no number in the text; write the amounts as numbers, such as 12 or 3/4")
    trace = model.trace(problem)
    graph = answer_to(problem, trace.decoded, amounts=model.amounts)
    tree = ["nothing was decoded"] if graph is None else draw_text(graph, problem.values)
    content = {"solver": model.name, **measure(problem, trace, tree)}
    present("case", name, model.device, content, results, json)


@app.command()
@with_options
def errors(folder: ModelFolder, options: Options) -> None:
    """Count wrong answers by cause, and list the annotations that contradict themselves."""
    from treequation.evaluation.analysis.wrong_answers import annotation_errors, measure
    from treequation.storage import write_json_lines

    ((model, test_set, outcomes),) = _solved([folder], options.data, options.fold, options.device)
    content = measure(
        test_set.problems,
        outcomes,
        model.vocabulary,
        steps=model.steps if model.has_queries else None,
        queries=model.queries if model.has_queries else None,
    )
    path = options.results / f"annotation-errors-{test_set.name}.jsonl"
    write_json_lines(path, map(asdict, annotation_errors(test_set.problems)))
    note(f"{sum(content['annotation_errors'].values()):,} annotations contradict themselves: {path}")
    content = {"solver": model.name, **content}
    present("errors", test_set.name, model.device, content, options.results, options.json)


@app.command()
@with_options
def robustness(
    folder: ModelFolder,
    *,
    options: Options,
    seed: Annotated[int, typer.Option(help="The seed for drawing numbers, names and distractors.")] = 0,
) -> None:
    """Accuracy with other numbers, other names, swapped sentences, no question, a distractor."""
    from treequation.evaluation.analysis.robustness import measure
    from treequation.evaluation.problem_set import ProblemSet
    from treequation.experiments.evaluated_model import open_model

    model = open_model(folder, options.device)
    test_set = model.test_set(options.data, options.fold)
    found = measure(lambda some: model.outcomes(ProblemSet(test_set.name, tuple(some))), test_set.given, seed=seed)
    content = {"solver": model.name, **found}
    present("robustness", test_set.name, model.device, content, options.results, options.json)


@app.command("queries-roles")
@with_options
def queries_roles(folder: ModelFolder, options: Options) -> None:
    """What each query specialises in: operators, steps, operands."""
    from treequation.evaluation.analysis.roles import measure
    from treequation.experiments.evaluated_model import open_model

    model = open_model(folder, options.device)
    test_set = model.test_set(options.data, options.fold)
    content = {"solver": model.name, **measure(model.decode(test_set.given), model.queries)}
    present("roles", test_set.name, model.device, content, options.results, options.json)


@app.command("language-models")
def language_models(
    recipes: Annotated[
        list[Path], typer.Argument(help="Recipes with an [llm] table, such as peers/llm.", metavar="RECIPE…")
    ],
    data: Annotated[
        list[str],
        typer.Option(help="NAME:split=COUNT: draw COUNT problems from that split; may be repeated.", metavar="DRAW"),
    ],
    model: LightModelName = None,
    seed: Annotated[int, typer.Option(help="The seed of the draw.", min=0)] = 0,
    fold: Fold = 0,
    timed: Annotated[int, typer.Option(help="Problems of each draw to time; 0 to skip timing.", min=0)] = 20,
    name: Annotated[str, typer.Option(help="Added to the name of the file of results, to keep several.")] = "",
    results: Results = RESULTS,
    json: Json = False,
) -> None:
    """Compare language models with the light model on the same problems: accuracy, seconds, megabytes."""
    from treequation.experiments.language_model import language_model
    from treequation.experiments.language_model_rows import Draw, measure
    from treequation.runtime.solver import Solver

    chosen = []
    for path in recipes:
        if (recipe := language_model(path)) is None:
            raise TreequationError(f"{path} names no language model: it has no [llm] table")
        chosen.append(recipe)
    draws = [Draw.read(text) for text in data]
    content = measure(chosen, Solver(model), draws, seed=seed, fold=fold, timed=timed, report=note)
    machine = content["machine"]
    device = f"{machine['processors']} cores of an {machine['processor']}"
    present("language-models", name, device, content, results, json)


class _Solved(NamedTuple):
    """A model, its test set, and its outcomes."""

    model: EvaluatedModel
    test_set: ProblemSet
    outcomes: list[Outcome]


def _solved(folders: Sequence[Path], data: str | None, fold: int | None, device: str | None) -> list[_Solved]:
    """Each model's outcomes on its test set, which must be the same for all."""
    from treequation.experiments.evaluated_model import open_model

    solved: list[_Solved] = []
    for folder in folders:
        model = open_model(folder, device)
        if any(model.name == other.model.name for other in solved):
            raise TreequationError(f"two models are called {model.name}; give their folders different names")
        test_set = model.test_set(data, fold)
        if solved and test_set.name != solved[0].test_set.name:
            raise TreequationError(
                f"{folder} was tested on {test_set.name}, not on {solved[0].test_set.name}: give --data"
            )
        note(f"{model.name}: {len(test_set.problems):,} problems")
        solved.append(_Solved(model, test_set, model.outcomes(test_set)))
    return solved
