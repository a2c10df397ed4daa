/* viewcell.h: who can see whom, and until where may they walk before they can.
 *
 * The viewcell program bakes a bundle (.vcb) from a terrain, from a level of cells as in Quake and related games, or from
 * a solid level. A game opens it, locates its players, and queries. The same functions query a bundle of any kind:
 *
 *     viewcell_bundle *bundle;
 *     char why[256];
 *     if (viewcell_open(VIEWCELL_ABI_VERSION, "level.vcb", VIEWCELL_MAP, &bundle, why, sizeof why) != VIEWCELL_OK)
 *         return fail(why);
 *     viewcell_position here = {120.0, 340.5, 0.0}, there = {800.0, 95.0, 0.0};
 *     viewcell_place alice, bob;
 *     viewcell_locate(bundle, &here, &alice);
 *     viewcell_locate(bundle, &there, &bob);
 *     if (viewcell_visible(bundle, alice, bob) == 0)
 *         ;  // alice need not hear of bob
 *
 * A place is the number of a view cell: a sample of a terrain, row by row; a cluster; a cell of a solid level. Where a
 * position is at no place, viewcell_locate gives VIEWCELL_NOWHERE. A player there sees all and is seen by all, so that
 * doubt never hides anybody. viewcell_info describes the bundle; functions for what only one kind of world has, such as
 * quads and distances, return VIEWCELL_KIND for others.
 *
 * Players who cannot see each other may agree on a frontier set: two regions, no place in one
 * visible from any place in the other. While each stays in theirs, neither sends a packet:
 *
 *     viewcell_frontier *frontier;            // once, for all sets to come
 *     viewcell_frontier_new(bundle, &frontier);
 *     viewcell_frontier_begin(frontier, alice, bob, VIEWCELL_BUDGET);
 *     while (viewcell_frontier_step(frontier, 16) == 0)
 *         ;  // or 16 quads a frame: what is there may be used at any time
 *     if (viewcell_frontier_contains(frontier, 0, where_alice_is_now) == 1)
 *         ;  // she keeps silent
 *
 * A viewcell_session does this for many players: it takes moves, and returns who must be told what.
 *
 * Packets take time, and players move meanwhile. viewcell_visible_within tests all places within reach of two places.
 * viewcell_sees_within tests positions, which in a solid level hides more than their cells do:
 *
 *     viewcell_position alice = {480.0, -352.0, 88.0}, bob = {1200.0, 96.0, 24.0};
 *     if (viewcell_sees_within(bundle, &alice, &bob, 48.0, 32.0) == 0)
 *         ;  // alice need not hear of bob, though she comes 48 units far meanwhile, and he 32
 *
 * Velocities and limits of movement narrow that further: viewcell_sees_in_motion says whether one player may see another,
 * each within a time interval of their own, and viewcell_session_move_in_motion does so for sessions.
 * In a solid level a viewcell_watch does all of that for a server, frame by frame: it says whom to send to whom. Where the
 * cells say that two may see each other, it tests the solids themselves, closed doors and smoke.
 *
 * Every function returns a viewcell_status: 0 or more is an answer, less than 0 says why there is
 * none. On failure nothing is written through output pointers, except the null handles and lengths
 * that are named below. A pointer that is not null must point to what its type says, for the length
 * of the call. Handles are numbers stored in pointers: never dereference them. A closed handle
 * gives VIEWCELL_CLOSED for ever, unless it is closed during another call; so does a handle of
 * another type, and what was never a handle. Closing frees all that the handle stood for. A damaged
 * bundle gives wrong answers (visible rather than hidden), never a crash.
 *
 * Threads: a function that takes a const handle may be called by any number of threads at a time;
 * one that takes a handle that is not const needs it exclusively for the call. Different handles are
 * independent, even those of one bundle. Where a function allocates, it says so.
 *
 * Made from the sources by cbindgen; do not edit.
 */

#ifndef VIEWCELL_H
#define VIEWCELL_H

#include <stddef.h>
#include <stdint.h>

// The version of this header. Pass it to viewcell_open: a library of another version refuses.
#define VIEWCELL_ABI_VERSION 4

// Map the file, in a time that does not depend on its size.
#define VIEWCELL_MAP 0

// Map the file, and check every page of 64 KiB on first access: what depends on a damaged page counts as visible, and
// viewcell_pages reports it. What all queries need is checked at once. VIEWCELL_FORMAT also where the bundle has no
// checksums by page, as older versions wrote it: viewcell repack adds them. Allocates a byte a page.
#define VIEWCELL_CHECK 1

// Read the file into memory, in a time that grows with its length; it may then be truncated, written to or deleted. Uses
// huge pages where the system has them, so that queries of large bundles wait less for address translation. VIEWCELL_IO
// also where there is too little memory.
#define VIEWCELL_COPY 2

// The usual budget: how many quads are tried for a frontier set.
#define VIEWCELL_BUDGET 64

// The most players that a session takes.
#define VIEWCELL_MOST_PLAYERS 4096

// Tell them where the other player is.
#define VIEWCELL_POSITION 0

