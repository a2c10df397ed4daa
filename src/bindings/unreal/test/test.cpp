// The plugin with a world of a few actors, on stand-ins: who observes whom, by Iris and by the replication graph; and a level that is
// exported, baked by the program and asked with Unreal's positions.
//
//     test GOLDEN PROGRAM FOLDER

#include "../Source/Viewcell/Private/ViewcellNetObjectFilter.cpp"
#include "../Source/Viewcell/Private/ViewcellReplicationGraphNode.cpp"
#include "../Source/Viewcell/Private/ViewcellSightComponent.cpp"
#include "../Source/Viewcell/Private/ViewcellSubsystem.cpp"
#include "../Source/ViewcellEditor/Private/LevelBaker.cpp"
#include "../Source/ViewcellEditor/Private/SceneGeometry.cpp"
#include "../Source/ViewcellEditor/Private/ViewcellSettings.cpp"

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
            raw.sees.motion.position = {x / 100, -y / 100, 0.1};
            raw.sees.motion.has_velocity = i % 2;
            if (i % 2 == 1) raw.sees.motion.velocity[0] = of.velocity.x / 100, raw.sees.motion.velocity[1] = -of.velocity.y / 100;
            raw.sees.limits.speed[0] = 13, raw.sees.limits.speed[1] = 4;
            raw.sees.limits.acceleration[0] = raw.sees.limits.acceleration[1] = i % 2 ? 200 : inf;
            raw.sees.limits.impulse[0] = i % 2 ? 9 : 0, raw.sees.limits.impulse[1] = i % 2 ? 3 : 0;
            raw.shown = raw.sees;
            raw.sees.times[1] = std::min(pings[i] + 0.05, 0.3);
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

static UMaterialInterface STONE, GLASS;

static void into(UStaticMesh &mesh, const std::vector<FVector3f> &corners, const std::vector<uint32> &triangles) {
    FStaticMeshLODResources near;
    near.VertexBuffers.PositionVertexBuffer.all = corners;
    near.IndexBuffer.all = triangles;
    near.Sections.Add({0, 0, static_cast<uint32>(triangles.size() / 3)});
    mesh.drawn.LODResources.Add(near);
}

static void into(FMeshDescription &mesh, const std::vector<FVector3f> &corners, const std::vector<uint32> &triangles) {
    mesh.positions = corners;
    mesh.slots = {L"stone"};
    for (size_t i = 0; i < corners.size(); i++) mesh.vertices.ids.push_back({static_cast<int32>(i)});
    for (size_t i = 0; i < triangles.size(); i += 3) {
        mesh.triangles.ids.push_back({static_cast<int32>(i / 3)});
        mesh.corners.push_back({FVertexID{static_cast<int32>(triangles[i])}, FVertexID{static_cast<int32>(triangles[i + 1])}, FVertexID{static_cast<int32>(triangles[i + 2])}});
        mesh.groups.push_back(0);
    }
}

// A cube of 1 cm around the origin, its fronts counter-clockwise in left-handed coordinates.
static std::vector<FVector3f> cube(float size) {
    std::vector<FVector3f> corners;
    for (int i = 0; i < 8; i++) corners.push_back({size * ((i & 1) - 0.5f), size * ((i >> 1 & 1) - 0.5f), size * ((i >> 2) - 0.5f)});
    return corners;
}
static const std::vector<uint32> CUBE = {0, 3, 2, 0, 1, 3, 4, 7, 5, 4, 6, 7, 0, 6, 4, 0, 2, 6, 1, 7, 3, 1, 5, 7, 0, 5, 1, 0, 4, 5, 2, 7, 6, 2, 3, 7};

struct FLevel {
    UWorld world;
    std::vector<std::unique_ptr<AActor>> actors;
    std::vector<std::unique_ptr<UStaticMeshComponent>> components;
    UStaticMesh box;
    std::vector<AActor *> *to = &world.actors;

