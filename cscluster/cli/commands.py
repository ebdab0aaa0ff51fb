"""The commands: what each asks for.  What it does is the function that it imports when it is called.

Only those functions' modules import numeric libraries, so that help and completion answer at once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option
from typer.core import TyperGroup

from cscluster import __version__
from cscluster.cli import complete, options
from cscluster.cli.options import CORES, RESULTS
from cscluster.errors import CsclusterError
from cscluster.metrics.catalogue import METRICS
from cscluster.report.formats import ENDINGS
from cscluster.report.styles import FORMATS, STYLES

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
            typer.echo(f"cscluster: {error}", err=True)
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


_ABOUT = "Clustering with pairwise constraints: of your own table, and in experiments."
_START = "To begin: 'cscluster new example' for a table, 'cscluster run mnist0689' for an experiment."
app = typer.Typer(
    name="cscluster",
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help costs as much time again as all the rest
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cscluster {__version__}")
        raise typer.Exit


@app.callback(help=_ABOUT, epilog=_START)
def main_options(
    version: Annotated[
        bool, Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Take what is asked of the program itself."""


@app.command()
def run(
    config: options.Config,
    settings: options.Settings = None,
    trials: options.Trials = None,
    seed: options.Seed = None,
    jobs: options.Jobs = CORES,
    backend: options.Backend = "local",
    scheduler: options.Scheduler = None,
    shard: options.Shard = None,
    results: options.Results = RESULTS,
    dry_run: options.DryRun = False,
    fresh: options.Fresh = False,
    retry: options.Retry = None,
    allow_failures: options.AllowFailures = False,
) -> None:
    """Run an experiment and show its tables.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """
    given = dict(locals())
    from cscluster.cli import run as command

    command.run(**given)


@app.command()
def sweep(
    config: options.Config,
    grid: Annotated[
        list[str] | None,
        Option(
            "--grid",
            "-g",
            metavar="ALGORITHM.PARAMETER=VALUES",
            help="Values to try, e.g. pmmc.lam=0.1,1,10 or 0.01:100:x10, or scsc.n_partitions=50:300:50.",
        ),
    ] = None,
    select: Annotated[
        str | None,
        options.one_of(
            "Show each point of the grid (none, the default), or the best by true labels or held-out links.",
            ["none", *(f"oracle:{name}" for name in METRICS), "heldout"],
            metavar="none|oracle:METRIC|heldout",
        ),
    ] = None,
    settings: options.Settings = None,
    trials: options.Trials = None,
    seed: options.Seed = None,
    jobs: options.Jobs = CORES,
    backend: options.Backend = "local",
    scheduler: options.Scheduler = None,
    shard: options.Shard = None,
    results: options.Results = RESULTS,
    dry_run: options.DryRun = False,
    fresh: options.Fresh = False,
    retry: options.Retry = None,
    allow_failures: options.AllowFailures = False,
) -> None:
    """Run an experiment's algorithms over grids of their parameters.

    The grids are those of --grid and of the block 'sweep' in the file; algorithms without one are left
    out.  Results go to NAME-sweep; the same command resumes.
    """
    given = dict(locals())
    from cscluster.cli import run as command

    command.sweep(**given)


@app.command()
def merge(
    runs: options.Runs,
    into: Annotated[
        str | None, Option(metavar="NAME", help="Name of the joined run; by default that of the experiment.")
    ] = None,
    results: options.Results = RESULTS,
) -> None:
    """Join shards, or any runs of the same experiment, into one run.

    A trial that several runs hold is taken once: a result before a failure, then from the run named
    first.  The runs are left as they are; a joined run that exists already is added to.
    """
    from cscluster.cli import merge as command

    command.merge(runs, into, results)