// Tell them where the other player is, and that there is a new frontier set: the player's own
// half of it is what viewcell_session_encode writes. They hear no more until one of the two has
// left theirs. Only among peers: a server keeps both halves to itself, since they reveal roughly
// where each player is.
#define VIEWCELL_FRONTIER 1

// The most players that a watch takes: a pair of them takes 900 bytes.
#define VIEWCELL_MOST_WATCHED 256

// An open bundle, of any kind of world.
typedef struct viewcell_bundle viewcell_bundle;

// Grows frontier sets, one after the other, in memory of its own. One thread at a time: make one
// for each thread.
typedef struct viewcell_frontier viewcell_frontier;

// One half of a frontier set that stands by itself, such as one that a peer has sent. Any number
// of threads may read it.
typedef struct viewcell_region viewcell_region;

// The players in a world, and the frontier sets between them: takes moves, and returns
// who must be told what. One thread at a time.
typedef struct viewcell_session viewcell_session;

// Who must be sent to whom in a solid level. One thread at a time.
typedef struct viewcell_watch viewcell_watch;

// What a function returns: 0 or more is an answer, less than 0 a status that says why there is
// none. An unlucky `if (viewcell_visible(...))` takes a failure for "visible", which is safe.
typedef int32_t viewcell_status;

// A position. Of a terrain: metres east of sample (0, 0), metres south of it, and a height that is ignored. Of a level: the
// units and axes of its file; of a mesh those of the engine that was named in its bake, or else metres with z up.
// In a solid level a player's position is that of the origin. Velocities, boxes and lengths have the same units and axes.
typedef struct {
  // Metres east, or the level's x.
  double x;
  // Metres south, or the level's y.
  double y;
  // The level's z.
  double z;
} viewcell_position;

// A place: the number of a view cell, from 0. Of a terrain, sample (column, row) has the number row * width + column;
// of a level of cells it is the number of the cluster, of a solid level that of the cell.
typedef uint32_t viewcell_place;

// All positions between two corners.
typedef struct {
  // The corner with the least coordinates.
  viewcell_position low;
  // The corner with the greatest coordinates.
  viewcell_position high;
} viewcell_box;

// What a bundle is of. Fields of one kind of world are 0 for the others.
typedef struct {
  // VIEWCELL_TERRAIN, VIEWCELL_CELLS or VIEWCELL_SOLID.
  uint32_t kind;
  // 1 if sight is mutual: A sees B exactly when B sees A; else 0: query both directions.
  uint32_t mutual;
  // View cells; they are numbered from 0.
  uint64_t places;
  // Words of a bitmap of places, such as a PVS.
  uint64_t words;
  // Of a terrain: columns of the grid. Where a bundle was baked from coarse cells of its heightmap, width, height, dx
  // and dy are those of cells, and a sample is a cell; viewcell_locate finds them by metres in any bundle.
  uint32_t width;
  // Of a terrain: rows of the grid.
  uint32_t height;
  // Of a terrain: levels of the quadtree. Quads of level 0 are samples, of level l squares of 2^l samples a side; the
  // quad of the last level is the whole grid.
  uint32_t levels;
  // Of a terrain: words of a row of blocks of 8 x 8 samples in a bitmap, as viewcell_pvs says.
  uint32_t block_columns;
  // Of a terrain: metres between columns.
  double dx;
  // Of a terrain: metres between rows.
  double dy;
  // Of a terrain: height of the top of the head above ground in metres.
  double player_height;
  // Of a terrain: height of the eye above ground in metres, twice. Of a solid level: heights of the eye over the
  // player's origin, crouched and standing.
  double eye[2];
  // Of a level of cells: the greatest distance of two cells that some chain of visible steps joins.
  uint32_t greatest_distance;
  // Of a level of cells: 1 if the bundle has the level's BSP, so that viewcell_locate is quick and exact; 0 if it uses the
  // boxes of cells, or finds nothing because there are none.
  uint32_t has_bsp;
  // Of a level of cells: 1 if the bundle lists which cells are adjacent. No function needs that list.
  uint32_t has_neighbours;
  // Of a solid level: opaque convex solids.
  uint32_t solids;
  // Of a solid level: opaque faces that are of no solid.
  uint32_t faces;
  // Of a solid level: CRC-32 of the file that it was read from.
  uint32_t input_crc32;
  // Of a solid level: length of that file. Compare both with the map's.
  uint64_t input_bytes;
  // Of a solid level: size of the smallest cells, by axis.
  double cell[3];
  // Of a solid level: the box of the body, from the player's origin.
  viewcell_box hull;
  // Of any world: how the positions that all functions take and give, those of the engine that a solid level was exported
  // from, become those that were baked, in which z is up. x, y and z of the level are scale times coordinates |axes[0]|,
  // |axes[1]| and |axes[2]| of the engine's position, counted from 1, with the signs of axes. 1, 2, 3 and a scale of 1 where
  // the bake was told of no engine, and in worlds of other kinds. By them a caller knows whose positions are expected.
  int32_t axes[3];
  // Of a scene: the objects that it draws, numbered from 0. Else 0.
  uint32_t objects;
  // Of any world: units of the level in a unit of the engine: 0.01 where a level in metres is asked in centimetres.
  double scale;
} viewcell_world;

