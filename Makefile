# What a person or CI runs. `make help` lists the targets.

GO        ?= go
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
TOOLS     := $(CURDIR)/bin/tools
# Not in site/package.json: npm ci wants every platform's part of it, and some
# registries lack some.
BIOME     := @biomejs/biome@2.6.8
FUZZTIME  ?= 60s
# The network in Go also where cgo is on, so that builds with and without it share all packages that import it,
# of which SQLite takes a minute to compile.
GONET     := netgo osusergo
# With CLP if cgo, a C compiler and CLP's headers are available; else without.
TAGS       = $(GONET) $(shell scripts/have-clp || echo noclp)
# CLP as WebAssembly, if make clp-wasm has built it.
CLP_WASM  := $(CURDIR)/bin/clp/clp.wasm
# The page is part of the program once make site has built it.
SITE       = $(if $(wildcard site/dist.zip),site)
# Packages that start goroutines of their own. Those in SLOW are too slow for each change under the race
# detector: only their tests of concurrent code run there. The facade's tests cover formulation and heuristics.
# study/sweep is left to make soak: its database takes minutes to compile for the race detector. What makes the first
# plan is raced by TestQuickPlan; TestFirstIsTheQuickPlan, which compares the two on all examples, runs under Node as well.
RACED     := ./solver ./solver/backend ./solver/colgen ./solver/eventloop ./solver/tree
SLOW      := . ./whatif ./solver/clp ./wasm/api
RACES     := SameSeed|Cancel|Deadline|TimeLimit|Stop|TestQuickPlan|Timed|Showcase|Resilience$$|Live|StartsTogether|Trap|Session
# Tests of the facade, and scripts of the command line, that also run without CLP, as on a machine that lacks it.
LACKING   := $(RACES)|Engine|Example|Notes|Without|Infeasible|Certificates|Export|Scripts/^(bound|certify|explain|log|misc|plan)$$
# PURE: packages that need neither cgo nor an operating system. PORTED: those of them that depend on their
# platform, because they use files, clocks, goroutines or an engine; solver's packages are tested with the
# engine in a separate run. Of the facade and of whatif, the tests in RACES.
PURE      := . ./whatif ./formulation/... ./heuristics/... ./solver/... ./wasm/...
PORTED    := ./solver/backend ./wasm/...
# Paths without this folder, so that steps share Go's build and test caches. Tests do not vet: make lint does.
# No data for debuggers, which take an eighth of the time to compile; stack traces and profiles need none.
SHARED    := -trimpath -vet=off -gcflags=all=-dwarf=false
export GOFLAGS := $(SHARED) $(filter-out $(SHARED),$(GOFLAGS))

.PHONY: help setup setup-all setup-tests build wasm size site test-site e2e measure-site picture clp-wasm dist demo test soak test-noclp test-js same-plans kernel fmt check-fmt lint linter fence schema fuzz bench bench-go bench-peers bench-classical bench-smoke test-peers test-reader test-profiler study-smoke study-paper test-slurm table spb-quality readme replay-tables clean FORCE

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

setup: ## install CLP and pkg-config where that is possible
	@scripts/setup

setup-all: ## install everything that .ci/run uses
	@for what in '' tests slurm torch site browser; do scripts/setup $$what; done

setup-tests: ## install CBC as well, which tests compare against
	@scripts/setup tests

build: ## build bin/jigsaw
	@mkdir -p bin
	@scripts/first-build
	$(GO) build -trimpath -ldflags '-s -w' -tags '$(strip $(TAGS) $(SITE))' -o bin/jigsaw ./cmd/jigsaw

# The packages in which planning spends its time; in all others the browser's build inlines nothing, which is smaller.
HOT := runtime/... internal/runtime/... internal/bytealg internal/goarch sync/... internal/sync \
	math/... sort slices cmp maps iter container/heap \
	jigsaw/formulation/relax/... jigsaw/formulation/bound/... jigsaw/formulation/tree jigsaw/formulation/memory \
	jigsaw/formulation/instance jigsaw/formulation/instance/route jigsaw/formulation/instance/groups jigsaw/formulation/instance/check jigsaw/heuristics/...
