"""The command line: ``cscluster COMMAND``.

This module and the commands import numeric libraries only inside functions, so that help and
completion answer at once.
"""

from __future__ import annotations

import sys

import typer

from cscluster.cli import (
    check,
    cluster,
    compare,
    data,
    label,
    listing,
    merge,
    new,
    predict,
    report,
    reproduce,
    run,
    runs,
    show,
    sweep,
    validate,
)

app = typer.Typer(
    name="cscluster",
    help="Clustering with pairwise constraints: run experiments, get tables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help costs as much time again as all the rest
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.command)
app.command("sweep")(sweep.command)
app.command("merge")(merge.command)
app.command("report")(report.command)
app.command("reproduce")(reproduce.command)
app.command("compare")(compare.command)
app.command("runs")(runs.command)
app.command("cluster")(cluster.command)
app.command("predict")(predict.command)
app.command("label")(label.command)
app.command("validate")(validate.command)
app.command("list")(listing.command)
app.command("show")(show.command)
app.command("check")(check.command)
app.add_typer(new.app, name="new")
app.add_typer(data.app, name="data")


def _version(wanted: bool) -> None:
    if wanted:
        from cscluster import __version__

        typer.echo(f"cscluster {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Clustering with pairwise constraints: run experiments, get tables."""


def main() -> None:
    """Run the command line; errors of the user's making are one sentence and exit code 2."""
    from cscluster.errors import CsclusterError

    try:
        app()
    except CsclusterError as error:
        typer.echo(f"cscluster: {error}", err=True)
        sys.exit(2)
