// Asks a bundle whether two players may see each other, from plain C++17: no part of an engine, no exceptions.
// Link the library that scripts/build-library makes, and put its viewcell.h beside this file.

#pragma once

#include "viewcell.h"

#include <cstdint>
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

struct Place {
    double x;
    double y;
    double z;
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
        if (viewcell_open(VIEWCELL_ABI_VERSION, path, &bundle, message, sizeof message) != VIEWCELL_OK) {
            bundle = nullptr;
            error = message;
            return false;
        }
        frame = placed;
        kind = viewcell_kind(bundle);
        return true;
    }

    void close() {
        viewcell_close(bundle);
        bundle = nullptr;
    }

    bool is_open() const { return bundle != nullptr; }

    // May a player at a and one at b see each other before the one has come reach_a and the other reach_b far (in the
    // engine's units)? In a solid level places are those of players' origins, as they were baked. Errs towards yes: also where one of them is off the map, above a void or in solid, and where
    // no bundle is open. For any number of threads at a time.
    bool may_see(const Place &a, const Place &b, double reach_a, double reach_b) const {
        if (!bundle) {
            return true;
        }
        const double metre = frame.scale[0] < 0.0 ? -frame.scale[0] : frame.scale[0];
        return kind == VIEWCELL_TERRAIN ? on_terrain(a, b, reach_a * metre, reach_b * metre)
                                        : in_cells(a, b, reach_a * metre, reach_b * metre);
    }

private:
    double placed(const Place &place, int axis) const {
        const double at[3] = {place.x, place.y, place.z};
        return (at[axis] - frame.origin[axis]) * frame.scale[axis];
    }

    bool sample(const Place &place, viewcell_sample &at) const {
        return viewcell_locate(bundle, placed(place, 0), placed(place, 1), &at) == VIEWCELL_OK;
    }

    bool cell(const Place &place, uint32_t &at) const {
        return viewcell_cells_locate(bundle, placed(place, 0), placed(place, 1), placed(place, 2), &at) == VIEWCELL_OK;
    }

    bool on_terrain(const Place &a, const Place &b, double reach_a, double reach_b) const {
        viewcell_sample from, to;
        // 0 is hidden. 1 and errors count as visible.
        return !sample(a, from) || !sample(b, to) ||
               viewcell_visible_within(bundle, from, to, reach_a, reach_b) != 0;
    }

    bool in_cells(const Place &a, const Place &b, double reach_a, double reach_b) const {
        uint32_t from, to;
        if (!cell(a, from) || !cell(b, to)) {
            return true;
        }
        return viewcell_cells_visible_within(bundle, from, to, reach_a, reach_b) != 0;
    }

    void swap(Sight &other) {
        std::swap(bundle, other.bundle);
        std::swap(frame, other.frame);
        std::swap(kind, other.kind);
    }

    viewcell_bundle *bundle = nullptr;
    Frame frame;
    viewcell_status kind = 0;
};

} // namespace viewcell
