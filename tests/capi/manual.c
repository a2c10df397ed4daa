/* Uses every function of viewcell.h that a terrain has an answer to, but sessions: manual BUNDLE. Prints what
 * tests compare with the runtime's own answers; ends with 1 where a promise of the header does not
 * hold. */
#include "check.h"

/* The place of a sample of the test's terrain, which has 9 columns. */
static viewcell_place at(uint32_t column, uint32_t row) { return row * 9 + column; }

/* Who sees whom, asked in every way there is. */
static void print_matrix(const viewcell_bundle *bundle, const viewcell_world *world) {
  uint32_t n = (uint32_t)world->places;
  viewcell_place *all = malloc(n * sizeof *all), *same = malloc(n * sizeof *same);
  uint8_t *from_one = malloc(n), *pairs = malloc(n);
  uint64_t *pvs = malloc((world->words + 1) * sizeof *pvs);
  CHECK(all && same && from_one && pairs && pvs);
  for (uint32_t i = 0; i < n; i++)
    all[i] = i;
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < n; j++)
      same[j] = i;
    CHECK(viewcell_visible_from(bundle, i, n, all, from_one) == VIEWCELL_OK);
    CHECK(viewcell_visible_pairs(bundle, n, same, all, pairs) == VIEWCELL_OK);
    pvs[world->words] = 77;
    CHECK(viewcell_pvs(bundle, i, 0, pvs, world->words + 1) == VIEWCELL_OK);
    CHECK(pvs[world->words] == 77);
    for (uint32_t j = 0; j < n; j++) {
      viewcell_status one = viewcell_visible(bundle, i, j);
      CHECK(one == 0 || one == 1);
      CHECK(one == from_one[j] && one == pairs[j]);
      uint32_t column = j % world->width, row = j / world->width;
      uint64_t word = pvs[row / 8 * world->block_columns + column / 8];
      CHECK(one == (int)(word >> (row % 8 * 8 + column % 8) & 1));
      CHECK(one == viewcell_contains(bundle, pvs, world->words, j));
      CHECK(viewcell_visible_quads(bundle, i, 0, j, 0) == one);
      CHECK(viewcell_visible_within(bundle, i, j, 0.0, 0.0) == one);
      putchar('0' + one);
    }
    putchar('\n');
  }
  free(all), free(same), free(from_one), free(pairs), free(pvs);
}

