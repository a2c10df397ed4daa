/* Uses every function of viewcell.h that is for terrains, but sessions: manual BUNDLE. Prints what
 * tests compare with the runtime's own answers; ends with 1 where a promise of the header does not
 * hold. */
#include "check.h"

static viewcell_sample at(uint32_t column, uint32_t row) {
  viewcell_sample sample = {column, row};
  return sample;
}

/* Who sees whom, asked in every way there is. */
static void print_matrix(const viewcell_bundle *bundle, const viewcell_terrain *terrain) {
  size_t n = (size_t)terrain->width * terrain->height;
  viewcell_sample *all = malloc(n * sizeof *all);
  viewcell_sample *same = malloc(n * sizeof *same);
  uint8_t *from_one = malloc(n), *pairs = malloc(n);
  uint64_t *pvs = malloc(terrain->blocks * sizeof *pvs);
  CHECK(all && same && from_one && pairs && pvs);
  for (size_t i = 0; i < n; i++)
    all[i] = at((uint32_t)(i % terrain->width), (uint32_t)(i / terrain->width));
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      same[j] = all[i];
    CHECK(viewcell_visible_from(bundle, all[i], n, all, from_one) == VIEWCELL_OK);
    CHECK(viewcell_visible_pairs(bundle, n, same, all, pairs) == VIEWCELL_OK);
    CHECK(viewcell_pvs(bundle, 0, all[i], pvs, terrain->blocks) == VIEWCELL_OK);
    for (size_t j = 0; j < n; j++) {
      viewcell_status one = viewcell_visible(bundle, all[i], all[j]);
      CHECK(one == 0 || one == 1);
      CHECK(one == from_one[j] && one == pairs[j]);
      uint64_t word = pvs[all[j].row / 8 * terrain->block_columns + all[j].column / 8];
      CHECK(one == (int)(word >> (all[j].row % 8 * 8 + all[j].column % 8) & 1));
      CHECK(viewcell_visible_quads(bundle, 0, all[i], 0, all[j]) == one);
      putchar('0' + one);
    }
    putchar('\n');
  }
  free(all), free(same), free(from_one), free(pairs), free(pvs);
}

static void print_half(const viewcell_frontier *frontier, const viewcell_terrain *terrain,
                       uint32_t side, const viewcell_region *copy) {
  uint64_t area, count = 0;
  CHECK(viewcell_frontier_area(frontier, side, &area) == VIEWCELL_OK);
  for (uint32_t row = 0; row < terrain->height; row++)
    for (uint32_t column = 0; column < terrain->width; column++) {
      viewcell_status in = viewcell_frontier_contains(frontier, side, at(column, row));
      CHECK(in == 0 || in == 1);
      CHECK(viewcell_region_contains(copy, at(column, row)) == in);
      count += (uint64_t)in;
      putchar('0' + in);
    }
  CHECK(count == area);
  CHECK(viewcell_frontier_contains(frontier, side, at(terrain->width, 0)) == 0);
  putchar('\n');
}

