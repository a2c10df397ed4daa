/* Uses every function of viewcell.h that is for levels of cells: cells BUNDLE. Prints what tests
 * compare with the runtime's own answers; ends with 1 where a promise of the header does not
 * hold. */
#include "check.h"

/* Who sees whom, asked in every way there is, and how far apart they are. */
static void print_matrix(const viewcell_bundle *bundle, const viewcell_cells *level) {
  uint32_t n = level->cells;
  uint32_t *all = malloc(n * sizeof *all), *same = malloc(n * sizeof *same);
  uint8_t *from_one = malloc(n), *pairs = malloc(n);
  uint64_t *pvs = malloc((level->words + 1) * sizeof *pvs);
  CHECK(all && same && from_one && pairs && pvs);
  for (uint32_t i = 0; i < n; i++)
    all[i] = i;
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t b = 0; b < n; b++)
      same[b] = a;
    CHECK(viewcell_cells_visible_from(bundle, a, n, all, from_one) == VIEWCELL_OK);
    CHECK(viewcell_cells_visible_pairs(bundle, n, same, all, pairs) == VIEWCELL_OK);
    pvs[level->words] = 77;
    CHECK(viewcell_cells_pvs(bundle, a, pvs, level->words + 1) == VIEWCELL_OK);
    CHECK(pvs[level->words] == 77);
    for (uint32_t b = 0; b < n; b++) {
      viewcell_status one = viewcell_cells_visible(bundle, a, b);
      CHECK(one == 0 || one == 1);
      CHECK(one == from_one[b] && one == pairs[b]);
      CHECK(one == viewcell_cells_contains(pvs, level->words, b));
      putchar('0' + one);
    }
    for (uint32_t b = 0; b < n; b++) {
      viewcell_status steps = viewcell_cells_distance(bundle, a, b);
      CHECK(steps >= 0 || steps == VIEWCELL_UNREACHABLE);
      CHECK((steps == 0 || steps == 1) == from_one[b]);
      CHECK(steps <= (viewcell_status)level->greatest_distance);
      printf(" %d", steps);
    }
    putchar('\n');
  }
  free(all), free(same), free(from_one), free(pairs), free(pvs);
}

static void print_region(const uint64_t *region, const viewcell_cells *level) {
  putchar(' ');
  for (uint32_t cell = 0; cell < level->cells; cell++)
    putchar('0' + viewcell_cells_contains(region, level->words, cell));
}

static void print_frontiers(const viewcell_bundle *bundle, const viewcell_cells *level) {
  for (uint32_t construction = VIEWCELL_PUBLISHED; construction <= VIEWCELL_WIDENED; construction++) {
    size_t count = 0;
    viewcell_status known = viewcell_cells_frontier_words(bundle, construction, &count);
    if (construction >= VIEWCELL_GROWN && !level->has_neighbours) {
      CHECK(known == VIEWCELL_ARGUMENT && count == 0);
      CHECK(viewcell_cells_frontier(bundle, 0, 0, construction, NULL, 0) == VIEWCELL_ARGUMENT);
      continue;
    }
    CHECK(known == VIEWCELL_OK && count >= 2 * level->words);
    uint64_t *memory = malloc(count * sizeof *memory);
    CHECK(memory);
    memset(memory, 0xaa, count * sizeof *memory);
    for (uint32_t a = 0; a < level->cells; a += 7)
      for (uint32_t b = 0; b < level->cells; b++) {
        viewcell_status made = viewcell_cells_frontier(bundle, a, b, construction, memory, count);
        CHECK(made == 0 || made == 1);
        printf("%u %u %u %d", construction, a, b, made);
        print_region(memory, level);
        print_region(memory + level->words, level);
        putchar('\n');
      }
    CHECK(viewcell_cells_frontier(bundle, 0, 1, construction, memory, count - 1) ==
          VIEWCELL_BUFFER);
    free(memory);
  }
}