/* Positions: what is found by them, and what is asked of them. */
static void positions(const viewcell_bundle *bundle, const viewcell_world *world) {
  viewcell_place place, all[3];
  viewcell_position here = {76.0, 24.0, 1e9}, west = {-6.0, 0.0, 0.0}, no_number = {0.0 / 0.0, 0.0, 0.0};
  CHECK(viewcell_locate(bundle, &here, &place) == VIEWCELL_OK && place < world->places);
  printf("%u,%u\n", place % world->width, place / world->width);
  CHECK(viewcell_locate(bundle, &west, &place) == VIEWCELL_OUTSIDE && place == VIEWCELL_NOWHERE);
  CHECK(viewcell_locate(bundle, &no_number, &place) == VIEWCELL_OUTSIDE && place == VIEWCELL_NOWHERE);
  /* Nobody can be at a void, so that it is nowhere. */
  viewcell_position hole = {8 * world->dx, 4 * world->dy, 0.0}, three[3];
  CHECK(viewcell_locate(bundle, &hole, &place) == VIEWCELL_VOID && place == VIEWCELL_NOWHERE);
  three[0] = here, three[1] = west, three[2] = hole;
  CHECK(viewcell_locate_all(bundle, 3, three, all) == VIEWCELL_OK);
  CHECK(all[0] == at(8, 2) && all[1] == VIEWCELL_NOWHERE && all[2] == VIEWCELL_NOWHERE);
  CHECK(viewcell_locate_georeferenced(bundle, &west, &place) == VIEWCELL_OUTSIDE && place == VIEWCELL_NOWHERE);

  viewcell_box square;
  CHECK(viewcell_bounds(bundle, at(4, 1), &square) == VIEWCELL_OK);
  CHECK(square.low.x == 35.0 && square.low.y == 5.0 && square.high.x == 45.0 && square.high.y == 15.0);
  CHECK(square.low.z == 100.0 && square.high.z == 100.0);
  CHECK(viewcell_bounds(bundle, at(8, 4), &square) == VIEWCELL_VOID);
  CHECK(viewcell_bounds(bundle, at(0, 5), &square) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_bounds(bundle, VIEWCELL_NOWHERE, &square) == VIEWCELL_OUTSIDE);

  /* Who is nowhere sees all and is seen by all, in whatever way it is asked. */
  viewcell_place wall[3] = {at(0, 2), VIEWCELL_NOWHERE, at(8, 2)};
  uint8_t answers[3] = {7, 7, 7};
  CHECK(viewcell_visible(bundle, at(0, 2), at(8, 2)) == 0);
  CHECK(viewcell_visible(bundle, at(0, 2), VIEWCELL_NOWHERE) == 1);
  CHECK(viewcell_visible(bundle, VIEWCELL_NOWHERE, at(8, 4)) == 1);
  CHECK(viewcell_visible_from(bundle, at(0, 2), 3, wall, answers) == VIEWCELL_OK);
  CHECK(answers[0] == 1 && answers[1] == 1 && answers[2] == 0);
  CHECK(viewcell_visible_pairs(bundle, 2, wall, wall + 1, answers) == VIEWCELL_OK);
  CHECK(answers[0] == 1 && answers[1] == 1 && answers[2] == 0);
  CHECK(viewcell_visible_within(bundle, at(0, 2), at(8, 2), 1.0, 1.0) == 0);
  CHECK(viewcell_visible_within(bundle, at(0, 2), VIEWCELL_NOWHERE, 1.0, 1.0) == 1);
  viewcell_position left = {0.0, 20.0, 0.0}, right = {80.0, 20.0, 0.0};
  CHECK(viewcell_sees_within(bundle, &left, &right, 1.0, 1.0) == 0);
  CHECK(viewcell_sees_within(bundle, &left, &right, 45.0, 1.0) == 1);
  CHECK(viewcell_sees_within(bundle, &left, &west, 0.0, 0.0) == 1);
  CHECK(viewcell_sees_within(bundle, &hole, &left, 0.0, 0.0) == 1);
  CHECK(viewcell_sees_within(bundle, NULL, &left, 0.0, 0.0) == VIEWCELL_NULL);
  /* A quad is the one that a place is in. */
  CHECK(viewcell_visible_quads(bundle, at(0, 0), 1, at(7, 0), 1) == 0);
  CHECK(viewcell_visible_quads(bundle, at(1, 1), 1, at(6, 1), 1) == 0);
  CHECK(viewcell_visible_quads(bundle, at(0, 0), 1, at(1, 1), 1) == 1);
  CHECK(viewcell_visible_quads(bundle, at(0, 0), 1, at(1, 1), 4) == 2);
}

static void print_half(const viewcell_frontier *frontier, uint32_t places, uint32_t side,
                       const viewcell_region *copy) {
  uint64_t area, count = 0;
  CHECK(viewcell_frontier_area(frontier, side, &area) == VIEWCELL_OK);
  for (uint32_t place = 0; place < places; place++) {
    viewcell_status in = viewcell_frontier_contains(frontier, side, place);
    CHECK(in == 0 || in == 1);
    CHECK(viewcell_region_contains(copy, place) == in);
    count += (uint64_t)in;
    putchar('0' + in);
  }
  CHECK(count == area);
  CHECK(viewcell_frontier_contains(frontier, side, places) == 0);
  CHECK(viewcell_frontier_contains(frontier, side, VIEWCELL_NOWHERE) == 0);
  CHECK(viewcell_region_contains(copy, VIEWCELL_NOWHERE) == 0);
  putchar('\n');
}