// How a session keeps its players silent. Begin with viewcell_session_defaults.
typedef struct {
  // Of a terrain and of a solid level: a frontier set grows until so many quads have been tried, 0 for no limit.
  uint32_t budget;
  // Of a terrain: renegotiate so many steps before the edge of a half is reached: as far as a player walks while
  // the message is under way.
  uint32_t margin;
  // A frontier set that lasted for fewer ticks did not pay: that pair waits for so many ticks before
  // it gets another, twice as long after each further one, up to eight times. UINT32_MAX for the default of
  // the kind of world: 20, or 0 in a level of cells, whose sets take microseconds.
  uint32_t patience;
  // 0: the session is a server that knows all positions, and sends only who may be seen.
  // 1: the players are peers who know of each other only what they are sent: a pair
  // without a frontier set exchanges positions on every move (Steed and Angus, figure 4).
  uint32_t peers;
} viewcell_session_options;

// Something to tell a player.
typedef struct {
  // Whom to tell.
  uint32_t to;
  // About whom.
  uint32_t about;
  // What: VIEWCELL_POSITION or VIEWCELL_FRONTIER.
  uint32_t what;
} viewcell_notice;

// A player in motion, at one instant.
typedef struct {
  // Where the player was then.
  viewcell_position position;
  // The player's velocity then. Units a second.
  double velocity[3];
  // 1 if velocity is known; 0 if the player may go anywhere within the limits.
  uint32_t has_velocity;
  // 0.
  uint32_t reserved;
} viewcell_motion;

// How players may move: by the rules of the game, or as viewcell simulate fit measures it. Each value has two parts: along
// the ground, and vertical (along z, or the up axis of the engine that a level was exported from). Infinity, NaN and
// negative values are no limit.
//
// A game that moves players by commands of d seconds, each by the velocity at its end, moves them a t (t + d) / 2 from rest
// at acceleration a: add a d / 2 to impulse.
typedef struct {
  // Greatest speed. Units a second.
  double speed[2];
  // Greatest acceleration: running, braking, gravity. Units a second squared.
  double acceleration[2];
  // Greatest sum of sudden changes of velocity in the interval: jumps, knock-back,
  // collisions with walls. Units a second.
  double impulse[2];
  // How far a position may be from where the player truly was. Units.
  double error[2];
} viewcell_motion_limits;

// A player in motion, at some time to come.
typedef struct {
  // Where the player is now.
  viewcell_motion motion;
  // The limits of the player's movement.
  viewcell_motion_limits limits;
  // From when until when, in seconds from now. NaN is for ever.
  double times[2];
} viewcell_mover;

// A player in a frame, as viewcell_watch_set takes it.
typedef struct {
  // How the player, as a viewer, moves while their client uses what is sent now: from now until times[1], a round trip and
  // the time to the next frame. Walls that stop a player are always taken into account: leave them out of the limits.
  viewcell_mover sees;
  // The same player as others see them: until times[1], the time to the next frame.
  viewcell_mover shown;
  // By how much stairs may bring the player higher at once. Quake: 18.
  double step;
  // Least and greatest height of the eye over the origin, where has_eye is 1; else those of the bundle.
  double eye[2];
  // The box of what is seen of the player, with what they carry, from the origin, where has_body is 1; else the body of
  // the bundle.
  viewcell_box body;
  // 1 or 0.
  uint32_t has_eye;
  // 1 or 0.
  uint32_t has_body;
} viewcell_watched;

// A sphere of smoke: opaque to whoever looks through any part of it.
typedef struct {
  // Its centre, in the level's coordinates.
  double centre[3];
  // The radius that is opaque now and for as long as the smoke stays.
  double radius;
  // For how long the smoke stays, in seconds.
  double seconds;
} viewcell_smoke;

// Counts of a frame of a watch so far: ordered pairs of players who are there.
typedef struct {
  // All of them.
  uint32_t pairs;
  // Of these, hidden.
  uint32_t hidden;
  // Hidden by a proof of an earlier frame.
  uint32_t kept;
  // Tested in this frame.
  uint32_t looked;
  // Hidden by cells.
  uint32_t baked;
  // Found in sight by the line that was clear in the frame before.
  uint32_t in_sight;
  // Work done, in the units of viewcell_watch_look.
  uint32_t work;
  // 0.
  uint32_t reserved;
} viewcell_watch_figures;

// Done.
#define VIEWCELL_OK 0

// A pointer is null that must not be.
#define VIEWCELL_NULL -1

// The library is of another version than the header that the caller was compiled with.
#define VIEWCELL_VERSION -2

// The file cannot be opened or mapped.
#define VIEWCELL_IO -3

// The bytes are no bundle, or a damaged one, or of a version that this library does not read.
#define VIEWCELL_FORMAT -4

// The bundle is of another kind of world than the function is for.
#define VIEWCELL_KIND -5

