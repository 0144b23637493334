# `make demo` and `make test` set up their own environment in $(VENV) on first use.
# They need Python 3.11 or later with pip, and nothing else.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PYRIGHT := PYRIGHT_PYTHON_CACHE_DIR=$(abspath $(VENV))/pyright PYRIGHT_PYTHON_IGNORE_WARNINGS=1 \
	$(BIN)/pyright --pythonpath $(BIN)/python
# Each worker takes tests that follow each other, the dearest files first, then what others have left.
PYTEST := pytest -n $(JOBS) --dist worksteal --durations 40

# Byte code of the package and of the tests saves every process that they start a second.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo quick test tests estimate drawn soak trust ci coverage sweep pack xdsl pyodide newest browser examples unit filecheck lint types format wheel wheels docs bench bench-all clean

demo: $(INSTALLED)
	$(BIN)/python -m bench.demo

# Less than a minute: tests that reach as much of the package as fits, or those that reach FILE.
quick: $(INSTALLED)
	tests=$$($(BIN)/python -m tests.reach select $(FILE)) && $(BIN)/python -m $(PYTEST) $$tests

# pyright has one thread: the tests run beside it, so that no processor waits. It prints at its end.
test: estimate lint
	$(MAKE) --no-print-directory --jobs=$(if $(filter 1,$(JOBS)),1,2) types tests

tests:
	$(MAKE) --no-print-directory filecheck
	$(MAKE) --no-print-directory unit

# What it will take, before anything is set up.
estimate:
	@$(PYTHON) -m tests.reach estimate --jobs $(JOBS) $(if $(wildcard $(INSTALLED)),,--set-up)

unit: $(INSTALLED)
	$(BIN)/python -m $(PYTEST)

# What takes longer than `make test` may. With TIME, in minutes, what draws its inputs shares it, and
# goes on with the seeds after those of the last time.
TIME ?=

soak: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[soak]'
ifneq ($(TIME),)
	$(BIN)/python -m tests.soak --minutes $(TIME) --jobs $(JOBS) --log build/soak.json
else
	$(BIN)/python -m $(PYTEST) -m soak
	$(BIN)/python -m tests.agreement --jobs $(JOBS)
	$(BIN)/python -m tests.kernels --abi tile --gpus sm_90a,sm_100a,sm_120a
	$(BIN)/python -m tests.kernels --abi tile --gpus sm_90a,sm_100a,sm_120a --device-tensor-maps
	$(BIN)/python -m tests.kernels.export
	$(BIN)/python -m tileir_xdsl.testing.tileas_programs --seeds 2000
	$(BIN)/python -m tests.llvm_programs
	$(BIN)/python -m tests.cpu_programs --seeds 3000
	$(BIN)/python -m tests.llvm_jit --seeds 5000
	$(BIN)/python -m tests.litmus --limit 1000
	$(BIN)/python -m tests.litmus --drawn 1000
	$(BIN)/python -m tests.ptx_grammar --seeds 20000
	$(BIN)/python -m tests.ptx_grammar --family all --seeds 2000
	$(BIN)/python -m tests.conversion_search
	$(BIN)/python -m bench.sweep --alone --emulate --hardest --jobs $(JOBS)
endif

# Scripts and arrays of torch and jax, on the CPU.
libraries: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[soak]'
	$(BIN)/python -m pytest -m soak tests/unit/cutile/test_other_libraries.py tests/unit/frontends/on_host

# Which lines and branches of the passes, the PTX backend and the bytecode the tests run, slice by
# slice: what was interrupted goes on with the next slice.
coverage: $(INSTALLED)
	$(BIN)/python -m tests.coverage measure --jobs $(JOBS)
	$(BIN)/python -m tests.coverage report --missing

# What continuous integration runs. Slices are parts of what `make soak` and `make bench` do, of two
# minutes at most each. Notebooks are run by tests/unit/test_notebooks.py.
SLICES := drawn sweep trust browser docs pack xdsl pyodide examples

ci: test $(SLICES) wheel

# A tenth of the unit tests that `make test` leaves out, another one each time.
SEED ?= $(shell date +%s)

drawn: $(INSTALLED)
	$(BIN)/python -m $(PYTEST) -m "" --drawn=$(SEED)

# Two minutes of the pairwise sample of kernels.
sweep: $(INSTALLED)
	$(BIN)/python -m bench.sweep --slice --jobs $(JOBS)

