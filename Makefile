# CodeMode: everything that can be done here, each target with all its own set-up. It needs Rust with rustup, Node 20 with npm,
# and a C compiler.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The outputs have fixed places, whatever the shell that calls make has set.
override export CARGO_TARGET_DIR := $(CURDIR)/target

CARGO ?= cargo
NODE ?= node
NPM ?= npm

COMPONENT := target/codemode.wasm
COMMAND := target/release/codemode
NODE_COMMAND := $(NODE) host-js/bin/codemode.js
GUEST_CRATES := -p codemode-bytecode -p codemode-compiler -p codemode-runtime -p codemode-guest

PROGRAMS ?= tests/bench/programs
RUNS ?= 7

## help: this list
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

## build: the component and both hosts: target/codemode.wasm, target/release/codemode, host-js/bin/codemode.js
build: component $(COMMAND) host-js

## component: the interpreter as a WebAssembly component
component: rust-target
	$(CARGO) build --profile component --target wasm32-wasip2 -p codemode-component
	$(FINISH_COMPONENT)

# What happens to the component between the linker and its users: it prepares itself, and instances start from a snapshot of its
# memory (PREINIT=0 leaves that out). The command that takes the snapshot is built around the component as it was linked, for it
# must embed one. All this happens only when the linked component is another one, so that what is made from it is not made again
# for nothing.
BUILT_COMPONENT := target/wasm32-wasip2/component/codemode_component.wasm
LINKED_COMPONENT := target/codemode.linked.wasm
PREINIT ?= 1
FINISHED_HOW := target/codemode.finished
define FINISH_COMPONENT
@if [ ! -e $(COMPONENT) ] || ! cmp -s $(BUILT_COMPONENT) $(LINKED_COMPONENT) || [ "$$(cat $(FINISHED_HOW) 2>&1)" != "$(PREINIT)" ]; then \
	set -e; \
	rm -f $(FINISHED_HOW); \
	cp $(BUILT_COMPONENT) $(LINKED_COMPONENT); \
	if [ "$(PREINIT)" = 0 ]; then \
		cp $(LINKED_COMPONENT) $(COMPONENT); \
	else \
		CODEMODE_COMPONENT="$(CURDIR)/$(LINKED_COMPONENT)" $(CARGO) build --release -p codemode; \
		$(COMMAND) preinit $(LINKED_COMPONENT) $(COMPONENT); \
	fi; \
	echo "$(PREINIT)" > $(FINISHED_HOW); \
fi
endef

$(COMMAND): component FORCE
	$(CARGO) build --release -p codemode

## host-js: the npm package
host-js: component host-js/node_modules/.installed
	@if [ ! -e host-js/generated/.made ] || [ -n "$$(find $(COMPONENT) host-js/scripts -newer host-js/generated/.made)" ]; then \
		cd host-js && $(NPM) run --silent generate && touch generated/.made; fi
	cd host-js && $(NPM) run --silent compile

## run: the report program in wasmtime and in Node, and whether both say the same
run: build
	$(NODE) tests/programs/run-both.mjs

## test: every test; the last line is `N passed, N failed`
test: build
	@$(NODE) tests/ci/run-stages.mjs \
		"guest crates=$(CARGO) test --no-fail-fast $(GUEST_CRATES)" \
		"language, native=$(CARGO) test --no-fail-fast -p codemode-tests" \
		"wasmtime host=$(CARGO) test --release --no-fail-fast -p codemode" \
		"Node host=cd host-js && $(NPM) test --silent" \
		"language, wasmtime=$(NODE) tests/language/run.mjs --command $(COMMAND)" \
		"language, Node=$(NODE) tests/language/run.mjs --host-js" \
		"cases=$(NODE) tests/cases/run.mjs --command $(COMMAND) --command '$(NODE_COMMAND)'"

## cases: the program cases of tests/cases on both commands
cases: build
	$(NODE) tests/cases/run.mjs --command $(COMMAND) --command "$(NODE_COMMAND)"

## zeal: the language tests with a collection at every safepoint
zeal:
	ZEAL=1 $(CARGO) test --no-fail-fast -p codemode-tests

## bless: rewrites every committed expectation to what happens now; look at the difference before you commit
bless: build
	BLESS=1 $(CARGO) test --no-fail-fast $(GUEST_CRATES) -p codemode-tests
	$(NODE) tests/language/run.mjs --host-js --bless
	$(NODE) tests/cases/run.mjs --command $(COMMAND) --command "$(NODE_COMMAND)" --bless

## bench: this engine beside two others; PROGRAMS=DIR takes other programs, RUNS=N more rounds
bench: build tests/bench/node_modules/.installed
	$(NODE) tests/bench/bench.mjs --programs $(PROGRAMS) --runs $(RUNS)

## lint: formatting, clippy and types
lint: host-js
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	cd host-js && $(NPM) run --silent lint

## fmt: formats the Rust code
fmt:
	$(CARGO) fmt --all

## clean: removes everything that was built or installed here
clean:
	$(CARGO) clean
	rm -rf host-js/dist host-js/generated host-js/node_modules tests/bench/node_modules

rust-target:
	@command -v rustup >/dev/null || { echo "make: rustup is missing; it installs the WebAssembly target" >&2; exit 1; }
	@rustup target add wasm32-wasip2

%/node_modules/.installed: %/package-lock.json %/package.json
	cd $* && $(NPM) ci --no-audit --no-fund
	@touch $@

FORCE:

.PHONY: help build component host-js run test cases zeal bless bench lint fmt clean rust-target FORCE
