"""``treequation data``: the catalogue, downloads, checks and statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from treequation.cli.options import Fold, Json
from treequation.cli.output import note, show, show_json, table_of
from treequation.data.catalogue import CATALOGUE, DataSet, MissingDataError, OnError, data_root, data_set, load
from treequation.data.fetching import fetch as fetch_files
from treequation.data.reading import Code, Reading, RowFinding
from treequation.data.statistics import SPREAD, statistics
from treequation.data.validation import SplitValidation
from treequation.data.validation import validate as validate_readings

app = typer.Typer(help="Data sets: catalogue, downloads, checks, statistics.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A data set's name, or the path of a .jsonl file of your own.")]
OneSplit = Annotated[str | None, typer.Option("--split", help="This split only.")]


@app.command("list")
def list_data_sets() -> None:
    """List the data sets, and say which are on this machine."""
    table = Table("name", "languages", "splits", "here", "licence", "what it is", box=None, pad_edge=False)
    for each in CATALOGUE.values():
        here = _here(each)
        table.add_row(each.name, ", ".join(each.languages), ", ".join(each.splits), here, each.licence, each.title)
    show(table)
    note(f"data folder: {data_root()}")


def _here(each: DataSet) -> str:
    if not each.files:
        return "not needed"
    present = sum((data_root() / file.path).is_file() for file in each.files)
    if present == len(each.files):
        return "yes"
    return f"{present} of {len(each.files)} files" if present else "no"


@app.command()
def fetch(name: Name) -> None:
    """Download a data set from its public source into the data folder, and check it."""
    chosen = data_set(name)
    if not chosen.files:
        note(f"{name} needs no download: {chosen.remark}")
        return
    note(f"{chosen.title}; licence: {chosen.licence}; source: {chosen.homepage}")
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def progress(file: str, done: int, total: int | None) -> None:
            if file not in tasks:
                tasks[file] = bars.add_task(file, total=total)
            bars.update(tasks[file], completed=done, total=total)

        for fetched in fetch_files(chosen, data_root(), progress=progress):
            how = "downloaded" if fetched.downloaded else "already there"
            bars.console.print(f"{fetched.path}: {how}, {_CHECKED[fetched.checked]}", soft_wrap=True)
    for file in chosen.files:
        if file.url is None:
            note(f"{file.path} cannot be downloaded: {file.remark}")


_CHECKED = {
    "published": "checksum correct",
    "recorded": "same checksum as when it was first fetched",
    "first": "no checksum is known for it, so this one was recorded",
    "unknown": "no checksum is known for it",
}


@app.command()
def validate(
    name: Name,
    split: OneSplit = None,
    fold: Fold = 0,
    examples: Annotated[int, typer.Option(min=0, help="How many findings of each kind to print per split.")] = 5,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first row that cannot be used.")] = False,
    json: Json = False,
) -> None:
    """Check every row: equation against answer, numbers against text, duplicates, train/test overlap."""
    validations = validate_readings(_readings(name, split, fold, "raise" if strict else "skip"))
    if json:
        splits = {part: _validation_json(validation) for part, validation in validations.items()}
        show_json({"name": name, "splits": splits})
        return
    show(_validation_table(validations))
    for part, validation in validations.items():
        _show_findings(part, validation, examples)


def _validation_json(validation: SplitValidation) -> dict[str, Any]:
    reading = validation.reading
    return {
        "rows": reading.rows,
        "problems": len(reading.problems),
        "skipped": reading.skipped,
        "gold_numbers": reading.gold_numbers,
        "numbers_found": reading.numbers_found,
        "answers": validation.answers,
        "answers_given": validation.answers_given,
        "counts": {code.value: validation.counts[code] for code in Code},
        "findings": [
            {"file": f.file, "row": f.row, "id": f.id, "code": f.code.value, "message": f.message}
            for f in validation.findings
        ],
    }


def _validation_table(validations: dict[str, SplitValidation]) -> Table:
    table = table_of("", *validations)
    rows: dict[str, Callable[[SplitValidation], str]] = {
        "rows": lambda v: f"{v.reading.rows:,}",
        "problems": lambda v: f"{len(v.reading.problems):,}",
        "left out": lambda v: f"{v.reading.skipped:,}",
        "numbers found in their place": lambda v: _share(v.reading.numbers_found, v.reading.gold_numbers),
        "equations that give the answer": lambda v: _share(v.answers_given, v.answers),
    }
    for label, figure in rows.items():
        table.add_row(label, *(figure(validation) for validation in validations.values()))
    for code in Code:
        if any(validation.counts[code] for validation in validations.values()):
            counts = (f"{validation.counts[code]:,}" for validation in validations.values())
            table.add_row(code.value, *counts)
    return table


def _show_findings(part: str, validation: SplitValidation, examples: int) -> None:
    by_code: dict[Code, list[RowFinding]] = defaultdict(list)
    for finding in validation.findings:
        by_code[finding.code].append(finding)
    for code in Code:
        findings = by_code[code]
        if not findings or not examples:
            continue
        show("", f"{part}: {code.value} ({len(findings):,}): {code.meaning}")
        for finding in findings[:examples]:
            show(f"  row {finding.row}, id {finding.id}: {finding.message}")
        if len(findings) > examples:
            show(f"  and {len(findings) - examples:,} more; --json lists them all")


@app.command()
def stats(name: Name, split: OneSplit = None, fold: Fold = 0, json: Json = False) -> None:
    """Print the paper's statistics: sizes, expressions, layers, shapes, and decoding steps by decoder family."""
    figures = {part: statistics(reading.problems) for part, reading in _readings(name, split, fold, "skip").items()}
    if json:
        show_json({"name": name, "splits": figures})
        return
    show(_statistics_table(figures))


