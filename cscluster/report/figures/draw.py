"""Which figures fit the results of a run, and drawing them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from matplotlib.figure import Figure

from cscluster.atomic import put
from cscluster.errors import require_known
from cscluster.report.aggregate import Results, restrict
from cscluster.report.figures.boxes import boxes
from cscluster.report.figures.critical_difference import critical_difference
from cscluster.report.figures.curves import curves
from cscluster.report.figures.lines import has_values
from cscluster.report.figures.save import save
from cscluster.report.figures.scaling import scaling, sized_families
from cscluster.report.figures.sensitivity import drawable, grids, sensitivity
from cscluster.report.figures.style import using
from cscluster.report.formats.latex import escape
from cscluster.report.statistics import rank_test
from cscluster.report.styles import FORMATS

_MANY = 12  # lines in one panel that can still be told apart

Drawing = tuple[str, Callable[[], Figure]]


def draw(
    results: Results,
    folder: Path,
    formats: Sequence[str] = ("png",),
    style: str = "paper",
    share_y: bool = False,
) -> list[Path]:
    r"""Draw every figure that fits the results; return the files, one for each figure and format.

    The caption of each figure is written beside it for LaTeX: ``\caption{\input{NAME.caption}}``.

    Parameters
    ----------
    results : Results
        Of a run.
    folder : Path
        Directory of the files.
    formats : sequence of str
        Endings of the files: png, pdf, svg.
    style : str
        ``paper`` (two columns of 3.5 inches), ``page`` (half the pixels) or ``slides``.

    share_y : bool
        Whether the panels of curves have the same vertical axis.

    Raises
    ------
    ConfigError
        For an unknown format or style.
    StoreError
        If a file cannot be written.
    """
    for name in formats:
        require_known("figure format", name, FORMATS)
    files = []
    with using(style):
        for name, make in drawings(results, share_y):
            figure = make()
            files += [save(figure, Path(folder) / f"{name}.{ending}") for ending in formats]
            put(Path(folder) / f"{name}.caption.tex", f"{escape(figure.get_label())}\n")
    return files


def drawings(results: Results, share_y: bool = False) -> Iterator[Drawing]:
    """Yield the name of each figure that fits the results, and what draws it."""
    for metric in results.metrics:
        if has_values(results, metric):
            for name, make in _of_metric(results, metric, share_y):
                yield re.sub(r"[^\w.-]+", "_", name), make
    if sized_families(results) and has_values(results, "seconds"):
        yield "scaling", partial(scaling, results)


def _of_metric(results: Results, metric: str, share_y: bool) -> Iterator[Drawing]:
    entries = [entry for entries in grids(results).values() for entry in entries]
    fixed = restrict(results, ~results.trials["entry"].isin(entries)) if entries else results
    shown = results if len(results.labels) <= _MANY else fixed
    if shown.labels and (results.axis == "tier" or results.trials["point"].nunique() > 1):
        name = "tiers" if results.axis == "tier" else "curves"
        yield f"{name}_{metric}", partial(curves, shown, metric, share_y)
    elif shown.labels and results.planned > 1:
        yield f"boxes_{metric}", partial(boxes, shown, metric)
    for parameters in drawable(results):
        name = f"sensitivity_{'_'.join(parameters)}_{metric}"
        yield name, partial(sensitivity, results, metric, parameters)
    if rank_test(fixed, metric) is not None:
        yield f"critical_difference_{metric}", partial(critical_difference, fixed, metric)
