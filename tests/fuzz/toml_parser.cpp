// The TOML parser with the fuzzer's counters in it: the installed library has none. Like that one without its
// assertions, which say that errors cannot be that it reports a line later.
#define NDEBUG
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
