"""Names for shell completion; what it needs is imported when it is asked, and no numeric library is."""

from __future__ import annotations

import contextlib
import csv
import glob
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path

import typer

from cscluster.store import run_paths

Completer = Callable[[str], list[str]]


def among(names: Iterable[str]) -> Completer:
    """Return a function that completes some names."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def returned_by(source: str) -> Completer:
    """Return a function that completes the names which ``module:function`` returns."""
    module, _, function = source.partition(":")
    return lambda incomplete: among(getattr(import_module(module), function)())(incomplete)


algorithms = returned_by("cscluster.algorithms.registry:algorithms")
datasets = returned_by("cscluster.data.index:names")
_configs = returned_by("cscluster.bundle:config_names")


def configs(incomplete: str) -> list[str]:
    """Complete bundled experiments and YAML files here."""
    return _files(incomplete, (".yaml", ".yml")) + _configs(incomplete)


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Complete directories, and files with one of some endings."""
    folder, slash, start = incomplete.rpartition("/")
    found = Path(folder or slash or ".").glob(f"{glob.escape(start)}*")
    wanted = [path.name for path in found if path.is_dir() or path.suffix.lower() in endings]
    return sorted(f"{folder}{slash}{name}" for name in wanted)


def papers(incomplete: str) -> list[str]:
    """Complete papers and, behind a slash, their experiments."""
    inside = [name.removeprefix("papers/") for name in _configs("papers/")]
    known = inside if "/" in incomplete else sorted({name.partition("/")[0] for name in inside})
    return among(known)(incomplete)


def tracks(incomplete: str) -> list[str]:
    """Complete tracks of the benchmark."""
    from cscluster.papers.tracks import EXACT, tracks

    return among([*tracks(), EXACT])(incomplete)


def names(incomplete: str) -> list[str]:
    """Complete algorithms, data sets, bundled experiments and stored runs."""
    known = [algorithms, datasets, _configs, runs]
    return list(dict.fromkeys(name for complete in known for name in complete(incomplete)))


def data(incomplete: str) -> list[str]:
    """Complete data files here, and data sets."""
    from cscluster.data.formats import ENDINGS

    return _files(incomplete, ENDINGS) + datasets(incomplete)


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
