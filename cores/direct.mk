# For the directories of cores in calibration mode: builds every NAME/NAME.so for cmc --core. The
# functions cmc_... that a model calls are found in cmc.

CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS  = -Wall -Wextra -Wpedantic -Wconversion -Werror
HEADERS   = $(wildcard ../../include/*.h ../calibration/*.h)
NAMES     = $(patsubst %/model.c,%,$(wildcard */model.c))
CORES     = $(foreach name,$(NAMES),$(name)/$(name).so)

all: $(CORES)

.SECONDEXPANSION:
$(CORES): %.so: $$(wildcard $$(*D)/*.c $$(*D)/*.h) $(HEADERS) Makefile ../direct.mk
	$(CC) -std=c11 $(CFLAGS) -fPIC -shared $(WARNINGS) -I../../include -o $@ $(filter $(*D)/%.c,$^)

clean:
	rm -f $(CORES)

.PHONY: all clean
