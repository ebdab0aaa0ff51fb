"""The options of each command: one object, whose fields say flag, help and completion once.

The docstring of a class is the help of its command.  Where a class has several bases, the options of the
last base come first.  Nothing here imports a numeric library, so that help and completion answer at once, and
annotations are not postponed, because Typer reads them.
"""

import csv
import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, Option

from cscluster.cli import complete
from cscluster.data import STEP_CLASSES, formats
from cscluster.errors import ParameterError, StoreError
from cscluster.experiment.engine import BACKENDS
from cscluster.metrics.catalogue import METRICS
from cscluster.report.formats import ENDINGS
from cscluster.report.styles import FORMATS, STYLES
from cscluster.words import integer

RESULTS = Path("results")
KINDS = ("algorithms", "datasets", "metrics", "configs", "schedules", "steps", "keys")
"""What ``cscluster list`` lists."""

Values = Callable[..., list[str]] | Iterable[str]
"""What the shell completes: names, or a function of what is typed so far."""


def option(metavar: str, help: str, *flags: str, values: Values = (), **limits: Any) -> Any:
    """Return an option with a value; without flags, it is called as its field.

    A metavar such as ``keep|drop`` says itself what the shell completes.
    """
    if values == () and "|" in metavar:
        values = metavar.split("|")
    return Option(*flags, metavar=metavar, help=help, autocompletion=_completer(values), **limits)


def flag(name: str, help: str) -> Any:
    """Return an option without a value."""
    return Option(name, help=help)


def argument(metavar: str, help: str, values: Values = ()) -> Any:
    """Return an argument."""
    return Argument(metavar=metavar, help=help, autocompletion=_completer(values))


def _completer(values: Values) -> Callable[..., list[str]] | None:
    if callable(values):
        return values
    return complete.among(values) if values else None