static void frontiers(viewcell_bundle *bundle, const viewcell_world *world) {
  viewcell_frontier *frontier;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK && frontier);
  /* The bundle may go before those who use it. */
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), VIEWCELL_BUDGET) == VIEWCELL_OK);
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
    print_half(frontier, (uint32_t)world->places, side, copy);
    CHECK(viewcell_region_close(copy) == VIEWCELL_OK);
    CHECK(viewcell_region_contains(copy, 0) == VIEWCELL_CLOSED);
    CHECK(viewcell_region_close(copy) == VIEWCELL_CLOSED);
  }
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(1, 2), 0) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1) == 1);
  uint64_t area = 7;
  CHECK(viewcell_frontier_area(frontier, 1, &area) == VIEWCELL_OK && area == 0);
  CHECK(viewcell_frontier_begin(frontier, at(0, 5), at(0, 0), VIEWCELL_BUDGET) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_frontier_begin(frontier, VIEWCELL_NOWHERE, at(0, 0), VIEWCELL_BUDGET) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_frontier_begin(frontier, at(8, 4), at(0, 0), VIEWCELL_BUDGET) == VIEWCELL_VOID);
  CHECK(viewcell_frontier_contains(frontier, 2, at(0, 0)) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_frontier_begin(frontier, at(0, 2), at(8, 2), VIEWCELL_BUDGET) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1000) == 1);
  CHECK(viewcell_frontier_contains(frontier, 1, at(8, 2)) == 1);
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
  CHECK(viewcell_frontier_step(frontier, 1) == VIEWCELL_CLOSED);
  CHECK(viewcell_frontier_contains(frontier, 0, at(0, 0)) == VIEWCELL_CLOSED);
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_CLOSED);
  CHECK(viewcell_frontier_close(NULL) == VIEWCELL_OK);
}

static viewcell_status open_file(uint32_t version, const char *path, uint32_t how,
                                 viewcell_bundle **bundle) {
  return viewcell_open(version, path, how, bundle, NULL, 0);
}

