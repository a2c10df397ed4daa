// Asks a bundle whether two players may see each other, from plain C++17: no part of an engine, no exceptions.
// Link the library that scripts/build-library makes, and put its viewcell.h beside this file.

#pragma once

#include "viewcell.h"

#include <string>
#include <utility>

namespace viewcell {

// From the engine's coordinates to those of the bundle: bundle = (engine - origin) * scale, an axis at a time.
//
// Of a terrain: x becomes metres east, y metres south of sample (0, 0), z is not asked for. Unreal counts in
// centimetres, and a Landscape has its columns along X and its rows along Y: origin is its corner, scale 0.01.
// Of a level: units and axes of the level. Those of Quake are right-handed and Unreal's are not: scale y by a
// negative number.
struct Frame {
    double origin[3] = {0.0, 0.0, 0.0};
    double scale[3] = {0.01, 0.01, 0.01};
};

// In the engine's coordinates.
using Place = viewcell_position;

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
        const double metre = frame.scale[0] < 0.0 ? -frame.scale[0] : frame.scale[0];
        const viewcell_position from = placed(a), to = placed(b);
        // 0 is hidden. 1 and errors count as visible.
        return viewcell_sees_within(bundle, &from, &to, reach_a * metre, reach_b * metre) != 0 ||
               viewcell_sees_within(bundle, &to, &from, reach_b * metre, reach_a * metre) != 0;
    }

private:
    // A place in the bundle's coordinates.
    viewcell_position placed(const Place &place) const {
        return {(place.x - frame.origin[0]) * frame.scale[0], (place.y - frame.origin[1]) * frame.scale[1],
                (place.z - frame.origin[2]) * frame.scale[2]};
    }

    void swap(Sight &other) {
        std::swap(bundle, other.bundle);
        std::swap(frame, other.frame);
    }

    viewcell_bundle *bundle = nullptr;
    Frame frame;
};

} // namespace viewcell