@app.command()
def report(
    runs: options.Runs,
    kind: Annotated[
        str | None,
        Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help=f"{', '.join(ENDINGS)}; by default, by the ending of --out.",
            autocompletion=complete.among(ENDINGS),
        ),
    ] = None,
    metric: options.Metrics = None,
    by: Annotated[
        str,
        options.one_of(
            "Columns: point; dataset for data sets x algorithms; or a varied parameter.",
            ["point", "dataset"],
            metavar="COLUMNS",
        ),
    ] = "point",
    where: Annotated[
        list[str] | None,
        Option(metavar="CONDITION", help="Only trials with e.g. dataset=iris, point>=60, label~PMMC."),
    ] = None,
    out: Annotated[Path | None, Option(metavar="FILE", help="Write to a file, do not print.")] = None,
    figures: Annotated[
        Path | None, Option(metavar="DIRECTORY", help="Draw all figures that fit the results into it.")
    ] = None,
    figure_format: Annotated[
        list[str] | None,
        options.one_of(
            f"{', '.join(FORMATS)}; png by default; can be given several times.", FORMATS, metavar="FORMAT"
        ),
    ] = None,
    figure_style: Annotated[
        str,
        options.one_of(
            "paper (two columns of 3.5 inches), page (half the pixels) or slides.",
            STYLES,
            metavar="STYLE",
        ),
    ] = "paper",
    captions: Annotated[
        bool, Option("--captions", help="Draw captions into figures, not only beside them for LaTeX.")
    ] = False,
    open_page: Annotated[
        bool, Option("--open", help="Write an HTML page, and open it in the browser.")
    ] = False,
    watch: Annotated[
        bool, Option("--watch", help="Write an HTML page that refreshes until the run is complete.")
    ] = False,
    check: Annotated[
        Path | None,
        Option(
            metavar="FILE", help="CSV of reference means like summary.csv; exit code 1 if a mean drifted."
        ),
    ] = None,
    tol: Annotated[
        list[str] | None,
        Option(metavar="TOLERANCE", help="Tolerance of --check: 0.02, or acc=0.01 for one metric."),
    ] = None,
    against: Annotated[
        str | None, Option(metavar="paper", help="Show our numbers beside those that the paper prints.")
    ] = None,
    results: options.Results = RESULTS,
) -> None:
    """Show the tables and tests of stored runs.

    Nothing is computed again.  Several runs are shown one after another; with --by dataset they
    make one table.
    """
    given = dict(locals())
    from cscluster.cli import report as command

    command.report(**given)


@app.command()
def reproduce(
    target: Annotated[
        str | None,
        Argument(
            metavar="PAPER[/ITEM]", help="What to run; by default all papers.", autocompletion=complete.papers
        ),
    ] = None,
    profile: options.Profile = "full",
    dry_run: options.DryRun = False,
    stored: options.Stored = False,
    retry: options.Retry = None,
    check: options.Check = False,
    tolerance: options.Tolerance = 0.02,
    write: options.Write = False,
    jobs: options.Jobs = CORES,
    results: options.Results = RESULTS,
) -> None:
    """Run the experiments of the papers and say which claims hold.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """
    given = dict(locals())
    from cscluster.cli import reproduce as command

    command.reproduce(**given)


@app.command()
def benchmark(
    track: Annotated[
        str | None,
        Argument(metavar="TRACK", help="What to run; by default all tracks.", autocompletion=complete.tracks),
    ] = None,
    profile: options.Profile = "full",
    dry_run: options.DryRun = False,
    draws: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="Run the first draws of links only; without it, a later run goes on to all.",
        ),
    ] = None,
    stored: options.Stored = False,
    retry: options.Retry = None,
    check: options.Check = False,
    tolerance: options.Tolerance = 0.02,
    write: options.Write = False,
    jobs: options.Jobs = CORES,
    results: options.Results = RESULTS,
) -> None:
    """Run all methods on many data sets and say which to use when.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """
    given = dict(locals())
    from cscluster.cli import benchmark as command

    command.benchmark(**given)


@app.command()
def compare(
    before: Annotated[str, Argument(metavar="BEFORE", help="The first run.", autocompletion=complete.runs)],
    after: Annotated[str, Argument(metavar="AFTER", help="The second run.", autocompletion=complete.runs)],
    metric: options.Metrics = None,
    results: options.Results = RESULTS,
) -> None:
    """Say what changed between two runs, and which results moved.

    Their definitions and versions are compared as well.
    """
    from cscluster.cli import compare as command

    command.compare(before, after, metric, results)


@app.command()
def runs(
    results: options.Results = RESULTS,
    out: Annotated[
        Path | None, Option(metavar="FILE.html", help="Write a page with links to the reports.")
    ] = None,
) -> None:
    """List stored runs: progress, failures, age, size."""
    from cscluster.cli import runs as command

    command.runs(results, out)


