# libcmc: build, check and install. `make help` lists the targets.

PREFIX       ?= /usr/local
DESTDIR      ?=
BINDIR       ?= $(PREFIX)/bin
LIBDIR       ?= $(PREFIX)/lib
MANDIR       ?= $(PREFIX)/share/man
INCLUDEDIR   ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
INSTALL      ?= install
CARGO        ?= cargo
CC           ?= cc

# Where the binaries are; DESTDIR is a staging directory and nothing else.
BUILT    = $(or $(CARGO_TARGET_DIR),target)/release
VERSION  = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SONAME   = libcmc.so.$(shell echo $(VERSION) | cut -d . -f 1,2)
PACKAGES = gcc g++ clang libclang-rt-dev libc6-dev libseccomp-dev pkg-config mandoc make valgrind
PAGES    = $(wildcard man/*.[1-8])
# Each function has its page by a link.
FUNCTIONS = $(shell sed -n 's/^\.Nm \(cmc_[a-z_]*\).*/\1/p' man/libcmc.3)

export CC

all: ## build cmc, cmc-preload.so and the C library
	$(CARGO) build --release

deps: ## install what is missing on Debian 12 (root or sudo)
	@.ci/deps "$(CARGO)" $(PACKAGES)

examples: ## build the example programs in place
	@$(MAKE) --no-print-directory -C docs/examples

demo: deps all examples cores ## check examples and a core, find their planted bugs, replay
	@docs/examples/demo.sh $(BUILT)/cmc

check: deps lint all ## everything that a change must pass
	$(CARGO) test --release

cores: ## build the C cores, those of the calibration too
	@$(MAKE) --no-print-directory -C cores

calibrate: all ## search what TLC has counted, print ours, fail on any difference
	$(CARGO) test --release --test calibration -- --nocapture

bench: deps all examples cores ## against Spin, Stateright and whole replay, back to back; half an hour
	@docs/bench.sh --repeat=5 $(BUILT)/cmc

overhead: all cores ## what the engine adds to a step of a microsecond
	@$(MAKE) --no-print-directory -C cores/bench overhead CMC=$(abspath $(BUILT)/cmc)

lint: ## formatting, compiler warnings, manual pages
	$(CARGO) fmt --check
	$(CARGO) clippy --release --all-targets -- -D warnings
	mandoc -T lint -W warning $(PAGES)

header: ## write include/cmc.h anew from the sources
	CMC_WRITE_HEADER=1 $(CARGO) test --release --test header

instructions: ## take anew how many instructions a generated state costs
	CMC_WRITE_INSTRUCTIONS=1 $(CARGO) test --release --test instructions no_more

dist: ## pack the committed sources into libcmc-VERSION.tar.gz
	git archive --format=tar.gz --prefix=libcmc-$(VERSION)/ -o libcmc-$(VERSION).tar.gz HEAD

install: ## install what `make all` built; cmc looks for the preload in ../lib/cmc
	@test -x $(BUILT)/cmc || { echo "install: $(BUILT)/cmc is missing; run make all first" >&2; exit 1; }
	$(INSTALL) -d "$(DESTDIR)$(BINDIR)" "$(DESTDIR)$(LIBDIR)/cmc" "$(DESTDIR)$(INCLUDEDIR)" "$(DESTDIR)$(PKGCONFIGDIR)"
	$(INSTALL) -m 755 $(BUILT)/cmc "$(DESTDIR)$(BINDIR)/cmc"
	$(INSTALL) -m 644 $(BUILT)/cmc-preload.so "$(DESTDIR)$(LIBDIR)/cmc/cmc-preload.so"
	$(INSTALL) -m 644 $(BUILT)/libcmc.a "$(DESTDIR)$(LIBDIR)/libcmc.a"
	$(INSTALL) -m 644 $(BUILT)/libcmc.so "$(DESTDIR)$(LIBDIR)/$(SONAME)"
	ln -sf $(SONAME) "$(DESTDIR)$(LIBDIR)/libcmc.so"
	$(INSTALL) -m 644 include/cmc.h include/cmc_core.h "$(DESTDIR)$(INCLUDEDIR)"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' pkgconfig/libcmc.pc.in > "$(DESTDIR)$(PKGCONFIGDIR)/libcmc.pc"
	chmod 644 "$(DESTDIR)$(PKGCONFIGDIR)/libcmc.pc"
	for page in $(PAGES); do \
	    section="$(DESTDIR)$(MANDIR)/man$${page##*.}"; \
	    $(INSTALL) -d "$$section" && $(INSTALL) -m 644 "$$page" "$$section/" || exit 1; \
	done
	for name in $(FUNCTIONS); do ln -sf libcmc.3 "$(DESTDIR)$(MANDIR)/man3/$$name.3" || exit 1; done

uninstall: ## remove what `make install` put there
	rm -f "$(DESTDIR)$(BINDIR)/cmc" "$(DESTDIR)$(LIBDIR)/cmc/cmc-preload.so"
	-rmdir "$(DESTDIR)$(LIBDIR)/cmc"
	rm -f "$(DESTDIR)$(LIBDIR)/libcmc.so" "$(DESTDIR)$(LIBDIR)/$(SONAME)" "$(DESTDIR)$(LIBDIR)/libcmc.a"
	rm -f "$(DESTDIR)$(INCLUDEDIR)/cmc.h" "$(DESTDIR)$(INCLUDEDIR)/cmc_core.h" "$(DESTDIR)$(PKGCONFIGDIR)/libcmc.pc"
	for page in $(PAGES); do rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}"; done
	for name in $(FUNCTIONS); do rm -f "$(DESTDIR)$(MANDIR)/man3/$$name.3"; done

clean: ## remove everything that was built
	$(CARGO) clean
	@$(MAKE) --no-print-directory -C cores clean
	@$(MAKE) --no-print-directory -C docs/examples clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14
	@echo "Variables: PREFIX=$(PREFIX) DESTDIR BINDIR LIBDIR MANDIR INCLUDEDIR PKGCONFIGDIR INSTALL CARGO CC"

.PHONY: all deps examples demo check cores calibrate bench overhead lint header instructions dist install uninstall clean help
