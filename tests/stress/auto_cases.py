"""What ``cscluster cluster --algorithm auto`` chooses, against each of its candidates.

Twelve tables, random pairs that the true classes link: a case is a table, a draw and a number of links.  Each
candidate is fitted to all links and scored by the classes (ARI), of which the choice sees nothing.  Results are
appended to a file, one line for each case, and what it holds already is not computed again; shares are printed.

    python -m tests.stress.auto_cases auto_cases.jsonl
"""

from __future__ import annotations

import argparse
import itertools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from cscluster.algorithms.build import build
from cscluster.constraints import Constraints
from cscluster.constraints.schedules import random_pairs
from cscluster.metrics import scores
from cscluster.selection.method import choose_algorithm, shortlist
from tests.stress.labelling_simulation import SETS, read

DRAWS = 4
COUNTS = (20, 50, 100)
MARGIN = 0.02


def case(name: str, draw: int, count: int) -> dict[str, Any]:
    """Return the ARI of each candidate, and which one is chosen."""
    table, X = read(name)
    y = np.asarray(table.y)
    k = len(np.unique(y))
    links = Constraints.from_labels(random_pairs(len(y), count, np.random.default_rng(1000 + draw)), y)
    ari = {}
    for method in shortlist(X):
        labels = build(method, {}, k, draw).fit(X, links).labels_
        ari[method] = round(scores.score("ari", y, labels), 4)
    choice = choose_algorithm(X, links, k, draw, lambda _: None)
    kept = {
        attempt.algorithm: [[int(number) for number in kind] for kind in (attempt.must, attempt.cannot)]
        for attempt in choice.attempts
    }
    return {"set": name, "draw": draw, "links": count, "chosen": choice.algorithm, "ari": ari, "kept": kept}


def summary(cases: list[dict[str, Any]]) -> str:
    """Return the shares of cases as Markdown."""
    rows = [
        {
            "links": one["links"],
            "near the best": one["ari"][one["chosen"]] >= max(one["ari"].values()) - MARGIN,
            "below k-means": one["ari"][one["chosen"]] < one["ari"]["kmeans"] - MARGIN,
            "chosen": one["ari"][one["chosen"]],
            "k-means": one["ari"]["kmeans"],
            "best": max(one["ari"].values()),
        }
        for one in cases
    ]
    frame = pd.DataFrame(rows)
    means = frame.groupby("links").mean()
    means.loc["all"] = frame.drop(columns="links").mean()
    sizes = [*frame.groupby("links").size(), len(frame)]
    heads = ["links", "cases", f"within {MARGIN} of the best", f"more than {MARGIN} below k-means"]
    heads += ["ARI of the choice", "of k-means", "of the best"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for size, (links, row) in zip(sizes, means.iterrows(), strict=True):
        shares = [f"{100 * row[name]:.0f} %" for name in ("near the best", "below k-means")]
        mean = [f"{row[name]:.3f}" for name in ("chosen", "k-means", "best")]
        lines.append(f"| {' | '.join([str(links), str(size), *shares, *mean])} |")
    return "\n".join(lines)


def main() -> None:
    """Run what is missing, one draw of all tables after another, and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--draws", type=int, default=DRAWS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = options.out.read_text().splitlines() if options.out.exists() else []
    cases = [json.loads(line) for line in lines]
    done = {(one["set"], one["draw"], one["links"]) for one in cases}
    for draw, name, count in itertools.product(range(options.draws), SETS, COUNTS):
        if (name, draw, count) not in done:
            cases.append(case(name, draw, count))
            with options.out.open("a") as file:
                file.write(json.dumps(cases[-1]) + "\n")
    print(summary(cases))


if __name__ == "__main__":
    main()
