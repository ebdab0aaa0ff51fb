"""Names for shell completion; nothing here imports a numeric library."""

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
    from cscluster import bundle

    found = _files(incomplete, (".yaml", ".yml"))
    return found + [name for name in bundle.config_names() if name.startswith(incomplete)]


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
    from cscluster import bundle

    inside = [name.removeprefix("papers/") for name in bundle.config_names() if name.startswith("papers/")]
    known = inside if "/" in incomplete else sorted({name.partition("/")[0] for name in inside})
    return [name for name in known if name.startswith(incomplete)]


def names(incomplete: str) -> list[str]:
    """Complete algorithms, data sets, bundled experiments and stored runs."""
    from cscluster import bundle
    from cscluster.algorithms import registry
    from cscluster.data import index

    known = [*registry.algorithms(), *index.names(), *bundle.config_names(), *runs(incomplete)]
    return [name for name in dict.fromkeys(known) if name.startswith(incomplete)]


def datasets(incomplete: str) -> list[str]:
    """Complete data sets."""
    from cscluster.data import index

    return [name for name in index.names() if name.startswith(incomplete)]


def data(incomplete: str) -> list[str]:
    """Complete data files here, and data sets."""
    from cscluster.data.formats import ENDINGS

    return _files(incomplete, ENDINGS) + datasets(incomplete)


def algorithms(incomplete: str) -> list[str]:
    """Complete algorithms."""
    from cscluster.algorithms import registry

    return [name for name in registry.algorithms() if name.startswith(incomplete)]


def runs(incomplete: str) -> list[str]:
    """Complete stored runs in ./results."""
    return [path.name for path in run_paths(Path("results")) if path.name.startswith(incomplete)]


def metrics(incomplete: str) -> list[str]:
    """Complete metrics and, behind an at sign, the samples that they score."""
    from cscluster.metrics.catalogue import METRICS, SCOPES

    known = [f"{name}@{scope}" for name in METRICS for scope in SCOPES] if "@" in incomplete else METRICS
    return [name for name in known if name.startswith(incomplete)]


def columns(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete columns of the table on the command line by its first line; a comma may precede them."""
    from cscluster.data.header import read_header

    words = [ctx.params.get("data"), *ctx.args]  # an option that still lacks its value leaves them in args
    names: list[str] = []
    for path in (Path(word) for word in words if isinstance(word, str)):
        if path.suffix.lower() in (".csv", ".tsv") and path.is_file():
            with contextlib.suppress(OSError, ValueError, csv.Error):
                names = read_header(path)[0]
    before, comma, start = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(start)]
