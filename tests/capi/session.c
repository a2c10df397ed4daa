/* Players who walk at random, and a session that says who must be told what:
 * session BUNDLE PLAYERS TICKS PEERS MARGIN. Prints every notice; ends with 1 where a promise of
 * the header does not hold. */
#include "check.h"

enum { MOST = 16, CODE = 1 << 16 };

static unsigned seed = 1;

static uint32_t dice(uint32_t sides) { return (uint32_t)(((uint64_t)roll(&seed) * sides) >> 32); }

/* The half that a player is sent is the one that the session keeps. */
static void check_half(const viewcell_bundle *bundle, const viewcell_session *session,
                       uint32_t player, uint32_t other, const viewcell_world *terrain) {
  static unsigned char code[CODE];
  size_t length = 0;
  CHECK(viewcell_session_encode(session, player, other, NULL, 0, &length) == VIEWCELL_BUFFER);
  CHECK(length > 0 && length <= CODE);
  CHECK(viewcell_session_encode(session, player, other, code, CODE, &length) == VIEWCELL_OK);
  viewcell_region *half;
  CHECK(viewcell_region_decode(bundle, code, length, &half) == VIEWCELL_OK);
  for (viewcell_place at = 0; at < terrain->places; at++)
    CHECK(viewcell_region_contains(half, at) ==
          viewcell_session_contains(session, player, other, at));
  CHECK(viewcell_region_close(half) == VIEWCELL_OK);
}

