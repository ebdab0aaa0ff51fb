"""``cscluster cluster``: from a table and links to clusters, and a model for new rows."""

from __future__ import annotations

import contextlib
import csv
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cscluster.cli import complete

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.constraints import Constraints
    from cscluster.practice.choose import Choice
    from cscluster.practice.count import Count
    from cscluster.practice.outcome import Outcome
    from cscluster.practice.table import Table

SHOWN_LINKS = 10


def command(
    data: Annotated[
        str,
        typer.Argument(
            help="CSV, TSV, Parquet, ARFF, LIBSVM, NPZ, NPY or MAT file, or a data set by name.",
            autocompletion=complete.datasets,
        ),
    ],
    constraints: Annotated[
        Path | None,
        typer.Option(
            "--constraints",
            "-c",
            metavar="LINKS.csv",
            help="Links: a,b,link[,weight]; link is must or cannot.",
        ),
    ] = None,
    clusters: Annotated[str, typer.Option("--clusters", "-k", help="Number of clusters, or auto.")] = "auto",
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help="Name from 'cscluster list', or auto.")
    ] = "auto",
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="Parameter of the algorithm."),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Names the rows; links then use the names.")
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="True classes: not a feature; ACC and NMI are printed."),
    ] = None,
    features: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Cluster by these columns only (a,b,c).")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMNS", help="Leave these columns out (a,b,c).")
    ] = None,
    preprocess: Annotated[
        list[str] | None,
        typer.Option(metavar="STEP", help="standardize (default), center, scale01, l2, pca=N, none, ..."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Write the clusters as CSV; - is standard output.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL.zip", help="Write a model for 'cscluster predict'.")
    ] = None,
    broken: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write the links that are not kept.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of all random choices.")] = 0,
) -> None:
    """Cluster your own data with your own links.

    Without -k and --algorithm, links that are held out choose the number of clusters and the
    method.  Numbers are standardised and empty cells filled with the median; a text column with
    few values becomes 0/1 columns.
    """
    from rich.console import Console

    from cscluster.practice import files
    from cscluster.practice.features import Features, default_steps, describe, parse_steps
    from cscluster.practice.table import Columns, read_table

    start = time.perf_counter()
    to_stdout = out == Path("-")
    screen = Console(stderr=to_stdout)
    wanted = _Method.parse(algorithm, param or [], clusters)
    _check_outputs(data, constraints, None if to_stdout else out, model, broken)
    given_steps = None if preprocess is None else parse_steps(preprocess)
    _require_storable(wanted, given_steps, model)
    columns = Columns(id_column, target, _names(features), _names(ignore))
    with screen.status(f"reading {data}"):
        table = read_table(data, columns)
        links = _read_links(constraints, table)
        steps = default_steps(table) if given_steps is None else given_steps
        fitted, X = Features.fit(table, steps)
    _say(screen, _source(data, table), *describe(table, fitted, steps), _links_line(links, constraints))
    n_clusters = _count(screen, wanted, X, links, seed)
    name = wanted.name or _algorithm(screen, X, links, n_clusters, seed)
    _check_fit(name, X, n_clusters, model is not None)
    estimator, notes = _fit(name, wanted.params, n_clusters, X, links, seed)
    found = _judge(estimator, X, n_clusters, links, table, seed)
    _show(screen, name, found, table, target, broken)
    _say(screen, *notes, f"time: {time.perf_counter() - start:.1f} s")
    if model is not None:
        _write_model(model, name, n_clusters, table, fitted, estimator)
    if broken is not None:
        _write_broken(broken, found, table)
    if to_stdout:
        sys.stdout.write(files.labels_csv(table, found.labels))
    elif out is not None:
        files.put(out, files.labels_csv(table, found.labels).encode())
    named = {"labels": None if to_stdout else out, "model": model, "broken links": broken}
    _say(screen, *(f"{what}: {path}" for what, path in named.items() if path is not None))


@dataclass(frozen=True)
class _Method:
    """What the user says about the method; None stands for auto."""

    name: str | None
    params: dict[str, Any]
    n_clusters: int | None

    @classmethod
    def parse(cls, algorithm: str, params: list[str], clusters: str) -> _Method:
        """Read the options.

        Raises
        ------
        ParameterError
            For an unknown algorithm or parameter, an illegal value, or a wrong number of clusters.
        """
        from cscluster.algorithms import registry
        from cscluster.errors import ParameterError

        name = None if algorithm == "auto" else registry.find(algorithm).name
        if name is None and params:
            raise ParameterError("--param needs --algorithm NAME; each method has its own parameters.")
        if clusters != "auto" and not (clusters.isdigit() and clusters.isascii() and int(clusters[:9]) >= 2):
            raise ParameterError(f"-k must be a whole number from 2 on, or 'auto', got '{clusters}'.")
        n_clusters = None if clusters == "auto" else int(clusters)
        return cls(name, _parameters(name, params) if name else {}, n_clusters)