static void frontiers(viewcell_bundle *bundle, const viewcell_terrain *terrain) {
  viewcell_frontier *frontier;
  viewcell_frontier_options options;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK && frontier);
  CHECK(viewcell_frontier_defaults(&options) == VIEWCELL_OK);
  /* The bundle may go before those who use it. */
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), NULL) == VIEWCELL_OK);
  int steps = 0;
  while (viewcell_frontier_step(frontier, 1) == 0)
    CHECK(viewcell_frontier_contains(frontier, 0, at(0, 2)) == 1 && ++steps < 1000);
  CHECK(steps > 1);
  for (uint32_t side = 0; side < 2; side++) {
    size_t length = 0;
    CHECK(viewcell_frontier_encode(frontier, side, 0, NULL, 0, &length) == VIEWCELL_BUFFER);
    CHECK(length > 3 && length < 1000);
    unsigned char code[1000];
    CHECK(viewcell_frontier_encode(frontier, side, 0, code, sizeof code, &length) == VIEWCELL_OK);
    viewcell_region *copy;
    CHECK(viewcell_region_decode(bundle, code, length - 1, &copy) == VIEWCELL_FORMAT && !copy);
    CHECK(viewcell_region_decode(bundle, code, length, &copy) == VIEWCELL_OK && copy);
    print_half(frontier, terrain, side, copy);
    CHECK(viewcell_region_close(copy) == VIEWCELL_OK);
    CHECK(viewcell_region_contains(copy, at(0, 0)) == VIEWCELL_CLOSED);
    CHECK(viewcell_region_close(copy) == VIEWCELL_CLOSED);
  }
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(1, 2), &options) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1) == 1);
  uint64_t area = 7;
  CHECK(viewcell_frontier_area(frontier, 1, &area) == VIEWCELL_OK && area == 0);
  CHECK(viewcell_frontier_begin(frontier, at(9, 0), at(0, 0), NULL) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_frontier_begin(frontier, at(8, 4), at(0, 0), NULL) == VIEWCELL_VOID);
  /* Towards a place, or nowhere in particular. */
  options.order = 4;
  options.toward[0] = at(0, 4);
  options.toward[1] = at(VIEWCELL_NOWHERE, 0);
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), &options) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1000) == 1);
  CHECK(viewcell_frontier_contains(frontier, 0, at(0, 4)) == 1);
  CHECK(viewcell_frontier_contains(frontier, 1, at(8, 2)) == 1);
  options.toward[0] = at(0x80000000u, VIEWCELL_NOWHERE);
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), &options) == VIEWCELL_OK);
  options.order = 5;
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), &options) == VIEWCELL_ARGUMENT);
  options.order = 0;
  options.neighbours = 5;
  CHECK(viewcell_frontier_begin(frontier, at(0, 0), at(8, 0), &options) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_frontier_contains(frontier, 2, at(0, 0)) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), NULL) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1000) == 1);
  CHECK(viewcell_frontier_contains(frontier, 1, at(8, 2)) == 1);
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1) == VIEWCELL_CLOSED);
  CHECK(viewcell_frontier_contains(frontier, 0, at(0, 0)) == VIEWCELL_CLOSED);
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_CLOSED);
  CHECK(viewcell_frontier_close(NULL) == VIEWCELL_OK);
}

