# SPDX-License-Identifier: MIT
# One non-recursive makefile. `make help` lists the targets. Variants never share objects:
# build/release, build/asan, build/coverage, build/fuzz (make VARIANT=asan check-unit).

ifeq ($(filter 4.% 5.%,$(MAKE_VERSION)),)
$(error GNU make 4.2 or newer is needed, this is $(MAKE_VERSION))
endif
MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := all

VERSION := 0.1.0
VARIANT ?= release
B       := build/$(VARIANT)

# ---- where things go: GNU names, overridable, DESTDIR on every install line
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBEXECDIR ?= $(PREFIX)/libexec
DATADIR    ?= $(PREFIX)/share
SYSCONFDIR ?= $(PREFIX)/etc
MANDIR     ?= $(DATADIR)/man
BASHDIR    ?= $(DATADIR)/bash-completion/completions
FISHDIR    ?= $(DATADIR)/fish/vendor_completions.d
ZSHDIR     ?= $(DATADIR)/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
PKG_CONFIG ?= pkg-config
# systemd reads units only below its own directories; a private prefix keeps its copies to itself.
pc = $(shell $(PKG_CONFIG) --variable=$(1) systemd 2>/dev/null)
ifeq ($(PREFIX),/usr)
UNITDIR     ?= $(or $(call pc,systemdsystemunitdir),/usr/lib/systemd/system)
USERUNITDIR ?= $(or $(call pc,systemduserunitdir),/usr/lib/systemd/user)
CATALOGDIR  ?= $(or $(call pc,catalogdir),/usr/lib/systemd/catalog)
TMPFILESDIR ?= $(or $(call pc,tmpfilesdir),/usr/lib/tmpfiles.d)
else
UNITDIR     ?= $(PREFIX)/lib/systemd/system
USERUNITDIR ?= $(PREFIX)/lib/systemd/user
CATALOGDIR  ?= $(PREFIX)/lib/systemd/catalog
TMPFILESDIR ?= $(PREFIX)/lib/tmpfiles.d
endif
INSTALL ?= install

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

# ---- flags. CPPFLAGS, CFLAGS and LDFLAGS belong to the caller and come last.
ifeq ($(origin CC),default)
CC := gcc
endif
IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))
ARCH     := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)

WARNINGS := -Wall -Wextra -Wformat=2 -Wshadow -Wundef -Wvla -Wwrite-strings -Wcast-qual -Wcast-align \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wpointer-arith \
	-Wimplicit-fallthrough -Wswitch-enum -Wconversion -Wno-sign-conversion -Wnull-dereference \
	-Wredundant-decls -Werror=implicit-function-declaration -Werror=incompatible-pointer-types \
	-Werror=int-conversion -Werror=return-type
ifeq ($(IS_CLANG),)
WARNINGS += -Wformat-signedness -Wlogical-op -Wduplicated-cond -Wduplicated-branches \
	-Wjump-misses-init -Wstringop-overflow=4
endif

HARDENING := -fstack-protector-strong -fstack-clash-protection -fPIE -fno-strict-overflow \
	-fno-strict-aliasing -fno-delete-null-pointer-checks
ifeq ($(ARCH),x86_64)
HARDENING += -fcf-protection=full
endif
ifeq ($(IS_CLANG),)
HARDENING += -ftrivial-auto-var-init=zero -fzero-call-used-regs=used-gpr
endif
FORTIFY := -D_FORTIFY_SOURCE=3

VARIANT_CFLAGS_release  := -O2 -g $(FORTIFY)
VARIANT_CFLAGS_clang    := -O2 -g $(FORTIFY)
VARIANT_CFLAGS_asan     := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=all
VARIANT_CFLAGS_coverage := -O0 -g --coverage
VARIANT_CFLAGS_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
VARIANT_CFLAGS_aarch64  := -O2 -g $(FORTIFY)
VARIANT_LDFLAGS_asan     := -fsanitize=address,undefined
VARIANT_LDFLAGS_coverage := --coverage
VARIANT_LDFLAGS_fuzz     := -fsanitize=address,undefined
ifeq ($(VARIANT_CFLAGS_$(VARIANT)),)
$(error VARIANT is release, clang, asan, coverage, fuzz or aarch64, not '$(VARIANT)')
endif

