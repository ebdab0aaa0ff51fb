"""The options of each command: one object, whose fields say flag, help and completion once.

The docstring of a class is the help of its command.  Where a class has several bases, the options of the
last base come first.  Nothing here imports a numeric library, so that help and completion answer at once, and
annotations are not postponed, because Typer reads them.
"""

import csv
import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, dataclass_transform

import typer

from cscluster.cli import complete
from cscluster.data import STEP_CLASSES, formats
from cscluster.errors import ParameterError
from cscluster.experiment.engine import BACKENDS
from cscluster.metrics.catalogue import METRICS
from cscluster.report.formats import ENDINGS
from cscluster.report.styles import FORMATS, STYLES

RESULTS = Path("results")
KINDS = ("algorithms", "datasets", "metrics", "configs", "schedules", "steps", "keys")
"""What ``cscluster list`` lists."""

Values = Callable[..., list[str]] | Iterable[str]
"""What the shell completes: names, or a function of what is typed so far."""


def option(
    metavar: str, help: str, *flags: str, values: Values = (), default: Any = None, **limits: Any
) -> Any:
    """Return an option with a value; without flags, it is called as its field.

    A metavar such as ``keep|drop`` says itself what the shell completes.
    """
    if values == () and "|" in metavar:
        values = metavar.split("|")
    asked = typer.Option(*flags, metavar=metavar, help=help, autocompletion=_completer(values), **limits)
    return _field(asked, default)


def flag(name: str, help: str, default: bool = False) -> Any:
    """Return an option without a value."""
    return _field(typer.Option(name, help=help), default)


def argument(metavar: str, help: str, values: Values = (), default: Any = MISSING) -> Any:
    """Return an argument; without a default it must be given."""
    return _field(typer.Argument(metavar=metavar, help=help, autocompletion=_completer(values)), default)


def _completer(values: Values) -> Callable[..., list[str]] | None:
    if callable(values):
        return values
    return complete.among(values) if values else None


def _field(asked: Any, default: Any) -> Any:
    """Return the field of an options object that holds what is asked; a list is made anew each time."""
    if isinstance(default, list):
        return field(default_factory=default.copy, metadata={"typer": asked})
    return field(default=default, metadata={"typer": asked})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(argument,))
