"""The figures of the programs in ``benchmarks/`` as tables: the bundled model, solving, and costs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from treequation.reporting.tables import Table, percent

Figures = Mapping[str, Any]

_SETS = {
    "written:test, English": "written problems, English, new stories",
    "written:test, Chinese": "written problems, Chinese, new stories",
    "99 independent problems": "independent everyday problems",
    "math23k:test": "Math23K test",
    "asdiv:test, fold 0": "ASDiv-A fold 0",
    "mawps:test, fold 0": "MAWPS fold 0",
    "svamp:test": "SVAMP",
    "mathqa:test": "MathQA test (none of its wordings was trained on)",
}
_STEPS = ("1", "2", "3", "4", "5")
_PROBLEMS = 10**8
_DOLLARS_A_CORE_HOUR = 0.04


def bundled_model(now: Figures, before: Figures) -> list[Table]:
    """Accuracy and calibration by test set, beside the first edition's model, and accuracy by steps and by theme."""
    rows = []
    for name, title in _SETS.items():
        one, first = now["figures"][name], before["figures"][name]
        sure = one["over_90_percent_sure"]
        figures = [f"{one['problems']:,}", percent(one["accuracy"])]
        figures.append(percent(first["accuracy"]) + (" (seen)" if first.get("seen") else ""))
        rows.append([title, *figures, f"{one['calibration_error']:.2f}", f"{sure['right']} of {sure['answers']}"])
    columns = [
        "test set",
        "problems",
        "this model %",
        "first edition %",
        "calibration error",
        "right if over 90 % sure",
    ]
    by_steps = [
        [
            language,
            *(percent(now["figures"][f"written:test, {language}"]["by_steps"][steps]["accuracy"]) for steps in _STEPS),
        ]
        for language in ("English", "Chinese")
    ]
    by_theme = [now["figures"][f"written:test, {language}"]["by_theme"] for language in ("English", "Chinese")]
    themes = [
        [theme, *(_accuracy(each.get(theme)) for each in by_theme)]
        for theme in sorted({theme for each in by_theme for theme in each})
    ]
    return [
        Table.of("Right answers", columns, rows),
        Table.of("Written problems by steps, right %", ["steps", *_STEPS[:-1], "5 or more"], by_steps),
        Table.of("Written problems by theme, right % (of how many)", ["theme", "English", "Chinese"], themes),
    ]


def _accuracy(group: Figures | None) -> str:
    return "" if group is None else f"{percent(group['accuracy'])} ({group['problems']})"


def solving(found: Figures) -> list[Table]:
    """The speed of solving on one machine."""
    one, bulk, first = found["one_at_a_time"], found["in_bulk_per_second"], found["first_answer_seconds"]
    ratio, same, machine = found["bulk to one at a time"], found["agreement"], found["machine"]
    if "solve, now" in one:  # figures of 2026-11-18, which stand beside those of an earlier version
        one = {name.removesuffix(", now"): each for name, each in one.items()}
        bulk, first, ratio = bulk["now"], first["now"], ratio["now"]
    rows = [
        ["one problem, median ms", f"{one['solve']['p50']:.1f}"],
        ["time relative to the encoder alone", f"{one['solve to encoder']:.2f}"],
        ["in bulk, problems a second", f"{bulk:.0f}"],
        ["in bulk, relative to one at a time", f"{ratio:.2f}"],
        ["first answer after `import treequation`, s", f"{first['first_answer']:.1f}"],
        [f"same answer as `float`, % of {same['problems']:,}", f"{same['same_answer_percent']}"],
    ]
    data = found["data"].partition(";")[0]
    return [Table.of(f"{data}; {machine['processors']} cores of an {machine['processor']}", ["", "figure"], rows)]


def scale(small: Figures, bundled: Figures, stand_in: Figures) -> list[Table]:
    """What 100 million problems cost with each model, from the processor time of the local engine's fastest run."""
    models = {"small": small, "bundled": bundled, "stand-in": stand_in}
    seconds = {
        name: min(
            time / run["rows"]
            for run in found["engines"]
            if run["workers"] == 2
            for time in run["processor_seconds"]["local"]
        )
        for name, found in models.items()
    }
    hours = {name: each * _PROBLEMS / 3600 for name, each in seconds.items()}
    rows: dict[str, Callable[[str], str]] = {
        "problems a second on one core, solver alone": lambda m: f"{models[m]['one_core']['per_core_second']:,.0f}",
        "processor time a problem, from file to file": lambda m: f"{1e3 * seconds[m]:.3g} ms",
        "core hours for 10⁸ problems": lambda m: f"{hours[m]:.0f}",
        f"at an assumed ${_DOLLARS_A_CORE_HOUR} a core hour": lambda m: f"${hours[m] * _DOLLARS_A_CORE_HOUR:.2f}",
        "on 64 cores": lambda m: _duration(hours[m] / 64),
        "on 1,024 cores, plus the start": lambda m: _duration(hours[m] / 1024),
    }
    return [
        Table.of(
            "100 million problems", ["", *models], [[title, *map(figure, models)] for title, figure in rows.items()]
        )
    ]


def _duration(hours: float) -> str:
    return f"{hours:.1f} h" if hours >= 1 else f"{60 * hours:.0f} min"


# The files that each region is made from, and its title.
_REGIONS: dict[str, tuple[Callable[..., list[Table]], str, tuple[str, ...]]] = {
    "bundled-model": (bundled_model, "The bundled model", ("bundled-model", "bundled-model-first-edition")),
    "solving": (solving, "The speed of solving", ("solving",)),
    "scale": (scale, "The cost of many problems", ("scale-synthetic", "scale-treequation-small", "scale-stand-in")),
}


def sections(folder: Path) -> list[tuple[str, str, list[Table]]]:
    """Name, title and tables of each region whose files are in the folder."""
    found = []
    for name, (tables, title, files) in _REGIONS.items():
        paths = [folder / f"{file}.json" for file in files]
        if all(path.exists() for path in paths):
            contents = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
            found.append((name, title, tables(*contents)))
    return found
