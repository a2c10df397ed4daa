/* Asks a level of cells what viewcell.h has for it: cells BUNDLE. Prints what tests
 * compare with the runtime's own answers; ends with 1 where a promise of the header does not
 * hold. */
#include "check.h"

/* Who sees whom, asked in every way there is, and how far apart they are. */
static void print_matrix(const viewcell_bundle *bundle, const viewcell_world *level) {
  uint32_t n = (uint32_t)level->places;
  uint32_t *all = malloc(n * sizeof *all), *same = malloc(n * sizeof *same);
  uint8_t *from_one = malloc(n), *pairs = malloc(n);
  uint64_t *pvs = malloc((level->words + 1) * sizeof *pvs);
  CHECK(all && same && from_one && pairs && pvs);
  for (uint32_t i = 0; i < n; i++)
    all[i] = i;
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t b = 0; b < n; b++)
      same[b] = a;
    CHECK(viewcell_visible_from(bundle, a, n, all, from_one) == VIEWCELL_OK);
    CHECK(viewcell_visible_pairs(bundle, n, same, all, pairs) == VIEWCELL_OK);
    pvs[level->words] = 77;
    CHECK(viewcell_pvs(bundle, a, 0, pvs, level->words + 1) == VIEWCELL_OK);
    CHECK(pvs[level->words] == 77);
    for (uint32_t b = 0; b < n; b++) {
      viewcell_status one = viewcell_visible(bundle, a, b);
      CHECK(one == 0 || one == 1);
      CHECK(one == from_one[b] && one == pairs[b]);
      CHECK(one == viewcell_contains(bundle, pvs, level->words, b));
      putchar('0' + one);
    }
    for (uint32_t b = 0; b < n; b++) {
      viewcell_status steps = viewcell_distance(bundle, a, b);
      CHECK(steps >= 0 || steps == VIEWCELL_UNREACHABLE);
      CHECK((steps == 0 || steps == 1) == from_one[b]);
      CHECK(steps <= (viewcell_status)level->greatest_distance);
      printf(" %d", steps);
    }
    putchar('\n');
  }
  free(all), free(same), free(from_one), free(pairs), free(pvs);
}

/* A half of a set, and what is read of its bytes. */
static void print_half(const viewcell_bundle *bundle, viewcell_frontier *frontier, uint32_t side,
                       const viewcell_world *level) {
  unsigned char code[1024];
  size_t length;
  viewcell_region *copy;
  uint64_t area, count = 0;
  CHECK(viewcell_frontier_encode(frontier, side, 0, code, sizeof code, &length) == VIEWCELL_OK);
  CHECK(viewcell_region_decode(bundle, code, length, &copy) == VIEWCELL_OK);
  CHECK(viewcell_frontier_area(frontier, side, &area) == VIEWCELL_OK);
  putchar(' ');
  for (uint32_t cell = 0; cell < level->places; cell++) {
    viewcell_status in = viewcell_frontier_contains(frontier, side, cell);
    CHECK(in == viewcell_region_contains(copy, cell));
    count += (uint64_t)in;
    putchar('0' + in);
  }
  CHECK(count == area);
  CHECK(viewcell_region_close(copy) == VIEWCELL_OK);
}

static void print_frontiers(const viewcell_bundle *bundle, const viewcell_world *level) {
  viewcell_frontier *frontier;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK);
  CHECK(viewcell_frontier_contains(frontier, 0, 0) == 0);
  for (uint32_t a = 0; a < level->places; a += 7)
    for (uint32_t b = 0; b < level->places; b++) {
      uint64_t area;
      CHECK(viewcell_frontier_begin(frontier, a, b, VIEWCELL_BUDGET) == VIEWCELL_OK);
      CHECK(viewcell_frontier_step(frontier, 1) == 1);
      CHECK(viewcell_frontier_area(frontier, 0, &area) == VIEWCELL_OK);
      printf("%u %u %d", a, b, area > 0);
      for (uint32_t side = 0; side < 2; side++)
        print_half(bundle, frontier, side, level);
      putchar('\n');
    }
  CHECK(viewcell_frontier_begin(frontier, 0, (uint32_t)level->places, 0) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
}

