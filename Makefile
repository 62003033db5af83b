# The front door. Each target works in a fresh clone on Debian 12 with git and make; what else it needs, it installs.
.DEFAULT_GOAL := build
.PHONY: build test reproduce planning bench check asan tsan fuzz faults golden pictures deps clean

SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

deps:
	@scripts/install-deps

build/%/build.ninja: CMakeLists.txt CMakePresets.json | deps
	cmake --preset $*

build: build/release/build.ninja        ## the tool, at build/release/assay
	cmake --build build/release --target assay_tool

reproduce: build                        ## the paper's experiments, and ours: to build/reproduction/report.html
	build/release/assay reproduce --out build/reproduction --resume

planning: build                         ## methods that search at every step, for hours: to build/planning/times.txt
	build/release/assay reproduce planning --out build/planning --resume

# Three at a time: one that waits for a browser leaves a core idle.
test: build/release/build.ninja         ## all tests
	scripts/install-deps web
	cmake --build build/release --target tests
	ctest --test-dir build/release --output-on-failure -j 3

bench: build/release/build.ninja        ## ratios and nanoseconds; also to build/bench-*.json
	scripts/install-deps bench
	cmake --build build/release --target bench_exact bench_cross bench_train bench_load bench_simulation
	build/release/bench_train --json build/bench-train.json
	build/release/bench_cross --json build/bench-cross.json
	build/release/bench_exact --json build/bench-exact.json
	build/release/bench_load --json build/bench-load.json
	build/release/bench_simulation --json build/bench-simulation.json

check: build/clang/build.ninja          ## formatting and clang-tidy
	clang-format --dry-run --Werror $(SOURCES)
	scripts/tidy

# Of the undefined behaviour sanitizer, without what checks each address a second time: that doubles the time to compile.
asan: build/asan/build.ninja            ## the tests under address and undefined behaviour sanitizers, but for tests/slow.cmake
	cmake --build build/asan --target assay_tool test_unit test_conformance test_statistical
	ctest --test-dir build/asan --output-on-failure -j 2 -L 'unit|conformance|statistical|golden' -LE slow

# A test with threads has Thread in its name.
tsan: build/tsan/build.ninja            ## the threaded tests and the server under the thread sanitizer
	cmake --build build/tsan --target assay_tool test_unit
	ctest --test-dir build/tsan --output-on-failure -j 2 -R 'Thread|report.serve' -E SignatureCommand

FUZZ_SECONDS ?= 600
fuzz: build/fuzz/build.ninja            ## any bytes as problem files, for FUZZ_SECONDS; what is new goes to build/fuzz/corpus
	cmake --build build/fuzz --target fuzzers
	scripts/fuzz build/fuzz $(FUZZ_SECONDS)

faults: build/release/build.ninja       ## lets the n-th allocation, write, fsync, rename, thread or SQLite call fail, for all n: an hour
	cmake --build build/release --target assay_tool fault_interposer
	tests/fault/run.py build/release/assay build/release/libfault_interposer.so --all

golden: build                           ## writes the golden files anew: look at the diff before you commit it
	scripts/golden build/release/assay tests/golden

pictures: reproduce                     ## the README's pictures, from a full reproduction
	scripts/install-deps web
	web/install
	node web/test/page.mjs build/reproduction/report.html build/pictures build/reproduction/runs.csv --fps
	build/release/assay figures build/reproduction --to build/pictures
	cp build/pictures/player.png build/pictures/treasure_map.svg docs/images

clean:
	rm -rf build
