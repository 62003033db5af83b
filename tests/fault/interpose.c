// Lets one call fail: preloaded, it counts the calls of one kind that a program makes from main on, and the one
// with the number that is asked for fails as the system would let it fail.
//
//   FAULT_KIND  memory, write, sync, rename, thread or sqlite
//   FAULT_AT    the number of the call that fails, from 1 on; 0 for none
//   FAULT_LOG   a file that gets how many calls there were
//   FAULT_PLACES  if set, FAULT_LOG gets a line for each allocation that is the first from its place instead
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { kNone, kMemory, kWrite, kSync, kRename, kThread, kSqlite };

static enum Kind kind = kNone;
static long fault_at = 0;
static const char* log_name = NULL;
static atomic_long calls = 0;
static atomic_bool armed = false;
static bool places = false;

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

// Places that have been seen, by the hash of the return addresses that lead there. One thread.
enum { kPlaces = 1 << 20 };
static uint64_t seen[kPlaces];
static int places_file = -1;
static __thread bool looking = false;

static void note_place(long number) {
  looking = true;
  void* frames[24];
  const int depth = backtrace(frames, 24);
  uint64_t hash = 1469598103934665603u;
  for (int i = 2; i < depth; ++i) hash = (hash ^ (uint64_t)frames[i]) * 1099511628211u;
  size_t slot = hash % kPlaces;
  while (seen[slot] != 0 && seen[slot] != hash) slot = (slot + 1) % kPlaces;
  if (seen[slot] == 0) {
    seen[slot] = hash;
    char line[32];
    const int size = snprintf(line, sizeof line, "%ld\n", number);
    if (write(places_file, line, (size_t)size) != size) abort();
  }
  looking = false;
}

/// Whether this call is the one that fails.
static bool fails(enum Kind of) {
  if (of != kind || !armed || looking) return false;
  const long number = ++calls;
  if (places && of == kMemory) note_place(number);
  return number == fault_at;
}

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

void* malloc(size_t size) {
  if (!fails(kMemory)) return __libc_malloc(size);
  errno = ENOMEM;
  return NULL;
}
void* calloc(size_t count, size_t size) {
  if (!fails(kMemory)) return __libc_calloc(count, size);
  errno = ENOMEM;
  return NULL;
}
void* realloc(void* block, size_t size) {
  if (!fails(kMemory)) return __libc_realloc(block, size);
  errno = ENOMEM;
  return NULL;
}
void* aligned_alloc(size_t alignment, size_t size) {
  if (!fails(kMemory)) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return NULL;
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = fails(kMemory) ? NULL : __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

// A disk that is full.
#define WRITE(name, arguments, call)                      \
  ssize_t name arguments {                                \
    ssize_t(*real) arguments = next(#name);               \
    if (!fails(kWrite)) return real call;                 \
    errno = ENOSPC;                                       \
    return -1;                                            \
  }
WRITE(write, (int file, const void* bytes, size_t size), (file, bytes, size))
WRITE(pwrite, (int file, const void* bytes, size_t size, off_t at), (file, bytes, size, at))
WRITE(pwrite64, (int file, const void* bytes, size_t size, off64_t at), (file, bytes, size, at))
WRITE(writev, (int file, const struct iovec* parts, int count), (file, parts, count))

#define CALL(of, code, name, arguments, call) \
  int name arguments {                        \
    int(*real) arguments = next(#name);       \
    if (!fails(of)) return real call;         \
    errno = code;                             \
    return -1;                                \
  }
CALL(kWrite, ENOSPC, ftruncate, (int file, off_t size), (file, size))
CALL(kWrite, ENOSPC, ftruncate64, (int file, off64_t size), (file, size))
CALL(kSync, EIO, fsync, (int file), (file))
CALL(kSync, EIO, fdatasync, (int file), (file))
CALL(kRename, EIO, rename, (const char* from, const char* to), (from, to))
CALL(kRename, EIO, link, (const char* from, const char* to), (from, to))

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* argument) {
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) = next("pthread_create");
  return fails(kThread) ? EAGAIN : real(thread, how, body, argument);
}

// SQLite's own codes: 7 is SQLITE_NOMEM, 10 SQLITE_IOERR. What SQLite calls of itself is left alone: sqlite3_exec
// believes what the statement remembers of a step, and a step that never ran has nothing to remember.
static _Thread_local int inside_sqlite = 0;
#define SQLITE(code, name, arguments, call)                \
  int name arguments {                                     \
    int(*real) arguments = next(#name);                    \
    if (inside_sqlite == 0 && fails(kSqlite)) return code; \
    ++inside_sqlite;                                       \
    const int found = real call;                           \
    --inside_sqlite;                                       \
    return found;                                          \
  }
SQLITE(10, sqlite3_step, (void* statement), (statement))
SQLITE(10, sqlite3_exec, (void* database, const char* sql, void* row, void* data, char** error),
       (database, sql, row, data, error))
SQLITE(7, sqlite3_prepare_v2, (void* database, const char* sql, int size, void** statement, const char** rest),
       (database, sql, size, statement, rest))
SQLITE(7, sqlite3_bind_int64, (void* statement, int index, int64_t value), (statement, index, value))
SQLITE(7, sqlite3_bind_double, (void* statement, int index, double value), (statement, index, value))
SQLITE(7, sqlite3_bind_null, (void* statement, int index), (statement, index))
SQLITE(7, sqlite3_bind_text64,
       (void* statement, int index, const char* text, uint64_t size, void* dispose, unsigned char encoding),
       (statement, index, text, size, dispose, encoding))
SQLITE(7, sqlite3_bind_blob64, (void* statement, int index, const void* bytes, uint64_t size, void* dispose),
       (statement, index, bytes, size, dispose))

static void write_log(void) {
  armed = false;
  if (log_name == NULL || places) return;
  FILE* file = fopen(log_name, "w");
  if (file == NULL) abort();
  fprintf(file, "%ld\n", calls);
  fclose(file);
}

static int (*real_main)(int, char**, char**);

static int main_with_faults(int count, char** arguments, char** environment) {
  const char* names[] = {"", "memory", "write", "sync", "rename", "thread", "sqlite"};
  const char* wanted = getenv("FAULT_KIND");
  for (int i = 1; wanted != NULL && i <= kSqlite; ++i) {
    if (strcmp(wanted, names[i]) == 0) kind = (enum Kind)i;
  }
  const char* at = getenv("FAULT_AT");
  fault_at = at == NULL ? 0 : atol(at);
  log_name = getenv("FAULT_LOG");
  places = getenv("FAULT_PLACES") != NULL;
  if (places) {
    void* frames[4];
    backtrace(frames, 4);  // what it loads, it loads now
    places_file = open(log_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  atexit(write_log);
  armed = true;
  const int code = real_main(count, arguments, environment);
  armed = false;
  return code;
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*) =
      next("__libc_start_main");
  real_main = main;
  return real(main_with_faults, count, arguments, init, fini, rtld_fini, stack_end);
}