@app.command()
def cluster(
    data: options.Data,
    links: Annotated[
        Path | None,
        Option(
            "--links",
            "-c",
            "--constraints",
            metavar="LINKS.csv",
            help="Links: a,b,link[,weight]; link is must or cannot.",
        ),
    ] = None,
    clusters: Annotated[
        str, Option("--clusters", "-k", metavar="K", help="Number of clusters, or auto.")
    ] = "auto",
    algorithm: options.Algorithm = "auto",
    param: Annotated[
        list[str] | None, Option("--param", "-p", metavar="NAME=VALUE", help="Parameter of the algorithm.")
    ] = None,
    id_column: options.IdColumn = None,
    target: Annotated[
        str | None, options.column("True classes: not a feature; ARI, NMI and ACC are printed.")
    ] = None,
    features: options.Features = None,
    ignore: options.Ignore = None,
    labels: Annotated[
        str | None, options.column("Classes of some rows, empty for the others: taken as links.")
    ] = None,
    hard: Annotated[bool, Option("--hard", help="The links of --labels must hold.")] = False,
    contradictions: Annotated[
        str,
        options.one_of(
            "What to do with links that contradict others.",
            ["refuse", "keep", "drop"],
            metavar="refuse|keep|drop",
        ),
    ] = "refuse",
    preprocess: options.Preprocess = None,
    out: options.Labels = None,
    with_table: options.WithTable = False,
    describe: Annotated[
        Path | None, Option(metavar="FILE.html", help="Write what is in each cluster: typical rows, columns.")
    ] = None,
    model: Annotated[
        Path | None, Option(metavar="MODEL.zip", help="Write a model for 'cscluster predict'.")
    ] = None,
    broken: Annotated[
        Path | None, Option(metavar="FILE.csv", help="Write the links that are not kept.")
    ] = None,
    maps: Annotated[
        list[Path] | None,
        Option("--map", metavar="FILE", help="Draw rows and links: map.html, map.png, .pdf or .svg."),
    ] = None,
    seed: options.TableSeed = 0,
) -> None:
    """Cluster your own data with your own links.

    Without -k and --algorithm, links that are held out choose the number of clusters and the
    algorithm.  Numbers are standardised and empty cells filled with the median; a text column with
    few values becomes 0/1 columns.  A metric learner is joined with PCK-Means.
    """
    from cscluster.cli import cluster as command

    command.cluster(
        data,
        links,
        command.parse_method(algorithm, param or [], clusters),
        command.Columns(
            id_column, target, options.column_names(features), options.column_names(ignore), labels
        ),
        preprocess,
        command.Outputs(out, with_table, describe, model, broken, maps or []),
        seed,
        hard,
        contradictions,
    )


@app.command()
def predict(
    model: Annotated[Path, Argument(metavar="MODEL", help="Model file of 'cscluster cluster --model'.")],
    data: Annotated[
        str, Argument(metavar="DATA", help="New rows, with the columns of the model in any order.")
    ],
    id_column: Annotated[
        str | None, Option("--id", metavar="COLUMN", help="Names the rows; by default as for the model.")
    ] = None,
    out: options.Labels = None,
    with_table: options.WithTable = False,
) -> None:
    """Put new rows into the clusters of a stored model."""
    from cscluster.cli import predict as command

    command.predict(model, data, id_column, out, with_table)