/* What is wrong is said, and nothing is written. */
static void misuse(viewcell_bundle *bundle, const viewcell_world *level) {
  uint32_t n = (uint32_t)level->places, cell = 9, both[2] = {0, n};
  uint64_t words[64] = {77};
  uint8_t answers[2] = {7, 7};
  viewcell_position far = {-1e30, 0, 0}, no_number = {0.0 / 0.0, 0, 0};
  viewcell_region *region;
  CHECK(n <= 64 * 64);
  CHECK(viewcell_locate(bundle, &far, &cell) == VIEWCELL_OUTSIDE && cell == VIEWCELL_NOWHERE);
  CHECK(viewcell_locate(bundle, &no_number, &cell) == VIEWCELL_OUTSIDE && cell == VIEWCELL_NOWHERE);
  CHECK(viewcell_visible(bundle, 0, n) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible(bundle, VIEWCELL_NOWHERE, 0) == 1);
  CHECK(viewcell_visible_within(bundle, 0, VIEWCELL_NOWHERE, 0, 0) == 1);
  CHECK(viewcell_visible_pairs(bundle, 2, both, both, answers) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_from(bundle, n, 0, NULL, NULL) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_from(bundle, 0, 2, both, answers) == VIEWCELL_OUTSIDE);
  CHECK(answers[0] == 7 && answers[1] == 7);
  CHECK(viewcell_visible_from(bundle, 0, 1, NULL, answers) == VIEWCELL_NULL);
  CHECK(viewcell_visible_pairs(bundle, SIZE_MAX, both, both, answers) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_pvs(bundle, n, 0, words, 64) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_pvs(bundle, 0, 1, words, 64) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_pvs(bundle, 0, 0, words, level->words - 1) == VIEWCELL_BUFFER);
  CHECK(viewcell_pvs(bundle, 0, 0, NULL, 64) == VIEWCELL_NULL && words[0] == 77);
  CHECK(viewcell_distance(bundle, n, 0) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_distance(bundle, 0, VIEWCELL_NOWHERE) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_contains(bundle, words, 64, n) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_contains(bundle, words, 1, 64) == VIEWCELL_BUFFER);
  CHECK(viewcell_contains(bundle, NULL, 64, 0) == VIEWCELL_NULL);
  CHECK(viewcell_region_decode(bundle, answers, 2, &region) == VIEWCELL_FORMAT && !region);

  /* What only terrains have. */
  CHECK(viewcell_locate_georeferenced(bundle, &far, &cell) == VIEWCELL_KIND);
  CHECK(viewcell_visible_quads(bundle, 0, 0, 0, 0) == VIEWCELL_KIND);

  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_visible(bundle, 0, 0) == VIEWCELL_CLOSED);
}

/* Players who walk at random: who is told what, as the runtime says it too. */
static void play(viewcell_bundle *bundle, const viewcell_world *level, uint32_t peers) {
  enum { PLAYERS = 6 };
  viewcell_session *session;
  viewcell_session_options options;
  CHECK(viewcell_session_defaults(&options) == VIEWCELL_OK && options.patience == UINT32_MAX);
  options.patience = 3;
  options.peers = peers;
  CHECK(viewcell_session_new(bundle, PLAYERS, &options, &session) == VIEWCELL_OK);
  viewcell_place place[PLAYERS];
  for (uint32_t i = 0; i < PLAYERS; i++)
    place[i] = VIEWCELL_NOWHERE;
  viewcell_notice notices[2 * PLAYERS];
  unsigned seed = 1;
  for (uint32_t tick = 0; tick < 60; tick++) {
    CHECK(viewcell_session_tick(session) == VIEWCELL_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
      uint32_t cells = (uint32_t)level->places;
      uint32_t next = place[i] < cells ? place[i] + (roll(&seed) >> 16) % 3 - 1 : (roll(&seed) >> 16) % cells;
      size_t told = 77;
      /* One step from cell 0 leads nowhere: the player is gone. */
      if (next == VIEWCELL_NOWHERE) {
        CHECK(viewcell_session_leave(session, i) == VIEWCELL_OK);
        place[i] = next;
        continue;
      }
      viewcell_status moved = viewcell_session_move(session, i, next, notices, 2 * PLAYERS, &told);
      CHECK(moved == (next == cells ? VIEWCELL_OUTSIDE : VIEWCELL_OK));
      if (moved != VIEWCELL_OK) {
        CHECK(told == 77);
        continue;
      }
      place[i] = next;
      for (size_t k = 0; k < told; k++)
        printf("%u %u %u %u %u\n", tick, i, notices[k].to, notices[k].about, notices[k].what);
      for (uint32_t j = 0; j < PLAYERS; j++) {
        uint64_t age;
        if (j == i || viewcell_session_age(session, i, j, &age) != 1)
          continue;
        CHECK(viewcell_visible(bundle, place[i], place[j]) == 0 && age <= tick);
        CHECK(viewcell_session_contains(session, i, j, place[i]) == 1);
        CHECK(viewcell_session_contains(session, i, j, place[j]) == 0);
      }
    }
  }
  uint64_t sets;
  CHECK(viewcell_session_sets(session, &sets) == VIEWCELL_OK);
  printf("%lu sets\n", (unsigned long)sets);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  CHECK(viewcell_session_move(session, 0, 0, notices, 2 * PLAYERS, NULL) == VIEWCELL_CLOSED);
}

