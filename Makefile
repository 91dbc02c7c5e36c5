# Every target sets up what it needs: python3 (3.11 or newer, with venv) and make are enough to begin with.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
JOBS ?= 2
OUT ?= out

# -qq keeps errors and drops the rest.
PIP := -m pip --disable-pip-version-check install -qq

# A virtual environment holds absolute paths: one that came here with a copy of the checkout has to be made anew.
made_here = $(shell [ "$$(cat $(1)/.where 2>/dev/null)" = "$(CURDIR)/$(1)" ] || echo moved)

.PHONY: help walk test bench lint docs clean moved

help: ## explain the targets
	@echo "make TARGET, where TARGET is one of:"
	@grep -E '^[a-z]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## (.*)/  \1\t\2/' | expand -t 10
	@echo "PYTHON=... chooses the interpreter (now $(PYTHON)), JOBS=... the test processes (now $(JOBS))."

walk: .venv/.run ## let the Nao walk for 20 s at 0.2 m/s and plot it to out/
	.venv/bin/gangart walk nao --vx 0.2 --duration 20 --plot $(OUT)/

test: .venv/.dev ## run the tests (pass more with ARGS="-m slow" or ARGS=tests/test_package.py)
	.venv/bin/python -m pytest -n $(JOBS) $(ARGS)

bench: .venv/.dev .venv-peers/.peers ## measure speed as ratios to peers and to bare MuJoCo
	.venv/bin/python -m benchmarks $(ARGS)

lint: .venv/.dev ## check style, format and types
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

docs: .venv/.dev ## build the documentation to docs/_build/html
	.venv/bin/python docs/figures.py
	.venv/bin/sphinx-build -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean: ## remove whatever make and the tools have made
	rm -rf .venv .venv-peers build dist docs/_build docs/api .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples docs -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true
	rm -rf src/*.egg-info

.venv/.run: .venv/.where requirements/build.txt requirements/run.txt pyproject.toml
	@echo "setting up .venv: what gangart runs on (a minute or two) ..."
	@.venv/bin/python $(PIP) -r requirements/build.txt -r requirements/run.txt
	@.venv/bin/python $(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/.run requirements/dev.txt
	@echo "setting up .venv: what tests, checks and documents it ..."
	@.venv/bin/python $(PIP) -r requirements/dev.txt
	@touch $@

.venv-peers/.peers: .venv-peers/.where requirements/peers.txt
	@echo "setting up .venv-peers: the peers to measure against ..."
	@.venv-peers/bin/python $(PIP) -r requirements/peers.txt
	@touch $@

.venv/.where: $(call made_here,.venv)
.venv-peers/.where: $(call made_here,.venv-peers)
.venv/.where .venv-peers/.where:
	@command -v $(PYTHON) >/dev/null || { echo "gangart needs Python 3.11 or newer, and '$(PYTHON)' is not there; on Debian: apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gangart needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) -V); name a newer one with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "'$(PYTHON)' cannot make virtual environments because its venv package is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(@D): a virtual environment of $$($(PYTHON) -V) ..."
	@$(PYTHON) -m venv --clear $(@D)
	@echo "$(CURDIR)/$(@D)" > $@
