"""Tables as people have them: text, dates, gaps, numbers of other countries, hardly any numbers, many rows."""

import numpy as np
import pandas as pd


def customers(n=600):
    """Text, dates, empty cells and 'unknown' among numbers; the ids are not called id."""
    rng = np.random.default_rng(1)
    segment = rng.integers(0, 4, n)
    age = np.round(np.array([25, 42, 68, 45])[segment] + rng.normal(0, 4, n))
    frame = pd.DataFrame(
        {
            "customer_id": [f"C-{10000 + i}" for i in rng.permutation(n)],
            "name": [
                f"{a} {b}" for a, b in zip(*rng.choice(["Anna", "Bo", "Cy", "Dee"], (2, n)), strict=True)
            ],
            "age": pd.Series(age.astype(int).astype(str)).mask(rng.random(n) < 0.03, "unknown"),
            "spend": np.round(np.array([20, 90, 40, 300])[segment] + rng.normal(0, 8, n), 2),
            "channel": np.where(rng.random(n) < 0.9, np.array(["web", "shop", "phone", "web"])[segment], ""),
            "since": pd.to_datetime("2015-01-01")
            + pd.to_timedelta(np.array([3500, 1000, 300, 2000])[segment] + rng.integers(0, 200, n), "D"),
        }
    )
    frame.loc[rng.random(n) < 0.05, "spend"] = np.nan
    return frame.assign(segment=segment)


def stores(n=300):
    """The bytes of a German export: semicolons, decimal commas, points between thousands, cp1252."""
    rng = np.random.default_rng(2)
    kind = rng.integers(0, 3, n)
    sales = np.array([8_000, 37_000, 140_000])[kind] * rng.uniform(0.8, 1.2, n)
    share = np.array([5, 20, 35])[kind] + rng.normal(0, 2, n)
    area = np.array([90, 450, 1500])[kind] * rng.uniform(0.8, 1.2, n)

    def german(value, digits):
        return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))

    lines = ["Filiale;Umsatz (€);Anteil;Fläche;Eröffnung"]
    for i in range(n):
        day = f"{rng.integers(1, 29):02}.{rng.integers(1, 13):02}.{rng.integers(1990, 2024)}"
        lines.append(f"München {i};{german(sales[i], 2)};{german(share[i], 1)} %;{german(area[i], 1)};{day}")
    return "\n".join(lines).encode("cp1252"), kind


def tickets(n=103):
    """An id and a subject in words, and nothing else."""
    return pd.DataFrame(
        {"id": [f"T{i}" for i in range(n)], "subject": [f"cannot log in, case {i}" for i in range(n)]}
    )


def devices(n=200_000):
    """Many rows; the first column counts them."""
    rng = np.random.default_rng(3)
    kind = rng.integers(0, 3, n)
    values = np.array([[0, 0, 5], [4, 9, 1], [8, 2, 7]])[kind] + rng.normal(0, 0.6, (n, 3))
    table = pd.DataFrame(np.round(values, 3), columns=["load", "heat", "noise"])
    table.insert(0, "nr", range(1, n + 1))
    return table, kind


def links(names, classes, count, seed=0):
    """Random pairs, as a constraint file has them."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(names), 2, replace=False) for _ in range(count)])
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    names = np.asarray(names)
    return pd.DataFrame(
        {"a": names[pairs[:, 0]], "b": names[pairs[:, 1]], "link": np.where(same, "must", "cannot")}
    )
