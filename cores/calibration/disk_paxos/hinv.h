/* The published invariants of Disk Paxos with disks, as predicates of constants and state. */

#ifndef HINV_H
#define HINV_H

#include <stdbool.h>
#include <stdint.h>

bool hinv1(const uint8_t *k, const void *state);
bool hinv2(const uint8_t *k, const void *state);
bool hinv3(const uint8_t *k, const void *state);
bool hinv4(const uint8_t *k, const void *state);
bool hinv5(const uint8_t *k, const void *state);
bool hinv6(const uint8_t *k, const void *state);

#endif