// The handle was closed, is of another type, or was never a handle of this library.
#define VIEWCELL_CLOSED -6

// A sample, quad or position lies outside the grid; a cell is not there; a point is in no cell.
#define VIEWCELL_OUTSIDE -7

// A sample is a void: no terrain, nobody stands there.
#define VIEWCELL_VOID -8

// The buffer is too small; nothing was written into it.
#define VIEWCELL_BUFFER -9

// An argument has a value that it cannot have: a side, an option, a path that is no UTF-8.
#define VIEWCELL_ARGUMENT -10

// No chain of visible steps leads from the one cell to the other.
#define VIEWCELL_UNREACHABLE -12

// Too many handles of that type are open: 16 million, 262,144 on machines of 32 bits.
#define VIEWCELL_FULL -13

// A fault of the library's own. Please report it.
#define VIEWCELL_INTERNAL -11

// The kind of a bundle of a terrain: a grid of samples.
#define VIEWCELL_TERRAIN 1

// The kind of a bundle of a level of cells.
#define VIEWCELL_CELLS 2

// A bundle of a solid level.
#define VIEWCELL_SOLID 3

// No place: off the map, in no cell, at a void. Who is there may be anywhere: they see all and are seen by all.
#define VIEWCELL_NOWHERE UINT32_MAX

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// A status in words: a static string, also for numbers that are no status.
// Any thread, any time.
const char *viewcell_status_text(viewcell_status status);

// The version of the library: the VIEWCELL_ABI_VERSION of its own header. Any thread, any time.
uint32_t viewcell_abi_version(void);

// Opens a bundle.
//
// abi_version is VIEWCELL_ABI_VERSION. path is UTF-8 with a zero at its end. how is VIEWCELL_MAP, VIEWCELL_CHECK or
// VIEWCELL_COPY. *bundle becomes the handle, or null; close it with viewcell_close. message may be null; else it gets the
// error message for people, at most message_size bytes with a zero at the end.
//
// A file that is mapped must not be truncated or written to while it is open: rename a new file over it.
//
// Returns VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_VERSION, VIEWCELL_ARGUMENT (the path is no UTF-8, or how is none of
// these), VIEWCELL_IO, VIEWCELL_FORMAT or VIEWCELL_FULL. Any thread, any time. Allocates.
viewcell_status viewcell_open(uint32_t abi_version,
                              const char *path,
                              uint32_t how,
                              viewcell_bundle **bundle,
                              char *message,
                              size_t message_size);

// Opens a bundle that lies in memory: length bytes from bytes on, which must stay there,
// unchanged, until the bundle and all that was made from it are closed. Otherwise like viewcell_open.
viewcell_status viewcell_open_memory(uint32_t abi_version,
                                     const uint8_t *bytes,
                                     size_t length,
                                     viewcell_bundle **bundle,
                                     char *message,
                                     size_t message_size);

// How many pages a bundle that was opened with VIEWCELL_CHECK has, how many of them were checked so far, and how many
// of these are damaged: replace the file when that is more than 0. Each may be null. All are 0 for a bundle
// that was opened otherwise. Takes time in proportion to the pages. Returns VIEWCELL_OK, VIEWCELL_NULL or
// VIEWCELL_CLOSED.
viewcell_status viewcell_pages(const viewcell_bundle *bundle,
                               size_t *count,
                               size_t *checked,
                               size_t *damaged);

// Checks up to count pages from page first on, whether or not they were checked before: for a background
// thread, while others query. *next becomes the page to continue with, after the last one
// 0. Returns VIEWCELL_OK, or 1 if one of these pages is damaged; VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_check_pages(const viewcell_bundle *bundle,
                                     size_t first,
                                     size_t count,
                                     size_t *next);

// Closes a bundle. What was made from it lives on until it is closed itself. Of null, does
// nothing.
//
// Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed before. No other call may use the
// handle at the same time.
viewcell_status viewcell_close(viewcell_bundle *bundle);

// Opens a bundle of a terrain with patches over it, which viewcell rebake makes when ground changes:
// count paths from patches on, in the order in which they were made. Patches are read whole; after
// that they may be replaced or deleted. Otherwise like viewcell_open with VIEWCELL_MAP; VIEWCELL_FORMAT also for a patch
// that is damaged, of another bundle, or out of order.
viewcell_status viewcell_open_patched(uint32_t abi_version,
                                      const char *path,
                                      const char *const *patches,
                                      size_t count,
                                      viewcell_bundle **bundle,
                                      char *message,
                                      size_t message_size);

// The place that a position belongs to: the sample whose square holds it, the cell that it is in. *place becomes its
// number, and VIEWCELL_NOWHERE where there is none. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (off the map, in solid, not a
// number; in a solid level also where the bake found that no player can be), VIEWCELL_VOID (a sample where nobody can
// be), VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_locate(const viewcell_bundle *bundle,
                                const viewcell_position *position,
                                viewcell_place *place);

