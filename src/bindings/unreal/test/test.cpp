// The plugin with a world of a few actors, on stand-ins: who observes whom, by Iris and by the replication graph.
//
//     test GOLDEN FOLDER

#include "../Source/Viewcell/Private/ViewcellNetObjectFilter.cpp"
#include "../Source/Viewcell/Private/ViewcellReplicationGraphNode.cpp"
#include "../Source/Viewcell/Private/ViewcellSightComponent.cpp"
#include "../Source/Viewcell/Private/ViewcellSubsystem.cpp"

#include <random>

static void check(bool holds, const std::string &what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what.c_str());
        std::exit(1);
    }
}

// Classes as the engine makes them: with what is protected shown.
struct FFilter : UViewcellNetObjectFilter {
    using UViewcellNetObjectFilter::Filter;
    using UViewcellNetObjectFilter::OnDeinit;
    using UViewcellNetObjectFilter::OnInit;
    using UViewcellNetObjectFilter::PreFilter;
};
struct FPlayer : UViewcellSightComponent {
    using UViewcellSightComponent::BeginPlay;
    using UViewcellSightComponent::EndPlay;
};

// The same motion, by a watch of the C interface and by observers: equal, pair by pair and frame by frame.
static void observers(const std::string &golden) {
    viewcell::Sight sight;
    std::string error;
    check(sight.open_level((golden + "/unreal.vcb").c_str(), error), error);
    viewcell_bundle *bundle = nullptr;
    check(viewcell_open(VIEWCELL_ABI_VERSION, (golden + "/unreal.vcb").c_str(), VIEWCELL_MAP, &bundle, nullptr, 0) == VIEWCELL_OK, "open");
    viewcell_watch *watch = nullptr;
    check(viewcell_watch_new(bundle, 5, 0.3, &watch) == VIEWCELL_OK, "watch");
    viewcell::ObserverOptions options;
    options.interval = 0.05;
    options.hold = 0.0;
    options.microseconds = 10000000;
    options.players = 5;
    viewcell::Observers observers(sight, options);
    check(observers.is_watched(), "a level is watched");
    check(observers.observes(7, 8), "nobody is known");

    std::mt19937 dice(51);
    std::uniform_real_distribution<double> step(-45.0, 45.0);
    double at[5][2] = {{150, 150}, {150, 700}, {1800, 150}, {900, 150}, {150, 400}}, before[5][2];
    const double inf = viewcell::Watched::NONE, pings[5] = {0.0, 0.05, 0.1, 0.2, 3.0};
    int hidden = 0, seen = 0;
    for (int frame = 0; frame < 400; frame++) {
        for (int i = 0; i < 5; i++) {
            before[i][0] = at[i][0], before[i][1] = at[i][1];
            // Along the L: its arms are 3 m wide.
            double x = std::clamp(at[i][0] + step(dice), 40.0, 1960.0), y = std::clamp(at[i][1] + step(dice), 40.0, 760.0);
            if (x > 260.0 && y > 260.0) x = before[i][0], y = before[i][1];
            at[i][0] = x, at[i][1] = y;
            viewcell::Watched of;
            of.position = {x, y, 10};
            of.velocity = {(x - before[i][0]) / 0.05, (y - before[i][1]) / 0.05, 0};
            of.has_velocity = true;
            of.speed[0] = 1300, of.speed[1] = 400;
            // Of some the acceleration is limited, so that their velocities count.
            if (i % 2 == 1) of.acceleration[0] = of.acceleration[1] = 20000, of.impulse[0] = 900, of.impulse[1] = 300;
            check(observers.put(100 + i, of, pings[i]), "there is room");
            viewcell_watched raw{};
            raw.sees.motion.position = {x, y, 10};
            raw.sees.motion.has_velocity = i % 2;
            if (i % 2 == 1) raw.sees.motion.velocity[0] = of.velocity.x, raw.sees.motion.velocity[1] = of.velocity.y;
            raw.sees.limits.speed[0] = 1300, raw.sees.limits.speed[1] = 400;
            raw.sees.limits.acceleration[0] = raw.sees.limits.acceleration[1] = i % 2 ? 20000 : inf;
            raw.sees.limits.impulse[0] = i % 2 ? 900 : 0, raw.sees.limits.impulse[1] = i % 2 ? 300 : 0;
            raw.shown = raw.sees;
            raw.sees.times[1] = pings[i] + 0.05 <= 0.3 ? pings[i] + 0.05 : inf;
            raw.shown.times[1] = 0.05;
            raw.step = 0.45;
            check(viewcell_watch_set(watch, i, &raw) == VIEWCELL_OK, "set");
        }
        observers.update(frame * 0.05);
        viewcell_watch_begin(watch);
        viewcell_watch_look_for(watch, 10000000);
        for (int viewer = 0; viewer < 5; viewer++) {
            for (int player = 0; player < 5; player++) {
                if (viewer == player) continue;
                const bool sent = viewcell_watch_sends(watch, viewer, player) != 0;
                check(observers.observes(100 + viewer, 100 + player) == sent, "frame " + std::to_string(frame));
                (sent ? seen : hidden)++;
            }
        }
    }
    check(hidden > 500 && seen > 500, "both answers occur");
    viewcell_watch_close(watch);
    viewcell_close(bundle);

    // Who goes is forgotten, and who comes in their stead is told of.
    viewcell::Watched of;
    of.position = {150, 150, 10};
    observers.put(100, of, 0);
    check(!observers.put(200, of, 0), "no room before an update");
    observers.update(99);
    observers.put(100, of, 0);
    of.position = {1800, 150, 10};
    check(observers.put(200, of, 0), "room after it");
    check(observers.update(100).size() == 2 && observers.knows(200) && !observers.knows(102), "who came and went");
    check(observers.observes(100, 200) && observers.observes(100, 102), "in sight, and not known");

    // What is no position is sent, as is everybody without a bundle.
    of.position = {std::nan(""), 0, 0};
    observers.put(100, of, 0);
    of.position = {150, 700, 10};
    observers.put(200, of, 0);
    observers.update(101);
    check(observers.observes(100, 200) && observers.observes(200, 100), "what is no position");
    viewcell::Sight none;
    viewcell::Observers all(none, options);
    all.put(1, of, 0), all.put(2, of, 0);
    all.update(0);
    check(!all.is_watched() && all.observes(1, 2), "no bundle");

    // An observer is held for a while, and more players than there is room for are observed.
    options.hold = 1.0;
    options.players = 2;
    viewcell::Observers held(sight, options);
    auto put = [&](viewcell::Observers::Key key, double x, double y) {
        viewcell::Watched who;
        who.position = {x, y, 10};
        who.speed[0] = who.speed[1] = 100;
        return held.put(key, who, 0);
    };
    const auto frame = [&](double y, double time) {
        check(put(1, 150, y) && put(2, 1800, 150), "room for two");
        held.update(time);
        return held.observes(1, 2);
    };
    check(frame(150, 0) && frame(700, 0.5) && frame(700, 0.9) && !frame(700, 1.1), "held");
    check(!put(3, 150, 150) && held.observes(3, 1) && held.observes(1, 3), "no room for a third");
}

