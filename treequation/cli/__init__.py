"""The command ``treequation``: one file per group of commands; each parses, calls and prints.

Exit codes: 0 success, 1 failure (the message says what to do), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from typing import Annotated, Any

import typer

from treequation.cli import (
    ablate,
    analyze,
    average,
    bench,
    check,
    compare,
    crossval,
    data,
    evaluate,
    export,
    report,
    serve,
    solve,
    train,
)
from treequation.cli.command_line import remember
from treequation.cli.output import complain
from treequation.errors import TreequationError
from treequation.expression.parsing import EquationError
from treequation.version import __version__

GROUPS = {"data": data.app, "bench": bench.app, "analyze": analyze.app}
"""Groups of commands, such as ``treequation data list``."""
COMMANDS: dict[str, Callable[..., None]] = {
    "solve": solve.solve,
    "check": check.check,
    "train": train.train,
    "evaluate": evaluate.evaluate,
    "crossval": crossval.crossval,
    "seeds": crossval.seeds,
    "compare": compare.compare,
    "ablate": ablate.ablate,
    "report": report.report,
    "missing": report.missing,
    "average": average.average,
    "export": export.export,
    "restore": export.restore,
    "serve": serve.serve,
}
"""Commands outside any group, such as ``treequation solve``."""
FAILURES = (TreequationError, EquationError, OSError)
"""Errors whose message is enough for the user; any other exception is a bug and keeps its traceback."""
TRAINING_PACKAGES = {"matplotlib", "onnx", "onnxscript", "pydantic", "safetensors", "scipy", "torch", "transformers"}
"""In the extra ``train``: solving needs none of them."""
SERVICE_PACKAGES = {"fastapi", "prometheus_client", "pydantic", "starlette", "uvicorn"}
"""In the extra ``serve``: only the service needs them."""
CLUSTER_PACKAGES = {"pyarrow", "ray"}
"""In the extra ``distributed``: for work on several machines."""


# Some versions of Typer bundle Click; others use the installed package.
_ClickException: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def build() -> typer.Typer:
    """The application with all its commands."""
    app = typer.Typer(
        help="Solve math word problems, and train and measure the models that do.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name, group in GROUPS.items():
        app.add_typer(group, name=name)
    for name, command in COMMANDS.items():
        # A calculation such as -8 + 3 × 12 must not be parsed as an option.
        calculates = command in (check.check, solve.solve)
        app.command(name, context_settings={"ignore_unknown_options": calculates})(command)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"treequation {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """The options of ``treequation`` itself; Typer reads them from this signature."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and ends the process with its exit code."""
    remember(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):  # do not fail on a character that the terminal cannot show
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = typer.main.get_command(build()).main(
            args=None if arguments is None else list(arguments),
            prog_name="treequation",
            standalone_mode=False,
        )
    except _ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except typer.Abort:
        complain("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output, such as `head`, closed the pipe on purpose: print nothing.
        sys.stderr.close()
        sys.exit(1)
    except ModuleNotFoundError as error:
        extras = {"train": TRAINING_PACKAGES, "serve": SERVICE_PACKAGES, "distributed": CLUSTER_PACKAGES}
        extra = next((name for name, packages in extras.items() if error.name in packages), None)
        if extra is None:
            raise
        complain(f"this command needs {error.name}, which comes with: pip install 'treequation[{extra}]'")
        sys.exit(1)
    except FAILURES as error:
        named = isinstance(error, OSError) and error.filename and f"{error.filename}: {error.strerror}"
        complain(named or str(error))
        sys.exit(1)
    sys.exit(code if isinstance(code, int) else 0)