// Locates count positions: places[i] becomes the number of the place of positions[i], and VIEWCELL_NOWHERE where there
// is none. Returns VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
viewcell_status viewcell_locate_all(const viewcell_bundle *bundle,
                                    size_t count,
                                    const viewcell_position *positions,
                                    viewcell_place *places);

// The sample of a terrain whose pixel holds a position in the bundle's coordinate reference system, as x and y of
// position. Returns what viewcell_locate does, VIEWCELL_OUTSIDE also for a bundle without a georeference, or
// VIEWCELL_KIND.
viewcell_status viewcell_locate_georeferenced(const viewcell_bundle *bundle,
                                              const viewcell_position *position,
                                              viewcell_place *place);

// The positions that a place stands for: of a terrain the square around its sample, with the height of the ground in
// metres as z of both corners; of a level the box of its cell, in a solid level of players' origins. Returns VIEWCELL_OK,
// VIEWCELL_OUTSIDE (no such place), VIEWCELL_VOID (no terrain there), VIEWCELL_FORMAT (the bundle is damaged, or made
// without boxes), VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_bounds(const viewcell_bundle *bundle,
                                viewcell_place place,
                                viewcell_box *bounds);

// Whether a place is in a bitmap of places, such as a PVS: 1 or 0. count is the length of words, viewcell_world.words.
// Or VIEWCELL_OUTSIDE (no such place), VIEWCELL_BUFFER (there are fewer words), VIEWCELL_NULL, VIEWCELL_ARGUMENT or
// VIEWCELL_CLOSED. Constant time.
viewcell_status viewcell_contains(const viewcell_bundle *bundle,
                                  const uint64_t *words,
                                  size_t count,
                                  viewcell_place place);

// How many visible steps lead from one cell of a level of cells to another: 0 from a cell to itself, 1 if it is
// visible, 2 if it is visible from one that is, and so on (the extended PVS). Or VIEWCELL_UNREACHABLE, VIEWCELL_OUTSIDE
// (no such cell), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_distance(const viewcell_bundle *bundle,
                                  viewcell_place from,
                                  viewcell_place to);

// What a bundle is of. Functions that are for another kind of world return VIEWCELL_KIND. Returns VIEWCELL_OK,
// VIEWCELL_NULL or VIEWCELL_CLOSED.
//
// This and all queries of a bundle below: any number of threads at a time, except during
// viewcell_close; no allocation.
viewcell_status viewcell_info(const viewcell_bundle *bundle,
                              viewcell_world *world);

// Which objects of a scene may be seen by a camera at a position: bit n % 64 of word n / 64 becomes 1 if object n has to be
// drawn, else 0. All from a position in no cell. count is the length of words, at least (viewcell_world.objects + 63) / 64;
// further words become 0. Returns how many objects they are; VIEWCELL_BUFFER, VIEWCELL_KIND (no scene), VIEWCELL_NULL or
// VIEWCELL_CLOSED.
viewcell_status viewcell_objects_seen(const viewcell_bundle *bundle,
                                      const viewcell_position *position,
                                      uint64_t *words,
                                      size_t count);

// Where an object is in its scene: names from the root to it, with / between them, in UTF-8 with a zero at its end. Written
// where size, the length of path, has room for it and its zero. Returns how many bytes it has without the zero;
// VIEWCELL_OUTSIDE (no such object), VIEWCELL_FORMAT (it is damaged), VIEWCELL_KIND (no scene), VIEWCELL_NULL (path is null,
// and size is not 0) or VIEWCELL_CLOSED.
viewcell_status viewcell_object_path(const viewcell_bundle *bundle,
                                     uint32_t object,
                                     char *path,
                                     size_t size);

// Whether a player at place to may be seen from place from: 1 or 0. The answer holds for all positions in both places. In
// a solid level it is whether any part of a body in to is visible from any eye in from: the directions differ. 0 if either
// is a void; 1 if either is VIEWCELL_NOWHERE, or if the bundle is damaged. Or VIEWCELL_OUTSIDE (no such place),
// VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_visible(const viewcell_bundle *bundle,
                                 viewcell_place from,
                                 viewcell_place to);

// Answers count pairs: visible[i] becomes what viewcell_visible says of from[i] and to[i]. Returns VIEWCELL_OK,
// VIEWCELL_OUTSIDE (one of the places is not there; nothing was written), VIEWCELL_NULL, VIEWCELL_ARGUMENT or
// VIEWCELL_CLOSED.
viewcell_status viewcell_visible_pairs(const viewcell_bundle *bundle,
                                       size_t count,
                                       const viewcell_place *from,
                                       const viewcell_place *to,
                                       uint8_t *visible);

// Whom of count others may a player see? visible[i] becomes what viewcell_visible says of from and to[i]. Otherwise like
// viewcell_visible_pairs.
viewcell_status viewcell_visible_from(const viewcell_bundle *bundle,
                                      viewcell_place from,
                                      size_t count,
                                      const viewcell_place *to,
                                      uint8_t *visible);

