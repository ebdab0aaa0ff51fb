PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint types bench format clean

run: .venv/run-ready  ## set up, then run the main experiment on bundled data
	$(BIN)/cscluster run configs/mnist0689.yaml

test: lint types  ## set up, then lint, type-check and test everything
	$(BIN)/python -m pytest -n auto

lint: .venv/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/test-ready
	$(BIN)/mypy

bench: .venv/test-ready  ## measure speed; prints ratios
	$(BIN)/python -m pytest tests/benchmarks -m slow -s -q

format: .venv/test-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/run-ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/test-ready: .venv/run-ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[parquet,dask,sdp]" --group dev
	touch $@

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
