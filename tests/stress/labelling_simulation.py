"""What answers bring: the questions of ``cscluster label`` against random pairs, COBRAS and k-means.

The true classes answer.  The clusters are those of the page, but for COBRAS, which has its own; without answers
they are those of k-means.  Results are appended to a file, and what it holds already is not computed again; the
tables of ARI are printed.

    python tests/stress/labelling_simulation.py labelling.csv --runs 5
    python tests/stress/labelling_simulation.py confirmation.csv --runs 5 --sets iris newthyroid zoo heart sonar
"""

from __future__ import annotations

import argparse
import itertools
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from cscluster import load_dataset
from cscluster.constraints.files import Link
from cscluster.constraints.sampling import random_pairs
from cscluster.data import features
from cscluster.data.dataset import Dataset
from cscluster.data.load import read_table
from cscluster.data.table import Columns
from cscluster.labelling.clusters import AnswerClusterer
from cscluster.metrics import scores
from cscluster.queries import strategies
from cscluster.queries.active import Answer
from cscluster.queries.cobras import cobras

SETS = ("wine", "wdbc", "ionosphere", "vehicle", "glass", "segment", "optdigits_test", "ecoli")
BUDGETS = (0, 10, 20, 40, 80)
MAX_ROWS = 500
COLUMNS = ["set", "run", "questions", "answers", "ari", "method", "yes"]


def read(name: str) -> tuple[Dataset, np.ndarray]:
    """Return a data set, `MAX_ROWS` rows of it where it has more, and its features as `label` makes them."""
    data = load_dataset(name)
    rows = np.sort(np.random.default_rng(0).permutation(data.n_samples)[:MAX_ROWS])
    table = read_table(name, Columns())
    table = Dataset(name, table.X[rows], features=table.features, y=data.labels[rows], image=table.image)
    return table, features.Features.fit(table, features.default_steps(table))[1]


def ask(questions: str, X: np.ndarray, y: np.ndarray, run: int) -> list[Answer]:
    """Return the answers to the first questions of a strategy."""
    count, rng = BUDGETS[-1], np.random.default_rng(run)
    if questions == "random pairs":
        return [(a, b, bool(y[a] == y[b])) for a, b in random_pairs(len(y), count, rng).tolist()]
    n_clusters = len(np.unique(y))
    return strategies.questions(questions, X, n_clusters, count, lambda a, b, _: bool(y[a] == y[b]), rng)


def results(name: str, run: int, questions: str, algorithm: str | None) -> Iterator[list[object]]:
    """Yield a line for each number of answers."""
    table, X = read(name)
    y = np.asarray(table.y)
    k = len(np.unique(y))
    answers = [] if questions == "COBRAS" else ask(questions, X, y, run)
    for count in BUDGETS:
        method: str = questions
        if questions == "COBRAS" and count:
            labels = cobras(X, count, lambda a, b, _: bool(y[a] == y[b]), run)[1]
        else:
            made = AnswerClusterer(table, X, k, algorithm, run)([Link(*answer) for answer in answers[:count]])
            labels, method = made.labels, made.algorithm
        ari = round(scores.score("ari", y, labels), 4)
        yield [name, run, questions, count, ari, method, sum(same for *_, same in answers[:count])]


def tables(path: Path) -> str:
    """Return the mean ARI of each set and of all as Markdown, with the standard errors over the runs."""
    frame = pd.read_csv(path)
    text = ""
    for questions, part in frame.groupby("questions", sort=False):
        by_run = part.pivot_table(index=["set", "run"], columns="answers", values="ari", sort=False)
        of_sets = by_run.groupby("set", sort=False)
        means, errors = of_sets.mean(), of_sets.sem()
        over_sets = by_run.groupby("run").mean()
        means.loc["mean"], errors.loc["mean"] = over_sets.mean(), over_sets.sem()
        lines = [
            f"| {questions} | {' | '.join(map(str, means.columns))} |",
            "|---" * (len(means.columns) + 1) + "|",
        ]
        for name in means.index:
            cells = [f"{means.loc[name, c]:.3f} ± {errors.loc[name, c]:.3f}" for c in means.columns]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        text += "\n".join(lines) + "\n\n"
    return text


def main() -> None:
    """Run what is missing, one run of all sets after another, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--questions", nargs="*", default=["placement", "random pairs", "COBRAS"])
    parser.add_argument("--algorithm", help="use this method instead of the one that the page chooses")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if not options.out.exists():
        options.out.write_text(",".join(COLUMNS) + "\n")
    done = set(pd.read_csv(options.out)[["set", "run", "questions"]].itertuples(index=False, name=None))
    for run, name, questions in itertools.product(range(options.runs), options.sets, options.questions):
        if (name, run, questions) not in done:
            lines = results(name, run, questions, options.algorithm)
            frame = pd.DataFrame(list(lines), columns=COLUMNS)
            frame.to_csv(options.out, mode="a", header=False, index=False)
    print(tables(options.out))


if __name__ == "__main__":
    main()
