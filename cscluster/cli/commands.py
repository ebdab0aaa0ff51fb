"""The commands: a name, what it asks for, and the function that gets it, which is imported when it is called.

Only those functions' modules import numeric libraries, so that help and completion answer at once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature, getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.models import OptionInfo

from cscluster import __version__
from cscluster.cli import options
from cscluster.errors import CsclusterError, warn

_RENAMED = {"broken": "violated", "draws": "repetitions"}
"""Options of version 0.2."""
_MOST_LINES = 10
"""Problems of a file that are shown."""
_ALLOCATIONS = 20_000
"""Objects made before Python looks for cycles: a plan has many objects, and hardly a cycle."""


class _Group(TyperGroup):
    """All commands; what goes wrong by the user's making is one sentence and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        for parameter in _parameters(self, ctx):
            if parameter.param_type_name == "argument":  # "RUN" says as much as "RUN <list[str]>" and "{RUN}"
                parameter.display_type_rich = lambda ctx: None
                parameter.get_usage_pieces = partial(_usage, parameter)
            if ctx.resilient_parsing:  # for completion, where converting values imports pydantic for nothing
                parameter.process_value = lambda ctx, value: value
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        usual = gc.get_threshold()
        gc.set_threshold(_ALLOCATIONS, *usual[1:])
        try:
            return super().invoke(ctx)
        except CsclusterError as error:
            lines = f"cscluster: {error}".split("\n")
            more = [f"... and {len(lines) - _MOST_LINES} more problems"] if len(lines) > _MOST_LINES else []
            typer.echo("\n".join(lines[:_MOST_LINES] + more), err=True)
            raise typer.Exit(2) from None
        except KeyboardInterrupt:
            typer.echo("\ninterrupted", err=True)
            raise typer.Exit(130) from None
        finally:
            gc.set_threshold(*usual)


def _usage(parameter: Any, ctx: Any) -> list[str]:
    """Return an argument as the usage line has it: ``CONFIG``, ``RUN...``, ``[TRACK]``."""
    name = parameter.metavar if parameter.required else f"[{parameter.metavar}]"
    return [name if parameter.nargs == 1 else f"{name}..."]


def _parameters(command: Any, ctx: Any) -> Iterator[Any]:
    """Yield the parameters of a command and of all its parts."""
    yield from command.get_params(ctx)
    for part in getattr(command, "commands", {}).values():
        yield from _parameters(part, ctx)


def _present_name(name: str) -> str:
    """Return what an option is called now; an earlier name is taken with a warning."""
    new = _RENAMED.get(name, name)
    if new != name:
        warn(f"--{name} is now --{new}. The old name ends with 0.4.", FutureWarning)
    return new


_ABOUT = "Clustering with pairwise constraints: of your own table, and in experiments."
_START = "To begin: 'cscluster new example' for a table, 'cscluster run mnist0689' for an experiment."
app = typer.Typer(
    name="cscluster",
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help costs as much time again as all the rest
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "token_normalize_func": _present_name,
    },
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cscluster {__version__}")
        raise typer.Exit


@app.callback(help=_ABOUT, epilog=_START)
def main_options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Take what is asked of the program itself."""


new = typer.Typer(help="Start something of your own from a template.", no_args_is_help=True)
data = typer.Typer(help="Look at data sets and fetch more.", no_args_is_help=True)

COMMANDS: list[tuple[typer.Typer, str, type[Any], str]] = [
    (app, "run", options.RunOptions, "cscluster.cli.run:run"),
    (app, "sweep", options.SweepOptions, "cscluster.cli.run:sweep"),
    (app, "merge", options.MergeOptions, "cscluster.cli.merge:merge"),
    (app, "report", options.ReportOptions, "cscluster.cli.report:report"),
    (app, "reproduce", options.ReproduceOptions, "cscluster.cli.reproduce:reproduce"),
    (app, "benchmark", options.BenchmarkOptions, "cscluster.cli.benchmark:benchmark"),
    (app, "compare", options.CompareOptions, "cscluster.cli.compare:compare"),
    (app, "pack", options.PackOptions, "cscluster.cli.pack:pack"),
    (app, "runs", options.RunsOptions, "cscluster.cli.runs:runs"),
    (app, "cluster", options.ClusterOptions, "cscluster.cli.cluster:cluster"),
    (app, "predict", options.PredictOptions, "cscluster.cli.predict:predict"),
    (app, "label", options.LabelOptions, "cscluster.cli.label:label"),
    (app, "validate", options.ValidateOptions, "cscluster.cli.validate:validate"),
    (app, "list", options.ListOptions, "cscluster.cli.listing:listing"),
    (app, "show", options.ShowOptions, "cscluster.cli.show:show"),
    (app, "check", options.CheckOptions, "cscluster.cli.check:check"),
    (new, "algorithm", options.NewAlgorithmOptions, "cscluster.cli.new:algorithm"),
    (new, "experiment", options.NewExperimentOptions, "cscluster.cli.new:experiment"),
    (new, "example", options.NewExampleOptions, "cscluster.cli.new:example"),
    (data, "info", options.DataInfoOptions, "cscluster.cli.data:info"),
    (data, "fetch", options.DataFetchOptions, "cscluster.cli.data:fetch"),
    (data, "clear", options.DataClearOptions, "cscluster.cli.data:clear"),
]
"""Group, name, options and function of each command, in the order of the help."""


def _add(group: typer.Typer, name: str, options_class: type[Any], target: str) -> None:
    """Add a command that reads an options object and hands it to the function ``module:function``."""
    module, _, function = target.partition(":")

    def call(**given: Any) -> None:
        read = options_class(**{key: value for key, value in given.items() if value is not None})
        getattr(import_module(module), function)(read)

    parameters = [
        Parameter(
            asked.name,
            Parameter.KEYWORD_ONLY,
            default=_default(asked),
            annotation=Annotated[asked.type, asked.metadata["typer"]],
        )
        for asked in sorted(fields(options_class), key=_is_option)
    ]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    group.command(name, help=getdoc(options_class))(call)


def _is_option(field: Field[Any]) -> bool:
    """Return whether a field is no argument: arguments come first."""
    return isinstance(field.metadata["typer"], OptionInfo)


def _default(field: Field[Any]) -> Any:
    """Return the default that Typer knows: none of a list, which the options object makes itself."""
    if field.default is not MISSING:
        return field.default
    return Parameter.empty if field.default_factory is MISSING else None


for command in COMMANDS:
    _add(*command)
app.add_typer(new, name="new")
app.add_typer(data, name="data")
