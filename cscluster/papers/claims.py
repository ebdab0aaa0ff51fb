"""The claims of a paper: read from its ``claims.yaml``, judged by stored results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pandas as pd
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from cscluster import bundle
from cscluster.errors import ConfigError, did_you_mean, require_known
from cscluster.papers import printed
from cscluster.papers.cases import Cases, Form, methods_of, pool
from cscluster.papers.comparisons import (
    Best,
    Better,
    Close,
    Limit,
    Ratio,
    Significant,
    Spread,
    Wider,
    Worst,
)
from cscluster.papers.curves import Dip, Gain, LeadShrinks, LevelsOff, Rising, Slope
from cscluster.papers.printed import Exponents, Numbers, Order
from cscluster.papers.rule import Outcome, spread
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
    | Spread
    | Wider
    | Worst,
    Field(discriminator="kind"),
]
Status = Literal["reproduced", "better", "differs", "not decidable", "not run"]
STATUSES: tuple[Status, ...] = ("reproduced", "better", "differs", "not decidable", "not run")


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
    figures : dict
        Names of the figures of its results that stand in the page, by what they are in the paper.
    """

    shows: str
    quick: list[str] | None = None
    figures: dict[str, str] = Field(default_factory=dict)


class Checked(_Model):
    """What a rule decides from the results of some items.

    Attributes
    ----------
    items : list of str
        The experiments that it is about; `datasets`, `points` and `tiers` choose among their cases.
    rule : Rule
        What decides.
    """

    items: list[str] = Field(min_length=1)
    datasets: list[str] | None = None
    points: list[int] | None = None
    tiers: list[int] | None = None
    rule: AnyRule

    @property
    def metrics(self) -> list[str]:
        """The recorded metrics that the rule looks at."""
        named = [self.rule.metric, *([self.rule.other] if isinstance(self.rule, Close) else [])]
        return [name.removesuffix("_percent") for name in named]

    def cases(self, runs: Mapping[str, Results]) -> Cases:
        """Return the cases of the runs of its items."""
        mine = pool([runs[item] for item in self.items if item in runs])
        return mine.where(self.datasets, self.points, self.tiers)


class Cause(Checked):
    """Why a claim does not hold here, and the experiment that shows it.

    Attributes
    ----------
    says : str
        The cause in one sentence; it counts only where its rule holds.  The rule sees both forms of a
        method, each by its own label.
    form : str, optional
        The form of the methods whose verdict it explains; both by default.
    as_claimed : bool
        Whether the rule sees the methods as that of the claim does instead: in one form, by their labels.
    """

    says: str
    form: Form | None = None
    as_claimed: bool = False


class Claim(Checked):
    """A statement of the paper's text, and the rule that checks it.

    Attributes
    ----------
    id, where, says : str
        A short name, the place in the paper, and the sentence.
    because : str, optional
        Why the rule is what the sentence says.
    changed : str, optional
        How the rule was before its results were known, and why it was changed since.
    stand_in : str, optional
        The data sets that were used where those of the paper are not at hand.
    causes : list of Cause
        Why the claim does not hold here.
    """

    id: str
    where: str
    says: str
    because: str | None = None
    changed: str | None = None
    stand_in: str | None = None
    causes: list[Cause] = Field(default_factory=list)


class Paper(_Model):
    """The experiments and claims of one paper.

    Attributes
    ----------
    name : str
        Short name of the paper.
    printed_forms : dict
        Of methods that differ from their publication here, the label of the printed form by the label of
        ours.
    our_forms : dict
        Of published methods that bear their own name here, the label of our counterpart by theirs.
    illustrations : str
        What the figures of the paper show that have no results.
    pictures : dict
        Data sets by the figure of the paper that shows samples of them: one of pictures, or some in the
        plane.
    items, claims : dict and list
        Experiments by name, and what the paper says about them.
    """

    name: str
    printed_forms: dict[str, str] = Field(default_factory=dict)
    our_forms: dict[str, str] = Field(default_factory=dict)
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

    def in_form(self, cases: Cases, form: Form) -> Cases:
        """Return cases with one form of each method, which goes by the method's label."""
        return cases.in_form(self.printed_forms, form, self.our_forms)

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
class Finding:
    """What a claim came to.

    Attributes
    ----------
    status, text : str
        The verdict, and the numbers behind it or why there are none.
    causes, not_confirmed : tuple of str
        Where the claim differs, the causes that their experiments show, and those that they do not show.
    """

    status: Status
    text: str
    causes: tuple[str, ...] = ()
    not_confirmed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """A claim beside what was found with the methods as printed, and with ours."""

    claim: Claim
    printed: Finding
    ours: Finding


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
    found = []
    for claim in paper.claims:
        cases, twins = claim.cases(runs), paper.printed_forms
        printed, ours = paper.in_form(cases, "printed"), paper.in_form(cases, "ours")
        remarks = _Remarks(paper, claim, runs, missing, trials or {})
        absent = sorted(
            twins[method]
            for method in methods_of(ours.labels, twins) - methods_of(printed.labels, twins)
            if claim.rule.open_to_all or method in methods_of(claim.rule.labels, twins)
        )
        findings: dict[Form, Finding] = {
            "printed": Finding("not run", f"no results of {', '.join(absent)}")
            if absent
            else remarks.finding(claim.rule.judge(printed, paper.printed), "printed"),
            "ours": remarks.finding(claim.rule.judge(ours, paper.printed), "ours"),
        }
        for form, finding in findings.items():
            if finding.status == "differs":
                findings[form] = _with_causes(finding, paper, claim, form, runs)
        found.append(Verdict(claim, **findings))
    return found


