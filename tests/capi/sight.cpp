// What src/bindings/unreal asks, without the engine: opens a bundle whose samples are 10 m apart, in centimetres, and
// prints for places from the command line whether they may see each other.
//
//     sight BUNDLE X,Y,Z X,Y,Z REACH ...
//     sight --level BUNDLE X,Y,Z X,Y,Z REACH ...      a level with Unreal's axes
//     sight --watch BUNDLE X,Y,Z X,Y,Z ...            who of players is sent to whom, a line a viewer

#include "../../src/bindings/unreal/Source/Viewcell/Public/ViewcellSight.h"

#include <cstdio>
#include <cstdlib>

static viewcell::Place place(const char *words) {
    viewcell::Place place{};
    std::sscanf(words, "%lf,%lf,%lf", &place.x, &place.y, &place.z);
    return place;
}

static void ask(const viewcell::Sight &sight, int count, char **words) {
    for (int i = 2; i + 2 < count; i += 3) {
        std::puts(sight.may_see(place(words[i]), place(words[i + 1]), std::atof(words[i + 2]), 0.0) ? "visible" : "hidden");
    }
}

static int watch(const viewcell::Sight &sight, int players, char **words) {
    viewcell::Watch watch(sight, players, 0.3), none(viewcell::Sight(), players, 0.3);
    if (!watch.is_open() || none.is_open() || !none.sends(0, 1)) {
        return 6;
    }
    for (int frame = 0; frame < 3; frame++) {
        for (int i = 0; i < players; i++) {
            viewcell::Watched of;
            of.position = place(words[i]);
            watch.set(i, of);
        }
        watch.look(1000000);
    }
    for (int viewer = 0; viewer < players; viewer++) {
        for (int player = 0; player < players; player++) {
            std::putchar(watch.sends(viewer, player) ? '1' : '0');
        }
        std::putchar('\n');
    }
    watch.remove(0);
    watch.look(0);
    return watch.sends(0, 1) || watch.sends(1, 0) ? 7 : 0;
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
    const bool level = std::string(words[1]) == "--level", watched = std::string(words[1]) == "--watch";
    if (level || watched) {
        words++;
        count--;
        viewcell::Sight sight;
        if (!sight.open_level(words[1], error)) {
            std::fprintf(stderr, "%s\n", error.c_str());
            return 5;
        }
        if (watched) {
            return watch(sight, count - 2, words + 2);
        }
        ask(sight, count, words);
        return 0;
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
    ask(sight, count, words);
    return 0;
}
