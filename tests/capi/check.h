/* What the test programs share. */
#ifndef CHECK_H
#define CHECK_H

#include "viewcell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                         \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);             \
      exit(1);                                                                                   \
    }                                                                                            \
  } while (0)

static inline unsigned char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  CHECK(file);
  CHECK(fseek(file, 0, SEEK_END) == 0);
  *length = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*length);
  CHECK(bytes && fread(bytes, 1, *length, file) == *length);
  fclose(file);
  return bytes;
}

static inline unsigned roll(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }

/* Opens copies of a bundle with a few wrong bytes, some of them cut short, and asks each: any
 * answer will do, as long as there is one. */
static inline void damage(const char *path, void (*ask)(viewcell_bundle *bundle, unsigned seed)) {
  size_t length;
  unsigned char *bytes = read_file(path, &length);
  unsigned seed = 1;
  int opened = 0;
  for (int i = 0; i < 3000; i++) {
    unsigned char *damaged = malloc(length);
    CHECK(damaged);
    memcpy(damaged, bytes, length);
    size_t part = i % 50 == 0 ? roll(&seed) % length : length;
    for (int k = 0; k < 3; k++) {
      roll(&seed);
      size_t at = i % 20 == 0 ? seed % length : 512 + (seed >> 4) % (length - 512);
      damaged[at] = (unsigned char)(seed >> 24);
    }
    viewcell_bundle *bundle;
    if (viewcell_open_memory(VIEWCELL_ABI_VERSION, damaged, part, &bundle, NULL, 0) ==
        VIEWCELL_OK) {
      opened++;
      ask(bundle, seed);
      CHECK(viewcell_close(bundle) == VIEWCELL_OK);
    }
    free(damaged);
  }
  CHECK(opened > 1000);
  free(bytes);
}

#endif