# Random programs and damaged inputs, each for its share of two minutes.
trust: $(INSTALLED)
	$(BIN)/python -m tests.soak --slice --minutes 1.5 --jobs $(JOBS)

# A drawn part of the pack for a machine with a GPU, built and rehearsed, and the whole by stored costs.
pack: $(INSTALLED)
	$(BIN)/python -m bench.pack slice --jobs $(JOBS)

# The oldest xDSL that the package allows; pip installs the newest: what prints, parses and drives IR.
# Of some folders lit starts each command as a new process here, as a user does.
OLDEST_XDSL := 0.74.0
PLAIN := $(addprefix tests/filecheck/,bytecode cli pipelines targets)

xdsl: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --no-deps --upgrade --target build/xdsl xdsl==$(OLDEST_XDSL)
	PYTHONPATH=$(abspath build/xdsl) $(BIN)/lit -sv -j $(JOBS) -D plain $(PLAIN)
	PYTHONPATH=$(abspath build/xdsl) $(BIN)/lit -sv -j $(JOBS) tests/filecheck
	PYTHONPATH=$(abspath build/xdsl) $(BIN)/python -m $(PYTEST) tests/unit/test_xdsl_versions.py \
		tests/unit/test_rewriting.py tests/unit/dialects tests/unit/lsp tests/unit/report

# The compiler in WebAssembly, by Pyodide under Node, makes the same PTX.
pyodide: $(INSTALLED)
	$(BIN)/python -m tests.pyodide

# The packages in docs/examples, from their wheels beside ours in a fresh environment.
examples: $(INSTALLED)
	$(BIN)/python -m tests.examples --jobs $(JOBS)

# Reports in a browser, and `tileir view`.
CHROMIUM := /usr/bin/chromium

browser: $(INSTALLED) $(CHROMIUM)
	$(BIN)/python -m pip install --quiet --editable '.[browser]'
	$(BIN)/python -m pytest -n $(JOBS) tests/browser

# The tests use Debian's and download none.
$(CHROMIUM):
	@test "$$(id -u)" = 0 && command -v apt-get >/dev/null || \
		{ echo "make browser: $@ not found: install Debian's package chromium"; exit 1; }
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium fonts-dejavu-core

# The site, in build/site: every warning is an error, links are checked, and nothing is loaded from
# elsewhere.
docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/python -m docs.site

# The wheel that is built from the source distribution works in an environment of its own, with
# nothing else installed.
wheel: $(INSTALLED)
	rm -rf build/wheel
	$(BIN)/python -m build --quiet --outdir build/wheel .
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet build/wheel/*.whl
	cd build/wheel && PATH=$$PWD/venv/bin:$$PATH sh ../../.ci/wheel

# The same with each Python at hand.
wheels: $(INSTALLED)
	set -e; for python in $$($(BIN)/python -m tests.pythons); do $(MAKE) wheel PYTHON=$$python; done

# The newest of all that the package is built on, with each Python at hand: once a month.
newest: $(INSTALLED)
	$(BIN)/python -m tests.newest --jobs $(JOBS)

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

# What `make bench` runs: what compiling and interpreting cost, in a quarter of an hour.
BENCH ?= start_up parse passes verify ptx interpret lsp compile_time tileir_as scale
# What `make bench-all` runs besides, of which some take as long.
BENCH_MORE := bytecode layouts numerics clusters matrix_units variants simt baseline
# Parts of the longest.
ARGUMENTS_compile_time := --every 5
ARGUMENTS_tileir_as := --every 5
ARGUMENTS_scale := --runs 1
ARGUMENTS_passes := 1
ARGUMENTS_baseline := --quiet

# Some fail where a goal is missed or a count has grown, which does not keep the others from running.
bench: $(INSTALLED)
	missed=; $(foreach name,$(BENCH),\
		$(BIN)/python -m bench.$(name) $(ARGUMENTS_$(name)) || missed="$$missed $(name)";) \
	test -z "$$missed" || { echo "missed or failed:$$missed"; exit 1; }

bench-all:
	$(MAKE) bench BENCH="$(BENCH) $(BENCH_MORE)"

# pyright downloads its program on first use: that belongs to the installation.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test,upstream]'
	$(PYRIGHT) --version
	touch $@

clean:
	rm -rf $(VENV) build