    template <typename A = AActor, typename C = UStaticMeshComponent> C &put(const TCHAR *name, UStaticMesh &mesh, FVector at, FVector scale) {
        auto actor = std::make_unique<A>();
        auto component = std::make_unique<C>();
        C &found = *component;
        component->path = name;
        component->owner = actor.get();
        component->mesh = &mesh;
        component->transform.Location = at;
        component->transform.Scale = scale;
        component->materials = {&STONE};
        actor->components = {component.get()};
        to->push_back(actor.get());
        actors.push_back(std::move(actor));
        components.push_back(std::move(component));
        return found;
    }
    template <typename A = AActor> UStaticMeshComponent &wall(const TCHAR *name, double x, double y, double z, double width, double depth, double height) {
        return put<A>(name, box, {x, y, z}, {width, depth, height});
    }
    void start(double x, double y) {
        auto actor = std::make_unique<APlayerStart>();
        actor->location = {x, y, 88};
        actor->halfHeight = 88;
        to->push_back(actor.get());
        actors.push_back(std::move(actor));
    }
};

// Whether the L is where some axes of the engine's positions say. Bit k of signs mirrors coordinate k.
static bool answers(const viewcell::Sight &sight, const int (&order)[3], int signs) {
    const double spots[4][3] = {{150, 150, 10}, {150, 700, 10}, {900, 150, 10}, {1800, 150, 10}};
    viewcell::Place at[4];
    for (int i = 0; i < 4; i++) {
        double turned[3];
        for (int k = 0; k < 3; k++) turned[k] = spots[i][order[k]] * (signs >> k & 1 ? -1 : 1);
        at[i] = {turned[0], turned[1], turned[2]};
    }
    auto sees = [&](int a, int b) {
        viewcell::Watched from, to;
        from.position = at[a], to.position = at[b];
        from.sees_until = to.shown_until = 0;
        return sight.may_see_in_motion(from, to);
    };
    // The corner sees both arms; the arms do not see each other; the screen hides from the west alone.
    return sees(0, 1) && sees(1, 0) && sees(0, 2) && sees(2, 0) && !sees(1, 2) && !sees(2, 1) && !sees(1, 3);
}

