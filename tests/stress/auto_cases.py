"""What ``cscluster cluster`` chooses, against each of its candidates.

Twelve tables, random pairs constrained by the true classes: a case is a table, a set of constraints and their
number.  Each candidate is fitted to all constraints and scored by the classes (ARI), of which the choice sees
nothing.  Results are appended to a file, one line for each case, and what it holds already is not computed
again; shares are printed.

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

from cscluster import Auto
from cscluster.algorithms.build import title
from cscluster.constraints import Constraints
from cscluster.constraints.sampling import random_pairs
from cscluster.metrics import scores
from cscluster.selection.auto import candidates_for
from cscluster.selection.compare import baseline_for, constrained_labels
from tests.stress.labelling_simulation import SETS, read

DRAWS = 4
COUNTS = (20, 50, 100)
MARGIN = 0.02


def case(name: str, draw: int, count: int) -> dict[str, Any]:
    """Return the ARI of each candidate, and which one is chosen."""
    table, X = read(name)
    y = np.asarray(table.y)
    k = len(np.unique(y))
    constraints = Constraints.from_labels(random_pairs(len(y), count, np.random.default_rng(1000 + draw)), y)
    methods = [each.build(k, draw) for each in candidates_for(X, constraints)]
    ari = {}
    for method in [*methods, baseline_for(constraints, k, draw)]:
        model = method.fit(X, constraints=constraints)
        labels = constrained_labels(model, X, constraints)
        ari[title(model)] = round(scores.score("ari", y, labels), 4)
    auto = Auto(n_clusters=k, random_state=draw).fit(X, constraints=constraints)
    accuracy = {name: round(score.value, 4) for name, score in auto.comparison_.scores.items()}
    return {
        "set": name,
        "draw": draw,
        "links": count,
        "chosen": auto.algorithm_,
        "ari": ari,
        "accuracy": accuracy,
    }


def summary(cases: list[dict[str, Any]]) -> str:
    """Return the shares of cases as Markdown."""
    rows = [
        {
            "links": one["links"],
            "near the best": one["ari"][one["chosen"]] >= max(one["ari"].values()) - MARGIN,
            "below k-means": one["ari"][one["chosen"]] < one["ari"]["k-means"] - MARGIN,
            "chosen": one["ari"][one["chosen"]],
            "k-means": one["ari"]["k-means"],
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