def _statistics_table(figures: dict[str, dict[str, Any]]) -> Table:
    labels = {
        "tokens": "tokens a text",
        "numbers": "numbers a text",
        "infix": "steps, tokens of infix (Seq2Seq)",
        "prefix": "steps, tokens of prefix (Seq2Tree)",
        "expressions": "steps, expressions (Seq2Exp)",
        "layers": "steps, layers (expression tree)",
        "width": "widest layer",
    }
    splits = figures.values()
    table = table_of("", *figures)
    table.add_row("problems", *(f"{each['problems']:,}" for each in splits))
    for name, label in labels.items():
        for measure in SPREAD:
            values = (each[f"{measure}_{name}"] for each in splits)
            table.add_row(f"{label}: {measure}", *(f"{v:,.0f}" if measure == "max" else f"{v:.2f}" for v in values))
    for kind in next(iter(splits))["shapes"]:
        table.add_row(f"shape {kind}", *(_count_and_share(each["shapes"][kind], each["problems"]) for each in splits))
    shared = (_count_and_share(each["shared_results"], each["problems"]) for each in splits)
    table.add_row("a result used twice", *shared)
    return table


def _share(part: int, whole: int) -> str:
    if not whole:
        return "none"
    percent = 100 if part == whole else min(100 * part / whole, 99.99)  # only all of them is 100 %, so round down
    return f"{part:,} of {whole:,} ({percent:.2f}%)"


def _count_and_share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.1%})" if whole else "none"


def _readings(name: str, split: str | None, fold: int, on_error: OnError) -> dict[str, Reading]:
    """The chosen split, or every split on this machine."""
    if name.endswith(".jsonl"):
        return {"all": load(name, on_error=on_error)}
    chosen = data_set(name)
    readings: dict[str, Reading] = {}
    missing: list[MissingDataError] = []
    for part in [split] if split else list(chosen.splits):
        folded = part in chosen.splits and chosen.splits[part].folded
        try:
            readings[part] = load(name, part, fold=fold if folded else None, on_error=on_error)
        except MissingDataError as error:
            missing.append(error)
            continue
        if folded:
            note(f"{name}: {part} of fold {fold}")
    if not readings:
        raise missing[0]
    for reason in missing:
        note(f"left out: {reason}")
    return readings