static void editor(const FString &program, const FString &folder) {
    PROJECT = folder;
    UViewcellSettings &settings = *MutableDefault<UViewcellSettings>();
    settings.Program = L"/there/is/no/program";
    settings.Quality = EViewcellQuality::Samples;
    GLASS.mode = BLEND_Translucent;
    FLevel level;
    into(level.box, cube(1), CUBE);
    auto says = [&](const char *words) {
        const FViewcellBake bake = BakeLevel(&level.world);
        check(!bake.bIsDone && bake.Message.Contains(UTF8_TO_TCHAR(words)), std::string(words) + ": " + TCHAR_TO_UTF8(*bake.Message));
    };
    says("nothing in the level hides");
    level.wall(L"floor", 1000, 400, -50, 2200, 1000, 100);
    level.wall(L"ceiling", 1000, 400, 350, 2200, 1000, 100);
    level.wall(L"near", 1000, -50, 150, 2200, 100, 300);
    level.wall(L"back", -50, 400, 150, 100, 1000, 300);
    level.wall(L"right", 150, 850, 150, 400, 100, 300);
    level.wall(L"front", 2050, 150, 150, 100, 400, 300);
    says("no place is known");
    level.start(150, 150), level.start(900, 150), level.start(1500, 150);
    says("cannot be run");
    settings.EyeStanding = 200;
    says("not above the head");
    settings.EyeStanding = 165;
    // The inner corner: of Nanite, whose stand-in would fill the short arm. Its source is half as large as it is built.
    UStaticMesh rock;
    FMeshDescription source;
    into(rock, cube(10), CUBE);
    into(source, cube(0.5f), CUBE);
    rock.isNanite = true;
    rock.source = &source;
    rock.slots = {L"moss", L"stone"};
    rock.model.BuildSettings.BuildScale3D = {2, 2, 2};
    UStaticMeshComponent &inside = level.put(L"inside", rock, {1200, 600, 150}, {1800, 600, 300});
    inside.materials = {&GLASS, &STONE};
    // A screen that hides from the west alone, mirrored by its instance.
    UStaticMesh quad;
    into(quad, {{0, 0, 0}, {0, 0, 300}, {0, -300, 300}, {0, -300, 0}}, {0, 1, 2, 0, 2, 3});
    auto &screens = level.put<AActor, UInstancedStaticMeshComponent>(L"screen", quad, {}, {1, 1, 1});
    FTransform there;
    there.Location = {1200, 0, 0};
    there.Scale = {1, -1, 1};
    screens.instances = {there};

    // What is to hide nobody: it moves, is glass, is not drawn (from afar), is a stand-in, may be unloaded, is bent, or is left out.
    auto block = [&](const TCHAR *name) -> UStaticMeshComponent & { return level.wall(name, 600, 150, 150, 50, 300, 300); };
    block(L"cart").Mobility = EComponentMobility::Movable;
    level.wall(L"window", 600, 150, 150, 2, 300, 300).materials = {&GLASS};
    level.wall(L"no material", 620, 150, 150, 2, 300, 300).materials = {};
    level.wall(L"culled", 640, 150, 150, 2, 300, 300).CachedMaxDrawDistance = 5000;
    level.wall(L"layer", 660, 150, 150, 2, 300, 300).owner->hasDataLayers = true;
    block(L"hidden").bHiddenInGame = true;
    block(L"not drawn").bRenderInMainPass = false;
    block(L"off").isVisible = false;
    block(L"off, too").owner->isHidden = true;
    block(L"debug").tags = {L"ViewcellIgnore"};
    block(L"debug, too").owner->tags = {L"ViewcellIgnore"};
    level.wall<AWorldPartitionHLOD>(L"from afar", 600, 150, 150, 50, 300, 300);
    level.put<AActor, USplineMeshComponent>(L"spline", level.box, {600, 150, 150}, {50, 300, 300});

    // A program that tells how far it is, and then fails.
    const std::string fails = TCHAR_TO_UTF8(*(folder / L"fails"));
    std::filesystem::create_directories(*folder);
    std::ofstream(fails) << "#!/bin/sh\necho '{\"stage\":\"visibility\",\"done\":1,\"total\":2}' >&2\nsleep 0.3\necho the reason >&2\nexit 3\n";
    std::filesystem::permissions(fails, std::filesystem::perms::owner_all);
    settings.Program = UTF8_TO_TCHAR(fails.c_str());
    says("the reason");
    check(std::find(STAGES.begin(), STAGES.end(), "visibility") != STAGES.end(), "stages are shown");

    settings.Program = program;
    check(!CheckLevel(&level.world).bIsDone && CheckLevel(&level.world).Message == L"this level has not been baked", "not baked yet");
    LOGGED.clear();
    FViewcellBake bake = BakeLevel(&level.world);
    check(bake.bIsDone, TCHAR_TO_UTF8(*bake.Message));
    check(CheckLevel(&level.world).bIsDone, "up to date");
    int notes = 0;
    for (const std::string &words : LOGGED) notes += words.find("culled: hides nothing") == 0 || words.find("layer: hides nothing") == 0 || words.find("spline: left out") == 0;
    check(notes == 3, "notes");
    const FString bundle = folder / L"Content/Viewcell/l.vcb";
    check(!std::filesystem::exists(*(folder / L"Intermediate/Viewcell/guid")), "nothing lies about");

    viewcell::Sight sight;
    std::string error;
    check(sight.open_level(TCHAR_TO_UTF8(*bundle), error), error);
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto &order : orders) {
        for (int signs = 0; signs < 8; signs++) {
            check(answers(sight, order, signs) == (&order == &orders[0] && signs == 0), "axes " + std::to_string(&order - orders) + " " + std::to_string(signs));
        }
    }
    viewcell_bundle *raw = nullptr;
    check(viewcell_open(VIEWCELL_ABI_VERSION, TCHAR_TO_UTF8(*bundle), VIEWCELL_MAP, &raw, nullptr, 0) == VIEWCELL_OK, "open");
    const viewcell_position west = {9, -1.5, 0.1}, east = {18, -1.5, 0.1};
    viewcell_place places[2];
    check(viewcell_locate(raw, &west, &places[0]) == VIEWCELL_OK && viewcell_locate(raw, &east, &places[1]) == VIEWCELL_OK, "places");
    check(viewcell_visible(raw, places[0], places[1]) == 0 && viewcell_visible(raw, places[1], places[0]) == 1, "the screen is one-sided");
    viewcell_close(raw);
    sight.close();

    // Cancelled: the bundle stays as it was.
    const auto before = std::filesystem::last_write_time(*bundle);
    CANCELS = [] { return true; };
    bake = BakeLevel(&level.world);
    CANCELS = nullptr;
    check(!bake.bIsDone && bake.Message.Contains(L"cancelled") && std::filesystem::last_write_time(*bundle) == before, "cancelled");
    check(CheckLevel(&level.world).bIsDone, "still up to date");

    // The same level in World Partition, its cells not loaded, and in another order.
    UWorldPartition partition;
    partition.unloaded.assign(level.world.actors.rbegin(), level.world.actors.rend());
    std::vector<AActor *> none;
    level.world.actors.swap(none);
    level.world.partition = &partition;
    check(CheckLevel(&level.world).bIsDone, "by World Partition");
    level.to = &partition.unloaded;

    // What changes makes the bundle stale; what is left out does not.
    UStaticMeshComponent &chair = level.wall(L"chair", 1000, 100, 20, 40, 40, 40);
    check(!CheckLevel(&level.world).bIsDone, "a chair");
    chair.tags = {L"ViewcellIgnore"};
    check(CheckLevel(&level.world).bIsDone, "a chair that is left out");
    settings.Height = 190;
    check(!CheckLevel(&level.world).bIsDone, "a taller body");
    settings.Height = 176;

    // A landscape of two triangles; without geometry it is left out.
    FViewcellScene scene, plain;
    CollectScene(&level.world, settings, plain);
    auto land = std::make_unique<ALandscapeProxy>();
    land->path = L"land";
    land->material = &STONE;
    partition.unloaded.push_back(land.get());
    CollectScene(&level.world, settings, scene);
    check(scene.Level.triangles() == plain.Level.triangles() && scene.Notes.Num() == plain.Notes.Num() + 1, "an empty landscape");
    into(land->mesh, {{10000, 0, 0}, {10000, 100, 0}, {10100, 0, 0}, {10100, 100, 7}}, {0, 1, 2, 1, 3, 2});
    FViewcellScene hills;
    CollectScene(&level.world, settings, hills);
    check(hills.Level.triangles() == plain.Level.triangles() + 2, "a landscape");
    const std::string obj = hills.Level.obj();
    check(obj.find("v 10100 7 100\n") != std::string::npos && obj.find("v 10000 0 100\n") != std::string::npos, "its corners, as (x, z, y)");
}

static void progress() {
    viewcell::BakeProgress progress;
    progress.read("a note\n{\"stage\":\"visi");
    progress.read("bility\",\"unit\":\"pairs\",\"done\":30,\"total\":120}\nanother");
    progress.finish();
    check(progress.stage == "visibility" && progress.done == 0.25 && progress.words == "a note\nanother\n", "progress");
    viewcell::LevelExport level;
    check(!level.add("wrong", {{0, 0, 0}}, {0, 0, 1}, true) && level.triangles() == 0, "corners that are not there");
}

int main(int, char **words) {
    const std::string golden = words[1];
    const FString program = UTF8_TO_TCHAR(words[2]), folder = UTF8_TO_TCHAR(words[3]);
    observers(golden);
    world(golden, folder / L"game");
    progress();
    editor(program, folder / L"editor");
    std::puts("the plugin for Unreal, on stand-ins: 400 frames as the library answers, Iris, the graph, and a level baked and asked with 48 axes");
}
