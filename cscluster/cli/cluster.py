"""``cscluster cluster``: from a table and links to clusters, and a model for new rows."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cscluster.cli import cluster_view as view
from cscluster.cli import complete
from cscluster.cli.table_options import Data, IdColumn

if TYPE_CHECKING:
    from rich.console import Console

    from cscluster.constraints import Constraints
    from cscluster.tables.method import Method
    from cscluster.tables.outcome import Outcome
    from cscluster.tables.table import Table


def command(
    data: Data,
    constraints: Annotated[
        Path | None,
        typer.Option(
            "--constraints",
            "-c",
            metavar="LINKS.csv",
            help="Links: a,b,link[,weight]; link is must or cannot.",
        ),
    ] = None,
    clusters: Annotated[
        str, typer.Option("--clusters", "-k", metavar="K", help="Number of clusters, or auto.")
    ] = "auto",
    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help="Name from 'cscluster list', or auto.",
            autocompletion=complete.algorithms,
        ),
    ] = "auto",
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", metavar="NAME=VALUE", help="Parameter of the algorithm."),
    ] = None,
    id_column: IdColumn = None,
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
    maps: Annotated[
        list[Path] | None,
        typer.Option("--map", metavar="FILE", help="Draw rows and links: map.html, map.png, .pdf or .svg."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**31 - 1, help="Seed of all random choices.")] = 0,
) -> None:
    """Cluster your own data with your own links.

    Without -k and --algorithm, links that are held out choose the number of clusters and the
    method.  Numbers are standardised and empty cells filled with the median; a text column with
    few values becomes 0/1 columns.  A metric learner is joined with PCK-Means.
    """
    from rich.console import Console

    from cscluster.selection.heldout import title
    from cscluster.tables import features as columns_to_matrix
    from cscluster.tables import method, outcome
    from cscluster.tables import outputs as files
    from cscluster.tables.table import Columns, read_table

    start = time.perf_counter()
    to_stdout = out == Path("-")
    screen = Console(stderr=to_stdout)
    wanted = method.parse(algorithm, param or [], clusters)
    given = None if preprocess is None else columns_to_matrix.parse_steps(preprocess)
    outputs = {"--out": None if to_stdout else out, "--model": model, "--broken": broken}
    _check(wanted, given, outputs, maps or [], [Path(data), *([constraints] if constraints else [])])

    with screen.status(f"reading {data}"):
        table = read_table(data, Columns(id_column, target, split_names(features), split_names(ignore)))
        steps = columns_to_matrix.default_steps(table) if given is None else given
        fitted, X = columns_to_matrix.Features.fit(table, steps)
    view.say(screen, view.source_line(data, table), *columns_to_matrix.describe(table, fitted, steps))
    links = _read_links(constraints, table)
    view.say(screen, view.links_line(links, constraints))

    n_clusters = wanted.n_clusters or _choose_count(screen, wanted, X, links, seed)
    name = wanted.name or _choose_algorithm(screen, X, links, n_clusters, seed)
    method.require_suited(name, X, n_clusters)
    with view.progress("clustering", 1) as tick:
        tick(title(name))
        fit = method.fit(name, wanted.params, n_clusters, X, links, seed)
    found = outcome.judge(X, fit.labels, n_clusters, links, table, seed)
    view.show_outcome(screen, title(name), found, table, all_in_file=broken is not None)
    view.say(screen, *(f"note: {text}" for text in fit.warnings))
    view.say(screen, f"time: {time.perf_counter() - start:.1f} s")

    if to_stdout:
        sys.stdout.write(files.labels_csv(table, found.labels))
    if out is not None and not to_stdout:
        files.put(out, files.labels_csv(table, found.labels).encode())
    if model is not None:
        _write_model(model, name, n_clusters, table, fitted, fit.estimator)
    if broken is not None:
        _write_broken(broken, found, table)
    for path in maps or []:
        _write_map(path, X, found, table, f"{data}: {title(name)}, {n_clusters} clusters")
    written = {"labels": outputs["--out"], "model": model, "broken links": broken}
    view.say(screen, *(f"{what}: {path}" for what, path in written.items() if path is not None))
    view.say(screen, *(f"map: {path}" for path in maps or []))


def split_names(given: list[str] | None) -> list[str]:
    """Split lists of column names at commas; a name with a comma stands in quotes."""
    rows = csv.reader(given or [], skipinitialspace=True)
    return [name.strip() for row in rows for name in row if name.strip()]


def _check(
    wanted: Method,
    steps: list[Any] | None,
    outputs: dict[str, Path | None],
    maps: list[Path],
    inputs: list[Path],
) -> None:
    """Say at once what could not be written in the end."""
    from cscluster.algorithms import registry
    from cscluster.errors import StoreError
    from cscluster.models.files import require_inductive
    from cscluster.tables import outputs as files
    from cscluster.tables.features import require_storable

    wanted_files = [(option, path) for option, path in outputs.items() if path is not None]
    files.check([*wanted_files, *(("--map", path) for path in maps)], inputs)
    for path in maps:
        from cscluster.report.figures import FORMATS

        if path.suffix.lower().removeprefix(".") not in ("html", *FORMATS):
            endings = [f".{kind}" for kind in ("html", *FORMATS)]
            raise StoreError(f"--map '{path}' must end with {', '.join(endings[:-1])} or {endings[-1]}.")
    if outputs["--model"] is not None:
        require_storable(steps or [])
        if wanted.name is not None:
            require_inductive(registry.find(wanted.name))


def _read_links(path: Path | None, table: Table) -> Constraints:
    from cscluster.constraints import Constraints
    from cscluster.constraints.files import read_links

    if path is None:
        return Constraints.empty(table.n_rows)
    return read_links(path, table.n_rows, table.ids or None)


def _choose_count(console: Console, wanted: Method, X: Any, links: Constraints, seed: int) -> int:
    from cscluster.selection import count

    with view.progress("number of clusters", count.n_fits(X, links, wanted.name)) as tick:
        chosen = count.choose_count(X, links, wanted.name, wanted.params, seed, tick)
    view.show_count(console, chosen)
    return chosen.n_clusters


def _choose_algorithm(console: Console, X: Any, links: Constraints, n_clusters: int, seed: int) -> str:
    from cscluster.selection import method as choose

    with view.progress("method", choose.n_fits(X, links)) as tick:
        chosen = choose.choose_algorithm(X, links, n_clusters, seed, tick)
    view.show_choice(console, chosen)
    return chosen.algorithm


def _write_model(path: Path, name: str, n_clusters: int, table: Table, features: Any, estimator: Any) -> None:
    from cscluster.models.files import Model, to_bytes
    from cscluster.tables import outputs as files

    files.put(path, to_bytes(Model(name, n_clusters, table.id_column, features, estimator)))


def _write_broken(path: Path, found: Outcome, table: Table) -> None:
    from cscluster.constraints.files import links_csv
    from cscluster.tables import outputs as files

    files.put(path, links_csv(found.broken, table.ids).encode())


def _write_map(path: Path, X: Any, found: Outcome, table: Table, heading: str) -> None:
    """Draw rows and links in the plane of the first two principal components."""
    from cscluster.report.figures import links_map, project, save
    from cscluster.report.html.scatter import scatter_page
    from cscluster.tables import outputs as files

    points, axes = project(X)
    if path.suffix.lower() != ".html":
        save(links_map(points, found.labels, found.links, axes), path)
        return
    page = scatter_page(
        points,
        found.labels,
        title=heading,
        must_links=found.links.must_links,
        cannot_links=found.links.cannot_links,
        ids=table.ids or None,
        axes=axes,
    )
    files.put(path, page.encode())