/* What takes numbers answers as what takes structs does. */
static void numbers(const viewcell_bundle *bundle, const viewcell_terrain *terrain) {
  viewcell_frontier *frontier, *twin;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK);
  CHECK(viewcell_frontier_new(bundle, &twin) == VIEWCELL_OK);
  uint32_t across = terrain->width, places = across * terrain->height, seen = 0;
  for (uint32_t i = 0; i < places; i++) {
    viewcell_sample a = at(i % across, i / across);
    float height = 0, other = 0;
    CHECK(viewcell_height(bundle, a, &height) ==
              viewcell_height_at(bundle, a.column, a.row, &other) &&
          height == other);
    uint64_t words[64] = {0}, others[64] = {0};
    CHECK(viewcell_pvs(bundle, 0, a, words, 64) == VIEWCELL_OK);
    CHECK(viewcell_pvs_at(bundle, 0, a.column, a.row, others, 64) == VIEWCELL_OK);
    CHECK(memcmp(words, others, sizeof words) == 0);
    for (uint32_t j = 0; j < places; j++) {
      viewcell_sample b = at(j % across, j / across);
      int visible = viewcell_visible(bundle, a, b);
      CHECK(viewcell_visible_at(bundle, a.column, a.row, b.column, b.row) == visible);
      uint32_t pair[4] = {a.column, a.row, b.column, b.row};
      uint8_t answers[2] = {7, 7};
      CHECK(viewcell_visible_pairs_at(bundle, 1, pair, answers) == VIEWCELL_OK);
      CHECK(answers[0] == visible && answers[1] == 7);
      CHECK(viewcell_visible_from_at(bundle, a.column, a.row, 1, &b, answers) == VIEWCELL_OK);
      CHECK(answers[0] == visible);
      CHECK(viewcell_visible_within_at(bundle, a.column, a.row, b.column, b.row, 10, 20) ==
            viewcell_visible_within(bundle, a, b, 10, 20));
      seen += visible;
    }
    int begun = viewcell_frontier_begin(frontier, a, at(0, 2), NULL);
    CHECK(viewcell_frontier_begin_at(twin, a.column, a.row, 0, 2, NULL) == begun);
    if (begun != VIEWCELL_OK)
      continue;
    CHECK(viewcell_frontier_step(frontier, 1000) == 1 && viewcell_frontier_step(twin, 1000) == 1);
    for (uint32_t j = 0; j < places; j++)
      CHECK(viewcell_frontier_contains(frontier, 1, at(j % across, j / across)) ==
            viewcell_frontier_contains_at(twin, 1, j % across, j / across));
  }
  CHECK(seen > places && seen < places * places);
  for (uint32_t i = 0; i < 12; i++)
    CHECK(viewcell_visible_quads_at(bundle, 1, i % 4, i / 4, 2, i % 2, 0) ==
          viewcell_visible_quads(bundle, 1, at(i % 4, i / 4), 2, at(i % 2, 0)));
  uint8_t code[256];
  size_t length;
  viewcell_region *region;
  CHECK(viewcell_frontier_begin_at(twin, 8, 2, 0, 2, NULL) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(twin, 1000) == 1);
  CHECK(viewcell_frontier_encode(twin, 0, 0, code, sizeof code, &length) == VIEWCELL_OK);
  CHECK(viewcell_region_decode(bundle, code, length, &region) == VIEWCELL_OK);
  CHECK(viewcell_region_contains_at(region, 8, 2) == 1);
  CHECK(viewcell_region_contains_at(region, 0, 2) == 0);
  CHECK(viewcell_region_close(region) == VIEWCELL_OK);
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
  CHECK(viewcell_frontier_close(twin) == VIEWCELL_OK);

  /* The place of each number: no two may change places. */
  float height;
  uint32_t pairs[8] = {0, 0, 1, 0, 0, 0, 0, 5};
  uint8_t answers[2] = {7, 7};
  CHECK(viewcell_height_at(bundle, 0, 5, &height) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_at(bundle, 0, 0, 0, 5) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_at(bundle, 9, 0, 0, 0) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_pairs_at(bundle, 2, pairs, answers) == VIEWCELL_OUTSIDE);
  CHECK(answers[0] == 7 && answers[1] == 7);
  CHECK(viewcell_visible_pairs_at(bundle, 2, NULL, answers) == VIEWCELL_NULL);
  CHECK(viewcell_visible_pairs_at(bundle, SIZE_MAX, pairs, answers) == VIEWCELL_ARGUMENT);
}