/* What is wrong is said, and nothing is written. */
static void misuse(viewcell_bundle *bundle, const viewcell_cells *level) {
  uint32_t n = level->cells, cell = 9, both[2] = {0, n};
  uint64_t words[64] = {77};
  uint8_t answers[2] = {7, 7};
  size_t count;
  CHECK(n <= 64 * 64);
  CHECK(viewcell_cells_info(NULL, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_cells_info(bundle, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_cells_locate(bundle, 0, 0, 0, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_cells_locate(bundle, -1e30, 0, 0, &cell) == VIEWCELL_OUTSIDE && cell == 9);
  CHECK(viewcell_cells_locate(bundle, 0.0 / 0.0, 0, 0, &cell) == VIEWCELL_OUTSIDE && cell == 9);
  CHECK(viewcell_cells_visible(bundle, 0, n) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_visible(bundle, 0xffffffff, 0) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_visible_pairs(bundle, 2, both, both, answers) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_visible_from(bundle, n, 0, NULL, NULL) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_visible_from(bundle, 0, 2, both, answers) == VIEWCELL_OUTSIDE);
  CHECK(answers[0] == 7 && answers[1] == 7);
  CHECK(viewcell_cells_visible_from(bundle, 0, 1, NULL, answers) == VIEWCELL_NULL);
  CHECK(viewcell_cells_visible_pairs(bundle, SIZE_MAX, both, both, answers) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_cells_pvs(bundle, n, words, 64) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_pvs(bundle, 0, words, level->words - 1) == VIEWCELL_BUFFER);
  CHECK(viewcell_cells_pvs(bundle, 0, NULL, 64) == VIEWCELL_NULL && words[0] == 77);
  CHECK(viewcell_cells_distance(bundle, n, 0) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_frontier_words(bundle, 4, &count) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_cells_frontier_words(bundle, 0, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_cells_frontier(bundle, 0, n, 0, words, 64) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_cells_frontier(bundle, 0, 0, 0, NULL, 64) == VIEWCELL_NULL);
  CHECK(viewcell_cells_contains(words, 64, 64 * 64) == 0);
  CHECK(viewcell_cells_contains(NULL, 64, 0) == VIEWCELL_NULL);

  /* What is for terrains is not for cells. */
  viewcell_terrain terrain;
  viewcell_sample sample = {0, 0};
  float height;
  CHECK(viewcell_info(bundle, &terrain) == VIEWCELL_KIND);
  CHECK(viewcell_locate(bundle, 0, 0, &sample) == VIEWCELL_KIND);
  CHECK(viewcell_locate_georeferenced(bundle, 0, 0, &sample) == VIEWCELL_KIND);
  CHECK(viewcell_height(bundle, sample, &height) == VIEWCELL_KIND);
  CHECK(viewcell_visible(bundle, sample, sample) == VIEWCELL_KIND);
  CHECK(viewcell_visible_pairs(bundle, 0, NULL, NULL, NULL) == VIEWCELL_KIND);
  CHECK(viewcell_visible_from(bundle, sample, 0, NULL, NULL) == VIEWCELL_KIND);
  CHECK(viewcell_visible_quads(bundle, 0, sample, 0, sample) == VIEWCELL_KIND);
  CHECK(viewcell_pvs(bundle, 0, sample, words, 64) == VIEWCELL_KIND);
  viewcell_frontier *frontier;
  viewcell_session *session;
  viewcell_region *region;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_KIND && !frontier);
  CHECK(viewcell_session_new(bundle, 2, NULL, &session) == VIEWCELL_OK && session);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  CHECK(viewcell_region_decode(bundle, answers, 2, &region) == VIEWCELL_KIND && !region);

  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_cells_visible(bundle, 0, 0) == VIEWCELL_CLOSED);
  CHECK(viewcell_cells_frontier(bundle, 0, 0, 0, words, 64) == VIEWCELL_CLOSED);
}

/* Players who walk at random: who is told what, as the runtime says it too. */
static void play(viewcell_bundle *bundle, const viewcell_cells *level, uint32_t construction,
                 uint32_t peers) {
  enum { PLAYERS = 6 };
  viewcell_session *session;
  CHECK(viewcell_cells_session_new(bundle, PLAYERS, construction, 3, peers, &session) ==
        VIEWCELL_OK);
  uint32_t place[PLAYERS];
  for (uint32_t i = 0; i < PLAYERS; i++)
    place[i] = VIEWCELL_NOWHERE;
  viewcell_notice notices[2 * PLAYERS];
  unsigned seed = 1;
  for (uint32_t tick = 0; tick < 60; tick++) {
    CHECK(viewcell_session_tick(session) == VIEWCELL_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
      uint32_t next = place[i] < level->cells ? place[i] + (roll(&seed) >> 16) % 3 - 1
                                              : (roll(&seed) >> 16) % level->cells;
      size_t told = 77;
      viewcell_status moved =
          viewcell_cells_session_move(session, i, next, notices, 2 * PLAYERS, &told);
      /* One step from cell 0 leads nowhere: the player is gone. */
      CHECK(moved == (next == level->cells ? VIEWCELL_OUTSIDE : VIEWCELL_OK));
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
        CHECK(viewcell_cells_visible(bundle, place[i], place[j]) == 0 && age <= tick);
        CHECK(viewcell_cells_session_contains(session, i, j, place[i]) == 1);
        CHECK(viewcell_cells_session_contains(session, i, j, place[j]) == 0);
      }
    }
  }
  uint64_t sets;
  CHECK(viewcell_session_sets(session, &sets) == VIEWCELL_OK);
  printf("%lu sets\n", (unsigned long)sets);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  CHECK(viewcell_cells_session_move(session, 0, 0, notices, 2 * PLAYERS, NULL) == VIEWCELL_CLOSED);
}

static void misuse_session(viewcell_bundle *bundle, const viewcell_cells *level) {
  viewcell_session *session;
  viewcell_notice notices[2];
  viewcell_sample sample = {0, 0};
  size_t count = 5;
  CHECK(viewcell_cells_session_new(bundle, 2, 4, 0, 0, &session) == VIEWCELL_ARGUMENT && !session);
  CHECK(viewcell_cells_session_new(bundle, 2, 0, 0, 2, &session) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_cells_session_new(bundle, VIEWCELL_MOST_PLAYERS + 1, 0, 0, 0, &session) ==
        VIEWCELL_ARGUMENT);
  CHECK(viewcell_cells_session_new(NULL, 2, 0, 0, 0, &session) == VIEWCELL_NULL);
  CHECK(viewcell_cells_session_new(bundle, 2, 0, 0, 0, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_cells_session_new(bundle, 2, 0, 0, 0, &session) == VIEWCELL_OK);
  CHECK(viewcell_cells_session_move(session, 2, 0, notices, 2, &count) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_cells_session_move(session, 0, 0, notices, 1, &count) == VIEWCELL_BUFFER);
  CHECK(viewcell_cells_session_move(session, 0, level->cells, notices, 2, &count) ==
        VIEWCELL_OUTSIDE);
  CHECK(viewcell_session_move(session, 0, &sample, notices, 2, &count) == VIEWCELL_KIND);
  CHECK(viewcell_solid_session_move(session, 0, NULL, notices, 2, &count) == VIEWCELL_KIND);
  CHECK(viewcell_session_contains(session, 0, 1, sample) == VIEWCELL_KIND);
  CHECK(viewcell_session_encode(session, 0, 1, NULL, 0, &count) == VIEWCELL_KIND && count == 5);
  CHECK(viewcell_cells_session_contains(session, 0, 0, 0) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_cells_session_contains(session, 0, 1, 0) == 0);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
}

static void ask_damaged(viewcell_bundle *bundle, unsigned seed) {
  static uint64_t memory[1 << 12];
  viewcell_cells level;
  if (viewcell_cells_info(bundle, &level) != VIEWCELL_OK)
    return; /* the kind of world is among the wrong bytes */
  uint32_t a = seed % level.cells, b = (seed >> 8) % level.cells, cell;
  viewcell_cells_locate(bundle, (seed >> 4) % 1000, 3.0, 3.0, &cell);
  viewcell_cells_visible(bundle, a, b);
  viewcell_cells_distance(bundle, a, b);
  viewcell_cells_pvs(bundle, a, memory, 1 << 12);
  for (uint32_t construction = VIEWCELL_PUBLISHED; construction <= VIEWCELL_WIDENED; construction++)
    if (viewcell_cells_frontier(bundle, a, b, construction, memory, 1 << 12) == 1) {
      CHECK(viewcell_cells_contains(memory, level.words, a) == 1);
      CHECK(viewcell_cells_contains(memory + level.words, level.words, b) == 1);
    }
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  viewcell_bundle *bundle;
  char why[200];
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], &bundle, why, sizeof why) != VIEWCELL_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  CHECK(viewcell_kind(bundle) == VIEWCELL_CELLS);
  viewcell_cells level;
  CHECK(viewcell_cells_info(bundle, &level) == VIEWCELL_OK);
  CHECK(level.words == (level.cells + 63) / 64);
  printf("%u cells, up to %u apart, mutual %u, BSP %u, neighbours %u\n", level.cells,
         level.greatest_distance, level.mutual, level.has_bsp, level.has_neighbours);
  for (int x = -5; x < 800; x += 5) {
    uint32_t cell;
    viewcell_status found = viewcell_cells_locate(bundle, x, 1.0, 1.0, &cell);
    CHECK(found == VIEWCELL_OK || found == VIEWCELL_OUTSIDE);
    printf("%d ", found == VIEWCELL_OK ? (int)cell : -1);
  }
  putchar('\n');
  print_matrix(bundle, &level);
  print_frontiers(bundle, &level);
  for (uint32_t peers = 0; peers < 2; peers++)
    play(bundle, &level, VIEWCELL_TIGHTENED, peers);
  misuse_session(bundle, &level);
  misuse(bundle, &level);
  damage(arguments[1], ask_damaged);
  return 0;
}
