"""Names for shell completion; what it needs is imported when it is asked, and no numeric library is."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Iterable
from pathlib import Path

import typer

from cscluster.store import run_paths


def among(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes some names."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def configs(incomplete: str) -> list[str]:
    """Complete bundled experiments and YAML files here."""
    return _files(incomplete, (".yaml", ".yml")) + among(_configs())(incomplete)


def _configs() -> list[str]:
    from cscluster import bundle

    return bundle.config_names()


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Complete directories, and files with one of some endings."""
    folder, slash, start = incomplete.rpartition("/")
    here = Path(folder or slash or ".")
    if not here.is_dir():
        return []
    return sorted(
        f"{folder}{slash}{path.name}"
        for path in here.iterdir()
        if path.name.startswith(start) and (path.is_dir() or path.suffix.lower() in endings)
    )


def papers(incomplete: str) -> list[str]:
    """Complete papers and, behind a slash, their experiments."""
    inside = [name.removeprefix("papers/") for name in _configs() if name.startswith("papers/")]
    known = inside if "/" in incomplete else sorted({name.partition("/")[0] for name in inside})
    return among(known)(incomplete)


def tracks(incomplete: str) -> list[str]:
    """Complete tracks of the benchmark."""
    from cscluster.papers.tracks import EXACT, tracks

    return among([*tracks(), EXACT])(incomplete)


def names(incomplete: str) -> list[str]:
    """Complete algorithms, data sets, bundled experiments and stored runs."""
    known = [algorithms, datasets, among(_configs()), runs]
    return list(dict.fromkeys(name for complete in known for name in complete(incomplete)))


def datasets(incomplete: str) -> list[str]:
    """Complete data sets."""
    from cscluster.data import index

    return among(index.names())(incomplete)


def data(incomplete: str) -> list[str]:
    """Complete data files here, and data sets."""
    from cscluster.data.formats import ENDINGS

    return _files(incomplete, ENDINGS) + datasets(incomplete)


def algorithms(incomplete: str) -> list[str]:
    """Complete algorithms."""
    from cscluster.algorithms import registry

    return among(registry.algorithms())(incomplete)


def runs(incomplete: str) -> list[str]:
    """Complete stored runs in ./results."""
    return among(path.name for path in run_paths(Path("results")))(incomplete)


def metrics(incomplete: str) -> list[str]:
    """Complete metrics and, behind an at sign, the samples that they score."""
    from cscluster.metrics.catalogue import METRICS, SCOPES

    scoped = (f"{name}@{scope}" for name in METRICS for scope in SCOPES)
    return among(scoped if "@" in incomplete else METRICS)(incomplete)


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete columns of the table on the command line by its first line; a comma may precede them."""
    from cscluster.cells import read_header

    words = [ctx.params.get("data"), *ctx.args]  # an option that still lacks its value leaves them in args
    names: list[str] = []
    for path in (Path(word) for word in words if isinstance(word, str)):
        if path.suffix.lower() in (".csv", ".tsv") and path.is_file():
            with contextlib.suppress(OSError, ValueError, csv.Error):
                names = read_header(path)[0]
    before, comma, start = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in among(names)(start)]
