"""What answers bring: the questions of ``cscluster label`` against COBRAS, random pairs and k-means.

The true classes answer.  The clusters are those of the page: the method is chosen by held-out answers.
Questions are the strategies of `cscluster.queries.strategies`, that of the page being doubt, COBRAS with
its own clusters, random pairs, or none: k-means.  Results are appended to a file, and what it holds already
is not computed again; the tables are printed.

    python tests/stress/labelling_simulation.py labelling.csv --runs 5
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

SETS = (
    "iris", "wine", "newthyroid", "zoo", "heart", "ionosphere", "ecoli", "wdbc", "sonar", "vehicle", "segment",
    "optdigits_test",
)  # fmt: skip
BUDGETS = (60, 150)
MAX_ROWS = 500
COLUMNS = ["set", "run", "questions", "answers", "nmi", "ari", "method", "yes of the first 30"]


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
    answers = [] if questions in ("COBRAS", "none") else ask(questions, X, y, run)
    for count in BUDGETS:
        method: str = questions
        if questions == "COBRAS":
            labels = cobras(X, count, lambda a, b, _: bool(y[a] == y[b]), run).labels
        else:
            links = [Link(*answer) for answer in answers[:count]]
            made = AnswerClusterer(table, X, k, algorithm if links else "kmeans", run)(links)
            labels, method = made.labels, made.algorithm
        nmi, ari = (round(scores.score(metric, y, labels), 4) for metric in ("nmi", "ari"))
        yield [name, run, questions, count, nmi, ari, method, sum(same for *_, same in answers[:30])]


def tables(path: Path) -> str:
    """Return the means of NMI as Markdown, and how many of the first 30 answers to `doubt` were yes."""
    frame = pd.read_csv(path)
    text = ""
    for count, part in frame.groupby("answers"):
        means = part.pivot_table(index="set", columns="questions", values="nmi", sort=False)
        means.loc["mean"] = means.mean()
        yes = part[part.questions == "doubt"].groupby("set")["yes of the first 30"].mean()
        heads = [f"{count} answers", *means.columns, "yes of the first 30"]
        lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
        for name, row in means.iterrows():
            cells = [f"{value:.3f}" for value in row]
            lines.append(f"| {name} | {' | '.join(cells)} | {yes.get(name, yes.mean()):.1f} |")
        text += "\n".join(lines) + "\n\n"
    return text


def main() -> None:
    """Run what is missing, one run of all sets after another, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--questions", nargs="*", default=["doubt", "COBRAS", "random pairs", "none"])
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
