import jsonschema
import pytest
import yaml

from cscluster import bundle
from cscluster.experiment.config.load import parse
from cscluster.experiment.config.reference import json_schema, keys, schedule_keys
from cscluster.experiment.config.schedules import MODELS

VALIDATOR = jsonschema.Draft202012Validator(json_schema())
PLAIN = """
name: toy
datasets: [iris, {base: wine, size: 50}]
constraints: {kind: random_pairs, counts: [5]}
algorithms: [kmeans, {name: pckmeans, params: {w: 2}, memory_limit: 2GB}]
"""


def test_every_key_is_explained():
    unexplained = [key.path for key in keys() if not key.meaning]
    assert not unexplained
    assert {"trials", "datasets[].target", "algorithms[].select", "constraints(tiers).per_tier"} <= {
        key.path for key in keys()
    }


def test_types_are_words():
    found = {key.path: (key.type, key.default) for key in keys()}
    assert found["trials"] == ("integer", "10")
    assert found["datasets"] == ("list of mapping", "required")
    assert found["algorithms[].params"] == ("mapping", "{}")
    of_tiers = {key.path: key.type for key in schedule_keys("tiers")}
    assert of_tiers["constraints(tiers).weight"] == "number or hard or list of (number or hard)"


@pytest.mark.parametrize("name", bundle.config_names())
def test_the_schema_takes_every_bundled_experiment(name):
    VALIDATOR.validate(yaml.safe_load((bundle.folder("configs") / f"{name}.yaml").read_text()))


def test_the_schema_takes_names_alone_and_refuses_unknown_keys():
    VALIDATOR.validate(yaml.safe_load(PLAIN))
    for wrong in ("trails: 5", "trials: many", "metrics: acc"):
        assert list(VALIDATOR.iter_errors(yaml.safe_load(f"{PLAIN}{wrong}\n")))


@pytest.mark.parametrize("kind", [kind for kind in MODELS if kind != "file"])
def test_the_examples_of_schedules_are_legal(kind):
    text = PLAIN.replace("{kind: random_pairs, counts: [5]}", MODELS[kind].example())
    assert parse(text, source="x.yaml").constraints.kind == kind
