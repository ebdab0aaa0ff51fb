"""``cscluster merge``: shards of a run, or several runs of one experiment, become one."""

from __future__ import annotations

from cscluster.cli import console
from cscluster.cli.options import MergeOptions, results_flag
from cscluster.cli.stored import require_run
from cscluster.errors import StoreError
from cscluster.report import aggregate, write
from cscluster.store import merge as merging
from cscluster.store.directory import RUN_NAME_RULE, RunDirectory, is_run_name
from cscluster.words import plural


def merge(options: MergeOptions) -> None:
    """Join runs of the same experiment, and say what is missing.

    Raises
    ------
    StoreError
        If a run does not exist, they are of different experiments, or the name is not allowed.
    """
    into, results = options.into, options.results
    if into is not None and not is_run_name(into):
        raise StoreError(f"--into {RUN_NAME_RULE}, got {into!r}.")
    directories = [require_run(name, results) for name in options.runs]
    first = directories[0].definition
    merged = merging.merge(directories, RunDirectory(results / (into or first.experiment.name)))
    collected = aggregate.collect(merged.directory)
    out = console.out
    out.whole(
        f"joined {plural(len(directories), 'run')} in {merged.directory.path}: "
        f"{merged.found} of {merged.planned} trials, {merged.failed} failed"
        + (f", {merged.repeated} found in several runs" if merged.repeated else "")
    )
    if collected.mixed:
        console.err.whole(f"warning: these runs mix versions: {', '.join(collected.mixed)}")
    out.whole(*(f"missing: {gap}" for gap in merged.gaps))
    if merged.found < merged.planned and into is None:
        out.whole(f"run what is missing with: {first.command}{results_flag(results)}")
    out.whole(f"report: {write.into_directory(collected, merged.directory.path)}")
