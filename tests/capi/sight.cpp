// What src/bindings/unreal asks, without the engine: opens a bundle whose samples are 10 m apart, in centimetres, and
// prints for places from the command line whether they may see each other.
//
//     sight BUNDLE X,Y,Z X,Y,Z REACH

#include "../../src/bindings/unreal/ViewcellSight.h"

#include <cstdio>
#include <cstdlib>

static viewcell::Place place(const char *words) {
    viewcell::Place place{};
    std::sscanf(words, "%lf,%lf,%lf", &place.x, &place.y, &place.z);
    return place;
}

int main(int count, char **words) {
    if (count < 2) {
        return 2;
    }
    viewcell::Sight nothing;
    std::string error;
    if (!nothing.may_see({0, 0, 0}, {1, 1, 1}, 0, 0) || nothing.is_open()) {
        return 3;
    }
    if (nothing.open("there is no such file.vcb", {}, error) || error.empty()) {
        return 4;
    }
    viewcell::Sight opened;
    if (!opened.open(words[1], {}, error)) {
        std::fprintf(stderr, "%s\n", error.c_str());
        return 5;
    }
    // Moved, and moved back: one handle, closed once.
    viewcell::Sight sight(std::move(opened));
    opened = std::move(sight);
    sight = std::move(opened);
    for (int i = 2; i + 2 < count; i += 3) {
        std::puts(sight.may_see(place(words[i]), place(words[i + 1]), std::atof(words[i + 2]), 0.0) ? "visible" : "hidden");
    }
    return 0;
}
