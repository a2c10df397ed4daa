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
  for (uint32_t construction = VIEWCELL_PUBLISHED; construction <= VIEWCELL_GROWN; construction++) {
    size_t count = 0;
    viewcell_status known = viewcell_cells_frontier_words(bundle, construction, &count);
    if (construction == VIEWCELL_GROWN && !level->has_neighbours) {
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
  CHECK(viewcell_cells_frontier_words(bundle, 3, &count) == VIEWCELL_ARGUMENT);
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
  CHECK(viewcell_session_new(bundle, 2, NULL, &session) == VIEWCELL_KIND && !session);
  CHECK(viewcell_region_decode(bundle, answers, 2, &region) == VIEWCELL_KIND && !region);

  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_cells_visible(bundle, 0, 0) == VIEWCELL_CLOSED);
  CHECK(viewcell_cells_frontier(bundle, 0, 0, 0, words, 64) == VIEWCELL_CLOSED);
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
  for (uint32_t construction = VIEWCELL_PUBLISHED; construction <= VIEWCELL_GROWN; construction++)
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
  misuse(bundle, &level);
  damage(arguments[1], ask_damaged);
  return 0;
}
