# Two commands do everything on a fresh machine: `make serve` and `make test`.
# Everyday builds skip link-time optimisation; `make release` makes the page that is published.

CACHE ?= $(if $(QUERYLORE_CACHE),$(QUERYLORE_CACHE),$(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/querylore)
# The encoders that the built page offers; `make serve ENCODERS="all-MiniLM-L6-v2 all-mpnet-base-v2"` adds the larger one.
ENCODERS ?= all-MiniLM-L6-v2
QWEN := $(CACHE)/qwen2.5-coder-0.5b
export QUERYLORE_CACHE := $(CACHE)

WASM := target/wasm32-unknown-unknown
LAB := target/debug/lab
CARGO := cargo --locked
# What each program for the browser is built with, so that none carries what only another one needs.
PAGE := --target wasm32-unknown-unknown --no-default-features --features page --bin querylore
DATABASE := --target wasm32-unknown-unknown --no-default-features --features sqlite --bin db
EMBEDDER := --target wasm32-unknown-unknown --no-default-features --features encoder --bin embedder

.PHONY: help serve test dist release check native browser e2e model bench screenshots gallery setup-build setup-test clean

help:
	@echo "make serve        build the page and serve it on http://127.0.0.1:8080"
	@echo "make test         formatting, lints, native, browser and end-to-end tests"
	@echo "make dist         build the page into dist/"
	@echo "make release      build the published page into dist/, fully optimised (slow)"
	@echo "make model        fetch a small language model for the test with a real one"
	@echo "make bench        the benchmarks of docs/results.md"
	@echo "make screenshots  the pictures of README.md"
	@echo "make gallery      pictures of every page, dialog and state, in e2e/gallery/"

serve: dist
	$(LAB) serve --dir dist

setup-build:
	scripts/setup.sh build

setup-test:
	scripts/setup.sh test
	cd e2e && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund

# ---- the page ----

dist: setup-build $(LAB) weights
	$(CARGO) build $(PAGE)
	$(CARGO) build $(DATABASE)
	$(CARGO) build $(EMBEDDER)
	scripts/dist.sh $(WASM)/debug $(WASM)/debug "$(CACHE)" $(LAB) $(ENCODERS)

release: setup-build $(LAB) weights
	$(CARGO) build $(PAGE) --profile page
	$(CARGO) build $(DATABASE) --release
	$(CARGO) build $(EMBEDDER) --release
	scripts/dist.sh $(WASM)/page $(WASM)/release "$(CACHE)" $(LAB) $(ENCODERS)
	scripts/shrink.sh

.PHONY: $(LAB) weights
$(LAB): setup-build
	$(CARGO) build --bin lab

weights: setup-build
	for name in $(ENCODERS); do scripts/weights.sh $$name "$(CACHE)/$$name" || exit 1; done

# A small language model with what serves it, 570 MB; the tests with a real model run where it is in the cache.
model: setup-build
	scripts/model.sh $(QWEN)

# ---- tests ----

test: setup-test check native browser e2e

check: setup-build
	$(CARGO) fmt --check
	$(CARGO) clippy --all-targets -- -D warnings
	$(CARGO) clippy --target wasm32-unknown-unknown --lib --bins --test browser_embedding --test browser_worker -- -D warnings

native: setup-build weights
	-scripts/weights.sh all-mpnet-base-v2 "$(CACHE)/all-mpnet-base-v2"
	-scripts/model.sh $(QWEN)
	$(CARGO) test

# The GPU test runs on a software adapter, which takes minutes.
browser: setup-test
	CHROMEDRIVER=$$(command -v chromedriver) WASM_BINDGEN_TEST_TIMEOUT=300 \
	  $(CARGO) test --target wasm32-unknown-unknown --no-default-features --features encoder \
	    --test browser_embedding --test browser_worker

# The larger encoder is tested where its weights are in the cache.
e2e: ENCODERS += $(if $(wildcard $(CACHE)/all-mpnet-base-v2/model.safetensors),all-mpnet-base-v2)
e2e: setup-test dist
	-scripts/model.sh $(QWEN)
	cd e2e && npx playwright test

screenshots: setup-test dist
	cd e2e && npx playwright test --config screenshots.config.ts

gallery: setup-test dist
	cd e2e && npx playwright test --config gallery.config.ts

# Natively with divan (optimised, without link-time optimisation), then one browser page that prints JSON.
bench: setup-test dist
	CARGO_PROFILE_BENCH_LTO=off CARGO_PROFILE_BENCH_CODEGEN_UNITS=16 $(CARGO) bench --bench native
	$(LAB) serve --dir dist --listen 127.0.0.1:4190 & server=$$!; \
	  cd e2e && node bench.mjs http://127.0.0.1:4190; status=$$?; kill $$server; exit $$status

clean:
	rm -rf dist target
