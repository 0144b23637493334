# `make demo` and `make test` set up their own environment in $(VENV) on first use.
# They need Python 3.11 or later with pip, and nothing else.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PYRIGHT := PYRIGHT_PYTHON_CACHE_DIR=$(abspath $(VENV))/pyright PYRIGHT_PYTHON_IGNORE_WARNINGS=1 \
	$(BIN)/pyright --pythonpath $(BIN)/python

.PHONY: demo test soak ci unit filecheck lint types format wheel bench clean

demo: $(INSTALLED)
	$(BIN)/python -m bench.demo

test: lint types filecheck unit

unit: $(INSTALLED)
	$(BIN)/python -m pytest -n $(JOBS)

# What takes longer than `make test` may.
soak: $(INSTALLED)
	$(BIN)/python -m tests.programs --seeds 3000 --ptx --jobs $(JOBS)
	$(BIN)/python -m tests.kernels
	$(BIN)/python -m tests.tileas_programs --seeds 2000
	$(BIN)/python -m tests.llvm_programs
	$(BIN)/python -m tests.conversion_search

# What continuous integration runs.
ci: test wheel

# The built wheel compiles a kernel in an environment of its own, with nothing else installed.
wheel: $(INSTALLED)
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet build/wheel/*.whl
	build/wheel/venv/bin/tileir compile tests/kernels/vector_add.mlir -o build/wheel/vector_add.ptx

filecheck: $(INSTALLED)
	$(BIN)/lit -sv -j $(JOBS) tests/filecheck

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(PYRIGHT)

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What `make bench` runs, from what takes seconds to what takes minutes.
BENCH ?= start_up parse passes verify bytecode ptx layouts interpret numerics \
	clusters matrix_units variants simt compile_time baseline

bench: $(INSTALLED)
	for name in $(BENCH); do $(BIN)/python -m bench.$$name || exit 1; done

# pyright downloads its program on first use: that belongs to the installation.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test,upstream]'
	$(PYRIGHT) --version
	touch $@

clean:
	rm -rf $(VENV) build
