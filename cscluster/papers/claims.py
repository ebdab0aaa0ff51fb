"""The claims of a paper: read from its ``claims.yaml``, judged by stored results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

import numpy as np
import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cscluster import bundle
from cscluster.errors import ConfigError, did_you_mean, require_known
from cscluster.papers import printed
from cscluster.papers.observations import Observations
from cscluster.papers.printed import Exponent, Numbers, Order
from cscluster.papers.rules import Best, Better, Limit, Ratio, RuleOutcome, Significant, Trend, spread
from cscluster.report.aggregate import Results

AnyRule = Annotated[
    Best | Better | Exponent | Limit | Numbers | Order | Ratio | Significant | Trend,
    Field(discriminator="kind"),
]
Status = Literal["reproduced", "better", "differs", "not decidable", "not run"]
STATUSES: tuple[Status, ...] = get_args(Status)


class _ClaimsModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Item(_ClaimsModel):
    """An experiment of the paper.

    Attributes
    ----------
    shows : str
        Tables and figures that it stands for.
    quick : list of str, optional
        Changes, as ``KEY=VALUE``, that make it quick; without them it is not part of the quick profile.
    figures : dict
        Names of the figures of its results that stand in the page, by what they are in the paper.
    """

    shows: str
    quick: list[str] | None = None
    figures: dict[str, str] = Field(default_factory=dict)


class Statement(_ClaimsModel):
    """A sentence that a rule decides from the results of some items.

    Attributes
    ----------
    says : str
        The sentence.
    items : list of str
        The experiments that it is about; `datasets`, `points` and `tiers` choose among their cases.
    rule : ClaimRule
        What decides.
    """

    says: str
    items: list[str] = Field(min_length=1)
    datasets: list[str] | None = None
    points: list[int] | None = None
    tiers: list[int] | None = None
    rule: AnyRule

    def observations(self, runs: Mapping[str, Results]) -> Observations:
        """Return the cells and trials of the runs of its items."""
        mine = [runs[item] for item in self.items if item in runs]
        return Observations(mine, self.datasets, self.points, self.tiers)


class Claim(Statement):
    """A statement of the paper's text, and the rule that checks it.

    Attributes
    ----------
    id, where : str
        A short name, and the place in the paper.
    because : str, optional
        Why the rule is what the sentence says.
    changed : str, optional
        How the rule was before its results were known, and why it was changed since.
    stand_in : str, optional
        The data sets that were used where those of the paper are not at hand.
    causes : list of Statement
        Why the claim does not hold here; a cause counts only where its rule holds.
    """

    id: str
    where: str
    because: str | None = None
    changed: str | None = None
    stand_in: str | None = None
    causes: list[Statement] = Field(default_factory=list)


class Paper(_ClaimsModel):
    """The experiments and claims of one paper.

    Attributes
    ----------
    name : str
        Short name of the paper.
    illustrations : str
        What the figures of the paper show that have no results.
    pictures : dict
        Data sets by the figure of the paper that shows samples of them: one of pictures, or some in the
        plane.
    items, claims : dict and list
        Experiments by name, and what the paper says about them.
    """

    name: str
    illustrations: str = ""
    pictures: dict[str, list[str]] = Field(default_factory=dict)
    items: dict[str, Item]
    claims: list[Claim]

    @model_validator(mode="after")
    def _consistent(self) -> Paper:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"a second claim has the id '{claim.id}'")
            seen.add(claim.id)
            for item in [*claim.items, *(item for cause in claim.causes for item in cause.items)]:
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
        return printed.read(folder() / self.name)


def folder() -> Path:
    """Return the directory that has one directory for each paper."""
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
    require_known("paper", name, names())
    path = folder() / name / "claims.yaml"
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
class Explanation:
    """A possible cause of a difference, the experiments that it was tried in, and what they show."""

    cause: Statement
    items: list[str]
    outcome: RuleOutcome


@dataclass(frozen=True)
class Verdict:
    """What a claim came to.

    Attributes
    ----------
    claim : Claim
        What was judged.
    status, text : str
        The verdict, and the numbers behind it or why there are none.
    explanations : list of Explanation
        Where the claim differs, the causes that were tried.
    """

    claim: Claim
    status: Status
    text: str
    explanations: list[Explanation] = field(default_factory=list)


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
    return [_verdict(claim, paper.printed, runs, missing, trials or {}) for claim in paper.claims]


def _verdict(
    claim: Claim,
    numbers: pd.DataFrame,
    runs: Mapping[str, Results],
    missing: Mapping[str, list[str]],
    trials: Mapping[str, int],
) -> Verdict:
    observations = claim.observations(runs)
    absent = sorted(set(claim.rule.labels) - set(observations.cells["label"]))
    if absent and len(observations.cells):
        return Verdict(claim, "not run", f"no results of {', '.join(absent)}")
    of_items = dict.fromkeys(name for item in claim.items for name in missing.get(item, []))
    gone = [name for name in of_items if claim.datasets is None or name in claim.datasets]
    left = [item for item in claim.items if item not in runs and not missing.get(item)]
    outcome = _outcome(claim, observations, numbers)
    if outcome is None and gone and not left:
        return Verdict(claim, "not decidable", f"needs {', '.join(gone)}")
    if outcome is None:
        return Verdict(claim, "not run", "")
    notes = [outcome.text]
    notes += [f"without {', '.join(gone)}"] if gone else []
    notes += [f"not run: {', '.join(left)}"] if left else []
    notes += [
        _few_trials(claim, item, runs[item], trials.get(item, 0)) for item in claim.items if item in runs
    ]
    text = "; ".join(filter(None, notes))
    if outcome.holds or outcome.exceeds:
        return Verdict(claim, "reproduced" if outcome.holds else "better", text)
    explanations = [
        Explanation(cause, [item for item in cause.items if item in runs], found)
        for cause in claim.causes
        if (found := _outcome(cause, cause.observations(runs), numbers))
    ]
    return Verdict(claim, "differs", text, explanations)


def _outcome(statement: Statement, observations: Observations, numbers: pd.DataFrame) -> RuleOutcome | None:
    return statement.rule.judge(observations, numbers) if len(observations.cells) else None


def _few_trials(claim: Claim, item: str, run: Results, wanted: int) -> str:
    """Say how many trials there are of an item's methods where some have fewer than in the paper."""
    trials = claim.observations({item: run}).trials
    if not claim.rule.open_to_all:
        trials = trials[trials["label"].isin(claim.rule.labels)]
    counts = trials.groupby(["dataset", "label"])["trial"].nunique()
    return f"{spread(counts)} of {wanted} trials in {item}" if (counts < wanted).any() else ""


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
            found = claim.rule.beside(claim.observations({item: results}), known.printed)
            found["verdict"] = np.select(
                [found["agrees"], found["better"]], ["reproduced", "better"], "differs"
            )
            parts.append(found.rename(columns={"value": "paper"}))
    columns = ["table", "dataset", "label", "metric", "paper", "ours", "difference", "verdict"]
    return pd.concat(parts)[columns].reset_index(drop=True) if parts else pd.DataFrame(columns=columns)


def counts(verdicts: Iterable[Verdict]) -> dict[Status, int]:
    """Count the verdicts of each kind."""
    return dict.fromkeys(STATUSES, 0) | Counter(verdict.status for verdict in verdicts)


def summary(verdicts: Sequence[Verdict]) -> str:
    """Say in one line how many claims are reproduced, and what became of the others."""
    found = counts(verdicts)
    others = (f"{found[status]} {status}" for status in STATUSES[1:] if found[status])
    rest = [words.replace("differs", "differ") for words in others]
    line = f"reproduced {found['reproduced']} of {len(verdicts)} claims"
    return f"{line} ({', '.join(rest)})" if rest else line
