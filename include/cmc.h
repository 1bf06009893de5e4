/* libcmc: an explicit-state model checker for protocol code in C. The manual is libcmc(3).
 *
 * "Threads: any" means that any thread may call the function at any time.
 *
 * Generated from src/capi by `make header`. */

#ifndef CMC_H
#define CMC_H

// The version that this header belongs to.
#define CMC_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library that is running, such as "0.1.0": compare it with `CMC_VERSION`.
// The text is static and is never freed. Cannot fail. Threads: any.
const char *cmc_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CMC_H */