def _parameters(name: str, given: list[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` options and check them against the algorithm's table."""
    import yaml

    from cscluster.algorithms import parameters, registry
    from cscluster.errors import ParameterError

    algorithm = registry.find(name)
    values: dict[str, Any] = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(f"--param is written NAME=VALUE, got '{text}'.")
        if key in ("n_clusters", "random_state"):
            raise ParameterError(f"'{key}' is set by {'-k' if key == 'n_clusters' else '--seed'}.")
        try:
            values[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            values[key] = value
    parameters.check(algorithm.title, getattr(algorithm.load(), "parameters", {}), values)
    return values


def _names(given: list[str] | None) -> list[str]:
    """Split lists of column names at commas; a name with a comma stands in quotes."""
    return [
        name.strip() for row in csv.reader(given or [], skipinitialspace=True) for name in row if name.strip()
    ]


def _check_outputs(
    data: str, constraints: Path | None, out: Path | None, model: Path | None, broken: Path | None
) -> None:
    from cscluster.practice import files

    outputs = {"--out": out, "--model": model, "--broken": broken}
    inputs = [Path(data), *([constraints] if constraints else [])]
    files.check({option: path for option, path in outputs.items() if path is not None}, inputs)


def _require_storable(wanted: _Method, steps: list[Any] | None, model: Path | None) -> None:
    """Say at once if there can be no model file."""
    from cscluster.algorithms import registry
    from cscluster.practice.features import require_storable
    from cscluster.practice.model import require_inductive

    if model is not None:
        require_storable(steps or [])
        if wanted.name is not None:
            require_inductive(registry.find(wanted.name))


def _read_links(path: Path | None, table: Table) -> Constraints:
    from cscluster.constraints import Constraints
    from cscluster.constraints.files import read_links

    if path is None:
        return Constraints.empty(table.n_rows)
    return read_links(path, table.n_rows, table.ids or None)


def _source(data: str, table: Table) -> str:
    from cscluster.practice.table import plural

    named = f"column '{table.id_column}' names them" if table.id_column else "counted from 0"
    return f"{data}: {plural(table.n_rows, 'row')}, {named}"


def _links_line(links: Constraints, path: Path | None) -> str:
    if path is None:
        return "no links (--constraints LINKS.csv adds some)"
    return f"{path}: {len(links.must_links)} must-links, {len(links.cannot_links)} cannot-links"


def _say(console: Console, *lines: str) -> None:
    for line in lines:
        console.print(line, highlight=False, markup=False)


@contextlib.contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error while fits are made; it goes away at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    parts = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*parts, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        done = -1

        def tick(name: str) -> None:
            nonlocal done
            done += 1
            bar.update(task, completed=done, description=f"{what}: {name}")

        yield tick


def _count(console: Console, wanted: _Method, X: Any, links: Constraints, seed: int) -> int:
    """Return the number of clusters, chosen aloud if it is to be chosen."""
    from cscluster.errors import ParameterError
    from cscluster.practice import count

    if wanted.n_clusters is not None:
        if wanted.n_clusters >= X.shape[0]:
            raise ParameterError(f"-k {wanted.n_clusters} is too many for {X.shape[0]} rows.")
        return wanted.n_clusters
    with _progress("number of clusters", count.n_fits(X, links, wanted.name)) as tick:
        chosen = count.choose_count(X, links, wanted.name, wanted.params, seed, tick)
    _show_count(console, chosen)
    return chosen.n_clusters


def _show_count(console: Console, chosen: Count) -> None:
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 1, 0, 0), show_header=False)
    grid.add_row("clusters", *(str(k) for k in chosen.scores))
    grid.add_row(chosen.score_name, *(f"{v:.2f}" if v >= 0 else "-" for v in chosen.scores.values()))
    console.print()
    console.print(grid, highlight=False)
    _say(console, f"chosen: {chosen.n_clusters} clusters, because {chosen.reason}")


def _algorithm(console: Console, X: Any, links: Constraints, n_clusters: int, seed: int) -> str:
    """Return the method, chosen aloud."""
    from cscluster.practice import choose
    from cscluster.practice.heldout import title

    with _progress("method", choose.n_fits(X, links)) as tick:
        chosen = choose.choose_algorithm(X, links, n_clusters, seed, tick)
    console.print()
    if chosen.attempts:
        _show_attempts(console, chosen)
    _say(console, f"chosen: {title(chosen.algorithm)}, because {chosen.reason}")
    return chosen.algorithm


def _show_attempts(console: Console, chosen: Choice) -> None:
    from rich.table import Table as Grid

    from cscluster.practice.heldout import title

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    grid.add_column("held-out links kept by", no_wrap=True)
    for head in ("mean", "must", "cannot", "seconds"):
        grid.add_column(head, justify="right")
    for found in chosen.attempts:
        if found.problem:
            grid.add_row(title(found.algorithm), "-", "-", "-", f"{found.seconds:.1f}")
            continue
        shares = (f"{kept}/{total}" for kept, total in (found.must, found.cannot))
        grid.add_row(title(found.algorithm), f"{found.score:.2f}", *shares, f"{found.seconds:.1f}")
    console.print(grid, highlight=False)
    for found in chosen.attempts:
        if found.problem:
            _say(console, f"{title(found.algorithm)} failed: {found.problem}")


def _check_fit(name: str, X: Any, n_clusters: int, stored: bool) -> None:
    """Say at once what the method cannot do."""
    from scipy import sparse

    from cscluster.algorithms import registry
    from cscluster.errors import ParameterError

    algorithm = registry.find(name)
    built_in = algorithm in registry.BUILT_IN
    if built_in and sparse.issparse(X) and "sparse" not in algorithm.tags:
        raise ParameterError(
            f"{algorithm.title} needs dense data; add '--preprocess dense', or choose kmeans, pmmc or rca."
        )
    if "binary" in algorithm.tags and n_clusters != 2:
        raise ParameterError(f"{algorithm.title} makes two clusters only, not {n_clusters}.")


def _fit(
    name: str, params: dict[str, Any], n_clusters: int, X: Any, links: Constraints, seed: int
) -> tuple[Any, list[str]]:
    """Fit the method; return it and what it warns of."""
    import warnings

    from cscluster.practice import heldout

    with _progress("clustering", 1) as tick, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tick(heldout.title(name))
        estimator = heldout.make(name, params, n_clusters, seed).fit(X, links)
    told = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
    return estimator, [f"note: {text}" for text in dict.fromkeys(told)]


def _judge(estimator: Any, X: Any, n_clusters: int, links: Constraints, table: Table, seed: int) -> Outcome:
    import numpy as np

    from cscluster.practice import outcome

    labels = np.asarray(estimator.labels_).astype(np.int64)
    return outcome.judge(X, labels, n_clusters, links, table, seed)


def _show(
    console: Console, name: str, found: Outcome, table: Table, target: str | None, broken: Path | None
) -> None:
    """Show sizes, links, scores."""
    from rich.table import Table as Grid

    from cscluster.practice import outcome
    from cscluster.practice.heldout import title

    console.print()
    console.print(title(name), style="bold", highlight=False, markup=False)
    show_sizes(console, found.sizes)
    _say(console, *outcome.describe(found, table, target))
    lost = outcome.broken_links(found, table)
    if not lost:
        return
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("not kept", "", "link"):
        grid.add_column(head, overflow="fold")
    for row in lost[:SHOWN_LINKS]:
        grid.add_row(*(cell.replace("[", r"\[") for cell in row))
    console.print(grid, highlight=False)
    if len(lost) > SHOWN_LINKS:
        all_of_them = "" if broken else " (--broken FILE.csv writes all)"
        _say(console, f"... and {len(lost) - SHOWN_LINKS} more{all_of_them}")


def show_sizes(console: Console, sizes: Any) -> None:
    """Show how many rows each cluster has."""
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for head in ("cluster", "rows", "share"):
        grid.add_column(head, justify="right")
    for cluster, size in enumerate(sizes.tolist()):
        grid.add_row(str(cluster), str(size), f"{size / sizes.sum():.0%}")
    console.print(grid, highlight=False)


def _write_model(path: Path, name: str, n_clusters: int, table: Table, features: Any, estimator: Any) -> None:
    from cscluster.practice import files
    from cscluster.practice.model import Model, to_bytes

    model = Model(name, n_clusters, table.id_column, features, estimator)
    files.put(path, to_bytes(model))


def _write_broken(path: Path, found: Outcome, table: Table) -> None:
    from cscluster.constraints.files import write_links

    write_links(path, found.broken, table.ids)
