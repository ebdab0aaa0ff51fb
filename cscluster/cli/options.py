"""What commands ask for in the same words, and how they read it."""

from __future__ import annotations

import csv
import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from cscluster.cli import complete
from cscluster.data import STEP_NAMES, formats
from cscluster.errors import ParameterError, StoreError
from cscluster.experiment.engine import BACKENDS
from cscluster.words import integer

CORES = os.cpu_count() or 1
RESULTS = Path("results")
KINDS = ("algorithms", "datasets", "metrics", "configs", "schedules", "steps", "keys")
"""What ``cscluster list`` lists."""
KINDS_HELP = (
    "algorithms, datasets, metrics, configs (bundled experiments), schedules (of links), steps (of "
    "preprocessing) or keys (of an experiment file)."
)


def one_of(help: str, names: Iterable[str], metavar: str | None = None) -> Any:
    """Return an option that takes one of some names."""
    return Option(metavar=metavar, help=help, autocompletion=complete.among(names))


def column(help: str, *flags: str, metavar: str = "COLUMN") -> Any:
    """Return an option that names a column of the table, or several."""
    return Option(*flags, metavar=metavar, help=help, autocompletion=complete.columns)


Config = Annotated[
    str,
    Argument(
        metavar="CONFIG",
        help="Experiment: a YAML file or the name of a bundled one.",
        autocompletion=complete.configs,
    ),
]
Settings = Annotated[
    list[str] | None, Option("--set", metavar="KEY=VALUE", help="Change a key, e.g. --set trials=5.")
]
Trials = Annotated[int | None, Option(metavar="N", help="Number of trials; by default that of the file.")]
Seed = Annotated[int | None, Option(metavar="N", help="Seed of the experiment; by default that of the file.")]
Jobs = Annotated[int, Option("--jobs", "-j", metavar="N", min=1, help="Number of workers.")]
Backend = Annotated[
    str, one_of("local (processes of this machine) or dask.", BACKENDS, metavar="|".join(BACKENDS))
]
Scheduler = Annotated[str | None, Option(metavar="ADDRESS", help="Address of a Dask scheduler.")]
Shard = Annotated[str | None, Option("--shard", metavar="I/N", help="Run only part I of N.")]
DryRun = Annotated[bool, Option("--dry-run", help="Only say what would be run.")]
Fresh = Annotated[bool, Option("--fresh", help="Forget stored results and run all again.")]
Retry = Annotated[str | None, Option(metavar="failed", help="Run failed trials again.")]
AllowFailures = Annotated[bool, Option("--allow-failures", help="Exit with 0 even if trials failed.")]

Results = Annotated[Path, Option("--results", metavar="DIRECTORY", help="Directory of all results.")]
Runs = Annotated[
    list[str],
    Argument(
        metavar="RUN", help="Runs: names in --results, or their directories.", autocompletion=complete.runs
    ),
]
Stored = Annotated[bool, Option("--stored", help="Run nothing: show what is stored.")]
Check = Annotated[
    bool,
    Option("--check", help="Compare scores with those in RESULTS/reference; exit code 1 if some drifted."),
]
Tolerance = Annotated[
    float, Option("--tol", metavar="NUMBER", min=0, help="Difference of a score that --check lets pass.")
]
Profile = Annotated[
    str,
    one_of(
        "full: everything, hours; quick: less of everything, minutes.",
        ["full", "quick"],
        metavar="full|quick",
    ),
]
Write = Annotated[
    bool, Option("--write", help="Write RESULTS/reference: summaries; if full, the page and the trials too.")
]
Metrics = Annotated[
    list[str] | None,
    Option(
        "--metric",
        "-m",
        metavar="NAME",
        help="Metric to show; can be given several times.",
        autocompletion=complete.metrics,
    ),
]

Data = Annotated[
    str,
    Argument(
        metavar="DATA", help=f"{formats.titles()} file, or a data set by name.", autocompletion=complete.data
    ),
]
IdColumn = Annotated[str | None, column("Names the rows; links then use the names.", "--id")]
Ignore = Annotated[list[str] | None, column("Do not cluster by these columns (a,b,c).", metavar="COLUMNS")]
Features = Annotated[list[str] | None, column("Cluster by these columns only (a,b,c).", metavar="COLUMNS")]
Preprocess = Annotated[
    list[str] | None,
    Option(
        metavar="STEP",
        help="standardize (default), center, scale01, l2, pca=N, none, ...",
        autocompletion=complete.among([*STEP_NAMES, "none"]),
    ),
]
Algorithm = Annotated[
    str,
    Option(
        "--algorithm",
        "-a",
        metavar="NAME",
        help="Name from 'cscluster list', or auto.",
        autocompletion=complete.algorithms,
    ),
]
TableSeed = Annotated[
    int, Option("--seed", metavar="N", min=0, max=2**31 - 1, help="Seed of all random choices.")
]
Labels = Annotated[
    Path | None,
    Option("--out", "-o", metavar="FILE", help="Write the clusters as CSV; - is standard output."),
]
WithTable = Annotated[bool, Option("--with-table", help="Repeat the table's columns in --out.")]
DataName = Annotated[
    str, Argument(metavar="DATA", help="Data set, openml:NAME or file.", autocompletion=complete.datasets)
]
OpenML = Annotated[
    str,
    Argument(
        metavar="DATA",
        help="openml:NAME, or a data set whose source it is.",
        autocompletion=complete.datasets,
    ),
]
Directory = Annotated[Path, Option("--directory", "-d", metavar="DIRECTORY", help="Where to write.")]


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


def retry_failed(retry: str | None) -> bool:
    """Read --retry.

    Raises
    ------
    ParameterError
        If it is not ``failed``.
    """
    if retry not in (None, "failed"):
        raise ParameterError(f"--retry takes only 'failed', got '{retry}'.")
    return retry is not None


def require_out(out: Path | None, with_table: bool) -> None:
    """Raise a StoreError where the table is to be repeated in a file that is not named."""
    if with_table and out is None:
        raise StoreError("--with-table repeats the table in the labels file: name it with --out FILE.")


def column_names(given: list[str] | None) -> list[str]:
    """Split lists of column names at commas; a name with a comma is put in quotes."""
    rows = csv.reader(given or [], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]
