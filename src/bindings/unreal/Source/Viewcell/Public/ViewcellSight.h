// Asks a bundle whether two players may see each other, from plain C++17: no part of an engine, no exceptions.
// Link the library that scripts/build-library makes, and have its viewcell.h where headers are looked for.

#pragma once

#include "viewcell.h"

#include <limits>
#include <string>
#include <utility>

namespace viewcell {

// In the engine's coordinates.
using Place = viewcell_position;

// A player in motion, in the engine's units and seconds.
struct Watched {
    static constexpr double NONE = std::numeric_limits<double>::infinity();

    Place position{};
    // Counts where has_velocity is true.
    Place velocity{};
    bool has_velocity = false;
    // Greatest speeds along the ground, and up or down: dashes, falls and knock-back included.
    double speed[2] = {1000.0, 2000.0};
    // Greatest acceleration, and the greatest sudden changes of velocity added up (jumps, walls). Without a limit of
    // acceleration players may turn at once, and velocities tell nothing.
    double acceleration[2] = {NONE, NONE};
    double impulse[2] = {0.0, 0.0};
    // Until what is sent now no longer counts for what the player sees: a round trip and the time to the next frame.
    double sees_until = 0.15;
    // The time to the next frame, of which others are told next.
    double shown_until = 0.05;
    // How high stairs may bring the player at once.
    double step = 45.0;
};

// From the engine's coordinates to those of the bundle: bundle = (engine - origin) * scale, an axis at a time.
//
// Of a terrain: x becomes metres east, y metres south of sample (0, 0), z is not asked for. Unreal counts in
// centimetres, and a Landscape has its columns along X and its rows along Y: origin is its corner, scale 0.01.
// Of a level that was baked with --from unreal: as it is, with a scale of 1 (open_level). Of another: units and axes of the
// level. Those of Quake are right-handed and Unreal's are not: scale y by a negative number.
struct Frame {
    double origin[3] = {0.0, 0.0, 0.0};
    double scale[3] = {0.01, 0.01, 0.01};

    viewcell_position placed(const Place &at) const {
        return {(at.x - origin[0]) * scale[0], (at.y - origin[1]) * scale[1], (at.z - origin[2]) * scale[2]};
    }

    // The bundle's units per unit of the engine.
    double metre() const { return scale[0] < 0.0 ? -scale[0] : scale[0]; }

    // Somebody from now until so many seconds on.
    viewcell_mover mover(const Watched &of, double until) const {
        viewcell_mover mover{};
        mover.motion.position = placed(of.position);
        mover.motion.has_velocity = of.has_velocity ? 1 : 0;
        mover.motion.velocity[0] = of.velocity.x * scale[0];
        mover.motion.velocity[1] = of.velocity.y * scale[1];
        mover.motion.velocity[2] = of.velocity.z * scale[2];
        for (int k = 0; k < 2; k++) {
            mover.limits.speed[k] = of.speed[k] * metre();
            mover.limits.acceleration[k] = of.acceleration[k] * metre();
            mover.limits.impulse[k] = of.impulse[k] * metre();
        }
        mover.times[1] = until;
        return mover;
    }
};

class Sight {
public:
    Sight() = default;
    Sight(const Sight &) = delete;
    Sight &operator=(const Sight &) = delete;
    Sight(Sight &&other) noexcept { swap(other); }
    Sight &operator=(Sight &&other) noexcept {
        Sight gone(std::move(other));
        swap(gone);
        return *this;
    }
    ~Sight() { close(); }

    // Opens a bundle (a path in UTF-8) by memory map. If it cannot be opened: false, and why in error.
    bool open(const char *path, const Frame &placed, std::string &error) {
        close();
        char message[512] = "";
        if (viewcell_open(VIEWCELL_ABI_VERSION, path, VIEWCELL_MAP, &bundle, message, sizeof message) != VIEWCELL_OK) {
            bundle = nullptr;
            error = message;
            return false;
        }
        frame = placed;
        return true;
    }

