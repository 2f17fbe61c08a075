# Two commands do it all on a fresh Debian or Ubuntu machine: "make demo" and "make test".
# Both install what is missing, and only that, through apt. "make devices" adds a second OpenCL run-time for
# CPUs, which the tests then use as well. "make test-windows" runs the tests as Windows programs, under wine.

target := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
demo := $(target)/demo
clreduce := $(abspath $(target))/release/clreduce
host := $(target)/fixtures/run_kernel

.PHONY: help demo test test-windows devices fixtures

help:
	@echo "make demo   install what is missing, build, reduce an OpenCL kernel"
	@echo "make test   install what is missing, run every test"
	@echo "make test-windows   install what is missing, run the tests under wine"
	@echo "make devices   install Intel's OpenCL run-time for CPUs, 225 MB"

demo:
	scripts/setup rust kernel validity
	cargo build --release
	rm -rf $(demo)
	mkdir -p $(demo)
	cp fixtures/mad-sat/kernel.cl $(demo)
	cd $(demo) && $(clreduce) init kernel.cl
	cd $(demo) && $(clreduce) kernel.cl --test kernel.toml -j 2
	@echo
	@echo "From $$(wc -l <fixtures/mad-sat/kernel.cl) lines and $$(wc -c <fixtures/mad-sat/kernel.cl) bytes to" \
		"$$(wc -l <$(demo)/kernel.cl) lines and $$(wc -c <$(demo)/kernel.cl) bytes, in $(demo)/kernel.cl:"
	@echo
	@cat $(demo)/kernel.cl

test:
	scripts/setup rust kernel validity sandbox remote c python browser
	$(MAKE) --no-print-directory fixtures
	if [ -e $(target)/devices/env ]; then . $(abspath $(target))/devices/env; fi && cargo test --workspace
	bench/test_peers.py
	bench/test_cpp_cases.py
	bench/test_generated.py
	cargo build --quiet -p clreduce-capi
	cd python && CLREDUCE_LIBRARY=$(abspath $(target))/debug/libclreduce_c.so $(abspath $(target))/python/bin/pytest --quiet
	cd python && $(abspath $(target))/python/bin/mypy clreduce examples

test-windows:
	scripts/windows-test --workspace

devices:
	scripts/setup kernel devices

# The small OpenCL host with which fixtures/mad-sat/interesting.sh runs kernels.
fixtures: $(host)

$(host): fixtures/host/run_kernel.c
	mkdir -p $(dir $@)
	cc -std=c11 -O1 -Wall -Wextra -Werror $< -o $@ -lOpenCL