static void misuse(const viewcell_bundle *bundle, const viewcell_world *terrain) {
  viewcell_session *session;
  viewcell_session_options options;
  viewcell_notice notices[4];
  viewcell_place outside = (viewcell_place)terrain->places, hole = 0, corner = 1;
  size_t count = 5;
  uint64_t age = 5;
  CHECK(viewcell_session_defaults(NULL) == VIEWCELL_NULL);
  CHECK(viewcell_session_defaults(&options) == VIEWCELL_OK && !options.peers);
  options.peers = 2;
  CHECK(viewcell_session_new(bundle, 3, &options, &session) == VIEWCELL_ARGUMENT && !session);
  CHECK(viewcell_session_new(NULL, 3, NULL, &session) == VIEWCELL_NULL);
  CHECK(viewcell_session_new(bundle, 3, NULL, NULL) == VIEWCELL_NULL);
  CHECK(viewcell_session_new(bundle, VIEWCELL_MOST_PLAYERS + 1, NULL, &session) ==
        VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_new(bundle, 0, NULL, &session) == VIEWCELL_OK);
  CHECK(viewcell_session_move(session, 0, corner, NULL, 0, &count) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  CHECK(viewcell_session_new(bundle, 3, NULL, &session) == VIEWCELL_OK);
  CHECK(viewcell_session_move(session, 0, outside, notices, 4, &count) == VIEWCELL_OUTSIDE);
  CHECK(viewcell_session_move(session, 0, hole, notices, 4, &count) == VIEWCELL_VOID);
  CHECK(viewcell_session_move(session, 3, corner, notices, 4, &count) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_move(session, 0, corner, notices, 3, &count) == VIEWCELL_BUFFER);
  CHECK(viewcell_session_move(session, 0, corner, NULL, 4, &count) == VIEWCELL_NULL);
  CHECK(viewcell_session_move(session, 0, corner, notices, 4, NULL) == VIEWCELL_NULL);
  CHECK(count == 5);
  CHECK(viewcell_session_move(session, 0, corner, notices, 4, &count) == VIEWCELL_OK && !count);
  CHECK(viewcell_session_age(session, 0, 1, &age) == 0 && age == 5);
  CHECK(viewcell_session_age(session, 0, 0, &age) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_age(session, 0, 3, &age) == VIEWCELL_ARGUMENT);
  CHECK(viewcell_session_contains(session, 0, 1, corner) == 0);
  CHECK(viewcell_session_encode(session, 0, 1, NULL, 0, &count) == VIEWCELL_OK && count == 0);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  CHECK(viewcell_session_close(session) == VIEWCELL_CLOSED);
  CHECK(viewcell_session_close(NULL) == VIEWCELL_OK);
  CHECK(viewcell_session_tick(session) == VIEWCELL_CLOSED);
  CHECK(viewcell_session_sets(session, &age) == VIEWCELL_CLOSED);
}

int main(int count, char **arguments) {
  CHECK(count == 6);
  uint32_t players = (uint32_t)atoi(arguments[2]), ticks = (uint32_t)atoi(arguments[3]);
  CHECK(players <= MOST);
  viewcell_bundle *bundle;
  char why[256];
  if (viewcell_open(VIEWCELL_ABI_VERSION, arguments[1], VIEWCELL_MAP, &bundle, why, sizeof why) < 0) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  viewcell_world terrain;
  CHECK(viewcell_info(bundle, &terrain) == VIEWCELL_OK);
  misuse(bundle, &terrain);
  viewcell_session_options options;
  CHECK(viewcell_session_defaults(&options) == VIEWCELL_OK);
  options.peers = (uint32_t)atoi(arguments[4]);
  options.margin = (uint32_t)atoi(arguments[5]);
  viewcell_session *session;
  CHECK(viewcell_session_new(bundle, players, &options, &session) == VIEWCELL_OK);

  viewcell_place place[MOST];
  int is_there[MOST] = {0};
  viewcell_notice notices[2 * MOST];
  for (uint32_t tick = 0; tick < ticks; tick++) {
    CHECK(viewcell_session_tick(session) == VIEWCELL_OK);
    for (uint32_t i = 0; i < players; i++) {
      int goes = is_there[i] && dice(100) == 0;
      uint32_t column = dice(terrain.width), row = dice(terrain.height);
      if (is_there[i]) {
        column = place[i] % terrain.width + dice(3) - 1;
        row = place[i] / terrain.width + dice(3) - 1;
      }
      viewcell_place next = row * terrain.width + column;
      if (goes) {
        CHECK(viewcell_session_leave(session, i) == VIEWCELL_OK);
        is_there[i] = 0;
        continue;
      }
      if (column >= terrain.width || row >= terrain.height)
        continue;
      size_t told = 77, room = 2 * (players - 1);
      viewcell_status moved = viewcell_session_move(session, i, next, notices, room, &told);
      if (moved != VIEWCELL_OK) {
        CHECK(moved == VIEWCELL_VOID && told == 77);
        continue;
      }
      CHECK(told <= 2 * (players - 1));
      is_there[i] = 1;
      place[i] = next;
      for (size_t k = 0; k < told; k++) {
        viewcell_notice n = notices[k];
        printf("%u %u %u %u %u\n", tick, i, n.to, n.about, n.what);
        if (n.what == VIEWCELL_FRONTIER)
          check_half(bundle, session, n.to, n.about, &terrain);
      }
      /* While a pair keeps silent, neither sees the other. */
      for (uint32_t j = 0; j < players; j++) {
        uint64_t age;
        if (j == i || viewcell_session_age(session, i, j, &age) == 0)
          continue;
        CHECK(is_there[i] && is_there[j] && age <= tick);
        CHECK(viewcell_visible(bundle, place[i], place[j]) == 0);
        CHECK(viewcell_visible(bundle, place[j], place[i]) == 0);
        CHECK(viewcell_session_contains(session, i, j, place[i]) == 1 || options.margin > 0);
        CHECK(place[i] != place[j]);
      }
    }
  }
  uint64_t sets;
  CHECK(viewcell_session_sets(session, &sets) == VIEWCELL_OK);
  printf("%lu sets\n", (unsigned long)sets);
  /* The bundle may go before those who use it. */
  CHECK(viewcell_close(bundle) == VIEWCELL_OK);
  CHECK(viewcell_session_tick(session) == VIEWCELL_OK);
  CHECK(viewcell_session_close(session) == VIEWCELL_OK);
  return 0;
}