WERROR ?= $(if $(CI),-Werror)
ALL_CPPFLAGS := -D_GNU_SOURCE -I. -I$(B)/gen -DCONFINE_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS   := -std=gnu17 $(WARNINGS) $(WERROR) $(HARDENING) $(VARIANT_CFLAGS_$(VARIANT)) $(CFLAGS)
ALL_LDFLAGS  := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code -Wl,--as-needed \
	$(VARIANT_LDFLAGS_$(VARIANT)) $(LDFLAGS)

# libmd is small and on the path of every run: linked in where there is an archive of it, since each
# shared library that is mapped costs 50 us a run. LIBMD=-lmd takes the shared one.
LIBMD := $(if $(findstring /,$(shell $(CC) -print-file-name=libmd.a 2>/dev/null)),-l:libmd.a,-lmd)
# libinih the same way.
LIBINIH := $(if $(findstring /,$(shell $(CC) -print-file-name=libinih.a 2>/dev/null)),-l:libinih.a,-linih)
LIBS_POLICY     := $(LIBINIH) $(LIBMD)
# For the names of system calls: the build's table, and the tests that compare with it.
LIBS_BUILD      := -lseccomp
LIBS_SUPERVISOR := -lsystemd

# ---- sources by layer: the link set of each program is the layer table of the design
BASE_SRC       := $(sort $(wildcard supervisor/base/*.c))
POLICY_SRC     := $(sort $(filter-out policy/mk%.c,$(wildcard policy/*.c)))
DOCTOR_SRC     := $(sort $(wildcard doctor/*.c))
WORKER_SRC     := $(sort $(wildcard supervisor/worker/*.c))
SUPERVISOR_SRC := $(sort $(wildcard supervisor/*.c))
UNIT_SRC       := $(sort $(wildcard tests/unit/test-*.c))
NATIVE_SRC     := $(sort $(wildcard tests/native/test-*.c))
FUZZ_SRC       := $(sort $(wildcard tests/fuzz/fuzz-*.c))
ATTACK_SRC     := $(sort $(wildcard tests/adversarial/*.c))
PROFILES       := $(sort $(wildcard policy/seccomp/*.json))
POLICIES       := $(sort $(wildcard policy/profiles/*.conf))
UNITS          := $(sort $(filter-out %.catalog,$(wildcard units/confine*)))
MAN7           := $(sort $(wildcard man/*.7))
SCHEMAS        := $(sort $(wildcard policy/schema/*.json))

comma := ,
obj = $(patsubst %.c,$(B)/%.o,$(1))
LIBBASE   := $(B)/libbase.a
LIBPOLICY := $(B)/libpolicy.a
LIBDOCTOR := $(B)/libdoctor.a
LIBWORKER := $(B)/libworker.a
GEN_OBJ   := $(B)/gen/filters.o

UNIT_BIN   := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(UNIT_SRC))
NATIVE_BIN := $(patsubst tests/native/%.c,$(B)/tests/native/%,$(NATIVE_SRC))
FUZZ_BIN   := $(patsubst tests/fuzz/%.c,$(B)/tests/fuzz/%,$(FUZZ_SRC))
GUEST_DIR  := build/tests-guest
ATTACK_BIN := $(patsubst tests/adversarial/%.c,$(GUEST_DIR)/%,$(ATTACK_SRC))
# One program of several files: static with each C library that is here, and as a library for Python.
TABLE_SRC  := $(sort $(wildcard tests/adversarial/attacks/*.c))
MUSL_CC    := $(shell command -v musl-gcc)
TABLE_BIN  := $(addprefix $(GUEST_DIR)/,attacks attacks.so $(if $(MUSL_CC),attacks-musl))

.PHONY: all
all: $(B)/confine $(B)/gen/fish $(B)/gen/zsh

# A change of flags or compiler rebuilds the variant.
FLAGS_NOW := $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(shell mkdir -p $(B) && printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $(B)/.flags || \
	printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' > $(B)/.flags)

$(B)/gen/fish $(B)/gen/zsh: packaging/completions/generate supervisor/options.def policy/keys.def
	$(say) GEN $@
	@mkdir -p $(@D)
	$(Q)packaging/completions/generate $(@F) > $@

$(B)/%.o: %.c $(B)/.flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/%.o: $(B)/gen/%.c $(B)/.flags
	$(say) CC $<
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# A source that went must leave the archives too.
SOURCES_NOW := $(BASE_SRC) $(POLICY_SRC) $(DOCTOR_SRC) $(WORKER_SRC)
$(shell printf '%s\n' '$(SOURCES_NOW)' | cmp -s - $(B)/.sources || printf '%s\n' '$(SOURCES_NOW)' > $(B)/.sources)
$(LIBBASE) $(LIBPOLICY) $(LIBDOCTOR) $(LIBWORKER): $(B)/.sources

define archive
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)
endef
$(LIBBASE): $(call obj,$(BASE_SRC))
	$(archive)
$(LIBPOLICY): $(call obj,$(POLICY_SRC)) $(B)/gen/calls.o
	$(archive)
$(LIBDOCTOR): $(call obj,$(DOCTOR_SRC))
	$(archive)
$(LIBWORKER): $(call obj,$(WORKER_SRC))
	$(archive)

# Generators run on the machine that builds: the other architecture, see check-aarch64, gets their tables.
ifeq ($(VARIANT),aarch64)
$(B)/gen/%.c: build/release/gen/%.c
	@mkdir -p $(@D)
	$(Q)cp $< $@
else
# The numbers of system calls are copied from libseccomp here, so that no run maps that library.
$(B)/mkcalls: $(B)/policy/mkcalls.o $(LIBBASE)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_BUILD)
$(B)/gen/calls.c: $(B)/mkcalls
	$(say) CALLS $@
	@mkdir -p $(@D)
	$(Q)$(B)/mkcalls > $@
# The shipped seccomp profile becomes BPF here, so that no run pays for compiling it.
$(B)/mkfilters: $(B)/policy/mkfilters.o $(LIBPOLICY) $(LIBBASE)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_POLICY)
$(B)/gen/filters.c: $(B)/mkfilters $(PROFILES)
	$(say) FILTER $@
	@mkdir -p $(@D)
	$(Q)$(B)/mkfilters policy/seccomp > $@
endif

# No install path is compiled in, so `make && make install PREFIX=...` rebuilds nothing.
$(B)/confine: $(call obj,$(SUPERVISOR_SRC)) $(LIBWORKER) $(LIBDOCTOR) $(GEN_OBJ) $(LIBPOLICY) $(LIBBASE)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_SUPERVISOR) $(LIBS_POLICY)

$(UNIT_BIN): $(B)/tests/unit/%: $(B)/tests/unit/%.o $(B)/tests/unit/tap.o $(GEN_OBJ) $(LIBPOLICY) $(LIBBASE)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(sort $(filter %.o,$^)) $(filter %.a,$^) $(LIBS_POLICY) $(LIBS_BUILD)
$(B)/tests/unit/test-cli $(B)/tests/unit/test-cli-reports $(B)/tests/unit/test-memory $(B)/tests/fuzz/fuzz-settings: \
	$(addprefix $(B)/supervisor/,cli.o cli-check.o options.o signal-name.o)
$(B)/tests/unit/test-report: $(B)/supervisor/report.o
$(B)/tests/unit/test-log-entry $(B)/tests/fuzz/fuzz-log-entry: $(B)/supervisor/log-entry.o
$(B)/tests/unit/test-log-stats: $(addprefix $(B)/supervisor/,log-entry.o log-metrics.o log-stats.o report.o)
$(addprefix $(B)/tests/,$(foreach record,domain-record seccomp-record,unit/test-$(record) fuzz/fuzz-$(record))): \
	$(addprefix $(B)/supervisor/,audit-text.o domain-record.o seccomp-record.o)
$(addprefix $(B)/tests/unit/test-,interpreter python): $(B)/tests/unit/tree.o $(addprefix $(B)/supervisor/,homes.o \
	interpreter.o outcome.o program.o shim.o)
$(B)/tests/unit/test-python: $(addprefix $(B)/supervisor/,cli.o cli-check.o options.o signal-name.o python.o)
$(B)/tests/unit/test-checks: $(call obj,$(DOCTOR_SRC))
$(B)/tests/unit/test-checks: private LIBS_BUILD += $(LIBS_SUPERVISOR)
$(B)/tests/unit/test-memory: private ALL_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,malloc calloc reallocarray \
	strdup strndup asprintf __asprintf_chk open_memstream)
$(addprefix $(B)/tests/unit/test-,filter filter-limits seccomp-stack) $(B)/tests/fuzz/fuzz-profile: \
	$(B)/tests/unit/bpf.o
$(NATIVE_BIN): $(B)/tests/native/%: $(B)/tests/native/%.o $(B)/tests/native/confined.o $(B)/tests/unit/tap.o \
		$(LIBWORKER) $(GEN_OBJ) $(LIBPOLICY) $(LIBBASE)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS_POLICY) $(LIBS_BUILD)
# The table of attacks once more, without its own main.
$(B)/tests/native/test-attacks: $(patsubst %.c,$(B)/native/%.o,$(TABLE_SRC))
$(B)/native/%.o: %.c $(B)/.flags
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DATTACKS_LIBRARY $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
# With -fsanitize=fuzzer (VARIANT=fuzz, clang) a target fuzzes; else replay.c feeds it the corpus.
FUZZ_MAIN := $(if $(filter fuzz,$(VARIANT)),,$(B)/tests/fuzz/replay.o)
$(FUZZ_BIN): $(B)/tests/fuzz/%: $(B)/tests/fuzz/%.o $(FUZZ_MAIN) $(LIBPOLICY) $(LIBBASE)
	$(say) LD $@
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(if $(filter fuzz,$(VARIANT)),-fsanitize=fuzzer) \
		-o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS_POLICY)

# Attack programs are what a tenant might bring: static, without our hardening or sanitizers.
$(ATTACK_BIN): $(GUEST_DIR)/%: tests/adversarial/%.c tests/adversarial/attack.h
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu17 -O1 -g -Wall -Wextra -D_GNU_SOURCE -static -o $@ $<
TABLE_CFLAGS := -std=gnu17 -O1 -g -Wall -Wextra $(WERROR) -D_GNU_SOURCE -pthread
$(TABLE_BIN): $(TABLE_SRC) tests/adversarial/attacks/attacks.h
$(GUEST_DIR)/attacks $(GUEST_DIR)/attacks-musl:
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(if $(findstring musl,$@),$(MUSL_CC),$(CC)) $(TABLE_CFLAGS) -static -o $@ $(TABLE_SRC)
$(GUEST_DIR)/attacks.so:
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(TABLE_CFLAGS) -DATTACKS_LIBRARY -fPIC -shared -o $@ $(TABLE_SRC)

# For tests: a confine that takes this kernel's Landlock for an older one. Its --version says so, and nothing installs it.
ABIS    := 3 4 6
ABI_BIN := $(addprefix $(GUEST_DIR)/confine-abi,$(ABIS))
define abi_rules
$(B)/abi$(1)/%.o: %.c $(B)/.flags
	$$(say) CC $$@
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CPPFLAGS) -DCONFINE_LANDLOCK_ABI_MAX=$(1) -UCONFINE_VERSION \
		-DCONFINE_VERSION='"$$(VERSION), a test build: Landlock ABI $(1) at most"' \
		$$(ALL_CFLAGS) -MMD -MP -c -o $$@ $$<
$(GUEST_DIR)/confine-abi$(1): $(B)/abi$(1)/doctor/probe.o $(B)/abi$(1)/supervisor/main.o \
		$(call obj,$(filter-out supervisor/main.c,$(SUPERVISOR_SRC))) $(LIBWORKER) $(LIBDOCTOR) \
		$(GEN_OBJ) $(LIBPOLICY) $(LIBBASE)
	$$(say) LD $$@
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS_SUPERVISOR) $$(LIBS_POLICY)
endef
$(foreach abi,$(ABIS),$(eval $(call abi_rules,$(abi))))

# What the guests get is of one variant.
.PHONY: attacks
attacks: $(ATTACK_BIN) $(TABLE_BIN) $(if $(filter release,$(VARIANT)),$(ABI_BIN))

# ---- checks that need no privileges. All speak TAP; prove counts.
PROVE ?= prove
.PHONY: check-unit check-fuzz fuzz lint format format-check analyze coverage
check-unit: $(UNIT_BIN)
	$(Q)$(PROVE) --exec '' $(UNIT_BIN)
# What a change of messages changes on purpose: look at the difference.
.PHONY: golden
golden: $(B)/tests/unit/test-policy-file
	$(Q)CONFINE_GOLDEN=1 $< >/dev/null
# What the fuzzers once found, and one of everything: tests/fuzz/corpus/TARGET.
check-fuzz: $(FUZZ_BIN)
	$(Q)$(PROVE) --exec '' $(FUZZ_BIN)
# Real fuzzing: make VARIANT=fuzz CC=clang fuzz FUZZ_SECONDS=20
FUZZ_SECONDS ?= 20
fuzz: $(FUZZ_BIN)
	$(Q)mkdir -p $(patsubst $(B)/tests/fuzz/fuzz-%,$(B)/corpus/%,$(FUZZ_BIN))
	$(Q)printf '%s\n' $(patsubst $(B)/tests/fuzz/fuzz-%,%,$(FUZZ_BIN)) | xargs -P "$$(nproc)" -I NAME env \
		$(B)/tests/fuzz/fuzz-NAME -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -verbosity=0 -print_final_stats=1 \
			-artifact_prefix=$(B)/corpus/crash-NAME- $(B)/corpus/NAME tests/fuzz/corpus/NAME
lint:
	$(Q)$(PROVE) tests/lint/*.sh tests/lint/*.pl tests/requirements.sh
# The sources that clang-format decides about; tables in .def files are ours.
format:
	$(Q)clang-format -i $$(tests/lint/sources c)
format-check:
	$(Q)clang-format --dry-run -Werror $$(tests/lint/sources c)
# Few checks, all fatal: tests/lint/analyze says which.
analyze:
	$(Q)tests/lint/analyze
# Line coverage of the unit tests and the corpus by file; policy/ must reach 95%.
coverage:
	$(Q)rm -rf build/coverage
	$(Q)$(MAKE) VARIANT=coverage check-unit check-fuzz
	$(Q)tests/lint/coverage

# aarch64: compiled, tests included, with nothing to link with or to run on.
.PHONY: check-aarch64 objects
CROSS_CC ?= aarch64-linux-gnu-gcc
check-aarch64:
	$(Q)tests/system/deps build aarch64
	$(Q)$(MAKE) VARIANT=release build/release/gen/calls.c build/release/gen/filters.c
	$(Q)$(MAKE) VARIANT=aarch64 CC=$(CROSS_CC) objects
objects: $(call obj,$(BASE_SRC) $(filter-out policy/mk%.c,$(POLICY_SRC)) $(DOCTOR_SRC) $(WORKER_SRC) $(SUPERVISOR_SRC) \
	$(UNIT_SRC) $(NATIVE_SRC) tests/unit/tap.c tests/unit/bpf.c tests/native/confined.c) $(B)/gen/calls.o $(GEN_OBJ)

.PHONY: clean
clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' -type f 2>/dev/null)

# ---- installation
.PHONY: install uninstall
install: all
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(USERUNITDIR) \
		$(DESTDIR)$(CATALOGDIR) $(DESTDIR)$(TMPFILESDIR) $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 \
		$(DESTDIR)$(MANDIR)/man7 \
		$(DESTDIR)$(DATADIR)/confine/seccomp $(DESTDIR)$(DATADIR)/confine/apparmor \
		$(DESTDIR)$(DATADIR)/confine/schema $(DESTDIR)$(DATADIR)/confine/policies $(DESTDIR)$(BASHDIR) \
		$(DESTDIR)$(FISHDIR) $(DESTDIR)$(ZSHDIR)
	$(INSTALL) -m 755 $(B)/confine $(DESTDIR)$(BINDIR)/confine
	$(INSTALL) -m 644 $(UNITS) $(DESTDIR)$(UNITDIR)/
	$(INSTALL) -m 644 $(UNITS) $(DESTDIR)$(USERUNITDIR)/
	$(INSTALL) -m 644 units/confine.catalog $(DESTDIR)$(CATALOGDIR)/confine.catalog
	$(INSTALL) -m 644 packaging/tmpfiles.d/confine.conf $(DESTDIR)$(TMPFILESDIR)/confine.conf
	$(INSTALL) -m 644 packaging/apparmor/confine $(DESTDIR)$(DATADIR)/confine/apparmor/confine
	$(INSTALL) -m 644 man/confine.1 $(DESTDIR)$(MANDIR)/man1/confine.1
	$(INSTALL) -m 644 man/confine.conf.5 $(DESTDIR)$(MANDIR)/man5/confine.conf.5
	$(INSTALL) -m 644 $(MAN7) $(DESTDIR)$(MANDIR)/man7/
	$(INSTALL) -m 644 packaging/completions/confine.bash $(DESTDIR)$(BASHDIR)/confine
	$(INSTALL) -m 644 $(B)/gen/fish $(DESTDIR)$(FISHDIR)/confine.fish
	$(INSTALL) -m 644 $(B)/gen/zsh $(DESTDIR)$(ZSHDIR)/_confine
	$(INSTALL) -m 644 $(PROFILES) policy/seccomp/README.md $(DESTDIR)$(DATADIR)/confine/seccomp/
	$(INSTALL) -m 644 $(POLICIES) $(DESTDIR)$(DATADIR)/confine/policies/
	$(INSTALL) -m 644 $(SCHEMAS) $(DESTDIR)$(DATADIR)/confine/schema/
uninstall:
	rm -f $(DESTDIR)$(BINDIR)/confine $(addprefix $(DESTDIR)$(UNITDIR)/,$(notdir $(UNITS))) \
		$(addprefix $(DESTDIR)$(USERUNITDIR)/,$(notdir $(UNITS))) $(DESTDIR)$(CATALOGDIR)/confine.catalog \
		$(DESTDIR)$(TMPFILESDIR)/confine.conf $(DESTDIR)$(MANDIR)/man1/confine.1 \
		$(DESTDIR)$(MANDIR)/man5/confine.conf.5 $(addprefix $(DESTDIR)$(MANDIR)/man7/,$(notdir $(MAN7))) \
		$(DESTDIR)$(BASHDIR)/confine $(DESTDIR)$(FISHDIR)/confine.fish $(DESTDIR)$(ZSHDIR)/_confine
	rm -rf $(DESTDIR)$(DATADIR)/confine

# ---- what is given away: what is committed, and nothing else; two builds give the same bytes
.PHONY: dist distcheck deb rpm check-tools check-packages
DIST := build/confine-$(VERSION).tar.gz
dist:
	@mkdir -p build
	$(Q)git archive --format=tar --prefix=confine-$(VERSION)/ HEAD | gzip -9n > $(DIST)
	$(say) DIST $(DIST)
distcheck: dist
	$(Q)packaging/build distcheck $(DIST)
deb rpm: dist
	$(Q)packaging/build $@ $(DIST)
# GUESTS: box, vm or both; what is not up is started and stopped again.
GUESTS ?= box
check-tools:
	$(Q)tests/system/deps $(GUESTS)
	$(Q)$(PROVE) tests/system/tools.t :: $(GUESTS)
check-packages:
	$(Q)tests/system/deps box vm packages
	$(Q)failed=; $(PROVE) tests/system/packages.t || failed=yes; \
		$(PROVE) --exec tests/system/bare tests/system/bare.d/*.t || failed=yes; [ -z "$$failed" ]

# ---- the real Landlock and seccomp of this machine, in forked children; root does it once more as
# nobody, from a place that nobody can reach. Not for sanitizers: they need what the filters deny.
AS_NOBODY := setpriv --reuid=65534 --regid=65534 --clear-groups
.PHONY: check-native
check-native: $(NATIVE_BIN)
	$(Q)$(PROVE) --exec '' $(NATIVE_BIN)
	$(Q)[ "$$(id -u)" -ne 0 ] || { d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && chmod 755 "$$d" && \
		$(INSTALL) -m 755 $(NATIVE_BIN) "$$d" && $(PROVE) --exec '$(AS_NOBODY)' "$$d"/*; }

# ---- the checks by size. tests/check runs those of several phases, and counts; .ci/run runs them all.
JOBS := $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: help programs check-fast check check-long check-soak check-root check-asan check-box check-vm check-cpython \
	check-journal check-bookworm check-backports check-newest check-bench bench bench-scale check-chaos
# Everything that is compiled, so that a check does not stop to compile.
programs: all attacks $(UNIT_BIN) $(FUZZ_BIN) $(NATIVE_BIN)
# What can be installed is; a machine that is not Debian's own business is told, and compiles or not.
check-fast:
	$(Q)tests/system/deps build || :
	$(Q)$(MAKE) $(JOBS) $(UNIT_BIN) $(FUZZ_BIN)
	$(Q)$(MAKE) -k check-unit check-fuzz lint
check check-long check-soak:
	$(Q)tests/check $@
check-root:
	$(Q)[ "$$(id -u)" -eq 0 ] || { echo 'check-root: as root; check-native is for everybody' >&2; exit 1; }
	$(Q)tests/system/deps build
	$(Q)$(MAKE) $(JOBS) check-native
check-asan:
	$(Q)$(MAKE) VARIANT=asan check-unit check-fuzz
check-box check-vm: check-%:
	$(Q)tests/system/deps build $*
	$(Q)tests/system/suite $*
check-cpython: export CONFINE_LOGS := cpython
check-cpython:
	$(Q)tests/system/deps build box
	$(Q)tests/system/suite box 74-cpython-all
# CHAOS times a hundred rounds of t/64-chaos.t, in the VM, with the managers of MANAGERS.
CHAOS ?= 5
MANAGERS ?= system user
check-chaos: export CONFINE_LOGS := chaos
check-chaos: export CONFINE_SOAK := $(CHAOS)
check-chaos: export CONFINE_MANAGERS := $(MANAGERS)
check-chaos:
	$(Q)tests/system/deps build vm
	$(Q)tests/system/suite vm 64-chaos
check-journal: export CONFINE_PHASE := journal
check-journal: export CONFINE_LOGS := journal
check-bookworm: export CONFINE_SUITE := bookworm
check-backports: export CONFINE_SUITE := bookworm-backports
check-newest: export CONFINE_SUITE := trixie-backports
check-journal check-bookworm check-backports check-newest:
	$(Q)tests/system/deps build vm
	$(Q)tests/system/suite vm
bench:
	$(Q)tests/bench/bench
bench-scale:
	$(Q)tests/bench/scale
check-bench:
	$(Q)$(PROVE) tests/bench/smoke.t
.PHONY: demo
demo:
	$(Q)tests/demo/demo.sh

#: all           confine itself, build/release/confine; VARIANT=clang|asan|coverage|fuzz builds another one
#: programs      every program of the tree, tests included
#: demo          builds confine and shows it at work, here or in a VM (root)
#: check-fast    unit tests, the fuzzers' corpus and the lints, without privileges, in seconds
#: check         what a change has to pass: two compilers, native tests, container and VM (root; half an hour)
#: check-long    what CI does beside it: sanitizers, coverage, longer fuzzing, the bench as a program
#: check-soak    the loops of the system tests at full count and long fuzzing; hours
#: check-unit    unit tests
#: golden        writes the golden texts of the tests anew
#: check-fuzz    the fuzzers' corpus, replayed
#: check-native  the real Landlock and seccomp of this machine
#: check-root    the same, as root and once more as nobody
#: check-box     system tests in the container (root)
#: check-vm      system tests in the VM
#: check-tools   the tools for those two: GUESTS='box vm' (root)
#: check-cpython    CPython's own test suite, outside and inside (container, root)
#: check-chaos   500 rounds of random injuries, CHAOS=20 makes them 2000 (VM); for check-long MANAGERS=system
#: check-journal what make check does of the journal in the container only, in the VM
#: check-bookworm   that Debian 12 is refused with its own kernel (VM)
#: check-backports  system tests on Debian 12 with the kernel of its backports (VM)
#: check-newest  a few of them on Debian 13 with that of its own, the newest there is (VM)
#: check-aarch64 everything compiled for aarch64, with gcc-aarch64-linux-gnu
#: check-asan    unit tests and corpus under ASan and UBSan
#: check-bench   that the bench works, whatever the times are
#: lint          layers, shape, shell, manual, format, requirements
#: analyze       static analyzers
#: coverage      lines covered by the unit tests, by file
#: fuzz          real fuzzing: make VARIANT=fuzz CC=clang fuzz FUZZ_SECONDS=20
#: bench         what a start costs, beside systemd-run, bwrap and the plain program (root)
#: bench-scale   what 1000 sandboxes alive at once cost (container, root)
#: format        clang-format on all sources
#: format-check  only look whether it would change any
#: dist          what is committed as an archive in build
#: distcheck     that it builds, passes its unit tests, and installs and removes what packaging/files says
#: deb           a Debian package in build/deb (needs debhelper)
#: rpm           an RPM package in build/rpm
#: check-packages   both packages, twice with the same bytes, the Debian one for 12 and 13; used and purged in the container and,
#:               as by a new admin, in the VM (root)
#: install       DESTDIR=, PREFIX= and the other names of GNU's standards
#: uninstall     removes what install has put there
#: clean         removes build
help:
	@sed -n 's/^#: //p' Makefile