# How Go is compiled for the browser, also for tests under Node, which thus find most of it compiled.
CORE := -gcflags=all=-l $(HOT:%=-gcflags=%=)

wasm: ## build the browser's core, and the part of it that makes a first plan, into bin/wasm
	@mkdir -p bin/wasm bin/whole
	GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags '-s -w' $(CORE) -o bin/whole/core.wasm ./wasm
	GOOS=js GOARCH=wasm $(GO) build -trimpath -ldflags '-s -w' -gcflags all=-l -tags first -o bin/whole/first.wasm ./wasm
	@pack() { \
		cksum bin/whole/$$1 scripts/pack-wasm | cmp -s - bin/whole/$$1.packed && [ -e bin/wasm/$$1 ] && return; \
		rm -f bin/wasm/$$2; cp bin/whole/$$1 bin/wasm/$$1; \
		scripts/pack-wasm bin/wasm/$$1 bin/wasm/$$2 $$3 && cksum bin/whole/$$1 scripts/pack-wasm >bin/whole/$$1.packed || \
			echo 'wasm: not packed, a seventh larger than necessary; packing needs Node' >&2; \
	}; pack core.wasm data.wasm; pack first.wasm first-data.wasm nameless
	@install -m 644 "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" bin/wasm/

# The largest compressed size of the core and CLP, in bytes; see DECISIONS.md, section 21.
SIZE_LIMIT := 2742000
# And of what is loaded before the first plan.
FIRST_LIMIT := 1330000

size: wasm ## check how much the browser has to load
	@scripts/size $(FIRST_LIMIT) bin/wasm/first.wasm $(wildcard bin/wasm/first-data.wasm)
	@scripts/size $(SIZE_LIMIT) bin/wasm/core.wasm $(wildcard bin/wasm/data.wasm bin/clp/clp.wasm)

