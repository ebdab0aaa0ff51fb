"""Runs whose pages are tested."""

from cscluster.report.aggregate import collect
from cscluster.report.html import page
from tests.report.stored import entry, store, trial  # for the tests of this folder

DATASETS = ("iris", "wine", "glass")
POINTS = (20, 40, 60, 80, 100)
HOSTILE = [
    "<script>window.harmed = 1</script>",
    "</script><script>window.harmed = 1</script>",
    "\"><img src=x onerror='window.harmed=1'>",
    "' onmouseover='window.harmed=1",
    "شبكة عصبية",
    "🐍 emoji 👩‍🔬",
    "&lt;b&gt; ${title} $body",
    "averylongname" * 20,
]


def five(path, trials=20, points=POINTS):
    """Five algorithms on three data sets with five counts: one oracle, one that fails at times, one always."""
    names = ["kmeans", "rca", "pmmc", "slow", "broken"]
    records = [
        trial(name, value, trial=t, point=point, dataset=data, grid=grid, label=name.upper())
        for d, data in enumerate(DATASETS)
        for k, name in enumerate(names)
        for point in points
        for t in range(trials)
        for grid in ([{"lam": 1}, {"lam": 10}] if name == "pmmc" else [None])
        for value in [score(k, d, point, t, grid)]
    ]
    algorithms = [entry(name, select="oracle:acc" if name == "pmmc" else "none") for name in names]
    return store(path, algorithms, records, metrics=("acc", "error"), trials=trials, title="Five on three")


def score(k, d, point, t, grid):
    if k == 4 or (k == 3 and t % 7 == 3):
        return None
    wave = ((t * 37 + k * 11 + point) % 19) / 190
    return 0.4 + 0.1 * k + 0.05 * d + point / 1000 + wave - (0.2 if grid == {"lam": 10} else 0)


def hostile(path):
    """Names, messages and values that try to break out of the page."""
    records = [
        trial(f"a{k}", 0.5 + 0.01 * (k + t), trial=t, label=name, dataset=data, point=point)
        for data in (HOSTILE[0], HOSTILE[7])
        for k, name in enumerate(HOSTILE)
        for point in (10, 20)
        for t in range(2)
    ]
    for record in records[::7]:
        record |= {"status": "error", "metrics": {}, "error": {"type": "E", "message": HOSTILE[1]}}
    records[1]["warnings"] = [HOSTILE[2]]
    algorithms = [entry(f"a{k}", label=name) for k, name in enumerate(HOSTILE)]
    return store(path, algorithms, records, title=HOSTILE[1])


def written(path, *folders):
    """Write the page of runs; return where it is."""
    path.write_text(page([collect(folder) for folder in folders], list(folders)), encoding="utf-8")
    return path