def _with_causes(
    finding: Finding, paper: Paper, claim: Claim, form: Form, runs: Mapping[str, Results]
) -> Finding:
    """Add the causes whose rules hold and those whose rules do not, with numbers and experiments."""
    causes: list[str] = []
    not_confirmed: list[str] = []
    for cause in claim.causes:
        cases = cause.cases(runs)
        outcome = cause.rule.judge(paper.in_form(cases, form) if cause.as_claimed else cases, paper.printed)
        if cause.form in (None, form) and outcome is not None:
            items = ", ".join(f"`{item}`" for item in cause.items if item in runs)
            (causes if outcome.holds else not_confirmed).append(f"{cause.says} ({items}: {outcome.text})")
    return replace(finding, causes=tuple(causes), not_confirmed=tuple(not_confirmed))


@dataclass(frozen=True)
class _Remarks:
    """What has to be said about the runs of a claim."""

    paper: Paper
    claim: Claim
    runs: Mapping[str, Results]
    missing: Mapping[str, list[str]]
    trials: Mapping[str, int]

    def finding(self, outcome: Outcome | None, form: Form) -> Finding:
        """Return what an outcome means; there is none where there was nothing to judge by."""
        claim, runs = self.claim, self.runs
        gone = list(
            dict.fromkeys(
                name
                for item in claim.items
                for name in self.missing.get(item, [])
                if claim.datasets is None or name in claim.datasets
            )
        )
        left = [item for item in claim.items if item not in runs and not self.missing.get(item)]
        if outcome is None:
            if gone and not left:
                return Finding("not decidable", f"needs {', '.join(gone)}")
            return Finding("not run", "")
        notes = [outcome.text]
        notes += [f"without {', '.join(gone)}"] if gone else []
        notes += [f"not run: {', '.join(left)}"] if left else []
        notes += [note for item in claim.items if item in runs and (note := self._few_trials(item, form))]
        status: Status = "reproduced" if outcome.holds else "better" if outcome.exceeds else "differs"
        return Finding(status, "; ".join(notes))

    def _few_trials(self, item: str, form: Form) -> str:
        """Say how many trials there are of an item's methods where some have fewer than in the paper."""
        rule = self.claim.rule
        trials = self.paper.in_form(self.claim.cases({item: self.runs[item]}), form).trials
        if not rule.open_to_all:
            trials = trials[trials["label"].isin(rule.labels)]
        counts = trials.groupby(["dataset", "label"])["trial"].nunique()
        wanted = self.trials.get(item, 0)
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
            cases = known.in_form(claim.cases({item: results}), "ours")
            found = claim.rule.beside(cases, known.printed)
            found["verdict"] = np.select(
                [found["agrees"], found["better"]], ["reproduced", "better"], "differs"
            )
            parts.append(found.rename(columns={"value": "paper"}))
    columns = ["table", "dataset", "label", "metric", "paper", "ours", "difference", "verdict"]
    return pd.concat(parts)[columns].reset_index(drop=True) if parts else pd.DataFrame(columns=columns)


def counts(findings: Iterable[Finding]) -> dict[Status, int]:
    """Count the findings of each kind."""
    found = Counter(finding.status for finding in findings)
    return {status: found[status] for status in STATUSES}


def summary(verdicts: Sequence[Verdict]) -> str:
    """Say in one line where we stand: reproduced x of y, with the methods as printed and with ours."""
    printed = _standing([verdict.printed for verdict in verdicts])
    ours = _standing([verdict.ours for verdict in verdicts])
    if printed == ours:
        return f"reproduced {ours}"
    return f"reproduced as printed {printed}; ours {ours}"


def _standing(findings: Sequence[Finding]) -> str:
    found = counts(findings)
    words = {**dict(zip(STATUSES, STATUSES, strict=True)), "differs": "differ"}
    rest = [f"{found[status]} {words[status]}" for status in STATUSES[1:] if found[status]]
    line = f"{found['reproduced']} of {len(findings)} claims"
    return f"{line} ({', '.join(rest)})" if rest else line