    // Opens a bundle of a level that was exported from Unreal and baked with --from unreal: places are Unreal's, in
    // centimetres. Refuses one that was baked for other coordinates, which would answer for mirrored places.
    bool open_level(const char *path, std::string &error) {
        if (!open(path, {}, error)) {
            return false;
        }
        viewcell_world found{};
        viewcell_info(bundle, &found);
        if (found.axes[0] != 1 || found.axes[1] != -2 || found.axes[2] != 3) {
            close();
            error = std::string(path) + ": expected a level that was baked with --from unreal, found other coordinates";
            return false;
        }
        frame.scale[0] = frame.scale[1] = frame.scale[2] = 1.0;
        return true;
    }

    void close() {
        viewcell_close(bundle);
        bundle = nullptr;
    }

    bool is_open() const { return bundle != nullptr; }

    // May a player at a and one at b see each other before the one has come reach_a and the other reach_b far (in the
    // engine's units)? In a solid level places are those of players' origins, as they were baked. Errs towards yes: also
    // where one of them is off the map, above a void or in solid, and where no bundle is open. For any number of threads at
    // a time.
    bool may_see(const Place &a, const Place &b, double reach_a, double reach_b) const {
        if (!bundle) {
            return true;
        }
        const double metre = frame.metre();
        const viewcell_position from = frame.placed(a), to = frame.placed(b);
        // 0 is hidden. 1 and errors count as visible.
        return viewcell_sees_within(bundle, &from, &to, reach_a * metre, reach_b * metre) != 0 ||
               viewcell_sees_within(bundle, &to, &from, reach_b * metre, reach_a * metre) != 0;
    }

    // May a viewer see a player, each on their way for as long as what is sent now counts? Errs towards yes.
    bool may_see_in_motion(const Watched &viewer, const Watched &player) const {
        if (!bundle) {
            return true;
        }
        const viewcell_mover from = frame.mover(viewer, viewer.sees_until), to = frame.mover(player, player.shown_until);
        return viewcell_sees_in_motion(bundle, &from, &to) != 0;
    }

private:
    friend class Watch;

    void swap(Sight &other) {
        std::swap(bundle, other.bundle);
        std::swap(frame, other.frame);
    }

    viewcell_bundle *bundle = nullptr;
    Frame frame;
};

// Who must be sent to whom in a solid level: hidden only by proof, for all that both may reach. Each frame: set for everybody who
// is there, remove for who has gone, look, then sends. One thread at a time.
class Watch {
public:
    // Whoever sees further ahead than max_ahead seconds is sent everybody. Where there can be no watch (another kind of bundle, more than
    // VIEWCELL_MOST_WATCHED players) everybody is sent.
    Watch(const Sight &sight, uint32_t players, double max_ahead) : frame(sight.frame) {
        if (viewcell_watch_new(sight.bundle, players, max_ahead, &watch) != VIEWCELL_OK) {
            watch = nullptr;
        }
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;
    ~Watch() { viewcell_watch_close(watch); }

    bool is_open() const { return watch != nullptr; }

    // False for what is no position: the player is as in the frame before.
    bool set(uint32_t player, const Watched &of) {
        viewcell_watched watched{};
        watched.sees = frame.mover(of, of.sees_until);
        watched.shown = frame.mover(of, of.shown_until);
        watched.step = of.step * frame.metre();
        return viewcell_watch_set(watch, player, &watched) == VIEWCELL_OK;
    }

    void remove(uint32_t player) { viewcell_watch_set(watch, player, nullptr); }

    // Begins the frame, and looks for so many microseconds; who is not come to is sent.
    void look(uint32_t microseconds) {
        viewcell_watch_begin(watch);
        viewcell_watch_look_for(watch, microseconds);
    }

    // Errors count as sent.
    bool sends(uint32_t viewer, uint32_t player) const { return viewcell_watch_sends(watch, viewer, player) != 0; }

private:
    viewcell_watch *watch = nullptr;
    Frame frame;
};

} // namespace viewcell