/* What is wrong is said, and nothing is written. */
static void misuse(const char *path, viewcell_bundle *closed) {
  viewcell_bundle *bundle = closed;
  char why[64];
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION + 1, path, &bundle, NULL, 0) == VIEWCELL_VERSION);
  CHECK(!bundle);
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION - 1, path, &bundle, NULL, 0) == VIEWCELL_VERSION);
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION, NULL, &bundle, NULL, 0) == VIEWCELL_NULL);
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION, path, NULL, NULL, 0) == VIEWCELL_NULL);
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION, "\xff", &bundle, NULL, 0) == VIEWCELL_ARGUMENT);
  memset(why, 'x', sizeof why);
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION, "no such file", &bundle, why, 20) == VIEWCELL_IO);
  CHECK(!bundle && strlen(why) == 19 && strstr(why, "no such file") && why[20] == 'x');
  CHECK(viewcell_open_copy(VIEWCELL_ABI_VERSION, "no such file", &bundle, NULL, 0) == VIEWCELL_IO);
  CHECK(viewcell_open_copy(VIEWCELL_ABI_VERSION, path, &bundle, NULL, 0) == VIEWCELL_OK);
  CHECK(viewcell_visible(bundle, at(0, 0), at(0, 0)) == 1);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_open_memory(VIEWCELL_ABI_VERSION, (const uint8_t *)path, strlen(path), &bundle,
                             why, sizeof why) == VIEWCELL_FORMAT);
  CHECK(viewcell_open_memory(VIEWCELL_ABI_VERSION, NULL, 9, &bundle, NULL, 0) == VIEWCELL_NULL);
  CHECK(viewcell_open_memory(VIEWCELL_ABI_VERSION, NULL, 0, &bundle, NULL, 0) == VIEWCELL_FORMAT);
  viewcell_terrain terrain;
  viewcell_sample sample;
  CHECK(viewcell_info(closed, &terrain) == VIEWCELL_CLOSED);
  CHECK(viewcell_visible(closed, at(0, 0), at(1, 1)) == VIEWCELL_CLOSED);
  CHECK(viewcell_locate(closed, 0, 0, &sample) == VIEWCELL_CLOSED);
  CHECK(viewcell_close(closed) == VIEWCELL_CLOSED);
  CHECK(viewcell_close(NULL) == VIEWCELL_OK);
  CHECK(viewcell_visible(NULL, at(0, 0), at(1, 1)) == VIEWCELL_NULL);
  CHECK(viewcell_open(VIEWCELL_ABI_VERSION, path, &bundle, NULL, 0) == VIEWCELL_OK);
  CHECK(viewcell_info(bundle, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_visible(bundle, at(0, 0), at(9, 0)) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_quads(bundle, 9, at(0, 0), 0, at(0, 0)) == VIEWCELL_OUTSIDE);
  uint8_t answer;
  uint64_t word = 77;
  CHECK(viewcell_visible_from(bundle, at(0, 0), 1, NULL, &answer) == VIEWCELL_NULL);
  CHECK(viewcell_visible_from(bundle, at(0, 0), SIZE_MAX, &sample, &answer) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_visible_pairs(bundle, 0, NULL, NULL, NULL) == VIEWCELL_OK);
  CHECK(viewcell_pvs(bundle, 0, at(0, 0), &word, 1) == VIEWCELL_BUFFER && word == 77);
  CHECK(viewcell_pvs(bundle, 0, at(9, 0), &word, 1) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_locate_georeferenced(bundle, -1e9, 0, &sample) == VIEWCELL_OUTSIDE);
  viewcell_motion alice = {{0, 20, 0}, {0, 1, 0}, 1, 0}, bob = {{80, 20, 0}, {0}, 0, 0};
  viewcell_motion_limits limits = {{2, 2}, {1, 1}, {0, 0}, {0, 0}};
  CHECK(viewcell_visible_in_motion(bundle, &alice, &bob, 0.1, 0.2, &limits) == 0);
  CHECK(viewcell_visible_in_motion(bundle, &alice, &bob, 0.1, 60.0, &limits) == 1);
  CHECK(viewcell_visible_in_motion(closed, &alice, &bob, 0, 1, &limits) == VIEWCELL_CLOSED);
  viewcell_predictor *predictor;
  CHECK(viewcell_predictor_new(bundle, 2, &limits, &predictor) == VIEWCELL_OK);
  CHECK(viewcell_predictor_move(predictor, 0, 5.0, &alice) == VIEWCELL_OK);
  CHECK(viewcell_predictor_may_see(predictor, 0, 1, 5.1, 65.0) == 0);
  CHECK(viewcell_predictor_move(predictor, 1, 5.0, &bob) == VIEWCELL_OK);
  CHECK(viewcell_predictor_may_see(predictor, 0, 1, 5.1, 5.2) == 0);
  CHECK(viewcell_predictor_may_see(predictor, 0, 1, 5.1, 65.0) == 1);
  CHECK(viewcell_predictor_close(predictor) == VIEWCELL_OK);
  viewcell_mover eye = {alice, limits, {0.1, 0.2}}, body = {bob, limits, {0.1, 60.0}};
  viewcell_reachable *reachable;
  CHECK(viewcell_reachable_new(bundle, 2, &reachable) == VIEWCELL_OK);
  CHECK(viewcell_reachable_set(reachable, 0, &eye) == VIEWCELL_OK);
  CHECK(viewcell_reachable_sees(reachable, 0, 1) == 0);
  CHECK(viewcell_reachable_set(reachable, 1, &body) == VIEWCELL_OK);
  CHECK(viewcell_reachable_sees(reachable, 0, 1) == viewcell_sees_in_motion(bundle, &eye, &body));
  CHECK(viewcell_reachable_close(reachable) == VIEWCELL_OK);
  viewcell_cells level;
  uint32_t cell;
  size_t count;
  CHECK(viewcell_cells_info(bundle, &level) == VIEWCELL_KIND);
  CHECK(viewcell_cells_locate(bundle, 0, 0, 0, &cell) == VIEWCELL_KIND);
  CHECK(viewcell_cells_visible(bundle, 0, 0) == VIEWCELL_KIND);
  CHECK(viewcell_cells_visible_pairs(bundle, 0, NULL, NULL, NULL) == VIEWCELL_KIND);
  CHECK(viewcell_cells_visible_from(bundle, 0, 0, NULL, NULL) == VIEWCELL_KIND);
  CHECK(viewcell_cells_pvs(bundle, 0, &word, 1) == VIEWCELL_KIND);
  CHECK(viewcell_cells_distance(bundle, 0, 0) == VIEWCELL_KIND);
  CHECK(viewcell_cells_frontier_words(bundle, 0, &count) == VIEWCELL_KIND);
  CHECK(viewcell_cells_frontier(bundle, 0, 0, 0, &word, 1) == VIEWCELL_KIND);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_kind(bundle) == VIEWCELL_CLOSED && viewcell_kind(NULL) == VIEWCELL_NULL);
  for (int status = 1; status > -15; status--)
    CHECK(strlen(viewcell_status_text(status)) > 3);
}

