"""The claims of a paper: read from its ``claims.yaml``, judged by stored results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cscluster import bundle
from cscluster.errors import ConfigError, did_you_mean
from cscluster.papers import printed
from cscluster.papers.cases import Cases, pool
from cscluster.papers.comparisons import (
    Best,
    Better,
    Close,
    Limit,
    Ratio,
    Significant,
    Wider,
    Worst,
)
from cscluster.papers.curves import Dip, Gain, LeadShrinks, LevelsOff, Rising, Slope
from cscluster.papers.printed import Exponents, Numbers, Order
from cscluster.report.aggregate import Results

AnyRule = Annotated[
    Best
    | Better
    | Close
    | Dip
    | Exponents
    | Gain
    | LeadShrinks
    | LevelsOff
    | Limit
    | Numbers
    | Order
    | Ratio
    | Rising
    | Significant
    | Slope
    | Wider
    | Worst,
    Field(discriminator="kind"),
]
Status = Literal["reproduced", "differs", "missing data", "not run"]
STATUSES: tuple[Status, ...] = ("reproduced", "differs", "missing data", "not run")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Item(_Model):
    """An experiment of the paper.

    Attributes
    ----------
    shows : str
        Tables and figures that it stands for.
    quick : list of str, optional
        Changes, as ``KEY=VALUE``, that make it quick; without them it is not part of the quick profile.
    figure : str, optional
        Name of the figure of its results that stands in the page.
    """

    shows: str
    quick: list[str] | None = None
    figure: str | None = None


class Claim(_Model):
    """A statement of the paper's text, and the rule that checks it."""

    id: str
    where: str
    says: str
    items: list[str] = Field(min_length=1)
    datasets: list[str] | None = None
    points: list[int] | None = None
    tiers: list[int] | None = None
    rule: AnyRule

    @property
    def metrics(self) -> list[str]:
        """The recorded metrics that the rule looks at."""
        named = (getattr(self.rule, field, None) for field in ("metric", "other"))
        return [name.removesuffix("_percent") for name in named if name]

    def cases(self, runs: Mapping[str, Results]) -> Cases:
        """Return what the claim is about of the runs of its items."""
        mine = pool([runs[item] for item in self.items if item in runs])
        return mine.where(self.datasets, self.points, self.tiers)


class Paper(_Model):
    """The experiments and claims of one paper."""

    name: str
    items: dict[str, Item]
    claims: list[Claim]

    @model_validator(mode="after")
    def _consistent(self) -> Paper:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"a second claim has the id '{claim.id}'")
            seen.add(claim.id)
            for item in claim.items:
                if item not in self.items:
                    hint = did_you_mean(item, self.items)
                    raise ValueError(f"claim '{claim.id}' names the item '{item}', which is not listed{hint}")
        return self

    def quick(self) -> Paper:
        """Return the part of the paper that the quick profile runs."""
        items = {name: item for name, item in self.items.items() if item.quick is not None}
        kept = ((claim, [name for name in claim.items if name in items]) for claim in self.claims)
        claims = [claim.model_copy(update={"items": names}) for claim, names in kept if names]
        return self.model_copy(update={"items": items, "claims": claims})

    @property
    def printed(self) -> pd.DataFrame:
        """The numbers that the paper prints."""
        return printed.read(self.name)


def folder() -> Path:
    """Return the folder that has one folder for each paper."""
    return bundle.folder("configs") / "papers"


def names() -> list[str]:
    """Return the short names of the papers."""
    return sorted(path.parent.name for path in folder().glob("*/claims.yaml"))


@cache
def load(name: str) -> Paper:
    """Read the claims of a paper.

    Raises
    ------
    ConfigError
        If there is no such paper, or its file is not as it should be.
    """
    path = folder() / name / "claims.yaml"
    if name not in names():
        raise ConfigError(f"There is no paper '{name}'{did_you_mean(name, names())}")
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return Paper.model_validate({"name": name, **content})
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {where}: {first['msg'].removeprefix('Value error, ')}") from None


@dataclass(frozen=True)
class Verdict:
    """A claim beside what was found.

    Attributes
    ----------
    claim : Claim
        What the paper says.
    status : str
        reproduced, differs, missing data or not run.
    ours : str
        The numbers behind it, or why there are none.
    """

    claim: Claim
    status: Status
    ours: str


def judge(
    paper: Paper,
    runs: Mapping[str, Results],
    missing: Mapping[str, list[str]],
    trials: Mapping[str, int] | None = None,
) -> list[Verdict]:
    """Judge all claims of a paper.

    Parameters
    ----------
    paper : Paper
        What to judge.
    runs : mapping
        The results of each item that has been run.
    missing : mapping
        The data sets of each item that are not there.
    trials : mapping, optional
        The number of trials that each item has in the paper; runs of fewer are said to be so.
    """
    return [_verdict(paper, claim, runs, missing, trials or {}) for claim in paper.claims]


def _verdict(
    paper: Paper,
    claim: Claim,
    runs: Mapping[str, Results],
    missing: Mapping[str, list[str]],
    trials: Mapping[str, int],
) -> Verdict:
    outcome = claim.rule.judge(claim.cases(runs), paper.printed)
    gone = [
        name
        for item in claim.items
        for name in missing.get(item, [])
        if claim.datasets is None or name in claim.datasets
    ]
    left = [item for item in claim.items if item not in runs and not missing.get(item)]
    if outcome is None:
        if gone and not left:
            return Verdict(claim, "missing data", f"needs {', '.join(gone)}")
        return Verdict(claim, "not run", "")
    notes = [outcome.text]
    notes += [f"without {', '.join(gone)}"] if gone else []
    notes += [f"not run: {', '.join(left)}"] if left else []
    notes += [
        f"{runs[item].planned} of {trials[item]} trials in {item}"
        for item in claim.items
        if item in runs and runs[item].planned < trials.get(item, 0)
    ]
    return Verdict(claim, "reproduced" if outcome.holds else "differs", "; ".join(notes))


def against(results: Results, paper: str, item: str) -> pd.DataFrame:
    """Return the printed numbers that a run of an item has counterparts for.

    Returns
    -------
    DataFrame
        Columns table, dataset, label, metric, paper, ours, difference, verdict.
    """
    known = load(paper)
    parts = []
    for claim in known.claims:
        if isinstance(claim.rule, Numbers) and item in claim.items:
            found = claim.rule.beside(claim.cases({item: results}), known.printed)
            found["verdict"] = found["agrees"].map({True: "reproduced", False: "differs"})
            parts.append(found.rename(columns={"value": "paper"}))
    columns = ["table", "dataset", "label", "metric", "paper", "ours", "difference", "verdict"]
    return pd.concat(parts)[columns].reset_index(drop=True) if parts else pd.DataFrame(columns=columns)


def counts(verdicts: list[Verdict]) -> dict[Status, int]:
    """Count the verdicts of each kind."""
    return {status: sum(v.status == status for v in verdicts) for status in STATUSES}


def summary(verdicts: list[Verdict]) -> str:
    """Say in one line where we stand: reproduced x of y."""
    found = counts(verdicts)
    words = {**dict(zip(STATUSES, STATUSES, strict=True)), "differs": "differ"}
    rest = [f"{found[status]} {words[status]}" for status in STATUSES[1:] if found[status]]
    line = f"reproduced {found['reproduced']} of {len(verdicts)} claims"
    return f"{line} ({', '.join(rest)})" if rest else line