class Options:
    """Base of the options of commands: frozen dataclasses whose fields are keywords."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


_runs = partial(argument, "RUN", "Runs: names in --results, or their directories.", complete.runs)
_metric = partial(
    option, "NAME", "Metric to show. Can be given several times.", "--metric", "-m", values=complete.metrics
)
_data_name = partial(argument, "DATA", "Data set, openml:NAME or file.", complete.datasets)
_column = partial(option, "COLUMN", values=complete.columns)
_id = partial(_column, "Names the rows. Constraints then use the names.", "--id")


class ConfigOptions(Options):
    """Which experiment."""

    config: str = argument(
        "CONFIG", "Experiment: a YAML file or the name of a bundled one.", complete.configs
    )
    settings: list[str] = option("KEY=VALUE", "Change a key, e.g. --set trials=5.", "--set", default=[])


class ResultsOptions(Options):
    """Where results are stored."""

    results: Path = option("DIRECTORY", "Directory of all results.", "--results", default=RESULTS)


class WorkOptions(ResultsOptions):
    """How trials are run."""

    jobs: int = option("N", "Number of workers.", "--jobs", "-j", min=1, default=os.cpu_count() or 1)
    dry_run: bool = flag("--dry-run", "Say what would be run, and run nothing.")
    retry: Literal["failed"] | None = option("failed", "Run failed trials again.")


class TableOptions(Options):
    """Which table is clustered, by which of its columns and how."""

    data: str = argument("DATA", f"{formats.titles()} file, or a data set by name.", complete.data)
    links: Path | None = option(
        "LINKS.csv",
        "Constraints: a,b,link[,weight], link is must or cannot.",
        "--links",
        "-c",
        "--constraints",
    )
    clusters: str = option("K", "Number of clusters, or auto.", "--clusters", "-k", default="auto")
    algorithm: str = option(
        "NAME",
        "Name from 'cscluster list', or auto.",
        "--algorithm",
        "-a",
        values=complete.algorithms,
        default="auto",
    )
    id_column: str | None = _id()
    target: str | None = _column("True classes: not a feature, only for ARI, NMI and ACC.")
    features: list[str] = option(
        "COLUMNS", "Cluster by these columns only (a,b,c).", values=complete.columns, default=[]
    )
    ignore: list[str] = option(
        "COLUMNS", "Do not cluster by these columns (a,b,c).", values=complete.columns, default=[]
    )
    preprocess: list[str] | None = option(
        "STEP",
        "standardize (default), center, scale01, l2, pca=N, none, ...",
        values=[*STEP_CLASSES, "none"],
    )
    seed: int = option("N", "Seed of all random choices.", "--seed", min=0, max=2**31 - 1, default=0)


class LabelsOptions(Options):
    """Where the clusters are written."""

    out: Path | None = option("FILE", "Write the clusters as CSV, with - to standard output.", "--out", "-o")
    with_table: bool = flag("--with-table", "Repeat the table's columns in --out.")


class RunOptions(WorkOptions, ConfigOptions):
    """Run an experiment and show its tables.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """

    backend: str = option("|".join(BACKENDS), "local (processes of this machine) or dask.", default="local")
    scheduler: str | None = option("ADDRESS", "Address of a Dask scheduler.")
    shard: str | None = option("I/N", "Run only part I of N.", "--shard")
    fresh: bool = flag("--fresh", "Forget stored results and run all again.")
    allow_failures: bool = flag("--allow-failures", "Exit with 0 even if trials failed.")


class SweepOptions(RunOptions):
    """Run an experiment's algorithms over grids of their parameters.

    Algorithms without a grid are left out.  Results go to NAME-sweep, and the same command resumes.
    """

    grid: list[str] = option(
        "ALGORITHM.PARAMETER=VALUES",
        "Values to try, e.g. pmmc.lam=0.1,1,10 or 0.01:100:x10, or scsc.n_partitions=50:300:50.",
        "--grid",
        "-g",
        default=[],
    )
    select: str | None = option(
        "none|oracle:METRIC|heldout",
        "Show each grid point (none, the default), or the best by true labels or held-out constraints.",
        values=["none", *(f"oracle:{name}" for name in METRICS), "heldout"],
    )


class ValidateOptions(ConfigOptions):
    """Check an experiment file and its data.

    Every problem is listed with its line and column.
    """


class MergeOptions(ResultsOptions):
    """Join shards, or any runs of the same experiment, into one run.

    A trial that several runs hold is taken once: a result before a failure, then from the run named
    first.  The runs are left as they are.  A joined run that exists already is added to.
    """

    runs: list[str] = _runs()
    into: str | None = option("NAME", "Name of the joined run, by default that of the experiment.")


class ReportOptions(ResultsOptions):
    """Show the tables and tests of stored runs.

    Nothing is computed again.  Several runs are shown one after another.  With --by dataset they
    make one table.  --format prose writes a paragraph on methods.
    """

    runs: list[str] = _runs()
    kind: str | None = option(
        "FORMAT",
        f"{', '.join(ENDINGS)}. By default, by the ending of --out.",
        "--format",
        "-f",
        values=ENDINGS,
    )
    metric: list[str] | None = _metric()
    by: str = option(
        "point|dataset", "Tables of numbers of constraints, or data sets x algorithms.", default="point"
    )
    where: list[str] = option(
        "CONDITION", "Only trials with e.g. dataset=iris, point>=60, label~PMMC.", default=[]
    )
    reference: str | None = option(
        "METHOD", "Mark what is significantly better (+) or worse (-) than this method."
    )
    caption: str = option("TEXT", "Caption of the table, or before those of several.", default="")
    label: str = option("NAME", "Label of the table in LaTeX. Of several, NAME-1 and so on.", default="")
    out: Path | None = option("FILE", "Write to a file, do not print.")
    figures: Path | None = option("DIRECTORY", "Draw all figures that fit the results into it.")
    figure_format: list[str] = option(
        "FORMAT",
        f"{', '.join(FORMATS)}. png by default. Can be given several times.",
        values=FORMATS,
        default=["png"],
    )
    figure_style: str = option(
        "STYLE",
        "paper (two columns of 3.5 inches), page (half the pixels) or slides.",
        values=STYLES,
        default="paper",
    )
    share_y: bool = flag("--share-y", "Give all panels of curves the same vertical axis.")
    open_page: bool = flag("--open", "Write an HTML page, and open it in the browser.")
    check: Path | None = option(
        "FILE", "CSV of reference means like summary.csv. Exit code 1 if a mean drifted."
    )
    tol: list[str] = option(
        "TOLERANCE", "Tolerance of --check: 0.02, or acc=0.01 for one metric.", default=[]
    )


class CompareOptions(ResultsOptions):
    """Say what changed between two runs, and which results moved.

    Their definitions and versions are compared as well.
    """

    before: str = argument("BEFORE", "The first run.", complete.runs)
    after: str = argument("AFTER", "The second run.", complete.runs)
    metric: list[str] | None = _metric()


class PackOptions(ResultsOptions):
    """Write a run for its reviewers into one zip file.

    It holds configuration, your code, every constraint set, small data files of yours,
    checksums, versions, records and report.
    """

    run: str = argument("RUN", "The run: a name in --results, or its directory.", complete.runs)
    out: Path | None = option("FILE.zip", "File to write, by default RUN.zip.", "--out", "-o")


class RunsOptions(ResultsOptions):
    """List stored runs: progress, failures, age, size."""


class SuiteOptions(WorkOptions):
    """How experiments are run one after another, and compared with their reference."""

    profile: str = option(
        "full|quick", "full: everything, hours. quick: less of everything, minutes.", default="full"
    )
    stored: bool = flag("--stored", "Run nothing: show what is stored.")
    check: bool = flag(
        "--check", "Compare scores with those in RESULTS/reference. Exit code 1 if some drifted."
    )
    tolerance: float = option(
        "NUMBER", "Largest difference of a score that --check accepts.", "--tol", min=0, default=0.02
    )
    write: bool = flag(
        "--write", "Write RESULTS/reference: summaries, and with the full profile the page and the trials."
    )


class ReproduceOptions(SuiteOptions):
    """Run the experiments of the papers and say which claims hold.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """

    target: str | None = argument(
        "PAPER[/ITEM]", "What to run, by default all papers.", complete.papers, default=None
    )


class BenchmarkOptions(SuiteOptions):
    """Run all methods on many data sets and say which to use when.

    Trials that are stored already are not run again: the same command resumes an interrupted run.  With
    --add, your method is run and shown with the stored trials of the others.
    """

    track: str | None = argument(
        "TRACK", "What to run, by default all tracks but exact.", complete.tracks, default=None
    )
    repetitions: int | None = option(
        "N", "Run the first N random constraint sets only. Without it, a later run goes on to all.", min=1
    )
    add: str | None = option(
        "METHOD",
        "Run this method only, and show it with the stored trials of the others: mine.py:Mine, a "
        "name, or an entry of 'algorithms' in YAML.",
    )


class ClusterOptions(LabelsOptions, TableOptions):
    """Cluster your own data with your own constraints.

    Without -k and --algorithm, held-out constraints choose the number of clusters and the
    algorithm.  Numbers are standardised and empty cells filled with the median.  A categorical
    column with few values becomes 0/1 columns.

    Which algorithm, by the benchmark?  Fewer than 50 constraints: no method is clearly better than
    k-means, and PMMC has the best mean rank.  100 constraints and more: RCA + PCCC
    (-a rca --clusterer pccc).  Hard constraints: RCA + PCCC.  Noisy answers, one in ten wrong: PCCC,
    from 300 constraints on.  Labels of every class: MPCK-Means (full) or logistic regression.
    Rings, moons and other non-convex clusters: constrained agglomerative, single
    (-a agglomerative -p linkage=single).
    """

    param: list[str] = option("NAME=VALUE", "Parameter of the algorithm.", "--param", "-p", default=[])
    clusterer: str | None = option(
        "NAME", "What a metric learner is joined with, by default k-means.", values=complete.algorithms
    )
    guard: bool = flag("--guard", "Use k-means where held-out constraints do not support the algorithm.")
    labels: str | None = _column("Partial labels, empty where unknown: taken as constraints.")
    closure: bool = flag(
        "--closure", "Learn from all that the constraints entail, as 'cscluster label' does."
    )
    names: Path | None = option("NAMES.csv", "Names of clusters, as 'cscluster label' writes them.")
    hard: bool = flag("--hard", "The constraints of --labels are hard.")
    together: str | None = _column("Rows with the same cell belong together: hard.")
    apart: str | None = _column("No two rows with the same cell in one cluster: hard.")
    contradictions: str = option(
        "refuse|keep|drop", "What to do with constraints that contradict others.", default="refuse"
    )
    distances: Path | None = option(
        "FILE", "Distances between the rows instead of columns: a square .csv or .npy."
    )
    describe: Path | None = option("FILE.html", "Write what is in each cluster: typical rows, columns.")
    model: Path | None = option("MODEL.zip", "Write a model for 'cscluster predict'.")
    violated: Path | None = option("FILE.csv", "Write the constraints that are violated.")
    maps: list[Path] = option(
        "FILE", "Draw rows and constraints: map.html, .png, .pdf or .svg.", "--map", default=[]
    )


class PredictOptions(LabelsOptions):
    """Put new rows into the clusters of a stored model."""

    model: Path = argument("MODEL", "Model file of 'cscluster cluster --model'.")
    data: str = argument("DATA", "New rows, with the columns of the model in any order.")
    id_column: str | None = option("COLUMN", "Names the rows, by default as for the model.", "--id")


class LabelOptions(TableOptions):
    """Answer which rows belong together, and see the clusters.

    A page that only this computer can reach shows two items at a time.  y, n and s answer yes, no
    and skip, u takes the latest answer back.  Each answer is saved at once, and the next question
    is the one whose answer is likely to teach most.  The clusters are those of the command that is
    printed in the end, without -k as many as groups are found.  Answers are saved in --links, by
    default DATA-links.csv.  Ctrl-C ends, and the same command goes on.
    """

    image_shape: str = option("HxW", "Rows are images of this shape, such as 8x8.", default="auto")
    out: Path | None = option("FILE", "Write the clusters as CSV at the end.", "--out", "-o")
    terminal: bool = flag("--terminal", "Ask here instead of on a page.")
    answer: str | None = option(
        "COMMAND", "Ask a program: it reads two items as JSON and writes y, n or skip, and a confidence."
    )
    questions: int = option("N", "Number of questions to the program.", min=1, default=50)
    port: int = option("N", "Port of the page. 0 takes a free one.", min=0, max=65535, default=0)
    open_page: bool = flag("--open/--no-open", "Open the page in the browser.", default=True)


class ListOptions(Options):
    """List algorithms, data sets, metrics, experiments and more."""

    kind: str = argument(
        "KIND",
        "algorithms, datasets, metrics, configs (bundled experiments), schedules (of constraints), "
        "steps (of preprocessing) or keys (of an experiment file).",
        KINDS,
        default="algorithms",
    )


class ShowOptions(ResultsOptions):
    """Explain an algorithm, data set, metric, experiment or run."""

    name: str = argument(
        "NAME",
        "Algorithm, data set, metric, schedule, step, experiment or run, or schema for editors.",
        complete.names,
    )


class CheckOptions(Options):
    """Check an algorithm, and say in words what is missing.

    Exit code 1 if a check fails that experiments depend on.
    """

    name: str = argument("NAME", "module:Class, file.py:Class, or a registered name.", complete.algorithms)


class NewExampleOptions(Options):
    """Write a small table with constraints, to try the commands."""

    directory: Path = option("DIRECTORY", "Where to write.", "--directory", "-d", default=Path())


class NewAlgorithmOptions(NewExampleOptions):
    """Write a small algorithm that works, to start from."""

    name: str = argument("NAME", "Name of the algorithm, such as my_method.")


class NewExperimentOptions(NewExampleOptions):
    """Write an experiment file, and its schema for editors."""

    name: str = argument("NAME", "Name of the experiment and of its results.")


class DataInfoOptions(Options):
    """Load a data set and say what is in it."""

    name: str = _data_name()
    target: str | None = option("COLUMN", "Column of the true classes, for files.")
    id_column: str | None = _id()


class DataFetchOptions(Options):
    """Fetch a data set from OpenML, and say how to name it."""

    name: str = argument("DATA", "openml:NAME, or a data set whose source it is.", complete.datasets)


class DataClearOptions(Options):
    """Delete the cache of prepared data, which is made again when needed."""


def results_flag(results: Path) -> str:
    """Return what a command needs to find its results in a directory."""
    return "" if results == RESULTS else f" --results {shlex.quote(str(results))}"


def column_names(given: list[str] | None) -> list[str]:
    """Split lists of column names at commas; a name with a comma is put in quotes.

    Raises
    ------
    ParameterError
        If a name has a line break that is not in quotes.
    """
    try:
        rows = list(csv.reader(given or [], skipinitialspace=True))
    except csv.Error:
        raise ParameterError("A name of a column has a line break. Put the name in quotes.") from None
    return [name.strip() for row in rows for name in row if name.strip()]
