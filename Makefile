PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test test-oldest coverage wheel lint types reproduce reproduce-quick benchmark benchmark-quick stress bench format gallery docs clean

run: .venv/run-ready  ## set up, then run the main experiment on bundled data
	$(BIN)/cscluster run configs/mnist0689.yaml

test: lint types  ## set up, then lint, type-check and test everything
	$(BIN)/python -m pytest -n auto

test-oldest:  ## the tests with the lowest versions that pyproject.toml allows
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest --resolution lowest-direct \
	  --editable ".[parquet,excel,dask,sdp]"
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest --group dev
	.venv-oldest/bin/python -m pytest -n auto

coverage: .venv/test-ready  ## the share of lines and branches that the tests run; workers are not counted
	$(BIN)/python -m pytest -n auto --cov --cov-report=term:skip-covered

wheel: .venv/test-ready  ## build the wheel, check what it holds, and try it without the optional packages
	$(BIN)/python -m pytest tests/end_to_end/test_wheel.py -v -m "slow or not slow"

lint: .venv/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test-ready
	$(BIN)/mypy

reproduce: .venv/test-ready  ## the pages, from stored trials; runs what is left of the papers, and resumes
	$(BIN)/cscluster reproduce --write
	$(BIN)/cscluster benchmark --stored --write

reproduce-quick: .venv/test-ready  ## less of everything: a figure of each paper; nothing may have drifted from results/reference
	$(BIN)/cscluster reproduce --profile quick --check

benchmark: .venv/test-ready  ## all methods on many data sets: many hours; resumable
	$(BIN)/cscluster benchmark --write

benchmark-quick: .venv/test-ready  ## less of everything, and nothing may have drifted from results/reference
	$(BIN)/cscluster benchmark --profile quick --check

bench: .venv/test-ready  ## measure speed; prints ratios, and appends to the history in docs/speed.csv
	SPEED_HISTORY=$(CURDIR)/docs/speed.csv $(BIN)/python -m pytest tests/benchmarks -m slow -s -q

stress: .venv/test-ready  ## kill, fuzz and load it; takes about 50 minutes
	$(BIN)/python -m pytest tests --ignore tests/benchmarks -m slow -s

format: .venv/test-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

gallery: .venv/run-ready  ## draw all algorithms side by side, and each on the data that suit it best and least
	$(BIN)/python docs/comparison.py results/reference --each docs/figures

docs: .venv/docs-ready  ## build the documentation into docs/_build/html; no warning and no dead link is allowed
	$(BIN)/python -m sphinx --fail-on-warning --keep-going -q -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html
	@echo "open docs/_build/html/index.html"

.venv/run-ready: pyproject.toml
	@echo "setting up .venv (about a minute, once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/test-ready: .venv/run-ready
	@echo "installing what the tests need (about a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[parquet,excel,dask,sdp]" --group dev
	@touch $@

.venv/docs-ready: .venv/test-ready
	@echo "installing what the documentation needs (about a minute, once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

clean:
	rm -rf .venv .venv-oldest dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis docs/_build docs/generated .coverage
