# Builds the cores to learn from, NAME/NAME.c with NAME/model.c, in place: NAME/NAME.so for `cmc --core`,
# and NAME/NAME-bugN.so for each `#if BUG == N` in NAME/NAME.c.

CFLAGS   ?= -O2 -g
WARNINGS  = -Wall -Wextra -Wpedantic -Wconversion -Werror
HEADERS   = ../include/cmc.h ../include/cmc_core.h

CORES = $(sort $(patsubst %/model.c,%,$(wildcard */model.c)))

bugs   = $(shell sed -n 's/^\#\(el\)*if BUG == \([0-9]*\).*/\2/p' $1/$1.c)
shared = $1/$1.so $(foreach bug,$(call bugs,$1),$1/$1-bug$(bug).so)
BUILT  = $(foreach core,$(CORES),$(call shared,$(core)))

all: $(BUILT)

$(foreach core,$(CORES),$(eval $(call shared,$(core)): $(wildcard $(core)/*.[ch])))

# NAME/NAME-bugN.so is built with -DBUG=N. What a model calls is in the command that loads it.
$(BUILT): $(HEADERS) learn.mk
	$(CC) -std=c11 $(CFLAGS) -fPIC -shared $(WARNINGS) \
	    $(addprefix -DBUG=,$(word 2,$(subst -bug, ,$(basename $@)))) \
	    -I../include -o $@ $(filter %.c,$^)

clean:
	rm -f $(BUILT)

.PHONY: all clean