Config = Annotated[
    str, argument("CONFIG", "Experiment: a YAML file or the name of a bundled one.", complete.configs)
]
Settings = Annotated[list[str], option("KEY=VALUE", "Change a key, e.g. --set trials=5.", "--set")]
Jobs = Annotated[int, option("N", "Number of workers.", "--jobs", "-j", min=1)]
DryRun = Annotated[bool, flag("--dry-run", "Only say what would be run.")]
Retry = Annotated[Literal["failed"] | None, option("failed", "Run failed trials again.")]
Results = Annotated[Path, option("DIRECTORY", "Directory of all results.", "--results")]
Runs = Annotated[list[str], argument("RUN", "Runs: names in --results, or their directories.", complete.runs)]
Metrics = Annotated[
    list[str] | None,
    option("NAME", "Metric to show; can be given several times.", "--metric", "-m", values=complete.metrics),
]
Data = Annotated[str, argument("DATA", f"{formats.titles()} file, or a data set by name.", complete.data)]
IdColumn = Annotated[
    str | None,
    option("COLUMN", "Names the rows; constraints then use the names.", "--id", values=complete.columns),
]
Features = Annotated[
    list[str], option("COLUMNS", "Cluster by these columns only (a,b,c).", values=complete.columns)
]
Ignore = Annotated[
    list[str], option("COLUMNS", "Do not cluster by these columns (a,b,c).", values=complete.columns)
]
Preprocess = Annotated[
    list[str] | None,
    option(
        "STEP", "standardize (default), center, scale01, l2, pca=N, none, ...", values=[*STEP_CLASSES, "none"]
    ),
]
Algorithm = Annotated[
    str,
    option("NAME", "Name from 'cscluster list', or auto.", "--algorithm", "-a", values=complete.algorithms),
]
TableSeed = Annotated[int, option("N", "Seed of all random choices.", "--seed", min=0, max=2**31 - 1)]
Labels = Annotated[
    Path | None, option("FILE", "Write the clusters as CSV; - is standard output.", "--out", "-o")
]
WithTable = Annotated[bool, flag("--with-table", "Repeat the table's columns in --out.")]
Directory = Annotated[Path, option("DIRECTORY", "Where to write.", "--directory", "-d")]
DataName = Annotated[str, argument("DATA", "Data set, openml:NAME or file.", complete.datasets)]


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Run an experiment and show its tables.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """

    config: Config
    settings: Settings = field(default_factory=list)
    jobs: Jobs = os.cpu_count() or 1
    backend: Annotated[str, option("|".join(BACKENDS), "local (processes of this machine) or dask.")] = (
        "local"
    )
    scheduler: Annotated[str | None, option("ADDRESS", "Address of a Dask scheduler.")] = None
    shard: Annotated[str | None, option("I/N", "Run only part I of N.", "--shard")] = None
    results: Results = RESULTS
    dry_run: DryRun = False
    fresh: Annotated[bool, flag("--fresh", "Forget stored results and run all again.")] = False
    retry: Retry = None
    allow_failures: Annotated[bool, flag("--allow-failures", "Exit with 0 even if trials failed.")] = False


@dataclass(frozen=True, kw_only=True)
class GridOptions:
    """What a sweep varies, and which of it is shown."""

    grid: Annotated[
        list[str],
        option(
            "ALGORITHM.PARAMETER=VALUES",
            "Values to try, e.g. pmmc.lam=0.1,1,10 or 0.01:100:x10, or scsc.n_partitions=50:300:50.",
            "--grid",
            "-g",
        ),
    ] = field(default_factory=list)
    select: Annotated[
        str | None,
        option(
            "none|oracle:METRIC|heldout",
            "Show each grid point (none, the default), or the best by true labels or held-out constraints.",
            values=["none", *(f"oracle:{name}" for name in METRICS), "heldout"],
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SweepOptions(RunOptions, GridOptions):
    """Run an experiment's algorithms over grids of their parameters.

    The grids are those of --grid and of the block 'sweep' in the file; algorithms without one are left
    out.  Results go to NAME-sweep; the same command resumes.
    """


@dataclass(frozen=True, kw_only=True)
class ValidateOptions:
    """Check an experiment file and its data.

    Every problem is listed with its line and column.
    """

    config: Config
    settings: Settings = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class MergeOptions:
    """Join shards, or any runs of the same experiment, into one run.

    A trial that several runs hold is taken once: a result before a failure, then from the run named
    first.  The runs are left as they are; a joined run that exists already is added to.
    """

    runs: Runs
    into: Annotated[
        str | None, option("NAME", "Name of the joined run; by default that of the experiment.")
    ] = None
    results: Results = RESULTS


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Show the tables and tests of stored runs.

    Nothing is computed again.  Several runs are shown one after another; with --by dataset they
    make one table.  --format prose writes a paragraph on methods.
    """

    runs: Runs
    kind: Annotated[
        str | None,
        option(
            "FORMAT",
            f"{', '.join(ENDINGS)}; by default, by the ending of --out.",
            "--format",
            "-f",
            values=ENDINGS,
        ),
    ] = None
    metric: Metrics = None
    by: Annotated[
        str,
        option(
            "COLUMNS",
            "Columns: point; dataset for data sets x algorithms; or a varied parameter.",
            values=["point", "dataset"],
        ),
    ] = "point"
    where: Annotated[
        list[str], option("CONDITION", "Only trials with e.g. dataset=iris, point>=60, label~PMMC.")
    ] = field(default_factory=list)
    reference: Annotated[
        str | None,
        option("METHOD", "Mark what is significantly better (+) or worse (-) than this method."),
    ] = None
    caption: Annotated[str, option("TEXT", "Caption of the table, or before those of several.")] = ""
    label: Annotated[str, option("NAME", "Label of the table in LaTeX; of several, NAME-1 and so on.")] = ""
    out: Annotated[Path | None, option("FILE", "Write to a file, do not print.")] = None
    figures: Annotated[Path | None, option("DIRECTORY", "Draw all figures that fit the results into it.")] = (
        None
    )
    figure_format: Annotated[
        list[str],
        option(
            "FORMAT", f"{', '.join(FORMATS)}; png by default; can be given several times.", values=FORMATS
        ),
    ] = field(default_factory=lambda: ["png"])
    figure_style: Annotated[
        str,
        option(
            "STYLE", "paper (two columns of 3.5 inches), page (half the pixels) or slides.", values=STYLES
        ),
    ] = "paper"
    share_y: Annotated[bool, flag("--share-y", "Give all panels of curves the same vertical axis.")] = False
    open_page: Annotated[bool, flag("--open", "Write an HTML page, and open it in the browser.")] = False
    check: Annotated[
        Path | None, option("FILE", "CSV of reference means like summary.csv; exit code 1 if a mean drifted.")
    ] = None
    tol: Annotated[
        list[str], option("TOLERANCE", "Tolerance of --check: 0.02, or acc=0.01 for one metric.")
    ] = field(default_factory=list)
    against: Annotated[
        str | None, option("paper", "Show our numbers beside those that the paper prints.")
    ] = None
    results: Results = RESULTS


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Say what changed between two runs, and which results moved.

    Their definitions and versions are compared as well.
    """

    before: Annotated[str, argument("BEFORE", "The first run.", complete.runs)]
    after: Annotated[str, argument("AFTER", "The second run.", complete.runs)]
    metric: Metrics = None
    results: Results = RESULTS


@dataclass(frozen=True, kw_only=True)
class RunsOptions:
    """List stored runs: progress, failures, age, size."""

    results: Results = RESULTS


@dataclass(frozen=True, kw_only=True)
class ProfileOptions:
    """How much of several experiments is run."""

    profile: Annotated[
        str, option("full|quick", "full: everything, hours; quick: less of everything, minutes.")
    ] = "full"
    dry_run: DryRun = False


@dataclass(frozen=True, kw_only=True)
class DrawsOptions(ProfileOptions):
    """How many random constraint sets are run."""

    draws: Annotated[
        int | None,
        option("N", "Run the first constraint sets only; without it, a later run goes on to all.", min=1),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SuiteOptions(ProfileOptions):
    """How experiments are run one after another, and compared with their reference."""

    stored: Annotated[bool, flag("--stored", "Run nothing: show what is stored.")] = False
    retry: Retry = None
    check: Annotated[
        bool, flag("--check", "Compare scores with those in RESULTS/reference; exit code 1 if some drifted.")
    ] = False
    tolerance: Annotated[
        float, option("NUMBER", "Difference of a score that --check lets pass.", "--tol", min=0)
    ] = 0.02
    write: Annotated[
        bool, flag("--write", "Write RESULTS/reference: summaries; if full, the page and the trials too.")
    ] = False
    jobs: Jobs = os.cpu_count() or 1
    results: Results = RESULTS


@dataclass(frozen=True, kw_only=True)
class ReproduceOptions(SuiteOptions):
    """Run the experiments of the papers and say which claims hold.

    Trials that are stored already are not run again: the same command resumes an interrupted run.
    """

    target: Annotated[
        str | None, argument("PAPER[/ITEM]", "What to run; by default all papers.", complete.papers)
    ] = None


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(SuiteOptions, DrawsOptions):
    """Run all methods on many data sets and say which to use when.

    Trials that are stored already are not run again: the same command resumes an interrupted run.  With
    --add, run one method of yours and see it beside the stored trials of the others.
    """

    track: Annotated[
        str | None, argument("TRACK", "What to run; by default all tracks but exact.", complete.tracks)
    ] = None
    add: Annotated[
        str | None,
        option(
            "METHOD",
            "Run this method only, and show it beside the stored trials of the others: mine.py:Mine, a "
            "name, an entry of 'algorithms' in YAML, or a file with one.",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """Cluster your own data with your own constraints.

    Without -k and --algorithm, held-out constraints choose the number of clusters and the
    algorithm.  Numbers are standardised and empty cells filled with the median; a categorical
    column with few values becomes 0/1 columns.
    """

    data: Data
    links: Annotated[
        Path | None,
        option(
            "LINKS.csv",
            "Constraints: a,b,link[,weight]; link is must or cannot.",
            "--links",
            "-c",
            "--constraints",
        ),
    ] = None
    clusters: Annotated[str, option("K", "Number of clusters, or auto.", "--clusters", "-k")] = "auto"
    algorithm: Algorithm = "auto"
    param: Annotated[list[str], option("NAME=VALUE", "Parameter of the algorithm.", "--param", "-p")] = field(
        default_factory=list
    )
    clusterer: Annotated[
        str | None,
        option(
            "NAME", "What a metric learner is joined with; by default k-means.", values=complete.algorithms
        ),
    ] = None
    guard: Annotated[
        bool, flag("--guard", "Use k-means where held-out constraints do not support the algorithm.")
    ] = False
    id_column: IdColumn = None
    target: Annotated[
        str | None,
        option(
            "COLUMN", "True classes: not a feature; ARI, NMI and ACC are printed.", values=complete.columns
        ),
    ] = None
    features: Features = field(default_factory=list)
    ignore: Ignore = field(default_factory=list)
    labels: Annotated[
        str | None,
        option(
            "COLUMN", "Partial labels, empty where unknown: taken as constraints.", values=complete.columns
        ),
    ] = None
    closure: Annotated[
        bool, flag("--closure", "Learn from all that the constraints entail, as 'cscluster label' does.")
    ] = False
    names: Annotated[
        Path | None, option("NAMES.csv", "Names of clusters, as 'cscluster label' writes them.")
    ] = None
    hard: Annotated[bool, flag("--hard", "The constraints of --labels are hard.")] = False
    together: Annotated[
        str | None,
        option("COLUMN", "Rows with the same cell belong together: hard.", values=complete.columns),
    ] = None
    apart: Annotated[
        str | None,
        option("COLUMN", "No two rows with the same cell in one cluster: hard.", values=complete.columns),
    ] = None
    contradictions: Annotated[
        str, option("refuse|keep|drop", "What to do with constraints that contradict others.")
    ] = "refuse"
    preprocess: Preprocess = None
    distances: Annotated[
        Path | None,
        option("FILE", "Distances between the rows, in the place of columns: a square .csv or .npy."),
    ] = None
    out: Labels = None
    with_table: WithTable = False
    describe: Annotated[
        Path | None, option("FILE.html", "Write what is in each cluster: typical rows, columns.")
    ] = None
    model: Annotated[Path | None, option("MODEL.zip", "Write a model for 'cscluster predict'.")] = None
    violated: Annotated[
        Path | None, option("FILE.csv", "Write the constraints that are violated.", "--violated", "--broken")
    ] = None
    maps: Annotated[
        list[Path], option("FILE", "Draw rows and constraints: map.html, .png, .pdf or .svg.", "--map")
    ] = field(default_factory=list)
    seed: TableSeed = 0


@dataclass(frozen=True, kw_only=True)
class PredictOptions:
    """Put new rows into the clusters of a stored model."""

    model: Annotated[Path, argument("MODEL", "Model file of 'cscluster cluster --model'.")]
    data: Annotated[str, argument("DATA", "New rows, with the columns of the model in any order.")]
    id_column: Annotated[
        str | None, option("COLUMN", "Names the rows; by default as for the model.", "--id")
    ] = None
    out: Labels = None
    with_table: WithTable = False


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Say which items belong together, and see the clusters change.

    A page that only this computer can reach shows two items at a time; y, n and s answer yes, no
    and skip, u takes the latest answer back.  Each answer is saved at once, and the next question
    is the one whose answer is likely to teach most.  The clusters are those of the command that is
    printed in the end.  Ctrl-C ends; the same command goes on.
    """

    data: Data
    clusters: Annotated[
        str, option("K", "Number of clusters, or auto: as many as groups are found.", "--clusters", "-k")
    ] = "auto"
    links: Annotated[
        Path | None, option("LINKS.csv", "File of the answers, earlier ones too; by default DATA-links.csv.")
    ] = None
    algorithm: Algorithm = "auto"
    id_column: IdColumn = None
    target: Annotated[
        str | None, option("COLUMN", "True classes: neither a feature nor shown.", values=complete.columns)
    ] = None
    features: Features = field(default_factory=list)
    ignore: Ignore = field(default_factory=list)
    preprocess: Preprocess = None
    image_shape: Annotated[str, option("HxW", "Rows are images of this shape, such as 8x8.")] = "auto"
    out: Annotated[Path | None, option("FILE", "Write the clusters as CSV at the end.", "--out", "-o")] = None
    seed: TableSeed = 0
    terminal: Annotated[bool, flag("--terminal", "Ask here instead of on a page.")] = False
    answer: Annotated[
        str | None,
        option(
            "COMMAND", "Ask a program: it reads two items as JSON and writes y, n or skip, and a confidence."
        ),
    ] = None
    questions: Annotated[int, option("N", "Number of questions to the program.", min=1)] = 50
    port: Annotated[int, option("N", "Port of the page; 0 takes a free one.", min=0, max=65535)] = 0
    open_page: Annotated[bool, flag("--open/--no-open", "Open the page in the browser.")] = True


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """List algorithms, data sets, metrics, experiments and more."""

    kind: Annotated[
        str,
        argument(
            "KIND",
            "algorithms, datasets, metrics, configs (bundled experiments), schedules (of constraints), "
            "steps (of preprocessing) or keys (of an experiment file).",
            KINDS,
        ),
    ] = "algorithms"
    markdown: Annotated[bool, flag("--markdown", "Print a Markdown table.")] = False