/* What is wrong is said, and nothing is written. */
static void misuse(const char *path, const char *unpaged, viewcell_bundle *closed) {
  enum { VERSION = VIEWCELL_ABI_VERSION };
  viewcell_bundle *bundle = closed;
  char why[64];
  CHECK(open_file(VERSION + 1, path, VIEWCELL_MAP, &bundle) == VIEWCELL_VERSION);
  CHECK(!bundle);
  CHECK(open_file(VERSION - 1, path, VIEWCELL_MAP, &bundle) == VIEWCELL_VERSION);
  CHECK(open_file(VERSION, NULL, VIEWCELL_MAP, &bundle) == VIEWCELL_NULL);
  CHECK(open_file(VERSION, path, VIEWCELL_MAP, NULL) == VIEWCELL_NULL);
  CHECK(open_file(VERSION, "\xff", VIEWCELL_MAP, &bundle) == VIEWCELL_ARGUMENT);
  CHECK(open_file(VERSION, path, 3, &bundle) == VIEWCELL_ARGUMENT);
  CHECK(open_file(VERSION, unpaged, VIEWCELL_CHECK, &bundle) == VIEWCELL_FORMAT);
  memset(why, 'x', sizeof why);
  CHECK(viewcell_open(VERSION, "no such file", VIEWCELL_MAP, &bundle, why, 20) == VIEWCELL_IO);
  CHECK(!bundle && strlen(why) == 19 && strstr(why, "no such file") && why[20] == 'x');
  CHECK(open_file(VERSION, "no such file", VIEWCELL_COPY, &bundle) == VIEWCELL_IO);
  CHECK(open_file(VERSION, path, VIEWCELL_COPY, &bundle) == VIEWCELL_OK);
  CHECK(viewcell_visible(bundle, at(0, 0), at(0, 0)) == 1);
  size_t pages = 7;
  CHECK(viewcell_pages(bundle, &pages, NULL, NULL) == VIEWCELL_OK && pages == 0);
  CHECK(viewcell_check_pages(bundle, 0, 9, &pages) == VIEWCELL_OK && pages == 0);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(open_file(VERSION, path, VIEWCELL_CHECK, &bundle) == VIEWCELL_OK);
  CHECK(viewcell_pages(bundle, &pages, NULL, NULL) == VIEWCELL_OK && pages == 1);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_open_patched(VERSION, path, NULL, 0, &bundle, NULL, 0) == VIEWCELL_OK);
  CHECK(viewcell_visible(bundle, at(0, 0), at(8, 0)) == 0);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_open_memory(VERSION, (const uint8_t *)path, strlen(path), &bundle, why,
                             sizeof why) == VIEWCELL_FORMAT);
  CHECK(viewcell_open_memory(VERSION, NULL, 9, &bundle, NULL, 0) == VIEWCELL_NULL);
  CHECK(viewcell_open_memory(VERSION, NULL, 0, &bundle, NULL, 0) == VIEWCELL_FORMAT);
  viewcell_world world;
  viewcell_place place = 5;
  viewcell_position here = {0.0, 0.0, 0.0};
  viewcell_box box;
  CHECK(viewcell_info(closed, &world) == VIEWCELL_CLOSED);
  CHECK(viewcell_visible(closed, at(0, 0), at(1, 1)) == VIEWCELL_CLOSED);
  CHECK(viewcell_locate(closed, &here, &place) == VIEWCELL_CLOSED && place == 5);
  CHECK(viewcell_close(closed) == VIEWCELL_CLOSED);
  CHECK(viewcell_close(NULL) == VIEWCELL_OK);
  CHECK(viewcell_visible(NULL, at(0, 0), at(1, 1)) == VIEWCELL_NULL);
  CHECK(open_file(VERSION, path, VIEWCELL_MAP, &bundle) == VIEWCELL_OK);
  CHECK(viewcell_info(bundle, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_locate(bundle, NULL, &place) == VIEWCELL_NULL);
  CHECK(viewcell_locate(bundle, &here, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_locate_all(bundle, 1, NULL, &place) == VIEWCELL_NULL);
  CHECK(viewcell_locate_all(bundle, 0, NULL, NULL) == VIEWCELL_OK);
  CHECK(viewcell_bounds(bundle, 0, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_visible(bundle, at(0, 0), at(0, 5)) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_within(bundle, at(0, 5), at(0, 0), 1, 1) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_quads(bundle, at(0, 0), 9, at(0, 0), 0) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_quads(bundle, at(0, 0), 0, VIEWCELL_NOWHERE, 0) == VIEWCELL_OUTSIDE);
  uint8_t answers[2] = {7, 7};
  viewcell_place wrong[2] = {0, at(0, 5)};
  uint64_t word = 77;
  CHECK(viewcell_visible_from(bundle, 0, 1, NULL, answers) == VIEWCELL_NULL);
  CHECK(viewcell_visible_from(bundle, 0, SIZE_MAX, wrong, answers) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_visible_from(bundle, 0, 2, wrong, answers) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_from(bundle, at(0, 5), 0, NULL, NULL) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_pairs(bundle, 2, wrong, wrong, answers) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_visible_pairs(bundle, SIZE_MAX, wrong, wrong, answers) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_visible_pairs(bundle, 0, NULL, NULL, NULL) == VIEWCELL_OK);
  CHECK(answers[0] == 7 && answers[1] == 7);
  CHECK(viewcell_pvs(bundle, 0, 0, &word, 1) == VIEWCELL_BUFFER && word == 77);
  CHECK(viewcell_pvs(bundle, at(0, 5), 0, &word, 1) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_contains(bundle, &word, 1, at(0, 5)) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_contains(bundle, &word, 1, at(8, 0)) == VIEWCELL_BUFFER);
  CHECK(viewcell_contains(bundle, NULL, 1, 0) == VIEWCELL_NULL);
  viewcell_motion alice = {{0, 20, 0}, {0, 1, 0}, 1, 0}, bob = {{80, 20, 0}, {0}, 0, 0};
  viewcell_motion_limits limits = {{2, 2}, {1, 1}, {0, 0}, {0, 0}};
  viewcell_mover eye = {alice, limits, {0.1, 0.2}}, near = {bob, limits, {0.1, 0.2}};
  viewcell_mover body = {bob, limits, {0.1, 60.0}}, lost = near;
  lost.motion.position.x = -90.0;
  CHECK(viewcell_sees_in_motion(bundle, &eye, &near) == 0);
  CHECK(viewcell_sees_in_motion(bundle, &eye, &body) == 1);
  CHECK(viewcell_sees_in_motion(bundle, &eye, &lost) == 1);
  CHECK(viewcell_sees_in_motion(closed, &eye, &near) == VIEWCELL_CLOSED);
  /* What only levels have. */
  viewcell_watch *watch;
  CHECK(viewcell_distance(bundle, 0, 0) == VIEWCELL_KIND);
  CHECK(viewcell_watch_new(bundle, 2, 0.2, &watch) == VIEWCELL_KIND && !watch);
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_bounds(bundle, 0, &box) == VIEWCELL_CLOSED);
  viewcell_world none;
  CHECK(viewcell_info(bundle, &none) == VIEWCELL_CLOSED && viewcell_info(NULL, &none) == VIEWCELL_NULL);
  for (int status = 1; status > -15; status--)
    CHECK(strlen(viewcell_status_text(status)) > 3);
}

static void ask_damaged(viewcell_bundle *bundle, unsigned seed) {
  viewcell_world world;
  viewcell_position position = {seed % 100, 3.0, 0.0};
  viewcell_place place;
  viewcell_box box;
  uint64_t words[64];
  CHECK(viewcell_info(bundle, &world) == VIEWCELL_OK);
  viewcell_locate(bundle, &position, &place);
  viewcell_bounds(bundle, at(seed % 9, 2), &box);
  viewcell_visible(bundle, at(seed % 9, 1), at(seed % 7, 3));
  viewcell_pvs(bundle, at(0, 0), seed % 5, words, 64);
  viewcell_contains(bundle, words, 64, at(seed % 9, 2));
  viewcell_frontier *frontier;
  CHECK(viewcell_frontier_new(bundle, &frontier) == VIEWCELL_OK);
  if (viewcell_frontier_begin(frontier, at(seed % 9, 2), at(8, 2), VIEWCELL_BUDGET) == VIEWCELL_OK)
    while (viewcell_frontier_step(frontier, 100) == 0)
      ;
  CHECK(viewcell_frontier_close(frontier) == VIEWCELL_OK);
}

int main(int count, char **arguments) {
  CHECK(count == 3);
  CHECK(viewcell_abi_version() == VIEWCELL_ABI_VERSION);
  viewcell_bundle *bundle;
  char why[200];
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], VIEWCELL_MAP, &bundle, why, sizeof why) !=
      VIEWCELL_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  viewcell_world world;
  CHECK(viewcell_info(bundle, &world) == VIEWCELL_OK);
  CHECK(world.kind == VIEWCELL_TERRAIN && world.objects == 0);
  CHECK(world.places == 45 && world.words == 2 && world.block_columns == 2);
  CHECK(world.solids == 0 && world.greatest_distance == 0 && world.eye[1] == world.eye[0]);
  printf("%u x %u, %u levels, mutual %u, spacing %g x %g, eye %g, player %g\n", world.width,
         world.height, world.levels, world.mutual, world.dx, world.dy, world.eye[0],
         world.player_height);
  positions(bundle, &world);
  print_matrix(bundle, &world);
  frontiers(bundle, &world);
  misuse(arguments[1], arguments[2], bundle);
  damage(arguments[1], ask_damaged);
  return 0;
}
