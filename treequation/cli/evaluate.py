"""``treequation evaluate``: scores a model on a data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from treequation.cli.command_line import command_line
from treequation.cli.options import FoldIfAny, Json, Record, VariantName
from treequation.cli.output import note, show, show_json, table_of
from treequation.data.reading import DataError
from treequation.runtime import MAX_BEAM
from treequation.storage import refuse_existing

if TYPE_CHECKING:  # PyTorch is imported only when the command runs, so that other commands start quickly
    from treequation.evaluation.paired_comparison import Comparison, Score
    from treequation.evaluation.scoring import Outcome
    from treequation.evaluation.summary import Report, Summary
    from treequation.training.run_folder import RunFolder

SCORES: tuple[Score, ...] = ("answer", "equation", "literature")
_CHANGED = 10  # how many ids of changed problems are printed; --json and --output have all


def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            help="A run folder (its best model), a model folder, a light model folder, or a light model on the hub."
        ),
    ],
    data: Annotated[str, typer.Option(help="NAME:split, NAME for its test split, or a .jsonl file of your own.")],
    fold: FoldIfAny = None,
    beam: Annotated[
        int | None,
        typer.Option(
            help="Beam size; by default that of the decoder's paper, 1 for ours; a light model searches again "
            "if it is unsure.",
            min=1,
            max=MAX_BEAM,
        ),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(help="Batch size; by default 256, or 32 for a light model.", min=1, max=1 << 16)
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another model's outcomes (its --output), to compare problem by problem.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write every problem's outcome here, as JSON Lines; it must not exist.")
    ] = None,
    record: Record = None,
    variant: VariantName = None,
    json: Json = False,
) -> None:
    """Solve a data set's problems and report every score."""
    from treequation.evaluation.outcome_file import read_outcomes, write_outcomes
    from treequation.evaluation.paired_comparison import check_problems, compare
    from treequation.evaluation.summary import Report
    from treequation.experiments.evaluated_model import open_model
    from treequation.runtime.hub import model_folder

    # A bad file should fail before the long work starts.
    if output is not None:
        refuse_existing(output)
    others = None if against is None else read_outcomes(against)
    recorded = None if record is None else _run_to_record(record, Path(model), fold)
    folder = model_folder(model)
    evaluated = open_model(folder)
    test_set = evaluated.test_set(data, fold)
    if others is not None:
        check_problems([problem.id for problem in test_set.problems], others)
    if not test_set.training_texts:
        note("the model's training data is unknown or not on this machine, so seen and unseen texts are not separated")
    if test_set.unreadable:
        note(f"{test_set.unreadable:,} rows of {data} are not counted: they cannot be read or have no answer")
    without = sum(problem.graph is None for problem in test_set.problems)
    if without:
        note(f"{without:,} problems have an answer but no equation; they are scored by the answer alone")
    note(f"solving {len(test_set.problems):,} problems on: {evaluated.device}")
    outcomes = evaluated.outcomes(test_set, beam=beam, batch_size=batch_size)
    if output is not None:
        write_outcomes(outcomes, output)
    report = Report.of(outcomes)
    comparisons = {} if others is None else {score: compare(outcomes, others, score) for score in SCORES}
    if record is not None and recorded is not None:
        _record(record, recorded, data, outcomes, variant)
    if json:
        show_json(
            {
                "model": model,
                "data": data,
                "fold": fold,
                **evaluated.search(beam),
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
        raise DataError(
            "the score of one fold is not recorded; `treequation crossval … --record` records all folds together"
        )
    read_rows(file)
    return RunFolder.read(run)


def _record(file: Path, run: RunFolder, data: str, outcomes: list[Outcome], variant: str | None) -> None:
    from treequation.evaluation.problem_set import source_name
    from treequation.reporting.result_rows import about
    from treequation.reporting.results import Row, add_rows

    described = about(run, data=source_name(data), protocol="test", command=command_line(), variant=variant)
    add_rows(file, [Row.of([outcomes], **described)])
    note(f"recorded in {file}")


def _show_report(report: Report) -> None:
    table = table_of("", "accuracy", "95 % interval")
    for score in SCORES:
        low, high = report.intervals.get(f"{score}_accuracy", (None, None))
        accuracy = getattr(report.overall, f"{score}_accuracy")
        table.add_row(score, _percent(accuracy), "" if low is None else f"{_percent(low)} to {_percent(high)}")
    show(table, "")
    groups = table_of("", "problems", *SCORES, "mean steps")
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
    table = table_of(
        "against the other model", "difference", "both right", "gained", "lost", "both wrong", "p (McNemar)"
    )
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


def _add(table: Table, name: str, summary: Summary) -> None:
    accuracies = [_percent(getattr(summary, f"{score}_accuracy")) for score in SCORES]
    table.add_row(name, f"{summary.count:,}", *accuracies, f"{summary.mean_steps:.2f}")


def _percent(share: float | None) -> str:
    return "no equations" if share is None else f"{100 * share:.1f} %"
