# What a developer does. `make test` and `make demo` need nothing but what scripts/doctor.sh asks for.

PYTHON ?= python3
PYTEST_ARGS ?=
BENCH_ARGS ?=
FUZZ_SECONDS ?= 120

VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements/dev.lock
INSTALLED := $(VENV)/.installed
BUILT := $(VENV)/.built
NATIVE_SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -type f)

# Every tool below must see this environment, whichever one the caller stands in.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
unexport CONDA_PREFIX PYTHONHOME PYTHONPATH
# The tests start some thousand interpreters, none of which should compile what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

# Of the tests, which wait for servers more than they compute.
PROCESSES ?= 3
stage = @printf '\n==> %s\n' '$(1)'

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help doctor build demo servers test soak fuzz sanitize check client endpoints catalogue docs pictures recording bench wheel lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

doctor: ## say what this machine lacks, and how to install it
	@PYTHON='$(PYTHON)' sh scripts/doctor.sh

$(INSTALLED): $(LOCK) | doctor
	$(call stage,Python environment: $(VENV))
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --requirement $(LOCK)
	@touch $@

$(BUILT): $(INSTALLED) $(NATIVE_SOURCES)
	$(call stage,Native module: the first build takes some minutes)
	PIP_QUIET=1 $(BIN)/maturin develop --release --locked
	@touch $@

build: $(BUILT) ## build the native module into .venv

demo: $(BUILT) ## clean an invented newsroom and this machine's licence texts, and show the reports
	@sh scripts/demo.sh $(BIN)/whorl demo

servers: ## the databases and proxies that tests run against, below .servers where this machine lacks them
	@sh scripts/servers.sh

test: $(BUILT) ## every test, of both languages
	$(call stage,Servers)
	@sh scripts/servers.sh || true
	$(call stage,Rust tests)
	cargo test --release --locked --package whorl-core --package whorl-files
	$(call stage,Python tests)
	$(BIN)/python -m pytest --numprocesses $(PROCESSES) --dist worksteal $(PYTEST_ARGS)

soak: $(BUILT) ## the tests that take minutes, WHORL_ROUNDS times, and a service under load for SOAK seconds
	$(call stage,Soak tests)
	$(BIN)/python -m pytest -m soak $(PYTEST_ARGS)
	@sh scripts/fuzz.sh 10 if-there

fuzz: ## arbitrary bytes for the core, FUZZ_SECONDS for each target
	$(call stage,Fuzz targets)
	@sh scripts/fuzz.sh $(FUZZ_SECONDS)

sanitize: ## the Rust tests with the address sanitizer
	$(call stage,Address sanitizer)
	@sh scripts/sanitize.sh

check: $(BUILT) ## style, types, layers, lints; changes nothing
	@sh scripts/doctor.sh lint
	$(call stage,Tracked files)
	$(BIN)/python scripts/tracked.py
	$(call stage,Plain language)
	$(BIN)/python scripts/prose.py --check
	$(call stage,Python style)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(call stage,Python types)
	$(BIN)/mypy
	$(call stage,Layers)
	PYTHONPATH=src $(BIN)/lint-imports --no-cache
	PYTHONPATH=src $(BIN)/python scripts/cycles.py
	$(call stage,Translations)
	$(BIN)/python scripts/catalogue.py --check
	$(call stage,Client)
	$(BIN)/python scripts/synchronous.py --check
	$(call stage,Reference of the API)
	$(BIN)/python scripts/endpoints.py --check
	$(call stage,Rust style and lints)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

client: $(BUILT) ## make the client that waits from the one that is awaited
	$(BIN)/python scripts/synchronous.py

endpoints: $(BUILT) ## write the reference of the HTTP API from what the service says of itself
	$(BIN)/python scripts/endpoints.py

catalogue: $(BUILT) ## bring the Chinese translations up to date with the messages in the source
	$(BIN)/python scripts/catalogue.py

docs: $(BUILT) ## the documentation site of both languages, in website/; fails where a link leads nowhere
	$(call stage,Documentation site)
	$(BIN)/python -m scripts.website website

pictures: recording ## take the pictures of all pages that the documentation shows
	@sh scripts/browser.sh
	$(BIN)/python -m tests.browser.pictures docs/pictures

recording: $(BUILT) ## record a terminal that runs real commands, as the documentation shows it
	$(BIN)/python scripts/recording.py docs/pictures

bench: $(BUILT) ## measure whorl against its rivals (BENCH_ARGS="...")
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

wheel: $(INSTALLED) ## a wheel for this platform, in dist/, tried in empty environments with each extra alone
	rm -f dist/*.whl
	$(BIN)/maturin build --release --locked --out dist
	$(call stage,Empty environments: each installs the wheel with one extra)
	$(PYTHON) scripts/wheels.py dist/*.whl

lock: | doctor ## pin the newest versions of every development dependency
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --upgrade uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
		--upgrade --generate-hashes --custom-compile-command 'make lock' --quiet --output-file $(LOCK)
	{ echo "# What builds the sdist and the wheels, as in dev.lock. Written by \`make lock\`."; \
		sed -n '/^maturin==/,/^    # via/{/# via/!p;}' $(LOCK); } > $(dir $(LOCK))build.lock

clean: ## remove everything that was built
	rm -rf $(VENV) .servers target fuzz/target fuzz/corpus dist demo website .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f src/whorl/_core.*.so src/whorl/_core.pyd