static void misuse_session(viewcell_bundle *bundle, const viewcell_world *level) {
  viewcell_session *session;
  viewcell_session_options options;
  viewcell_notice notices[4];
  size_t count = 5;
  CHECK(viewcell_session_defaults(&options) == VIEWCELL_OK);
  options.peers = 2;
  CHECK(viewcell_session_new(bundle, 2, &options, &session) == VIEWCELL_ARGUMENT && !session);
  CHECK(viewcell_session_new(bundle, 3, NULL, &session) == VIEWCELL_OK);
  CHECK(viewcell_session_move(session, 3, 0, notices, 4, &count) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_move(session, 0, 0, notices, 3, &count) == VIEWCELL_BUFFER);
  CHECK(viewcell_session_move(session, 0, (uint32_t)level->places, notices, 4, &count) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_session_contains(session, 0, 0, 0) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_contains(session, 0, 1, 0) == 0 && count == 5);
  /* Two who do not see each other have a set; all are told of who is nowhere; who leaves has none. */
  CHECK(viewcell_session_move(session, 0, 0, notices, 4, &count) == VIEWCELL_OK && count == 0);
  CHECK(viewcell_session_move(session, 1, 40, notices, 4, &count) == VIEWCELL_OK && count == 0);
  CHECK(viewcell_session_contains(session, 0, 1, 0) == 1);
  CHECK(viewcell_session_contains(session, 0, 1, VIEWCELL_NOWHERE) == 0);
  unsigned char code[1024];
  viewcell_region *half;
  CHECK(viewcell_session_encode(session, 0, 1, code, sizeof code, &count) == VIEWCELL_OK);
  CHECK(viewcell_region_decode(bundle, code, count, &half) == VIEWCELL_OK);
  for (uint32_t cell = 0; cell < level->places; cell++)
    CHECK(viewcell_region_contains(half, cell) == viewcell_session_contains(session, 0, 1, cell));
  CHECK(viewcell_region_close(half) == VIEWCELL_OK);
  CHECK(viewcell_session_move(session, 2, VIEWCELL_NOWHERE, notices, 4, &count) == VIEWCELL_OK && count == 4);
  CHECK(viewcell_session_leave(session, 1) == VIEWCELL_OK);
  CHECK(viewcell_session_leave(session, 3) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_encode(session, 0, 1, NULL, 0, &count) == VIEWCELL_OK && count == 0);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  CHECK(viewcell_session_leave(session, 1) == VIEWCELL_CLOSED);
}

static void ask_damaged(viewcell_bundle *bundle, unsigned seed) {
  static uint64_t words[1 << 12];
  viewcell_world level;
  viewcell_frontier *frontier;
  CHECK(viewcell_info(bundle, &level) == VIEWCELL_OK);
  if (level.kind != VIEWCELL_CELLS)
    return; /* the kind of world is among the wrong bytes */
  uint32_t a = seed % (uint32_t)level.places, b = (seed >> 8) % (uint32_t)level.places, cell;
  viewcell_position position = {(seed >> 4) % 1000, 3.0, 3.0};
  viewcell_locate(bundle, &position, &cell);
  viewcell_visible(bundle, a, b);
  viewcell_distance(bundle, a, b);
  viewcell_pvs(bundle, a, 0, words, 1 << 12);
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK);
  uint64_t area = 0;
  if (viewcell_frontier_begin(frontier, a, b, VIEWCELL_BUDGET) == VIEWCELL_OK)
    CHECK(viewcell_frontier_area(frontier, 0, &area) == VIEWCELL_OK);
  if (area > 0) {
    CHECK(viewcell_frontier_contains(frontier, 0, a) == 1);
    CHECK(viewcell_frontier_contains(frontier, 1, b) == 1);
  }
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  viewcell_bundle *bundle;
  char why[200];
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], VIEWCELL_MAP, &bundle, why, sizeof why) != VIEWCELL_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  viewcell_world level;
  CHECK(viewcell_info(bundle, &level) == VIEWCELL_OK);
  CHECK(level.kind == VIEWCELL_CELLS && level.words == (level.places + 63) / 64 && level.width == 0);
  printf("%u cells, up to %u apart, mutual %u, BSP %u, neighbours %u\n", (uint32_t)level.places,
         level.greatest_distance, level.mutual, level.has_bsp, level.has_neighbours);
  for (int x = -5; x < 800; x += 5) {
    viewcell_place cell;
    viewcell_position position = {x, 1.0, 1.0};
    viewcell_status found = viewcell_locate(bundle, &position, &cell);
    CHECK(found == VIEWCELL_OK || found == VIEWCELL_OUTSIDE);
    printf("%d ", found == VIEWCELL_OK ? (int)cell : -1);
  }
  putchar('\n');
  print_matrix(bundle, &level);
  print_frontiers(bundle, &level);
  for (uint32_t peers = 0; peers < 2; peers++)
    play(bundle, &level, peers);
  misuse_session(bundle, &level);
  misuse(bundle, &level);
  damage(arguments[1], ask_damaged);
  return 0;
}
