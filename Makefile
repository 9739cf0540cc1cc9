# Every target installs what it needs into .venv. Nothing is downloaded but Python packages.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser fuzz check bench format clean

help:  ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 19

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/created setup.cfg pyproject.toml
	@echo "Installing argue-eval into $(VENV) (a minute or two the first time)"
	$(PIP) install -e '.[report]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/created setup.cfg pyproject.toml
	@echo "Installing argue-eval and its development tools into $(VENV) (a few minutes the first time)"
	$(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/installed

demo: $(VENV)/installed  ## Set up and score the example track
	@echo "Four runs against the nuggets, with the assessors' judgments (results in scores/):"
	$(BIN)/argue-eval score runs/*.jsonl qrels/example.json --requests topics/example.jsonl \
		--collection collection/example.jsonl --judgments qrels/example.judgments.jsonl \
		-m argue -m nugget_coverage -m sentence_support -o scores --report
	@echo "With intervals over topics, and the ranks that tests allow:"
	$(BIN)/argue-eval leaderboard scores -m nugget_recall -m argue_f1
	@echo "Next: $(BIN)/argue-eval score --help"
	@echo "The report, to open in a browser: $(CURDIR)/scores/report.html"

test: $(VENV)/installed-dev  ## Set up and run all tests
	$(BIN)/python -m pytest -q -n logical --maxprocesses 4 --dist worksteal
	@echo "All tests passed."

test-browser: $(VENV)/installed-dev  ## Set up and test the report pages in Chromium, which is installed where that is possible
	@command -v chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver; } \
		|| echo "Chromium cannot be installed here: its tests are skipped."
	$(BIN)/python -m pytest -q -rs tests/browser

fuzz: $(VENV)/installed-dev  ## Set up and run the property tests on new cases: 100,000 strange files, 1,000 strange servers
	$(BIN)/python -m pytest -q --hypothesis-profile=fuzz -m hypothesis

check: $(VENV)/installed-dev  ## Set up and run the linters, the type checker and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev  ## Set up and run all benchmarks
	$(BIN)/python -m benchmarks

format: $(VENV)/installed-dev  ## Set up and format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove everything that make created
	rm -rf $(VENV) scores build dist *.egg-info .mypy_cache .ruff_cache
