"""``treequation evaluate``: what a model is worth on a data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from treequation.cli.command_line import command_line
from treequation.cli.output import note, show, show_json
from treequation.data.reading import DataError
from treequation.runtime import MOST_BEAM
from treequation.storage import refuse_existing

if TYPE_CHECKING:  # what brings PyTorch with it is imported when the command runs, so that the others start quickly
    from treequation.evaluation.paired_comparison import Comparison, Score
    from treequation.evaluation.scoring import Outcome
    from treequation.evaluation.summary import Report, Summary
    from treequation.training.run_folder import RunFolder

SCORES: tuple[Score, ...] = ("answer", "equation", "literature")
Record = Annotated[
    Path | None,
    typer.Option(help="Add the result to this file, such as results/results.json; needs run folders.", dir_okay=False),
]
VariantName = Annotated[str | None, typer.Option(help="What --record is to call the variant.")]
_CHANGED = 10  # ids of changed problems that are printed; --json and --output have all


def evaluate(
    model: Annotated[Path, typer.Argument(help="A model folder, or a run folder, whose best model is taken.")],
    data: Annotated[str, typer.Option(help="NAME:split, NAME for its test split, or a .jsonl file of your own.")],
    fold: Annotated[int | None, typer.Option(help="Which fold, for data sets that have folds.", min=0, max=4)] = None,
    beam: Annotated[
        int | None,
        typer.Option(
            help="Hypotheses to follow; by default as the decoder's paper does, ours one.", min=1, max=MOST_BEAM
        ),
    ] = None,
    batch_size: Annotated[int, typer.Option(help="Problems to solve at a time.", min=1)] = 256,
    against: Annotated[
        Path | None, typer.Option(help="Another model's outcomes (its --output) to compare with, pair by pair.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write every problem's outcome here, as JSON Lines; it must not exist.")
    ] = None,
    record: Record = None,
    variant: VariantName = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Solve a data set's problems and report accuracy in all its parts."""
    from treequation.evaluation.evaluator import evaluate_model, load_model
    from treequation.evaluation.outcome_file import read_outcomes, write_outcomes
    from treequation.evaluation.paired_comparison import check_problems, compare
    from treequation.evaluation.problem_set import problem_set
    from treequation.evaluation.summary import Report
    from treequation.training.run_folder import texts_taught

    # A wrong file should fail before the work.
    if output is not None:
        refuse_existing(output)
    others = None if against is None else read_outcomes(against)
    recorded = None if record is None else _run_to_record(record, model, fold)
    solver = load_model(model)
    format = solver.config.number_format
    test_set = problem_set(data, format, fold=fold)
    if not test_set.problems:
        raise DataError(f"{data} has no problem that can be scored")
    if others is not None:
        check_problems([problem.id for problem in test_set.problems], others)
    texts = texts_taught(model, solver, fold=fold)
    if not texts:
        note("what the model was trained on is not known or not here: seen and unseen texts are not told apart")
    if test_set.unreadable:
        note(f"{test_set.unreadable:,} rows of {data} cannot be read as problems and are not counted")
    note(f"solving {len(test_set.problems):,} problems on {solver.device}")
    outcomes = evaluate_model(
        solver, test_set.problems, beam=beam, batch_size=batch_size, training_texts=texts, refused=test_set.refused
    )
    if output is not None:
        write_outcomes(outcomes, output)
    report = Report.of(outcomes)
    comparisons = {} if others is None else {score: compare(outcomes, others, score) for score in SCORES}
    if record is not None and recorded is not None:
        _record(record, recorded, data, outcomes, variant)
    if json:
        show_json(
            {
                "model": str(model),
                "data": data,
                "fold": fold,
                "beam": beam or solver.BEAM,
                "unreadable": test_set.unreadable,
                **report.to_dict(),
                **({"against": {score: c.to_dict() for score, c in comparisons.items()}} if comparisons else {}),
            }
        )
        return
    _show_report(report)
    if comparisons:
        _show_comparisons(comparisons)


def _run_to_record(file: Path, run: Path, fold: int | None) -> RunFolder:
    """The run whose result is to be added to ``file``."""
    from treequation.reporting.results import read_rows
    from treequation.training.run_folder import RunFolder

    if fold is not None:
        raise DataError("one fold is not a result to record; `treequation crossval … --record` records all of them")
    read_rows(file)
    return RunFolder.read(run)


def _record(file: Path, run: RunFolder, data: str, outcomes: list[Outcome], variant: str | None) -> None:
    from treequation.reporting.result_rows import row_of
    from treequation.reporting.results import add_rows
    from treequation.training.run_folder import source_name

    row = row_of([run], [outcomes], data=source_name(data), protocol="test", command=command_line(), variant=variant)
    add_rows(file, [row])
    note(f"recorded in {file}")


def _show_report(report: Report) -> None:
    table = _table("", "accuracy", "95 % interval")
    for score in SCORES:
        low, high = report.intervals[f"{score}_accuracy"]
        accuracy = getattr(report.overall, f"{score}_accuracy")
        table.add_row(score, _percent(accuracy), f"{_percent(low)} to {_percent(high)}")
    show(table, "")
    groups = _table("", "problems", *SCORES, "mean steps")
    _add(groups, "all", report.overall)
    named: dict[str, Mapping[str, Summary]] = {
        "shape": report.by_shape,
        "expressions": report.by_expressions,
        "with operator": report.by_operator,
        "text in training": report.by_text,
    }
    for kind, members in named.items():
        for name, summary in members.items():
            _add(groups, f"{kind}: {name}", summary)
    risks = report.calibration.risk_at_coverage
    show(
        groups,
        "",
        f"problems without an answer, counted as wrong: {report.no_answer:,}",
        f"confidence: off by {_percent(report.calibration.expected_error)} on average; "
        f"of the surest half {_percent(1 - risks[4])} are right; "
        f"area under risk and coverage {report.calibration.risk_coverage_area:.3f}",
    )


def _show_comparisons(comparisons: Mapping[Score, Comparison]) -> None:
    table = _table("against the other model", "difference", "both right", "gained", "lost", "both wrong", "p (McNemar)")
    for score, comparison in comparisons.items():
        counts = (comparison.both_right, len(comparison.gained), len(comparison.lost), comparison.both_wrong)
        table.add_row(
            score,
            f"{100 * comparison.difference:+.2f} %",
            *(f"{count:,}" for count in counts),
            f"{comparison.p_value:.3g}",
        )
    show("", table)
    changed = comparisons["answer"]
    for name, ids in (("gained", changed.gained), ("lost", changed.lost)):
        if ids:
            more = f" and {len(ids) - _CHANGED:,} more" if len(ids) > _CHANGED else ""
            show(f"{name}: {', '.join(ids[:_CHANGED])}{more}")


def _table(first: str, *columns: str) -> Table:
    table = Table(first, box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _add(table: Table, name: str, summary: Summary) -> None:
    accuracies = [_percent(getattr(summary, f"{score}_accuracy")) for score in SCORES]
    table.add_row(name, f"{summary.count:,}", *accuracies, f"{summary.mean_steps:.2f}")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