// What is known of sight from one quad of a terrain to another: 0 if nothing of it can be seen from anywhere in the
// first, 1 if each of its samples can be seen from somewhere, 2 if some can (or the bundle is damaged). A quad is the one
// of a level, less than viewcell_world.levels, that a place is in: a square of 2^level samples a side. Or
// VIEWCELL_OUTSIDE (no such place or level), VIEWCELL_KIND, VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_visible_quads(const viewcell_bundle *bundle,
                                       viewcell_place from,
                                       uint32_t from_level,
                                       viewcell_place to,
                                       uint32_t to_level);

// Writes all that may be seen from a place as a bitmap of places: of a terrain sample (c, r) is bit (r % 8) * 8 + c % 8
// of word (r / 8) * viewcell_world.block_columns + c / 8; of a level cell c is bit c % 64 of word c / 64
// (viewcell_contains reads it). Of a terrain, level asks for all that may be seen from the quad of that level that the
// place is in; for others it is 0. count is the length of words, at least viewcell_world.words; words beyond these are
// unchanged. Returns VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_OUTSIDE (no such place or level), VIEWCELL_FORMAT (the PVS is
// damaged; in a solid level all are seen then), VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED.
viewcell_status viewcell_pvs(const viewcell_bundle *bundle,
                             viewcell_place place,
                             uint32_t level,
                             uint64_t *words,
                             size_t count);

// Whether two players may see each other on their paths: one who is now anywhere at place a and moves up to reach_a,
// and one at place b who moves up to reach_b, in metres or in units of the level. Reaches follow from speed and ping:
// a client that is sent everybody for whom this is 1 sees nobody late, except through a teleporter. 1 or 0; 0 if either is
// a void. Errs towards 1: where either is VIEWCELL_NOWHERE, where the search would take too long, where the bundle is
// damaged or has no boxes of cells, and for a reach that is not a number. Or VIEWCELL_OUTSIDE (no such place),
// VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_visible_within(const viewcell_bundle *bundle,
                                        viewcell_place a,
                                        viewcell_place b,
                                        double reach_a,
                                        double reach_b);

// Whether a player who is now at position from and moves up to reach_from may see one who is now at position to and
// moves up to reach_to, anywhere on their paths: 1 or 0. In a solid level this hides more than viewcell_visible_within of
// their cells, and the directions differ: query both to know whether they may see each other. Errs towards 1
// as that does, and where either is at no place. Or VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_sees_within(const viewcell_bundle *bundle,
                                     const viewcell_position *from,
                                     const viewcell_position *to,
                                     double reach_from,
                                     double reach_to);

// Allocates the memory for frontier sets in a bundle of any kind, here and nowhere else: about two bytes a sample or a cell
// of a solid level, 50 a cell of a level of cells. *frontier becomes the handle, or null; close it with
// viewcell_frontier_close. Returns VIEWCELL_OK, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_frontier_new(const viewcell_bundle *bundle,
                                      viewcell_frontier **frontier);

// Closes it. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed
// before. No other call may use the handle at the same time.
viewcell_status viewcell_frontier_close(viewcell_frontier *frontier);

// Begins the frontier set of two players at places a and b; the previous set is discarded. It grows until budget quads
// have been tried: VIEWCELL_BUDGET as a rule, 0 for no limit; in a level of cells it is complete at once.
// Players who see each other have an empty set, which is no failure. The same places and budget give the same
// set on every machine, so that peers who know both places need not send it. Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no
// such place), VIEWCELL_VOID, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_frontier_begin(viewcell_frontier *frontier,
                                        viewcell_place a,
                                        viewcell_place b,
                                        uint32_t budget);

// Continues for at most so many quads: 1 if the set is complete, 0 if there is more to do. The set may be used
// at any time. In a level of cells a set is complete as soon as it has begun. Or VIEWCELL_NULL,
// VIEWCELL_CLOSED.
viewcell_status viewcell_frontier_step(viewcell_frontier *frontier,
                                       uint32_t quads);

// Whether a place is in the half of player a (side 0) or b (side 1): 1 or 0, and 0 for one that does
// not exist. Or VIEWCELL_ARGUMENT, VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1, since no player may be
// silent after a failure. Constant time.
viewcell_status viewcell_frontier_contains(const viewcell_frontier *frontier,
                                           uint32_t side,
                                           viewcell_place place);

// Number of places in a half. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT, VIEWCELL_NULL or
// VIEWCELL_CLOSED.
viewcell_status viewcell_frontier_area(const viewcell_frontier *frontier,
                                       uint32_t side,
                                       uint64_t *places);

// Writes the compact form of a half, some hundred bytes, of a level of cells a bitmap; of a terrain without what lies
// within margin steps of its edge (0: all of it). *length becomes the number of bytes that it takes, also if that is
// more than size: then nothing is written. bytes may be null if size is 0. Allocates. Returns
// VIEWCELL_OK, VIEWCELL_BUFFER, VIEWCELL_ARGUMENT, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_frontier_encode(viewcell_frontier *frontier,
                                         uint32_t of,
                                         uint32_t margin,
                                         uint8_t *bytes,
                                         size_t size,
                                         size_t *length);

