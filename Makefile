# Each target sets itself up from nothing (virtual environment, dependencies, build); a second run is quick.
PYTHON ?= python3
BIN := .venv/bin
OUT ?= out

.PHONY: demo gui test bench mutation lint docs setup stub clean help

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

setup:  ## virtual environment, dependencies, build of the C++ core
	@$(PYTHON) tools/bootstrap.py

demo: setup  ## the main job on a bundled vehicle: a van drawn, converted, tuned and proven, with its report
	@$(BIN)/python examples/demo.py $(OUT)/demo

gui: setup  ## the workbench in a browser, on the bundled vehicles
	$(BIN)/trackrod gui --workspace $(OUT)/workbench

test: lint  ## lint, then all tests (C++ tests of the core and journeys in Chromium included)
	@$(BIN)/python tools/chromium.py
	$(BIN)/python -m pytest -n auto --dist loadfile

lint: setup  ## style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup  ## timings as ratios against a peer, in one table and benchmarks/results.json
	$(BIN)/python -m benchmarks

mutation: setup  ## faults planted in the physics-facing modules: how many do the tests notice? docs/mutation.md
	$(BIN)/python -m tools.mutation

docs: setup  ## the generated pages, tables and pictures under docs, and the site in build/site
	$(BIN)/python tools/write_vocabulary.py
	$(BIN)/python tools/write_cli_reference.py
	$(BIN)/python tools/write_reference.py
	$(BIN)/python tools/write_api.py
	$(BIN)/python tools/write_vehicle_index.py
	$(BIN)/python tools/write_multibody_figures.py
	$(BIN)/python tools/write_road_figures.py
	$(BIN)/python tools/write_report_figures.py
	$(BIN)/python examples/comfort_and_road_holding.py suv docs/images/comfort_and_road_holding.png
	$(BIN)/python tools/write_controls.py
	$(BIN)/python tools/write_tour.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open build/site/index.html"

stub: setup  ## type stub of the C++ module
	$(BIN)/python -m nanobind.stubgen -m trackrod._core -o src/trackrod/_core.pyi

clean:  ## everything that was generated
	rm -rf .venv build $(OUT) .mypy_cache .ruff_cache .pytest_cache .hypothesis