site: site/node_modules/.package-lock.json ## build the playground into site/dist, and bin/jigsaw that serves it
	@$(MAKE) --no-print-directory wasm
	@$(MAKE) --no-print-directory clp-wasm || echo 'site: CLP is left out: plans in the browser will have no bounds from linear programs' >&2
	cd site && npm run --silent build
	scripts/licences >site/dist/LICENCES.txt
	@if [ -f bin/clp/clp.wasm ]; then mkdir -p site/dist/clp && install -m 644 bin/clp/*.txt bin/clp/*.md site/dist/clp/; fi
	@scripts/brotli site/dist
	$(GO) run ./site/pack
	@$(MAKE) --no-print-directory build SITE=site

site/node_modules/.package-lock.json: site/package-lock.json
	@scripts/setup site
	cd site && npm ci --no-fund --no-audit
	@touch $@

test-site: site/node_modules/.package-lock.json wasm ## type-check and test the page's TypeScript
	cd site && npm run --silent lint && npm run --silent test

e2e: site ## test the built page in Chromium; pictures of it go to bin/shots
	@scripts/setup browser
	@if scripts/chromium >/dev/null; then cd site && npm run --silent e2e; else echo 'e2e: no Chromium: left out' >&2; fi

measure-site: site ## measure the page in Chromium, rewrite the table of docs/playground.md: five minutes
	@scripts/setup browser
	cd site && npm run --silent measure

picture: site ## redraw docs/playground.png, the README's picture of the page
	@scripts/setup browser
	cd site && npm run --silent picture

$(TOOLS)/node_modules/.bin/biome:
	npm install --prefix $(TOOLS) --save-exact $(BIOME)

# The platforms of a release; make dist PLATFORMS=host VERSION=test packs only for this machine.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
dist: site ## pack self-contained programs for download into bin/dist: minutes per platform
	@scripts/dist bin/dist '$(VERSION)' $(PLATFORMS)

demo: setup ## plan the quickstart example and draw it
	@$(MAKE) --no-print-directory build
	@echo 'demo: planning the example quickstart: seconds'
	bin/jigsaw plan quickstart --gantt quickstart.svg

test: setup-tests ## the tests of every change; those of concurrent code also under the race detector
	@scripts/test '$(TAGS)' '$(RACED)' '$(SLOW)' '$(RACES)' -short
	@$(GO) test -tags '$(TAGS) first' -run Sum256 ./formulation/instance

soak: setup-tests ## the long tests: every seed and size, then all short ones under the race detector and under Node, and the page's
	@scripts/test '$(TAGS)' '' '' ''
	@scripts/test '$(TAGS)' ./... '' '' -short
	@$(MAKE) --no-print-directory test-js PORTED='$(PURE)' FACADE=
	@SOAK=1 $(MAKE) --no-print-directory e2e

clp-wasm: ## build bin/clp/clp.wasm: CLP for the browser, and for builds without cgo
	@scripts/clp-wasm

test-noclp: ## build and test without CLP, as on a machine that lacks it, then with clp.wasm
	CGO_ENABLED=0 $(GO) build ./...
	$(GO) build -tags '$(GONET) noclp' ./solver/... .
	JIGSAW_CLP_WASM=none CGO_ENABLED=0 $(GO) test -short ./solver/backend ./solver/clp
	JIGSAW_CLP_WASM=none CGO_ENABLED=0 $(GO) test -short -run '$(LACKING)' . ./whatif ./cmd/jigsaw
	! test -e $(CLP_WASM) || JIGSAW_CLP_WASM=$(CLP_WASM) CGO_ENABLED=0 $(GO) test -short ./solver/...

FACADE    ?= $(RACES)|FirstIs
# With CLP the tests of the pure packages would take many times as long: the engine has its own
# tests, and same-plans compares the resulting plans.
test-js: ## build for js/wasm and run platform-dependent tests under Node, the engine's with clp.wasm
	GOOS=js GOARCH=wasm $(GO) build $(CORE) ./...
	JIGSAW_CLP_WASM=none GOOS=js GOARCH=wasm $(GO) test $(CORE) -short -timeout 60m -exec='$(CURDIR)/scripts/go-js-exec' $(PORTED)
	JIGSAW_CLP_WASM=none GOOS=js GOARCH=wasm $(GO) test $(CORE) -short -timeout 60m -exec='$(CURDIR)/scripts/go-js-exec' -run '$(FACADE)' . ./whatif
	GOOS=js GOARCH=wasm $(GO) test $(CORE) -short -exec='$(CURDIR)/scripts/go-js-exec' ./solver/...

# For example PLANS='3 rack crossing': three seeds of two examples.
PLANS     ?= 1 queue tight-memory infeasible
same-plans: ## compare plans made with CLP by cgo, in Node as in a browser, and by a packed program
	@scripts/same-plans '$(TAGS)' '$(CORE)' $(PLANS)

kernel: ## the size of the kernel that proofs rely on: lines of files, lines that checks execute
	scripts/kernel

fmt: $(TOOLS)/node_modules/.bin/biome ## format Go and TypeScript, before each commit
	gofmt -w $$(git ls-files '*.go')
	cd site && $(TOOLS)/node_modules/.bin/biome check --write .

check-fmt: $(TOOLS)/node_modules/.bin/biome ## Go and TypeScript are formatted
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	cd site && $(TOOLS)/node_modules/.bin/biome check .

# The linters include those of go vet.
lint: $(TOOLS)/golangci-lint fence ## vet, linters, and the import rules of packages
	$(TOOLS)/golangci-lint run --build-tags '$(TAGS)' ./...

fence: ## cgo and lanl/clp only in solver/clp
	@! git grep -lE '^import "C"|"github.com/lanl/clp"' -- '*.go' ':!solver/clp/'

linter: $(TOOLS)/golangci-lint

$(TOOLS)/golangci-lint:
	GOBIN=$(TOOLS) $(GO) install $(LINT)

schema: ## rewrite the published JSON Schemas from the Go types
	$(GO) test -tags '$(TAGS)' -run Schema ./formulation/instance/codec . -update

fuzz: ## fuzz every reader for FUZZTIME each
	@scripts/fuzz '$(FUZZTIME)'

bench-go: ## the package benchmarks
	$(GO) test -tags '$(TAGS)' -run '^$$' -bench . -benchmem ./...

# Flags of a study, such as BENCH='--sizes tiny,small --seeds 2 --limit 10s'.
BENCH     ?=
RESULTS   := study/bench/results

bin/bench: FORCE
	@mkdir -p bin
	$(GO) build -trimpath -tags '$(TAGS)' -o bin/bench ./study/bench/cmd/bench
FORCE:

bench: bin/bench ## measure JigSaw on generated instances: up to 16 hours, existing rows are skipped
	bin/bench run --out $(RESULTS)/jigsaw.jsonl $(BENCH)
	bin/bench table $(RESULTS)/jigsaw.jsonl

bench-peers: build bin/bench bin/peers/installed ## measure other solvers on the same instances
	bin/bench peers --out $(RESULTS)/peers.jsonl $(BENCH)
	bin/bench table $(RESULTS)/jigsaw.jsonl $(RESULTS)/peers.jsonl

CLASSICAL ?= ../shared/data/classical

bench-classical: bin/bench ## measure JigSaw on published instances with known optima, in the folder CLASSICAL: 20 minutes
	bin/bench classical --data $(CLASSICAL) --out $(RESULTS)/classical.jsonl $(BENCH)

bench-smoke: bin/bench ## a few rows of seconds each, to see that the study works
	rm -f bin/bench-smoke.jsonl
	bin/bench run --strict --sizes tiny --regimes area,crossing,planted --seeds 1 --limit 2s --out bin/bench-smoke.jsonl
	bin/bench table bin/bench-smoke.jsonl

study-smoke: build ## a small version of every study, in less than two minutes
	@scripts/study-smoke

study-paper: build ## the headline study, its report and the tables of docs/study.md: several minutes
	bin/jigsaw study run paper --db bin/paper.db
	bin/jigsaw report bin/paper.db --file bin/paper.html
	bin/jigsaw report bin/paper.db --file docs/study.md

test-slurm: build ## a study as a job array of a real Slurm, if that can run
	@scripts/setup slurm
	@scripts/test-slurm

test-peers: build ## compare the peers' model with brute force, if pip can install them
	@$(MAKE) --no-print-directory bin/peers/installed || { echo 'test-peers: the peers cannot be installed: the comparison is left out' >&2; exit 0; }; \
	$(GO) test -tags '$(TAGS)' -count 1 -run "CPSAT|Programs" -v ./study/bench

bin/peers/installed: study/bench/peers/requirements.txt
	python3 -m venv bin/peers
	bin/peers/bin/pip install --quiet -r $<
	command -v cbc >/dev/null || echo 'CBC is missing: sudo apt-get install coinor-cbc'
	touch $@

# Needs only Python's standard library. make test includes these tests.
test-reader: ## compare the compiler and the checker with a second reader of docs/problem.md, in Python
	$(GO) test -tags '$(TAGS)' -v ./scripts/reader

test-profiler: ## test the PyTorch companion on a CPU, if a Python has PyTorch (make setup-all)
	$(GO) test -tags '$(TAGS)' -v ./profiler

table: build ## the README's table of the examples
	@scripts/table

spb-quality: ## train small models with SPB, rewrite the tables of docs/spb-quality.md: five minutes on two cores
	@scripts/spb-quality

readme: build ## rewrite the generated parts of the README
	@scripts/readme

# DATA is the folder with the published files of Muri and Gavel; see docs/replay.md.
replay-tables: ## rewrite the tables of docs/replay.md from the data in DATA
	$(GO) run -tags '$(TAGS)' ./study/fidelity --data '$(DATA)' docs/replay.md

clean: ## remove what was built
	rm -rf bin site/dist site/dist.zip solver/clp/wasm/clp.wasm quickstart.svg
