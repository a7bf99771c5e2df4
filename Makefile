# What a person or CI runs. `make help` lists the targets.

GO        ?= go
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
TOOLS     := $(CURDIR)/bin/tools
FUZZTIME  ?= 60s
# With CLP where cgo, a C compiler and CLP's headers are at hand; else without.
TAGS       = $(shell scripts/have-clp || echo noclp)
WASM_EXEC  = $(shell $(GO) env GOROOT)/lib/wasm/go_js_wasm_exec
# Packages that neither need cgo nor an operating system.
PURE      := . ./formulation/... ./heuristics/... ./solver ./solver/backend ./solver/lptest ./solver/lpfile ./solver/tree

.PHONY: help setup setup-tests build demo test test-noclp test-js lint fence schema fuzz bench table readme clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

setup: ## install CLP and pkg-config where that is possible
	@scripts/setup

setup-tests: ## install CBC as well, which tests compare against
	@scripts/setup tests

build: ## build bin/jigsaw
	@mkdir -p bin
	$(GO) build -trimpath -tags '$(TAGS)' -o bin/jigsaw ./cmd/jigsaw

demo: setup ## plan the quickstart example and draw it
	@$(MAKE) --no-print-directory build
	bin/jigsaw plan quickstart --gantt quickstart.svg

test: setup-tests ## the short tests under the race detector, then all tests
	@scripts/test '$(TAGS)'

test-noclp: ## build and test without CLP, as on a machine that lacks it
	CGO_ENABLED=0 $(GO) build ./...
	$(GO) build -tags noclp ./...
	CGO_ENABLED=0 $(GO) test -short ./...

test-js: ## build for js/wasm and run the pure packages' tests under Node
	GOOS=js GOARCH=wasm $(GO) build ./...
	GOOS=js GOARCH=wasm $(GO) test -short -exec='$(WASM_EXEC)' $(PURE)

lint: $(TOOLS)/golangci-lint fence ## formatting, vet, linters, and the walls between packages
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet -tags '$(TAGS)' ./...
	$(TOOLS)/golangci-lint run --build-tags '$(TAGS)' ./...

fence: ## cgo and lanl/clp only in solver/clp
	@! git grep -lE '^import "C"|"github.com/lanl/clp"' -- '*.go' ':!solver/clp/'

$(TOOLS)/golangci-lint:
	GOBIN=$(TOOLS) $(GO) install $(LINT)

schema: ## rewrite the published JSON Schemas from the Go types
	$(GO) test -tags '$(TAGS)' -run Schema ./formulation/instance . -update

fuzz: ## fuzz every reader for FUZZTIME each
	@scripts/fuzz '$(FUZZTIME)'

bench: ## the package benchmarks
	$(GO) test -tags '$(TAGS)' -run '^$$' -bench . -benchmem ./...

table: build ## the README's table of the examples
	@scripts/table

readme: build ## rewrite the generated parts of the README
	@scripts/readme

clean: ## remove what was built
	rm -rf bin quickstart.svg
