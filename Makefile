# make demo and make test do all their own set-up; the other targets are for development.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
CORE := $(shell find core -name '*.h' -o -name '*.cc') CMakeLists.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: all build wheel docs demo test lint format bench sanitize sanitize-threads fuzz chaos clean

all: build

# -- set-up: tools, virtual environment, editable build ---------------------------------------

$(VENV)/.tools: tools/setup.sh
	@PYTHON=$(PYTHON) sh tools/setup.sh
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade pip 'setuptools>=70.1' 'scikit-build-core>=0.11' 'nanobind>=2.9' ninja
	@touch $@

$(VENV)/.built: $(VENV)/.tools pyproject.toml $(CORE)
	@echo 'building Demotic into $(VENV)'
	@$(PIP) --no-build-isolation -C cmake.define.DEMOTIC_STRICT=ON -e '.[train]'
	@$(BIN)/python -m compileall -q src/demotic  # as an installation does
	@touch $@

$(VENV)/.test: $(VENV)/.built
	@echo 'installing what the tests compare with (the first time takes a few minutes)'
	@sh tools/setup.sh test
	@$(PIP) 'demotic[test]'  # demotic itself is installed; what it names is built in isolation
	@touch $@

$(VENV)/.dev: $(VENV)/.test
	@$(PIP) 'demotic[dev]'
	@touch $@

build: $(VENV)/.built

# A wheel for machines without a compiler, tried in an environment that has nothing else.
wheel: $(VENV)/.tools
	BIN=$(BIN) sh tools/wheel.sh

# The site, in docs-out: pages that need no network to be read.
$(VENV)/.docs: $(VENV)/.built
	@$(PIP) 'demotic[docs]'
	@touch $@

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --quiet --builder html docs docs-out
	@! grep -rlE '(src="|url\(|<link [^>]*href=")https?:' docs-out --include='*.html' --include='*.css'
	@echo 'docs-out/index.html'

# -- what one runs ----------------------------------------------------------------------------

demo: $(VENV)/.built
	$(BIN)/demotic demo --out demo-out

test: $(VENV)/.test
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(filter %.h %.cc,$(CORE))

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks
	$(BIN)/clang-format -i $(filter %.h %.cc,$(CORE))

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

# A sanitised core lives in an environment of its own, with the packages of this one. What came of
# each file of tests is kept in sanitize-out: a run that was stopped goes on where it was.
sanitize: KIND = address
sanitize-threads: KIND = thread
sanitize sanitize-threads: $(VENV)/.test
	@test -x $(VENV)-$(KIND)/bin/python || $(PYTHON) -m venv --system-site-packages $(VENV)-$(KIND)
	@$(BIN)/python -c 'import sys; print(*(p for p in sys.path if p.endswith("-packages")), sep="\n")' \
	  > $$($(VENV)-$(KIND)/bin/python -c 'import site; print(site.getsitepackages()[0])')/base.pth
	@$(VENV)-$(KIND)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation -C build-dir=build-$(KIND) -C cmake.define.DEMOTIC_SANITIZE=$(KIND) \
	  -C cmake.build-type=None --force-reinstall .
	$(BIN)/python -m tests.sanitized $(KIND) --python $(VENV)-$(KIND)/bin/python $(SANITIZE)

# Every reader on changed input, SECONDS of CPU time each; FUZZ=--guided lets atheris look for new
# branches, FUZZ='text "core lm"' takes some readers.
SECONDS ?= 5
FUZZ ?=
fuzz: $(VENV)/.test
	$(if $(findstring --guided,$(FUZZ)),@$(PIP) 'demotic[fuzz]')
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(FUZZ)

# Trainings killed at random points, on full disks, with little memory; then resumed. CHAOS='--kinds
# kills --kills 200' and the like: see tests/chaos/__main__.py.
chaos: $(VENV)/.test
	$(BIN)/python -m tests.chaos $(CHAOS)

clean:
	rm -rf build build-address build-thread $(VENV) $(VENV)-address $(VENV)-thread
	rm -rf demo-out docs-out bench-out fuzz-out sanitize-out