@dataclass(frozen=True, kw_only=True)
class ShowOptions:
    """Explain an algorithm, data set, metric, experiment or run."""

    name: Annotated[
        str,
        argument(
            "NAME",
            "Algorithm, data set, metric, schedule, step, experiment or run; or schema, for editors.",
            complete.names,
        ),
    ]
    results: Results = RESULTS


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """Check an algorithm, and say in words what is missing.

    Exit code 1 if a promise is broken that experiments depend on.
    """

    name: Annotated[
        str, argument("NAME", "module:Class, file.py:Class, or a registered name.", complete.algorithms)
    ]


@dataclass(frozen=True, kw_only=True)
class NewAlgorithmOptions:
    """Write a small algorithm that works, to start from."""

    name: Annotated[str, argument("NAME", "Name of the algorithm, such as my_method.")]
    directory: Directory = Path()


@dataclass(frozen=True, kw_only=True)
class NewExperimentOptions:
    """Write an experiment file, and its schema for editors."""

    name: Annotated[str, argument("NAME", "Name of the experiment and of its results.")]
    directory: Directory = Path()


@dataclass(frozen=True, kw_only=True)
class NewExampleOptions:
    """Write a small table with links, to try the commands."""

    directory: Directory = Path()


@dataclass(frozen=True, kw_only=True)
class DataInfoOptions:
    """Load a data set and say what is in it."""

    name: DataName
    target: Annotated[str | None, option("COLUMN", "Column of the true classes, for files.")] = None
    id_column: IdColumn = None


