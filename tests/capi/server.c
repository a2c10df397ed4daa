/* A small authoritative server: server BUNDLE PLAYERS TICKS. Players walk at random; ten times a
 * second each tells where they are, and the server passes that on to those who may see them, and
 * to nobody else. Pairs who cannot see each other get a frontier set, and are not looked at again
 * until one of the two leaves their half. */
#include "viewcell.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, CODE = 1 << 16 };

static uint32_t seed = 1;

static uint32_t roll(uint32_t sides) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)(((uint64_t)seed * sides) >> 32);
}

static void must(viewcell_status status) {
  if (status < 0) {
    fprintf(stderr, "server: %s\n", viewcell_status_text(status));
    exit(1);
  }
}

/* What the server knows of two players. */
typedef struct {
  viewcell_region *half[2]; /* null where there is no frontier set */
  unsigned wait;            /* ticks until another set is worth its while */
} pair;

static pair pairs[MOST][MOST];
static unsigned char code[CODE];

static void forget(pair *p) {
  for (int side = 0; side < 2; side++) {
    must(viewcell_region_close(p->half[side]));
    p->half[side] = NULL;
  }
}

/* Whether both players are where they cannot see each other, without asking who sees whom. */
static int silent(const pair *p, viewcell_place a, viewcell_place b) {
  return p->half[0] && viewcell_region_contains(p->half[0], a) == 1 &&
         viewcell_region_contains(p->half[1], b) == 1;
}

static void negotiate(pair *p, const viewcell_bundle *bundle, viewcell_frontier *frontier,
                      viewcell_place a, viewcell_place b) {
  must(viewcell_frontier_begin(frontier, a, b, VIEWCELL_BUDGET));
  while (viewcell_frontier_step(frontier, 16) == 0)
    ;
  for (uint32_t side = 0; side < 2; side++) {
    size_t length;
    must(viewcell_frontier_encode(frontier, side, 0, code, sizeof code, &length));
    must(viewcell_region_decode(bundle, code, length, &p->half[side]));
  }
}

int main(int count, char **arguments) {
  if (count != 4)
    return 2;
  unsigned players = (unsigned)atoi(arguments[2]), ticks = (unsigned)atoi(arguments[3]);
  if (players > MOST)
    return 2;
  viewcell_bundle *bundle;
  char why[256];
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], VIEWCELL_MAP, &bundle, why, sizeof why) < 0) {
    fprintf(stderr, "server: %s\n", why);
    return 1;
  }
  viewcell_world terrain;
  must(viewcell_info(bundle, &terrain));
  viewcell_frontier *frontier;
  must(viewcell_frontier_new(bundle, &frontier));

  viewcell_place place[MOST];
  viewcell_box ground;
  for (unsigned i = 0; i < players; i++)
    do {
      place[i] = roll(terrain.width);
      place[i] += roll(terrain.height) * terrain.width;
    } while (viewcell_bounds(bundle, place[i], &ground) < 0);

  unsigned long updates = 0, sent = 0, sets = 0, kept_silent = 0;
  for (unsigned tick = 0; tick < ticks; tick++) {
    for (unsigned i = 0; i < players; i++) {
      uint32_t column = place[i] % terrain.width + roll(3) - 1;
      uint32_t row = place[i] / terrain.width + roll(3) - 1;
      viewcell_place next = row * terrain.width + column;
      if (column < terrain.width && row < terrain.height &&
          viewcell_bounds(bundle, next, &ground) == VIEWCELL_OK)
        place[i] = next;
    }
    for (unsigned i = 0; i < players; i++)
      for (unsigned j = i + 1; j < players; j++) {
        pair *p = &pairs[i][j];
        updates += 2;
        if (silent(p, place[i], place[j])) {
          /* The promise of frontier sets, held to the bundle. */
          if (viewcell_visible(bundle, place[i], place[j]) ||
              viewcell_visible(bundle, place[j], place[i])) {
            fprintf(stderr, "server: a leak\n");
            return 1;
          }
          kept_silent += 2;
          continue;
        }
        if (p->half[0])
          forget(p);
        int seen = viewcell_visible(bundle, place[i], place[j]) == 1;
        int sees = viewcell_visible(bundle, place[j], place[i]) == 1;
        sent += (unsigned long)(seen + sees);
        if (seen || sees)
          continue;
        if (p->wait > 0) {
          p->wait--;
          continue;
        }
        negotiate(p, bundle, frontier, place[i], place[j]);
        p->wait = 10;
        sets++;
      }
  }
  printf("%lu updates, %lu passed on, %lu frontier sets, %lu not looked at\n", updates, sent, sets,
         kept_silent);
  must(viewcell_frontier_close(frontier));
  must(viewcell_close(bundle));
  return 0;
}
