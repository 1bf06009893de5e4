/* libcmc: an explicit-state model checker for protocol code in C. The manual is libcmc(3).
 *
 * Conventions. Every function that can fail returns a CmcStatus and writes through its last
 * parameters, on CMC_OK only; cmc_last_error() has the sentence. A structure that a caller fills
 * starts with its size (sizeof); where it is shorter than the library's, the missing tail is zero,
 * and what a newer header adds must be zero for an older library (else CMC_ERR_VERSION). Zero is
 * every field's default. Every ..._free takes NULL. A verdict is not a status, and zero is no
 * verdict. libcmc prints nothing, installs no signal handler, waits for its own children only, and
 * neither exits nor aborts. A callback returns: one that leaves by longjmp() or by a C++ exception
 * is outside of all that is said here, and its model is refused from then on.
 *
 * "Threads: any" means that any thread may call the function at any time; "one": one thread at a
 * time for each handle, handles being independent; "many": any number of threads, because what is
 * read never changes.
 *
 * Generated from src/capi, src/cores and src/check by `make header`. */

#ifndef CMC_H
#define CMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