@dataclass(frozen=True, kw_only=True)
class DataPathOptions:
    """Print the file of a data set."""

    name: DataName


@dataclass(frozen=True, kw_only=True)
class DataFetchOptions:
    """Fetch a data set from OpenML, and say how to name it."""

    name: Annotated[
        str, argument("DATA", "openml:NAME, or a data set whose source it is.", complete.datasets)
    ]


@dataclass(frozen=True, kw_only=True)
class DataClearOptions:
    """Delete the cache of prepared data; it is made again when needed."""


def results_flag(results: Path) -> str:
    """Return what a command needs to find its results in a directory."""
    return "" if results == RESULTS else f" --results {shlex.quote(str(results))}"


def number_of_clusters(text: str) -> int | None:
    """Read -k: None stands for auto.

    Raises
    ------
    ParameterError
        If it is neither.
    """
    number = integer(text)
    if text != "auto" and (number is None or number < 2):
        raise ParameterError(f"-k must be an integer of at least 2, or 'auto', got '{text}'.")
    return number


def require_out(out: Path | None, with_table: bool) -> None:
    """Raise a StoreError where the table is to be repeated in a file that is not named."""
    if with_table and out is None:
        raise StoreError("--with-table repeats the table in the labels file: name it with --out FILE.")


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
        raise ParameterError("A name of a column has a line break; put the name in quotes.") from None
    return [name.strip() for row in rows for name in row if name.strip()]
