// Server-side interest management by sight, from plain C++17: who observes whom, frame by frame.

#pragma once

#include "ViewcellSight.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace viewcell {

// What observers are kept for. In the engine's units, and seconds.
struct ObserverOptions {
    // The longest time from one update to the next, with the jitter of the server's frames.
    double interval = 0.1;
    // Whoever sees further ahead than this, by their ping, observes everybody.
    double max_ahead = 0.3;
    // For how long an observer is kept after sight has ended, so that objects are not destroyed and made again all the time.
    double hold = 1.0;
    // Most microseconds of an update; pairs that are not come to are observed.
    uint32_t microseconds = 500;
    // The most players at a time; of VIEWCELL_MOST_WATCHED and fewer in a solid level a watch is kept.
    uint32_t players = 128;
};

// Who observes whom. Each frame of the server: put for everybody who is there, update, and then observes. Hidden is only who was
// proven hidden for all that both may reach until the next update counts; whoever is not known sees all and is seen by all.
// One thread at a time.
class Observers {
public:
    using Key = uint64_t;

    // The sight must stay as long as these.
    Observers(const Sight &of, const ObserverOptions &chosen) : sight(of), options(chosen) {
        if (options.max_ahead < options.interval) {
            options.max_ahead = options.interval;
        }
        slots.resize(options.players);
        if (options.players <= VIEWCELL_MOST_WATCHED) {
            watch = std::make_unique<Watch>(sight, options.players, options.max_ahead);
            if (!watch->is_open()) {
                watch.reset();
            }
        }
    }

    // Whether a watch is kept, which hides more than pairs asked one by one.
    bool is_watched() const { return watch != nullptr; }

    // Where a player is, how they may move, and the round trip to their client in seconds. False where there is no room: then all
    // observe them.
    bool put(Key key, const Watched &of, double ping) {
        Player *player = place_of(key);
        if (!player) {
            return false;
        }
        player->of = of;
        // Without a limit of acceleration a velocity tells nothing.
        player->of.has_velocity = of.has_velocity && of.acceleration[0] < Watched::NONE && of.acceleration[1] < Watched::NONE;
        // A ping that is none is one of which nothing is known.
        const double ahead = ping + options.interval;
        player->of.sees_until = ping >= 0.0 && ahead <= options.max_ahead ? ahead : Watched::NONE;
        player->of.shown_until = options.interval;
        player->is_put = true;
        return true;
    }

    // Who observes whom at a time in seconds. Whoever was not put since the last update has gone. Gives those whose observers have
    // changed, new players included, until the next update.
    const std::vector<Key> &update(double time) {
        changed.clear();
        const bool has_gone = remove_gone();
        if (watch) {
            for (auto &entry : players) {
                Player &player = entry.second;
                player.is_watched = watch->set(player.slot, player.of);
            }
            watch->look(options.microseconds);
        }
        for (auto &entry : players) {
            Player &player = entry.second;
            // Who has come or gone observed others by another rule before.
            bool is_changed = !player.is_known || has_gone;
            for (auto &other : players) {
                Player &viewer = other.second;
                if (&viewer == &player) {
                    continue;
                }
                const bool is_seen = sees(viewer, player), was_observed = player.observed[viewer.slot];
                if (is_seen) {
                    player.until[viewer.slot] = time + options.hold;
                }
                const bool is_observed = is_seen || time < player.until[viewer.slot];
                player.observed[viewer.slot] = is_observed;
                is_changed |= is_observed != was_observed || !viewer.is_known;
            }
            if (is_changed) {
                changed.push_back(entry.first);
            }
        }
        for (auto &entry : players) {
            entry.second.is_known = true;
            entry.second.is_put = false;
        }
        return changed;
    }

    // Whether somebody was put.
    bool knows(Key key) const { return players.count(key) != 0; }

    // Whether a player's client is to be told of another player. Of players who came after the last update it is asked at once;
    // true where either was not put.
    bool observes(Key viewer, Key other) const {
        const auto from = players.find(viewer), to = players.find(other);
        if (viewer == other || from == players.end() || to == players.end()) {
            return true;
        }
        if (from->second.is_known && to->second.is_known) {
            return to->second.observed[from->second.slot];
        }
        return sight.may_see_in_motion(from->second.of, to->second.of);
    }

private:
    struct Player {
        Watched of;
        uint32_t slot = 0;
        // Put since the last update; in the sets of the last update; taken by the watch.
        bool is_put = false, is_known = false, is_watched = false;
        // By slot of the viewer: until when they observe this player, if not by sight; and whether they do.
        std::vector<double> until;
        std::vector<bool> observed;
    };

    Player *place_of(Key key) {
        const auto found = players.find(key);
        if (found != players.end()) {
            return &found->second;
        }
        for (uint32_t slot = 0; slot < options.players; slot++) {
            if (!slots[slot]) {
                slots[slot] = true;
                Player &player = players[key];
                player.slot = slot;
                player.until.assign(options.players, 0.0);
                player.observed.assign(options.players, false);
                return &player;
            }
        }
        return nullptr;
    }

    bool sees(const Player &viewer, const Player &player) const {
        if (!watch) {
            return sight.may_see_in_motion(viewer.of, player.of);
        }
        return !viewer.is_watched || !player.is_watched || watch->sends(viewer.slot, player.slot);
    }

    bool remove_gone() {
        bool has_gone = false;
        for (auto entry = players.begin(); entry != players.end();) {
            if (entry->second.is_put) {
                ++entry;
                continue;
            }
            const uint32_t slot = entry->second.slot;
            if (watch) {
                watch->remove(slot);
            }
            slots[slot] = false;
            entry = players.erase(entry);
            has_gone = true;
            // The slot's next player starts anew.
            for (auto &other : players) {
                other.second.until[slot] = 0.0;
                other.second.observed[slot] = false;
            }
        }
        return has_gone;
    }

    const Sight &sight;
    ObserverOptions options;
    std::unique_ptr<Watch> watch;
    std::unordered_map<Key, Player> players;
    std::vector<bool> slots;
    std::vector<Key> changed;
};

} // namespace viewcell
