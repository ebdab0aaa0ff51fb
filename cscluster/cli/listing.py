"""``cscluster list``: what there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

KINDS = ("algorithms", "datasets", "metrics", "configs", "runs")


def command(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="algorithms, datasets, metrics, configs or runs.",
            autocompletion=lambda incomplete: [k for k in KINDS if k.startswith(incomplete)],
        ),
    ] = "algorithms",
    results: Annotated[Path, typer.Option("--results", help="Folder of results.")] = Path("results"),
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
) -> None:
    """List algorithms, data sets, metrics, experiments or runs."""
    from cscluster.errors import ConfigError, did_you_mean

    listings: dict[str, Callable[[], tuple[list[str], list[list[str]]]]] = {
        "algorithms": _algorithms,
        "datasets": _datasets,
        "metrics": _metrics,
        "configs": _configs,
        "runs": lambda: _runs(results),
    }
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) or f"; there are {', '.join(KINDS)}"
        raise ConfigError(f"Cannot list '{kind}'{hint}")
    heads, rows = listings[kind]()
    if kind == "runs" and not markdown:
        from cscluster.cli import runs

        runs.command(results)
    elif markdown:
        typer.echo("\n".join(f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows]))
    elif kind == "algorithms":
        _print_algorithms()
    else:
        print_table(heads, rows)


def print_table(heads: list[str], rows: list[list[str]]) -> None:
    """Print a table; what is too long is folded, but for the first column."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", show_header=any(heads))
    for number, head in enumerate(heads):
        table.add_column(head, no_wrap=number == 0, overflow="fold")
    for row in rows:
        table.add_row(*(str(cell).replace("[", r"\[") for cell in row))
    Console().print(table, highlight=False)


def _algorithms() -> tuple[list[str], list[list[str]]]:
    from cscluster.algorithms.registry import algorithms

    rows = [[a.name, a.title, a.family, ", ".join(a.tags), a.paper] for a in algorithms().values()]
    return ["name", "title", "family", "tags", "paper"], rows


def _print_algorithms() -> None:
    """Print a line for each algorithm that fits into 80 columns; the rest is in 'show'."""
    from cscluster.algorithms.registry import algorithms

    shown = {"links": "constraints", "new rows": "inductive"}
    rows = [
        [a.name, a.title, a.family, *("yes" if tag in a.tags else "" for tag in shown.values())]
        for a in algorithms().values()
    ]
    print_table(["name", "title", "family", *shown], rows)
    typer.echo("\nlinks: learns from them; new rows: has predict; more: cscluster show NAME")


def _datasets() -> tuple[list[str], list[list[str]]]:
    from cscluster.data import index

    rows = [[n, e["n"], e["d"], e["classes"], "bundled", e["title"]] for n, e in index.files().items()]
    for name, e in index.external().items():
        there = "found" if index.find_file(name) else "missing"
        rows.append([name, e["n"], e["d"], e["classes"], there, e["title"]])
    rows += [[name, "", "", "", "recipe", recipe_words(r)] for name, r in index.recipes().items()]
    return ["name", "n", "d", "classes", "where", "what"], [[str(c) for c in row] for row in rows]


def recipe_words(recipe: dict[str, Any]) -> str:
    """Say in words what a recipe selects."""
    source = recipe.get("base") or f"generated {recipe['generator']}"
    rest = {k: v for k, v in recipe.items() if k not in ("base", "generator")}
    parts = []
    for key, value in rest.items():
        if isinstance(value, list):
            shown = ",".join(map(str, value))
        elif isinstance(value, dict):
            shown = " / ".join(value)
        else:
            shown = str(value)
        parts.append(f"{key} {shown}")
    return ": ".join([source, "; ".join(parts)]) if parts else source


def _metrics() -> tuple[list[str], list[list[str]]]:
    from cscluster.metrics.catalogue import METRICS

    rows = [[m.name, "higher" if m.higher_is_better else "lower", m.meaning] for m in METRICS.values()]
    return ["name", "better", "what"], rows


def _configs() -> tuple[list[str], list[list[str]]]:
    import yaml

    from cscluster import bundle

    rows = []
    for name in bundle.config_names():
        content = yaml.safe_load((bundle.folder("configs") / f"{name}.yaml").read_text(encoding="utf-8"))
        rows.append([name, str(content.get("title", ""))])
    return ["name", "title"], rows


def _runs(results: Path) -> tuple[list[str], list[list[str]]]:
    from cscluster.cli import runs

    return runs.HEADS, runs.rows(results)
