/* Asks the questions of a table and compares: table BUNDLE QUESTIONS ANSWERS. See run. */
#define _POSIX_C_SOURCE 199309L
#include "viewcell.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *bytes_of(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    exit((perror(path), 4));
  *length = (size_t)ftell(file);
  rewind(file);
  void *bytes = malloc(*length + 1);
  if (!bytes || fread(bytes, 1, *length, file) != *length)
    exit((perror(path), 4));
  fclose(file);
  return bytes;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int count, char **arguments) {
  viewcell_bundle *bundle;
  char why[256];
  if (count != 4)
    return 2;
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], VIEWCELL_MAP, &bundle, why, sizeof why) < 0)
    return fprintf(stderr, "%s\n", why), 3;
  viewcell_world world;
  if (viewcell_info(bundle, &world) < 0)
    return 3;
  size_t length, questions;
  const uint32_t *pairs = bytes_of(arguments[2], &length);
  uint8_t *expected = bytes_of(arguments[3], &questions);
  uint8_t *found = malloc(questions + 1);
  viewcell_place *from = malloc(questions * sizeof *from + 1), *to = malloc(questions * sizeof *to + 1);
  /* Of a terrain the table has columns and rows. */
  for (size_t i = 0; i < questions; i++) {
    int is_terrain = world.kind == VIEWCELL_TERRAIN;
    const uint32_t *pair = pairs + i * (is_terrain ? 4 : 2);
    from[i] = is_terrain ? pair[1] * world.width + pair[0] : pair[0];
    to[i] = is_terrain ? pair[3] * world.width + pair[2] : pair[1];
  }
  for (int at_once = 0; at_once <= 1; at_once++) {
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
      double begun = now();
      if (at_once && viewcell_visible_pairs(bundle, questions, from, to, found) < 0)
        return fprintf(stderr, "no answers\n"), 1;
      for (size_t i = 0; i < questions && !at_once; i++)
        found[i] = (uint8_t)viewcell_visible(bundle, from[i], to[i]);
      double taken = now() - begun;
      best = taken < best ? taken : best;
      for (size_t i = 0; i < questions; i++)
        if (found[i] != expected[i])
          return fprintf(stderr, "C: question %zu is answered otherwise\n", i), 1;
    }
    printf("C, %s\t%zu\t%.0f\n", at_once ? "at once" : "one by one", questions, best * 1e9 / (double)questions);
  }
  return viewcell_close(bundle);
}
