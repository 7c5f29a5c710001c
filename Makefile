# Everything runs in .venv, which is made, filled and kept up to date here.
#   make demo    explain one row of a bundled data set
#   make test    build, install, run every test
#   make lint    ruff, mypy --strict, import-linter, clang-format
#   make format  let the formatters do their work
#   make docs    the documentation site, in build/docs/html; warnings are errors
#   make wheel   a manylinux wheel in dist/, tried where there is no compiler
#   make bench   speed beside the peers, every table of one commit; CATTLEYA_DATA=folder
#   make fuzz    random trees against brute force, damaged files; MINUTES=10
#   make versions  the suite on every Python and the oldest releases; the wheel; the sdist
#   make coverage  the lines of Python and of the core that no test runs
#   make sanitize  the tests of the native core under AddressSanitizer and others
#   make load    many threads and processes at once; MINUTES=30, DATA=folder
#   make mutants   plant faults one by one; the tests must find them (goes on where it was stopped)
#   make clean   remove what was made

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(wildcard src/core/*/*.?pp fuzz/native/*.?pp)
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find src -type f -not -name '*.pyc')

.PHONY: demo test lint format docs wheel bench fuzz versions coverage sanitize load mutants clean

demo: $(VENV)/.installed
	$(BIN)/cattleya demo

test: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses auto

lint: $(VENV)/.installed $(VENV)/.linters
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CORE)

format: $(VENV)/.linters
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE)

# From nothing: pages are made of the code, whose changes Sphinx does not see.
MADE_DOCS := $(addprefix docs/,benchmarks gallery reference/commands reference/generated)
docs: $(VENV)/.installed $(VENV)/.docs
	@rm -rf build/docs $(MADE_DOCS)
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs build/docs/html
	@echo "the site: build/docs/html/index.html"

wheel: $(VENV)/.linters
	$(BIN)/nox --session wheel

# All tables of one commit, with nothing else running: those that the README repeats, in up to an hour,
# then forests and boosted trees, short reasons, whole models and the explorer, in up to another one.
# It refuses what could not be published, unless OUT names another folder. ENSEMBLES takes further options
# of the second command: the folders of peers that are on no index of packages.
bench: $(VENV)/.installed $(VENV)/.peers $(VENV)/anchors/.peers $(VENV)/ocean/.peers
	$(BIN)/python -m benchmarks $(if $(OUT),--out $(OUT))
	$(BIN)/python -m benchmarks.ensembles --again $(if $(OUT),--out $(OUT)/ensembles.md) $(ENSEMBLES) \
	  $(if $(wildcard $(VENV)/ocean/bin/python),--ocean-python $(VENV)/ocean/bin/python)
	$(BIN)/python -m benchmarks.short --peer-python $(VENV)/anchors/bin/python $(if $(OUT),--out $(OUT)/short.md)
	$(BIN)/python -m benchmarks.audit $(if $(OUT),--out $(OUT)/audit.md)
	$(BIN)/python -m benchmarks.explorer $(if $(OUT),--out $(OUT)/explorer.md)

# Its own errors end it; a failure prints the seed that brings it back.
fuzz: MINUTES ?= 10
fuzz: $(VENV)/.installed
	$(BIN)/pip install --quiet --disable-pip-version-check ".[fuzz]" || echo "no atheris here"
	$(BIN)/python -m fuzz.readers --seconds $$(( $(MINUTES) * 6 ))
	$(BIN)/python -m fuzz.models --models $$(( $(MINUTES) * 10 ))
	$(BIN)/python -m fuzz.boosters --models $$(( $(MINUTES) * 10 ))
	$(BIN)/cmake --build $$(ls -d build/cp*) --target small_trees
	$$(ls -d build/cp*)/small_trees 1000000 $$(date +%s) 2
	$(BIN)/python -m fuzz.middling --minutes $$(( $(MINUTES) / 5 + 1 ))
	$(BIN)/python -m fuzz.ensembles --minutes $$(( $(MINUTES) / 5 + 1 ))
	$(BIN)/python -m fuzz.whole --minutes $$(( $(MINUTES) / 10 + 1 ))
	$(BIN)/python -m fuzz --minutes $(MINUTES)

# The environments are made by nox, in .nox.
versions: $(VENV)/.linters
	$(BIN)/nox

coverage: $(VENV)/.linters
	$(BIN)/nox --session coverage

# The tests that ask the core, not through the command line, pages or pictures; and the random
# driver. In .venv, with a sanitized core in front of the usual one. Python itself is not
# sanitized and frees little at its end, so leaks are looked for in the driver only. What is freed
# is kept for a while, to find who uses it: not much, as a test looks whether memory grows.
CORE_TESTS := $(addprefix tests/, \
  adapters changes core explain model proof reasons robustness support vocabularies)
# They measure memory or time, of which the sanitizer takes much for itself.
MEASURED := memory_stays_within or samples_than_fit or has_no_more_memory
sanitizer = $$($(CXX) -print-file-name=lib$(1).so)

sanitize: $(VENV)/.installed build/sanitized/address/.installed build/sanitized/thread/.installed
	build/sanitized/address-build/small_trees 20000
	build/sanitized/thread-build/small_trees 5000 1 4
	LD_PRELOAD="$(call sanitizer,asan) $(call sanitizer,stdc++)" PYTHONPATH=build/sanitized/address \
	  ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1 \
	  $(BIN)/python -m pytest --numprocesses auto -k "not ($(MEASURED))" $(CORE_TESTS)
	LD_PRELOAD="$(call sanitizer,tsan)" PYTHONPATH=build/sanitized/thread \
	  $(BIN)/python -m pytest tests/support tests/robustness tests/batch/test_native.py -k "thread or load"

build/sanitized/%/.installed: $(VENV)/.builders $(SOURCES) $(wildcard fuzz/native/*)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --upgrade \
	  --target build/sanitized/$* . -C build-dir=build/sanitized/$*-build \
	  -C cmake.define.CATTLEYA_SANITIZE=$(if $(filter address,$*),address$(comma)undefined,$*)
	$(BIN)/cmake --build build/sanitized/$*-build --target small_trees
	@touch $@

comma := ,

load: MINUTES ?= 30
load: $(VENV)/.installed
	$(BIN)/python -m fuzz.load --minutes $(MINUTES) $(if $(DATA),--data-dir $(DATA))

mutants: $(VENV)/.linters
	$(BIN)/nox --session mutants

clean:
	rm -rf $(VENV) .nox build dist $(MADE_DOCS) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "cattleya needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

# Without build isolation, so that only what changed is compiled again.
$(VENV)/.builders: $(VENV)/.made pyproject.toml
	@echo "fetching what the build needs ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check cmake ninja \
	  $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	@touch $@

$(VENV)/.installed: $(VENV)/.builders $(SOURCES)
	@echo "building and installing cattleya ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation ".[test]" \
	  -C cmake.define.CATTLEYA_WERROR=ON
	@touch $@

# What an extra of the project asks for, without the project itself.
extra = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$(1)"])')

$(VENV)/.peers: $(VENV)/.made pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check $(call extra,bench)
	@touch $@

$(VENV)/anchors/.peers: $(VENV)/.made pyproject.toml
	$(BIN)/python -m venv $(VENV)/anchors
	$(VENV)/anchors/bin/pip install --quiet --disable-pip-version-check $(call extra,bench-short)
	@touch $@

# OCEAN of benchmarks/ensembles.py, under the first Python that its solver has wheels for; with our
# release of scikit-learn, whose models it reads.
OCEAN_PYTHON ?= $(firstword $(foreach python,python3.13 python3.12 \
  $(wildcard $(or $(PYENV_ROOT),$(HOME)/.pyenv)/versions/3.1[23].*/bin/python3),\
  $(shell $(python) -c 'import sys, venv; print(sys.executable)' 2>/dev/null)))

$(VENV)/ocean/.peers: $(VENV)/.installed pyproject.toml
	@test "$(OCEAN_PYTHON)" || echo "there is no Python 3.12 or 3.13: OCEAN will not be asked"
	@test -z "$(OCEAN_PYTHON)" || { echo "fetching OCEAN for $(OCEAN_PYTHON) ..." && \
	  $(OCEAN_PYTHON) -m venv $(VENV)/ocean && \
	  $(VENV)/ocean/bin/pip install --quiet --disable-pip-version-check $(call extra,bench-ocean) \
	    scikit-learn==$$($(BIN)/python -c 'import sklearn; print(sklearn.__version__)') && touch $@; }

$(VENV)/.linters: $(VENV)/.made pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check $(call extra,lint)
	@touch $@

$(VENV)/.docs: $(VENV)/.made pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check $(call extra,docs)
	@touch $@
