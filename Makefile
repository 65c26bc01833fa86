# Two commands on a fresh machine (Python 3.11+, pip and make): `make solve` and `make test`.
PYTHON ?= python3
PROBLEM ?= Tom has 3 boxes with 12 pencils each. He gives 8 pencils to his sister. How many pencils are left?
BIN := .venv/bin

.PHONY: solve test test-fast lint format docs clean

solve: .venv/.base  ## solve PROBLEM with the bundled model; installs only what solving needs
	@$(BIN)/treequation solve "$(PROBLEM)"

test: .venv/.dev lint  ## install everything, then lint, type-check and test
	CI=true $(BIN)/pytest -n 2 --dist worksteal  # with CI, property tests draw the same examples every time

# For the daily loop: the algebra, texts, the search, data, and the parts of the model that need no training.
FAST := tests/expression tests/text tests/decoding tests/data tests/evaluation tests/reporting/test_results.py \
	tests/model/test_matching.py tests/model/test_criterion.py tests/training/test_examples.py tests/training/test_recipe.py

test-fast: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/pytest -n 2 --dist worksteal -q $(FAST)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/.dev  ## build the site into site/, offline; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict  # with --quiet it would not see its own warnings

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Treequation needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq --upgrade pip

# Each stamp says that an install is complete; a change of the dependencies makes it stale.
.venv/.base: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -qq --editable .
	@touch $@

# PyTorch first and by itself: a build that lies on the machine is then taken before anything else asks for one.
.venv/.dev: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install -qq "torch>=2.6,<2.14"
	$(BIN)/python -m pip install -qq --editable ".[dev]"
	@touch $@ .venv/.base

clean:
	rm -rf .venv build dist site report *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