@app.command()
def label(
    data: options.Data,
    clusters: Annotated[
        str,
        Option(
            "--clusters", "-k", metavar="K", help="Number of clusters, or auto: as many as groups are found."
        ),
    ] = "auto",
    links: Annotated[
        Path | None,
        Option(metavar="LINKS.csv", help="File of the answers, earlier ones too; by default DATA-links.csv."),
    ] = None,
    algorithm: options.Algorithm = "auto",
    id_column: options.IdColumn = None,
    target: Annotated[str | None, options.column("True classes: neither a feature nor shown.")] = None,
    features: options.Features = None,
    ignore: options.Ignore = None,
    preprocess: options.Preprocess = None,
    image_shape: Annotated[
        str, Option(metavar="HxW", help="Rows are pictures of this shape, such as 8x8.")
    ] = "auto",
    out: Annotated[
        Path | None, Option("--out", "-o", metavar="FILE", help="Write the clusters as CSV at the end.")
    ] = None,
    seed: options.TableSeed = 0,
    terminal: Annotated[bool, Option("--terminal", help="Ask here instead of on a page.")] = False,
    port: Annotated[
        int, Option(metavar="N", min=0, max=65535, help="Port of the page; 0 takes a free one.")
    ] = 0,
    open_page: Annotated[bool, Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Say which items belong together, and see the clusters change.

    A page that only this computer can reach shows two items at a time; y, n and s answer yes, no
    and skip, u takes the latest answer back.  Each answer is saved at once, and the next question
    is the one whose answer is likely to teach most.  The clusters are those of the command that is
    printed in the end.  Ctrl-C ends; the same command goes on.
    """
    from cscluster.cli import label as command

    command.label(
        data,
        command.parse_making(clusters, algorithm, preprocess, seed),
        (links, out),
        command.Columns(id_column, target, options.column_names(features), options.column_names(ignore)),
        image_shape,
        page=None if terminal else (port, open_page),
    )


@app.command()
def validate(config: options.Config, settings: options.Settings = None) -> None:
    """Check an experiment file and its data.

    Every problem is listed with its line and column.
    """
    from cscluster.cli import validate as command

    command.validate(config, settings or [])


@app.command("list")
def listing(
    kind: Annotated[
        str,
        Argument(metavar="KIND", help=options.KINDS_HELP, autocompletion=complete.among(options.KINDS)),
    ] = "algorithms",
    markdown: Annotated[bool, Option("--markdown", help="Print a Markdown table.")] = False,
) -> None:
    """List algorithms, data sets, metrics, experiments and more."""
    from cscluster.cli import listing as command

    command.listing(kind, markdown)


@app.command()
def show(
    name: Annotated[
        str,
        Argument(
            metavar="NAME",
            help="Algorithm, data set, metric, schedule, step, experiment or run; or schema, for editors.",
            autocompletion=complete.names,
        ),
    ],
    results: options.Results = RESULTS,
) -> None:
    """Explain an algorithm, data set, metric, experiment or run."""
    from cscluster.cli import show as command

    command.show(name, results)


@app.command()
def check(
    name: Annotated[
        str,
        Argument(
            metavar="NAME",
            help="module:Class, file.py:Class, or a registered name.",
            autocompletion=complete.algorithms,
        ),
    ],
) -> None:
    """Check an algorithm, and say in words what is missing.

    Exit code 1 if a promise is broken that experiments depend on.
    """
    from cscluster.cli import check as command

    command.check(name)


new = typer.Typer(help="Start something of your own from a template.", no_args_is_help=True)
app.add_typer(new, name="new")


@new.command("algorithm")
def new_algorithm(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the algorithm, such as my_method.")],
    directory: options.Directory = Path(),
) -> None:
    """Write a small algorithm that works, to start from."""
    from cscluster.cli import new as command

    command.algorithm(name, directory)


@new.command("experiment")
def new_experiment(
    name: Annotated[str, Argument(metavar="NAME", help="Name of the experiment and of its results.")],
    directory: options.Directory = Path(),
) -> None:
    """Write an experiment file, and its schema for editors."""
    from cscluster.cli import new as command

    command.experiment(name, directory)


@new.command("example")
def new_example(directory: options.Directory = Path()) -> None:
    """Write a small table with links, to try the commands."""
    from cscluster.cli import new as command

    command.example(directory)


data = typer.Typer(help="Look at data sets, find their files and fetch more.", no_args_is_help=True)
app.add_typer(data, name="data")


@data.command("info")
def data_info(
    name: options.DataName,
    target: Annotated[
        str | None, Option(metavar="COLUMN", help="Column of the true classes, for files.")
    ] = None,
) -> None:
    """Load a data set and say what is in it."""
    from cscluster.cli import data as command

    command.info(name, target)


@data.command("path")
def data_path(name: options.DataName) -> None:
    """Print the file of a data set."""
    from cscluster.cli import data as command

    command.path(name)


@data.command("fetch")
def data_fetch(name: options.OpenML) -> None:
    """Fetch a data set from OpenML, and say how to name it."""
    from cscluster.cli import data as command

    command.fetch(name)


@data.command("clear")
def data_clear() -> None:
    """Delete the cache of prepared data; it is made again when needed."""
    from cscluster.cli import data as command

    command.clear()