static void ask_damaged(viewcell_bundle *bundle, unsigned seed) {
  viewcell_terrain terrain;
  viewcell_sample sample;
  float height;
  CHECK(viewcell_info(bundle, &terrain) == VIEWCELL_OK);
  viewcell_locate(bundle, seed % 100, 3.0, &sample);
  viewcell_height(bundle, at(seed % 9, 2), &height);
  viewcell_visible(bundle, at(seed % 9, 1), at(seed % 7, 3));
  uint64_t words[64];
  viewcell_pvs(bundle, seed % 5, at(0, 0), words, 64);
  viewcell_frontier *frontier;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK);
  if (viewcell_frontier_begin(frontier, at(seed % 9, 2), at(8, 2), NULL) == VIEWCELL_OK)
    while (viewcell_frontier_step(frontier, 100) == 0)
      ;
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
}

int main(int count, char **arguments) {
  CHECK(count == 2);
  CHECK(viewcell_abi_version() == VIEWCELL_ABI_VERSION);
  viewcell_bundle *bundle;
  char why[200];
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], &bundle, why, sizeof why) != VIEWCELL_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  CHECK(viewcell_kind(bundle) == VIEWCELL_TERRAIN);
  viewcell_terrain terrain;
  CHECK(viewcell_info(bundle, &terrain) == VIEWCELL_OK);
  printf("%u x %u, %u levels, mutual %u, spacing %g x %g, eye %g, player %g\n", terrain.width,
         terrain.height, terrain.levels, terrain.mutual, terrain.dx, terrain.dy,
         terrain.eye_height, terrain.player_height);
  viewcell_sample sample;
  CHECK(viewcell_locate(bundle, 76.0, 24.0, &sample) == VIEWCELL_OK);
  printf("%u,%u\n", sample.column, sample.row);
  CHECK(viewcell_locate(bundle, -6.0, 0.0, &sample) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_locate(bundle, 0.0 / 0.0, 0.0, &sample) == VIEWCELL_OUTSIDE);
  /* Nobody can be at a void, so that it is nowhere; nothing is written. */
  viewcell_sample before = sample;
  CHECK(viewcell_locate(bundle, 8 * terrain.dx, 4 * terrain.dy, &sample) == VIEWCELL_VOID);
  CHECK(sample.column == before.column && sample.row == before.row);
  float height;
  CHECK(viewcell_height(bundle, at(4, 0), &height) == VIEWCELL_OK && height == 100.0f);
  CHECK(viewcell_height(bundle, at(8, 4), &height) == VIEWCELL_VOID);
  CHECK(viewcell_height(bundle, at(9, 4), &height) == VIEWCELL_OUTSIDE);
  print_matrix(bundle, &terrain);
  numbers(bundle, &terrain);
  frontiers(bundle, &terrain);
  misuse(arguments[1], bundle);
  damage(arguments[1], ask_damaged);
  return 0;
}