static void world(const std::string &golden, const FString &folder) {
    PROJECT = folder;
    std::filesystem::create_directories(*(folder / L"Content/Viewcell"));
    std::filesystem::copy_file(golden + "/unreal.vcb", *(folder / L"Content/Viewcell/l.vcb"));
    UWorld world;
    UViewcellSubsystem subsystem;
    subsystem.world = &world;
    world.subsystems.push_back(&subsystem);

    // In the corner, at the end of the short arm, and at that of the long one.
    const double at[3][2] = {{150, 150}, {150, 700}, {1800, 150}};
    APawn pawns[3];
    APlayerController controllers[3];
    APlayerState states[3];
    UNetConnection connections[3];
    FPlayer players[3];
    auto &numbers = UE::Net::FReplicationSystemUtil::numbers;
    for (int i = 0; i < 3; i++) {
        pawns[i].world = &world;
        pawns[i].location = {at[i][0], at[i][1], 98};
        pawns[i].halfHeight = 88;
        pawns[i].controller = &controllers[i];
        pawns[i].state = &states[i];
        pawns[i].components = {&players[i]};
        players[i].owner = &pawns[i];
        players[i].SpeedAlong = players[i].SpeedUp = 200;
        controllers[i].connection = &connections[i];
        controllers[i].target = &pawns[i];
        connections[i].id = 1 + i;
        states[i].ping = 40;
        numbers[&pawns[i]] = 11 + i;
        players[i].BeginPlay();
    }
    check(subsystem.GetPlayers().Num() == 3, "players are known");
    check(players[0].Watched().position.z == 10 && players[0].RoundTrip() == 0.04, "feet and ping");
    // The player at the end of the long arm carries a weapon. Its owner is another actor of theirs.
    AActor weapon, bag, tree;
    weapon.world = bag.world = tree.world = &world;
    weapon.parent = &pawns[2];
    pawns[2].attached = {&weapon};
    bag.owner = &weapon;
    numbers[&weapon] = 14, numbers[&tree] = 15;
    check(UViewcellSightComponent::Of(&bag) == &players[2] && !UViewcellSightComponent::Of(&tree) && !UViewcellSightComponent::Of(nullptr), "whose it is");

    // Clients have no bundle, nor has a server before its world begins.
    auto sees = [&](int viewer, const AActor &what) { return UViewcellSubsystem::MaySee(&controllers[viewer], &pawns[viewer], &what); };
    world.mode = NM_Client;
    subsystem.OnWorldBeginPlay(world);
    check(sees(1, pawns[2]), "a client has no bundle");
    world.mode = NM_DedicatedServer;
    subsystem.Tick(0.05f);
    subsystem.OnWorldBeginPlay(world);
    check(sees(1, pawns[2]), "not known before the first tick");
    auto tick = [&] {
        world.time += 2.0; // past what is held
        for (int i = 0; i < 3; i++) {
            subsystem.Tick(0.05f);
        }
    };
    tick();
    check(sees(0, pawns[1]) && sees(0, pawns[2]) && sees(1, pawns[0]) && !sees(1, pawns[2]) && !sees(2, pawns[1]), "around the corner");
    check(sees(1, pawns[1]) && sees(1, tree) && !sees(1, weapon) && !sees(1, bag), "what is theirs, and what is nobody's");
    check(UViewcellSubsystem::MaySee(&controllers[1], &controllers[1], &pawns[2]) && UViewcellSubsystem::MaySee(&controllers[1], &pawns[0], &pawns[2])
        && UViewcellSubsystem::MaySee(&controllers[1], &tree, &pawns[2]), "spectators see everybody");

    // Iris.
    UObjectReplicationBridge bridge;
    bridge.world = &world;
    UReplicationSystem system;
    system.bridge = &bridge;
    FFilter filter;
    filter.OnInit({&system});
    filter.filtered.all = {11, 12, 13, 14, 15};
    auto iris = [&](uint32 connection, int views) {
        FNetObjectPreFilteringParams before;
        filter.PreFilter(before);
        FNetObjectFilteringParams params;
        params.ConnectionId = connection;
        params.View.Views.all.resize(views);
        params.OutAllowedObjects.all = {12, 13};
        filter.Filter(params);
        return params.OutAllowedObjects.all;
    };
    const std::set<uint32> all = {11, 12, 13, 14, 15};
    check(iris(1, 1) == all, "from the corner");
    check(iris(2, 1) == std::set<uint32>({11, 12, 15}) && iris(3, 1) == std::set<uint32>({11, 13, 14, 15}), "from the ends");
    check(iris(4, 1) == all && iris(2, 2) == all && iris(2, 0) == std::set<uint32>({11, 12, 15}), "views of no player");
    // A split screen: what one of two sees.
    connections[2].id = 2;
    check(iris(2, 2) == all, "two on one screen");
    connections[2].id = 3;
    controllers[1].target = &tree;
    check(iris(2, 1) == all, "through a camera");
    controllers[1].target = &pawns[1];

    // The replication graph.
    UViewcellReplicationGraphNode node;
    check(UViewcellReplicationGraphNode::Takes(&weapon) && !UViewcellReplicationGraphNode::Takes(&tree), "what the node takes");
    for (AActor *of : {static_cast<AActor *>(&pawns[0]), static_cast<AActor *>(&pawns[1]), static_cast<AActor *>(&pawns[2]), &weapon}) {
        node.NotifyAddNetworkActor({of});
    }
    auto graph = [&](TArray<FNetViewer> viewers) {
        FGatheredReplicationActorLists gathered;
        node.GatherActorListsForConnection({viewers, gathered});
        std::set<uint32> found;
        for (const auto *list : gathered.lists) for (const AActor *of : *list) found.insert(numbers[of]);
        return found;
    };
    const FNetViewer one{&controllers[1], &pawns[1]}, two{&controllers[2], &pawns[2]};
    check(graph({one}) == std::set<uint32>({11, 12}) && graph({two}) == std::set<uint32>({11, 13, 14}), "gathered from the ends");
    check(graph({one, two}) == std::set<uint32>({11, 12, 13, 14}) && graph({{&controllers[1], &controllers[1]}}).size() == 4 && graph({}).size() == 4, "gathered for others");
    check(node.NotifyRemoveNetworkActor({&weapon}) && !node.NotifyRemoveNetworkActor({&weapon}) && graph({two}).size() == 2, "removed");

    // Around the corner in time: the player of the long arm runs into sight.
    pawns[2].location = {150, 150, 98};
    tick();
    check(sees(1, pawns[2]) && iris(2, 1) == all, "come into sight");
    pawns[2].location = {1800, 150, 98};
    subsystem.Tick(0.05f);
    check(sees(1, pawns[2]), "held");
    tick();
    check(!sees(1, pawns[2]), "out of sight");
    players[2].EndPlay(EEndPlayReason::Destroyed);
    tick();
    check(sees(1, pawns[2]) && subsystem.GetPlayers().Num() == 2, "who has gone is not hidden");
    filter.OnDeinit();
    subsystem.Deinitialize();

    // A bundle of another engine is refused, and everybody is sent.
    LOGGED.clear();
    check(!subsystem.Open(UTF8_TO_TCHAR((golden + "/unity.vcb").c_str())) && LOGGED.size() == 1 && LOGGED[0].find("--from unreal") != std::string::npos, "another engine's");
    tick();
    check(sees(1, pawns[0]) && sees(1, pawns[2]), "all are sent");
}

int main(int, char **words) {
    const std::string golden = words[1];
    observers(golden);
    world(golden, FString(UTF8_TO_TCHAR(words[2])) / L"game");
    std::puts("the plugin for Unreal, on stand-ins: 400 frames as the library answers, Iris and the graph");
}