// Reads the compact form of a half. *region becomes the handle, or null; close it with
// viewcell_region_close. Allocates. Returns VIEWCELL_OK, VIEWCELL_FORMAT (the bytes are no region
// of this bundle's places), VIEWCELL_ARGUMENT, VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_region_decode(const viewcell_bundle *bundle,
                                       const uint8_t *bytes,
                                       size_t length,
                                       viewcell_region **region);

// Whether a place is in a region: 1 or 0, and 0 for one that is not there. Or VIEWCELL_NULL,
// VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
viewcell_status viewcell_region_contains(const viewcell_region *region, viewcell_place place);

// Closes a region. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was
// closed before. No other call may use the handle at the same time.
viewcell_status viewcell_region_close(viewcell_region *region);

// The default options: a server, no margin. Returns VIEWCELL_OK or VIEWCELL_NULL. Any thread, any
// time.
viewcell_status viewcell_session_defaults(viewcell_session_options *options);

// A session of so many players, numbered from 0, none of whom is anywhere yet, in a bundle of any kind.
// options may be null: the defaults. *session becomes the handle, or null; close it with viewcell_session_close.
// Allocates: some two bytes a sample or a cell of a solid level, and 40 bytes a pair of players.
//
// Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (peers is neither 0 nor 1; more than VIEWCELL_MOST_PLAYERS), VIEWCELL_FULL,
// VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_session_new(const viewcell_bundle *bundle,
                                     uint32_t players,
                                     const viewcell_session_options *options,
                                     viewcell_session **session);

// Closes it. Of null, does nothing. Returns VIEWCELL_OK, or VIEWCELL_CLOSED if it was closed
// before. No other call may use the handle at the same time.
viewcell_status viewcell_session_close(viewcell_session *session);

// Lets a tick pass: the unit of ages and of patience. Returns VIEWCELL_OK, VIEWCELL_NULL or
// VIEWCELL_CLOSED.
viewcell_status viewcell_session_tick(viewcell_session *session);

// A player has moved to a place, or has appeared there. At VIEWCELL_NOWHERE, where their position was not located, they see
// all and are seen by all, and all are told. Writes the notices that follow: *count of them, into notices, whose length is
// size, at least twice the number of the other players.
//
// A pair that exchanges nothing costs two bit tests. Allocates where a frontier set is grown, which
// happens here, all at once: some tenths of a millisecond each.
//
// Returns VIEWCELL_OK; or, and then the player has not moved, VIEWCELL_OUTSIDE (no such place), VIEWCELL_VOID,
// VIEWCELL_BUFFER, VIEWCELL_ARGUMENT (no such player), VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_session_move(viewcell_session *session,
                                      uint32_t player,
                                      viewcell_place to,
                                      viewcell_notice *notices,
                                      size_t size,
                                      size_t *count);

// A player has left: their frontier sets end, and nobody is notified. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (no such
// player), VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_session_leave(viewcell_session *session,
                                       uint32_t player);

// For how many ticks the frontier set of two players has lasted: 1, and *ticks; 0 if they have
// none. Or VIEWCELL_ARGUMENT (no such players), VIEWCELL_NULL, VIEWCELL_CLOSED. No allocation.
viewcell_status viewcell_session_age(const viewcell_session *session,
                                     uint32_t player,
                                     uint32_t other,
                                     uint64_t *ticks);

// How many frontier sets have been grown so far. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_session_sets(const viewcell_session *session,
                                      uint64_t *sets);

// Whether a place is in a player's own half of the frontier set with another, without the
// margin: 1 or 0, and 0 if they have no set. Or VIEWCELL_ARGUMENT (no such players),
// VIEWCELL_NULL, VIEWCELL_CLOSED: compare with 1. Constant time, no allocation.
viewcell_status viewcell_session_contains(const viewcell_session *session,
                                          uint32_t player,
                                          uint32_t other,
                                          viewcell_place place);

// Writes the compact form of a player's own half of the frontier set with another, to be sent to
// that player and read with viewcell_region_decode. Else as viewcell_frontier_encode; if they have
// no set, *length becomes 0.
viewcell_status viewcell_session_encode(const viewcell_session *session,
                                        uint32_t player,
                                        uint32_t other,
                                        uint8_t *bytes,
                                        size_t size,
                                        size_t *length);

// Whether one player may see another, each at any time within its own interval, as long as both keep to their limits: 1
// or 0. In a bundle of any kind; in a solid level the two directions differ.
//
// Which times to pass, for packets every step seconds:
// - A server chooses whom to send to a client whose round trip takes ping seconds. The client's own player, whom the client
//   predicts: until ping + step. Other players: until step, since the next packet has their new positions.
// - A server tells two clients whether they may see each other, and a packet takes down seconds. Both players: from down
//   until down + step, the time in which a client uses this answer.
//
// A client that receives everybody for whom this is 1 sees nobody late, except after a teleport or a respawn: query again
// from the new position. Errs towards 1: off the grid or at a void of a terrain, in no cell of a level, where the search
// would take too long, and where the bundle is damaged. Allocates nothing.
//
// Or VIEWCELL_ARGUMENT (has_velocity is neither 0 nor 1), VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_sees_in_motion(const viewcell_bundle *bundle,
                                        const viewcell_mover *from,
                                        const viewcell_mover *to);

