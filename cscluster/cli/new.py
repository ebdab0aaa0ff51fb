"""``cscluster new``: a start for one's own work."""

from __future__ import annotations

import json
import os
import re
from importlib import resources
from pathlib import Path

from cscluster.atomic import put
from cscluster.cli.console import out
from cscluster.cli.options import NewAlgorithmOptions, NewExampleOptions, NewExperimentOptions
from cscluster.errors import ConfigError
from cscluster.experiment.config.reference import json_schema
from cscluster.store.directory import RUN_NAME_RULE, is_run_name
from cscluster.tables.example import example_files


def algorithm(options: NewAlgorithmOptions) -> None:
    """Write the template of an algorithm under a name.

    Raises
    ------
    ConfigError
        If the name is not one, or the file cannot be written.
    """
    name = options.name.removesuffix(".py")
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ConfigError(
            f"'{name}' cannot name a Python file: use letters, digits and '_', with a letter first."
        )
    module = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    title = "".join(word[:1].upper() + word[1:] for word in name.split("_"))
    path = options.directory / f"{module}.py"
    text = _template("own_algorithm.py").replace("OwnAlgorithm", title)
    _write_new({path: text}, "Choose another name or --directory")
    out.whole(
        f"wrote {path}\n\n"
        f"check it:    cscluster check {path}:{title}\n"
        f"compare it:  write this as {module}.yaml and run: cscluster run {module}.yaml\n\n"
        f"  name: {module}\n"
        "  datasets: [iris, wine]\n"
        "  constraints: {kind: random_pairs, counts: [20, 50, 100]}\n"
        f'  algorithms: [kmeans, pckmeans, {{name: "{path}:{title}", label: {title}}}]\n'
        "  trials: 10"
    )


def experiment(options: NewExperimentOptions) -> None:
    """Write an experiment to be changed, and the JSON schema of such files.

    Raises
    ------
    ConfigError
        If the name cannot be one of a run, or a file exists already or cannot be written.
    """
    name, directory = options.name.removesuffix(".yaml").removesuffix(".yml"), options.directory
    if not is_run_name(name):
        raise ConfigError(f"The name of an experiment {RUN_NAME_RULE}, got '{name}'.")
    path, schema = directory / f"{name}.yaml", directory / "experiment.schema.json"
    text = _template("own_experiment.yaml").replace("own_experiment", name)
    _write_new({path: text}, "Choose another name or --directory")
    put(schema, json.dumps(json_schema(), indent=1) + "\n")
    out.whole(f"wrote {path} and {schema}, by which editors check it. Try:\n\n  cscluster run {path}")


def example(options: NewExampleOptions) -> None:
    """Write a small table with constraints, and say what to try.

    Raises
    ------
    ConfigError
        If a file exists already, or cannot be written.
    """
    directory = options.directory
    texts = {directory / name: text for name, text in example_files().items()}
    _write_new(texts, "Choose another --directory")
    flowers, links, new, species = texts
    model = directory / "flowers.zip"
    out.whole(
        f"wrote {flowers}, {links}, {new} and {species}. Try:\n\n"
        f"  cscluster cluster {flowers} --links {links} -k 3 --model {model}\n"
        f"  cscluster predict {model} {new}\n"
        f"  cscluster label {flowers} -k 3"
    )


def _template(name: str) -> str:
    return resources.files("cscluster.examples").joinpath(name).read_text(encoding="utf-8")


def _write_new(texts: dict[Path, str], remedy: str) -> None:
    """Write files that must not exist yet; of several, all or none."""
    for path in texts:
        if os.path.exists(path):
            raise ConfigError(f"'{path}' exists already. {remedy}.")
    for path, text in texts.items():
        put(path, text)
