"""The claims of a paper: read from its ``claims.yaml``, judged by stored results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_args

import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field

from cscluster import bundle
from cscluster.errors import require_known
from cscluster.papers import printed
from cscluster.papers.observations import Observations
from cscluster.papers.printed import Exponent, Numbers, Order
from cscluster.papers.rules import Alike, Compare, Limit, RuleOutcome, Significant, Trend, spread
from cscluster.report.aggregate import Results
from cscluster.words import plural

AnyRule = Annotated[
    Alike | Compare | Exponent | Limit | Numbers | Order | Significant | Trend, Field(discriminator="kind")
]
Verdicts = Literal["holds", "does not hold", "not comparable", "undecided", "not run"]
STATUSES: tuple[Verdicts, ...] = get_args(Verdicts)


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
    """What a rule decides from the results of some items.

    Attributes
    ----------
    items : list of str
        The experiments that it is about; `datasets`, `points` and `tiers` choose among their cases.
    rule : ClaimRule
        What decides.
    """

    items: list[str] = Field(min_length=1)
    datasets: list[str] | None = None
    points: list[int] | None = None
    tiers: list[int] | None = None
    rule: AnyRule

    def observations(self, runs: Mapping[str, Results]) -> Observations:
        """Return the trials of the runs of its items."""
        mine = [runs[item] for item in self.items if item in runs]
        return Observations(mine, self.datasets, self.points, self.tiers)

    def judge(self, runs: Mapping[str, Results], numbers: pd.DataFrame) -> RuleOutcome | None:
        """Return what the rule says, or None where there is nothing to judge by."""
        observations = self.observations(runs)
        if observations.trials.empty or set(self.rule.labels) - set(observations.trials["label"]):
            return None
        return self.rule.judge(observations, numbers)


class Ablation(Statement):
    """Something that was changed to see whether it explains why a claim does not hold.

    Attributes
    ----------
    changed : str
        What was changed.
    post_hoc : bool
        Whether it was asked after a look at the results.
    """

    changed: str
    post_hoc: bool = False


class Claim(Statement):
    """A sentence of the paper, and the rule that checks it.

    Attributes
    ----------
    id, where, quote : str
        A short name, the place in the paper, and the sentence in its own words.
    core : str, optional
        The words of the sentence that are judged.
    because : str
        How the sentence is judged.
    stand_in : str, optional
        The data sets that were used where those of the paper are not at hand.
    not_comparable : str, optional
        Why our numbers neither confirm nor refute the sentence.
    cause : str, optional
        Why the claim does not hold here.
    ablations : list of Ablation
        What was changed to find the cause.
    """

    id: str
    where: str
    quote: str
    core: str | None = None
    because: str
    stand_in: str | None = None
    not_comparable: str | None = None
    cause: str | None = None
    ablations: list[Ablation] = Field(default_factory=list)


class Reading(_ClaimsModel):
    """How a choice that an experiment needs was read from the paper.

    Attributes
    ----------
    id, value, why : str
        What was chosen, how, and why.
    source : str
        Where the choice comes from.
    items : list of str
        The experiments that it is about.
    sentence, where : str, optional
        The sentence of the text, and its place.
    now : str, optional
        What the experiments still do instead.
    """

    id: str
    items: list[str]
    value: str
    source: Literal["text", "authors' program", "data", "guess"]
    why: str
    sentence: str | None = None
    where: str | None = None
    now: str | None = None


class Paper(_ClaimsModel):
    """The experiments and claims of one paper.

    Attributes
    ----------
    name, title : str
        Short name of the paper; its authors and year.
    right, wrong : str
        What the paper got right, and what not, in one sentence each.
    illustrations : str
        What the figures of the paper show that have no results.
    pictures : dict
        Data sets by the figure of the paper that shows samples of them: one of pictures, or some in the
        plane.
    items, claims : dict and list
        Experiments by name, and what the paper says about them.
    """

    name: str
    title: str
    right: str
    wrong: str
    illustrations: str = ""
    pictures: dict[str, list[str]] = Field(default_factory=dict)
    items: dict[str, Item]
    claims: list[Claim]

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
    text = (folder() / name / "claims.yaml").read_text(encoding="utf-8")
    return Paper.model_validate({"name": name, **yaml.safe_load(text)})


@cache
def readings(name: str) -> list[Reading]:
    """Read how the text of a paper was read."""
    path = folder() / name / "readings.yaml"
    read = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {"readings": []}
    return [Reading.model_validate(each) for each in read["readings"]]


@dataclass(frozen=True)
class Verdict:
    """What a claim came to.

    Attributes
    ----------
    claim : Claim
        What was judged.
    status, text, notes : str
        The verdict, the numbers behind it or why there are none, and what is missing.
    ablations : list
        What was changed to find out why it does not hold, and what the results say to that.
    """

    claim: Claim
    status: Verdicts
    text: str
    notes: str = ""
    ablations: list[tuple[Ablation, RuleOutcome]] = field(default_factory=list)


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
    numbers, verdicts = paper.printed, []
    for claim in paper.claims:
        of_items = dict.fromkeys(name for item in claim.items for name in missing.get(item, []))
        gone = [name for name in of_items if claim.datasets is None or name in claim.datasets]
        left = [item for item in claim.items if item not in runs and not missing.get(item)]
        outcome = claim.judge(runs, numbers)
        if outcome is None:
            needs = f"needs {', '.join(gone)}" if gone and not left else ""
            verdicts.append(Verdict(claim, "not run", needs))
            continue
        notes = [f"without {', '.join(gone)}"] if gone else []
        notes += [f"not run: {', '.join(left)}"] if left else []
        there = [item for item in claim.items if item in runs]
        notes += [_few_trials(claim, item, runs[item], (trials or {}).get(item, 0)) for item in there]
        status = "not comparable" if claim.not_comparable else outcome.status
        tried = [(each, said) for each in claim.ablations if (said := each.judge(runs, numbers))]
        verdicts.append(Verdict(claim, status, outcome.text, ", ".join(filter(None, notes)), tried))
    return verdicts


def _few_trials(claim: Claim, item: str, run: Results, wanted: int) -> str:
    """Say how many trials there are of an item's methods where some have fewer than in the paper."""
    trials = claim.observations({item: run}).trials
    if claim.rule.labels:
        trials = trials[trials["label"].isin(claim.rule.labels)]
    counts = trials.groupby(["dataset", "label"])["trial"].nunique()
    return f"{spread(counts)} of {wanted} trials in {item}" if (counts < wanted).any() else ""


def counts(verdicts: Iterable[Verdict]) -> dict[Verdicts, int]:
    """Count the verdicts of each kind."""
    return dict.fromkeys(STATUSES, 0) | Counter(verdict.status for verdict in verdicts)


def summary(verdicts: Sequence[Verdict]) -> str:
    """Say in one line what became of the claims."""
    found = counts(verdicts)
    said = ", ".join(f"{found[status]} {status}" for status in STATUSES if found[status])
    return f"{plural(len(verdicts), 'claim')}: {said.replace('holds', 'hold').replace('does not', 'do not')}"