// A player has moved, and messages take time: like viewcell_session_move, for clients that use the notices of this call
// between the two times of to, in seconds from now. Notices name all who may be seen in that time, as long as players keep
// to their limits. A pair exchanges nothing only while all that both may reach lies in their halves of the frontier set,
// so that no notice is late. Everybody is told of a player who is at no place now. In a bundle of any kind. Returns what
// viewcell_session_move does, VIEWCELL_ARGUMENT also where has_velocity is neither 0 nor 1.
viewcell_status viewcell_session_move_in_motion(viewcell_session *session,
                                                uint32_t player,
                                                const viewcell_mover *to,
                                                viewcell_notice *notices,
                                                size_t size,
                                                size_t *count);

// A watch of players numbered from 0, none of whom is there yet, in a solid level. Proofs reach up to max_ahead seconds
// ahead: a viewer whose sees.times[1] is later is sent everybody. *watch becomes the handle, or null. Each frame a server
// calls viewcell_watch_set for everybody who is there (with null for those who have gone), viewcell_watch_begin,
// viewcell_watch_look_for with some microseconds, and then viewcell_watch_sends for each viewer and player.
//
// Keeps the bundle's data, so that the bundle may be closed. Returns VIEWCELL_OK, VIEWCELL_ARGUMENT (more than
// VIEWCELL_MOST_WATCHED players), VIEWCELL_KIND, VIEWCELL_FORMAT (the bundle was made without occluders, or they are
// damaged), VIEWCELL_FULL, VIEWCELL_NULL or VIEWCELL_CLOSED. Allocates; of the functions below those say so that do.
viewcell_status viewcell_watch_new(const viewcell_bundle *bundle,
                                   uint32_t players,
                                   double max_ahead,
                                   viewcell_watch **watch);

// Where a player is in the frame that begins next, and how they may move; null for watched if they have gone. Call it in
// each frame for everybody who is there. A player who is teleported needs nothing else, and sees from there at once. A
// player in no cell sees all and is seen by all; so does one with a time that is no number or before now.
//
// Returns VIEWCELL_OK, VIEWCELL_OUTSIDE (no such number), VIEWCELL_ARGUMENT (a flag that is neither 0 nor 1), VIEWCELL_NULL
// or VIEWCELL_CLOSED. Allocates for the first frames of a player.
viewcell_status viewcell_watch_set(viewcell_watch *watch,
                                   uint32_t player,
                                   const viewcell_watched *watched);

// Replaces the dynamic occluders, which hide besides the level, from the next frame on: closed doors, as boxes that are
// opaque throughout, and spheres of smoke. Call it before the players of a frame are set: when a door has closed or
// begins to open, and in each frame while there is smoke. Proofs by a door that opens, or by smoke that goes, are dropped.
//
// Smoke hides nobody from or to a player in the box around it. It hides one player from another if it stays until
// both sees.times[1] of the one and shown.times[1] of the other. What is no box or no sphere hides nothing. Returns
// VIEWCELL_OK, VIEWCELL_NULL, VIEWCELL_ARGUMENT or VIEWCELL_CLOSED. Allocates.
viewcell_status viewcell_watch_occluders(viewcell_watch *watch,
                                         size_t door_count,
                                         const viewcell_box *doors,
                                         size_t smoke_count,
                                         const viewcell_smoke *smokes);

// Begins a frame. A pair stays hidden if an earlier proof holds for all that both may reach now; all others are sent until
// they are tested. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_watch_begin(viewcell_watch *watch);

// Tests pairs that are undecided in this frame, first those that were hidden in the frame before. work limits how many
// tests of a pair of boxes are made, of about a microsecond each. 1 if all pairs were tested; else 0: it may be called again.
// The same calls give the same answers on every machine. Or VIEWCELL_NULL, VIEWCELL_CLOSED. Seldom allocates.
viewcell_status viewcell_watch_look(viewcell_watch *watch,
                                    uint32_t work);

// The same for so many microseconds; a proof that was begun is finished.
viewcell_status viewcell_watch_look_for(viewcell_watch *watch, uint32_t microseconds);

// Whether a player must be sent to a viewer: 1 or 0. 0 if either is not there, or if both are the same. Or
// VIEWCELL_OUTSIDE (no such number), VIEWCELL_NULL, VIEWCELL_CLOSED.
viewcell_status viewcell_watch_sends(const viewcell_watch *watch,
                                     uint32_t viewer,
                                     uint32_t player);

// Counts of the frame so far. Returns VIEWCELL_OK, VIEWCELL_NULL or VIEWCELL_CLOSED.
viewcell_status viewcell_watch_counts(const viewcell_watch *watch, viewcell_watch_figures *counts);

// Closes a watch. Of null, does nothing. Returns VIEWCELL_OK or VIEWCELL_CLOSED.
viewcell_status viewcell_watch_close(viewcell_watch *watch);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* VIEWCELL_H */
