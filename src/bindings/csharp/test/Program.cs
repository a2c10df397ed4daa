// Tests under Mono, of the same sources that the package ships: Program.exe ROOT [seconds], and
// Program.exe table BUNDLE QUESTIONS ANSWERS, see ../../table, and Program.exe cost BUNDLE TRACE.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using Viewcell;

static class Program
{
    static int checks;

    static void Check(bool holds, string what)
    {
        checks++;
        if (!holds) throw new Exception("does not hold: " + what);
    }

    static T Throws<T>(Action ask) where T : Exception
    {
        checks++;
        try { ask(); }
        catch (T error) { return error; }
        throw new Exception("expected " + typeof(T).Name);
    }

    static int Main(string[] arguments)
    {
        if (arguments[0] == "cost") { Cost(arguments[1], arguments[2]); return 0; }
        if (arguments[0] == "table") { Table(arguments[1], arguments[2], arguments[3]); return 0; }
        string golden = Path.Combine(arguments[0], "tests/golden/v1");
        string terrain = Path.Combine(golden, "40x9-pairs.vcb"), voids = Path.Combine(golden, "13x9-voids-pairs.vcb");
        string level = Path.Combine(golden, "level.vcb");
        string solid = Path.Combine(golden, "solid.vcb");
        foreach (string world in new string[] { terrain, voids, level, solid }) OfWorld(world);
        OfKinds(terrain, level, solid);
        foreach (string world in new string[] { terrain, level, solid }) Sessions(world);
        Watches(solid, terrain);
        foreach (string world in new string[] { terrain, solid }) Observers(world);
        BadInput(voids);
        Damage(voids);
        NothingIsAllocated(terrain, level);
        Threads(terrain);
        Soak(File.ReadAllBytes(terrain), arguments.Length > 1 ? double.Parse(arguments[1]) : 5);
        Console.WriteLine(checks + " checks hold");
        return 0;
    }

    // What an update of observer sets costs, in microseconds of processor a frame, with the players of a trace (t_ms,player,x,y,z), at 20
    // frames a second: those beyond its own are the same some seconds later.
    static void Cost(string path, string trace)
    {
        Dictionary<string, List<KeyValuePair<double, Position>>> tracks = new Dictionary<string, List<KeyValuePair<double, Position>>>();
        foreach (string line in File.ReadLines(trace))
        {
            string[] of = line.Split(',');
            double t, x, y, z;
            if (of.Length < 5 || !Number(of[0], out t) || !Number(of[2], out x) || !Number(of[3], out y) || !Number(of[4], out z)) continue;
            if (!tracks.ContainsKey(of[1])) tracks.Add(of[1], new List<KeyValuePair<double, Position>>());
            tracks[of[1]].Add(new KeyValuePair<double, Position>(t / 1000, new Position(x, y, z)));
        }
        List<List<KeyValuePair<double, Position>>> all = new List<List<KeyValuePair<double, Position>>>(tracks.Values);
        Func<int, double, Position> at = (i, now) =>
        {
            List<KeyValuePair<double, Position>> track = all[i % all.Count];
            double time = 60 + now + 7 * (i / all.Count);
            int low = 0, high = track.Count - 1;
            while (low < high) { int middle = (low + high) / 2; if (track[middle].Key < time) low = middle + 1; else high = middle; }
            return track[low].Value;
        };
        Console.WriteLine("players\tlooks\tput and update, us\tof these a watch alone, us\thidden");
        foreach (int players in new int[] { 16, 64, 256 })
            foreach (uint looks in new uint[] { 1, 500, 4000 })
                using (Bundle bundle = Bundle.Open(path))
                using (Watch watch = new Watch(bundle, players, 0.3))
                {
                    ObserverOptions options = ObserverOptions.OfSpeed(1000, 700);
                    options.StepHeight = 18;
                    options.Players = players;
                    options.Work = looks;
                    long pairs = 0, hidden = 0;
                    double whole, alone;
                    using (ObserverSets sets = new ObserverSets(bundle, options))
                        whole = Each(frame =>
                        {
                            for (int i = 0; i < players; i++) sets.Put(i, at(i, 0.05 * frame), 0.05, 0.05 * frame);
                            sets.Update(0.05 * frame);
                            pairs += sets.Pairs;
                            hidden += sets.Hidden;
                        });
                    alone = Each(frame =>
                    {
                        for (int i = 0; i < players; i++)
                        {
                            Mover mover = new Mover { Position = at(i, 0.05 * frame), Limits = options.Limits, Until = 0.15 }, shown = mover;
                            shown.Until = options.Interval;
                            watch.Set(i, new Watched { Sees = mover, Shown = shown, Step = options.StepHeight });
                        }
                        watch.Begin();
                        watch.Look(looks);
                    });
                    Console.WriteLine(players + "\t" + looks + "\t" + Math.Round(whole) + "\t" + Math.Round(alone) + "\t" + Math.Round(100.0 * hidden / pairs) + " %");
                }
    }

    // Microseconds of processor that a frame takes, after some to begin with.
    static double Each(Action<int> frame)
    {
        const int Frames = 400, Warm = 100;
        TimeSpan begun = TimeSpan.Zero;
        for (int i = 0; i < Frames; i++)
        {
            if (i == Warm) begun = Process.GetCurrentProcess().TotalProcessorTime;
            frame(i);
        }
        return (Process.GetCurrentProcess().TotalProcessorTime - begun).TotalMilliseconds * 1000 / (Frames - Warm);
    }

    static bool Number(string text, out double number)
    {
        return double.TryParse(text, System.Globalization.NumberStyles.Float, System.Globalization.CultureInfo.InvariantCulture, out number);
    }

    // What is asked in a bundle of each kind.
    static void OfWorld(string path)
    {
        using (Bundle bundle = Bundle.Open(path))
        using (Bundle copy = Bundle.OpenCopy(path))
        using (FrontierBuilder builder = new FrontierBuilder(bundle))
        {
            WorldInfo info = bundle.Info;
            uint places = (uint)info.Places, seen = 0, sets = 0;
            ulong[] words = new ulong[info.Words];
            byte[] visible = new byte[places], from = new byte[places], code = new byte[4096];
            uint[] all = new uint[places], same = new uint[places], located = new uint[places];
            Position[] middles = new Position[places];
            for (uint i = 0; i < places; i++)
            {
                Box box;
                all[i] = i;
                // Nobody can be at a void, so that it is nowhere.
                middles[i] = bundle.Bounds(i, out box) ? box.Middle : new Position(double.NaN, 0);
                uint place;
                bool isThere = bundle.Locate(middles[i], out place);
                Check(place == (isThere ? place : Bundle.Nowhere) && (isThere || info.Kind != WorldKind.Solid), "locate " + i);
                Check(info.Kind == WorldKind.Cells || !isThere || place == i, "the middle of a place");
            }
            bundle.LocateAll(middles, located);
            for (uint i = 0; i < places; i++)
            {
                bundle.Pvs(i, words);
                for (uint j = 0; j < places; j++) same[j] = i;
                bundle.VisiblePairs(same, all, visible);
                bundle.VisibleFrom(i, all, from);
                for (uint j = 0; j < places; j++)
                {
                    bool sees = bundle.Visible(i, j);
                    Check(copy.Visible(i, j) == sees, "a copy of the file");
                    Check(sees == bundle.Contains(words, j) && visible[j] == (sees ? 1 : 0) && from[j] == visible[j], i + " and " + j);
                    Check(BurstNative.viewcell_visible(bundle.DangerousHandle, i, j) == visible[j], "Burst");
                    if (j % 29 == 0) Check(bundle.VisibleWithin(i, j, 30, 30) || !sees, "look-ahead");
                    if (j % 29 == 0 && located[i] == i && located[j] == j) Check(bundle.VisibleWithin(middles[i], middles[j], 30, 30) || !sees, "look-ahead of positions");
                    if (sees) seen++;
                }
                uint other = (53 * i + 17) % places;
                bool isVoid = info.Kind == WorldKind.Terrain && (float.IsNaN(bundle.GroundHeight(i)) || float.IsNaN(bundle.GroundHeight(other)));
                if (places > 50 && i % 3 != 0 || isVoid) continue;
                builder.Begin(i, other);
                builder.Finish();
                if (builder.Area(Side.A) == 0) { Check(i == other || bundle.Visible(i, other) || bundle.Visible(other, i), "an empty set"); continue; }
                sets++;
                int length = builder.Encode(Side.B, 0, code);
                using (Region region = bundle.Region(new ReadOnlySpan<byte>(code, 0, length)))
                    for (uint p = 0; p < places; p++)
                    {
                        Check(region.Contains(p) == builder.Contains(Side.B, p), "a region that was sent");
                        if (!builder.Contains(Side.A, p)) continue;
                        for (uint q = 0; q < places; q++)
                            Check(!builder.Contains(Side.B, q) || !bundle.Visible(p, q), "a frontier set");
                    }
            }
            Check(seen > 0 && seen < places * places && sets > 0, "something is seen and something hidden: " + seen + " pairs, " + sets + " sets");
            uint lost;
            Check(!bundle.Locate(new Position(double.NaN, 0), out lost) && lost == Bundle.Nowhere, "nowhere");
            Check(bundle.Visible(0, lost) && bundle.Visible(lost, 0) && bundle.VisibleWithin(lost, 0, 0, 0), "who is nowhere sees all");
            Throws<ArgumentOutOfRangeException>(() => bundle.Visible(0, places));
            Throws<ArgumentOutOfRangeException>(() => { Box box; bundle.Bounds(places, out box); });
            Throws<ArgumentException>(() => bundle.Pvs(0, new ulong[0]));
            Throws<ArgumentException>(() => bundle.VisiblePairs(new uint[2], new uint[3], new byte[3]));
            Throws<ArgumentOutOfRangeException>(() => builder.Begin(0, places));
        }
    }

    // What only one kind has.
    static void OfKinds(string terrain, string level, string solid)
    {
        using (Bundle bundle = Bundle.Open(terrain))
        {
            WorldInfo info = bundle.Info;
            Check(bundle.Kind == WorldKind.Terrain && info.Width == 40 && info.Height == 9 && info.Dx > 0 && info.Mutual, "what it is");
            for (uint i = 0; i < 40; i++)
                Check(bundle.VisibleQuads(i, 0, 0, 0) == (bundle.Visible(i, 0) ? Sight.Visible : Sight.Hidden), "quads of level 0");
            Throws<ViewcellException>(() => bundle.Distance(0, 1));
        }
        using (Bundle bundle = Bundle.Open(level))
        {
            WorldInfo info = bundle.Info;
            Check(bundle.Kind == WorldKind.Cells && info.GreatestDistance > 0 && info.Width == 0, "what it is");
            for (uint a = 0; a < info.Places; a++)
                for (uint b = 0; b < info.Places; b++)
                    Check((bundle.Distance(a, b) == 1) == (bundle.Visible(a, b) && a != b), "distance");
            Throws<ViewcellException>(() => bundle.PlaceOf(0, 0));
            Throws<ViewcellException>(() => bundle.VisibleQuads(0, 0, 0, 0));
            using (FrontierBuilder builder = new FrontierBuilder(bundle))
            {
                builder.Begin(0, (uint)info.Places - 1);
                Check(builder.Step(1), "a set of cells is whole when it has begun");
            }
        }
        using (Bundle bundle = Bundle.Open(solid))
        {
            WorldInfo info = bundle.Info;
            Check(bundle.Kind == WorldKind.Solid && info.Solids == 7 && info.EyeLow == 22 && info.EyeHigh == 22 && info.Hull.Low.Z == -24 && info.Hull.High.X == 16, "what it is");
            Position west = new Position(48, 48, 32), east = new Position(480, 48, 32), above = new Position(48, 48, 999);
            uint cell;
            Check(!bundle.VisibleWithin(west, east, 8, 8) && bundle.VisibleWithin(west, east, 300, 300), "two rooms");
            Check(!bundle.Locate(above, out cell) && bundle.VisibleWithin(above, east, 0, 0), "who is in no cell sees all");
            Throws<ViewcellException>(() => bundle.Distance(0, 1));
        }
    }

    static void Sessions(string path)
    {
        Random dice = new Random(7);
        SessionOptions options = SessionOptions.Default;
        options.Patience = 0;
        using (Bundle bundle = Bundle.Open(path))
        using (Session session = new Session(bundle, 4, options))
        {
            Notice[] notices = new Notice[session.MostNotices];
            uint[] at = new uint[4];
            byte[] code = new byte[4096];
            int told = 0, silent = 0, nowhere = 0;
            for (int turn = 0; turn < 1600; turn++)
            {
                int player = turn % 4;
                if (player == 0) session.Tick();
                at[player] = dice.Next(20) == 0 ? Bundle.Nowhere : (uint)dice.Next((int)bundle.Info.Places);
                if (at[player] == Bundle.Nowhere) nowhere++;
                int count = session.Move(player, at[player], notices);
                told += count;
                if (turn < 4) continue;
                for (int other = 0; other < 4; other++)
                {
                    if (other == player) continue;
                    bool heard = false;
                    for (int i = 0; i < count; i++) heard |= notices[i].To == player && notices[i].About == other;
                    Check(heard == bundle.Visible(at[player], at[other]), "who may see somebody is told, and nobody else");
                    if (session.Age(player, other) < 0) continue;
                    silent++;
                    Check(session.Contains(player, other, at[player]) && !session.Contains(other, player, at[player]), "silence");
                    int length = session.Encode(player, other, code);
                    using (Region half = bundle.Region(new ReadOnlySpan<byte>(code, 0, length))) Check(half.Contains(at[player]), "a half");
                }
            }
            Check(told > 0 && silent > 20 && nowhere > 30 && session.Sets > 0, "a session: " + told + " " + silent + " " + nowhere);
            session.Leave(0);
            Check(session.Age(0, 1) == -1, "who is gone has no set");
            Throws<ArgumentException>(() => session.Leave(4));
        }
    }

    static Mover Runner(Random dice, Bundle bundle, double until)
    {
        Box box;
        while (!bundle.Bounds((uint)dice.Next((int)bundle.Info.Places), out box)) { }
        return new Mover
        {
            Position = box.Middle, Velocity = new Position(dice.Next(600) - 300, dice.Next(600) - 300), HasVelocity = dice.Next(2) == 0,
            Limits = MotionLimits.OfSpeed(320, 300), Until = until,
        };
    }

    delegate void Change(ref Watched of);

    // A watch hides somebody, forgets nobody, and reads each field; and sessions take motion.
    static void Watches(string solid, string terrain)
    {
        Random dice = new Random(3);
        using (Bundle bundle = Bundle.Open(solid))
        using (Watch watch = new Watch(bundle, 4, 0.3))
        using (Session session = new Session(bundle, 4))
        {
            int hidden = 0, pairs = 0, told = 0;
            Notice[] notices = new Notice[session.MostNotices];
            for (int frame = 0; frame < 300; frame++)
            {
                Watched[] at = new Watched[4];
                for (int i = 0; i < 4; i++)
                {
                    at[i] = new Watched { Sees = Runner(dice, bundle, 0.1) };
                    at[i].Shown = at[i].Sees;
                    at[i].Shown.Until = 0.05;
                    if (frame % 3 == 1) { at[i].Eye(-10, 26); at[i].Body(new Box { Low = new Position(-20, -20, -24), High = new Position(20, 20, 40) }); }
                    watch.Set(i, at[i]);
                    told += session.MoveInMotion(i, at[i].Sees, notices);
                }
                watch.Begin();
                Check(watch.Counts.Pairs == 12 && watch.Sends(0, 1) | watch.Sends(1, 0) | watch.Counts.Kept > 0, "who is not looked at is sent");
                Check(frame % 2 == 0 ? watch.Look(100000) : watch.LookFor(1000000), "all are looked at");
                uint found = 0;
                for (int a = 0; a < 4; a++)
                    for (int b = 0; b < 4; b++)
                    {
                        if (a != b && !watch.Sends(a, b)) found++;
                    }
                WatchCounts counts = watch.Counts;
                Check(counts.Hidden == found && counts.Pairs == 12, "counts");
                hidden += (int)found;
                pairs += 12;
            }
            Check(hidden > pairs / 20 && hidden < pairs && told > 0, "a watch: " + hidden + " of " + pairs + " hidden, " + told + " told");
            // Whatever a field says that is read elsewhere shows here: of these, each alone brings everybody into sight.
            Change[] all = new Change[] {
                (ref Watched of) => of.Eye(-20, 1e5),
                (ref Watched of) => of.Body(new Box { Low = new Position(-1e5, -1e5, -1e5), High = new Position(1e5, 1e5, 1e5) }),
                (ref Watched of) => { of.Sees.Until = 0.3; of.Sees.Limits = MotionLimits.OfSpeed(1e6, 1e6); },
                (ref Watched of) => { of.Shown.Limits.Error = new Limit(1e5, 1e5); },
                (ref Watched of) => { of.Sees.Position = of.Shown.Position = new Position(0, 0, 1e6); },
            };
            for (int which = -1; which < all.Length; which++)
            {
                for (int i = 0; i < 4; i++)
                {
                    // Two in either room.
                    Mover mover = new Mover { Position = new Position(i % 2 == 0 ? 48 : 480, 48 + 8 * i, 32), Limits = MotionLimits.OfSpeed(32, 32), Until = 0.05 };
                    Watched of = new Watched { Sees = mover, Shown = mover };
                    if (which >= 0) all[which](ref of);
                    watch.Set(i, of);
                }
                watch.Begin();
                watch.Look(100000);
                Check((watch.Counts.Hidden == 0) == (which >= 0) && watch.Counts.Pairs == 12, "all in sight by field " + which + ": " + watch.Counts.Hidden + " hidden");
            }
            watch.Remove(2);
            watch.Begin();
            Check(watch.Counts.Pairs == 6 && !watch.Sends(2, 0) && !watch.Sends(0, 2), "who has gone");
            // A door over all that is between the two rooms.
            watch.Occluders(new Box[] { new Box { Low = new Position(200, -50, -50), High = new Position(330, 400, 400) } });
            watch.Occluders(null, new Smoke[] { new Smoke { Centre = new Position(264, 224, 40), Radius = 120, Seconds = 9 } });
            watch.Occluders(null);
            Throws<ArgumentOutOfRangeException>(() => watch.Sends(0, 4));
            Throws<ArgumentOutOfRangeException>(() => watch.Remove(-1));
            Throws<ArgumentOutOfRangeException>(() => new Watch(bundle, 257));
            watch.Dispose();
            Throws<ObjectDisposedException>(() => watch.Begin());
            Check(bundle.Axes.X == 1 && bundle.Axes.Y == 2 && bundle.Axes.Z == 3 && bundle.Axes.Scale == 1, "its own axes");
        }
        using (Bundle bundle = Bundle.Open(terrain))
            Check(Throws<ViewcellException>(() => new Watch(bundle, 2)).Status == Status.Kind, "a watch is of solid levels");
    }

    // Observer sets say of pairs what the bundle or a watch does, hold for a while, and err towards observing.
    static void Observers(string path)
    {
        Random dice = new Random(9);
        using (Bundle bundle = Bundle.Open(path))
        {
            ObserverOptions options = ObserverOptions.OfSpeed(8, 8);
            options.Players = 3;
            options.Hold = 0.25;
            options.Work = 100000;
            using (ObserverSets sets = new ObserverSets(bundle, options))
            {
                Check(sets.IsWatched == (bundle.Kind == WorldKind.Solid), "a watch of solid levels");
                Check(sets.Observes(1, 2) && !sets.Knows(1), "who is not known observes all");
                int hidden = 0, held = 0;
                bool[,] before = new bool[3, 3];
                double[,] seen = new double[3, 3];
                Mover[] at = new Mover[3];
                for (int frame = 0; frame < 600; frame++)
                {
                    double now = 10 + 0.05 * frame;
                    for (int i = 0; i < 3; i++)
                    {
                        // They stay for a while, and are put elsewhere then.
                        if (frame % 12 == 4 * i || frame == 0) { at[i] = Runner(dice, bundle, 0); sets.Teleport(i); }
                        Check(sets.Put(i, at[i].Position, 0.05 * i, now), "room");
                    }
                    Check(!sets.Put(7, at[0].Position, 0, now) && sets.Observes(7, 0) && sets.Observes(0, 7), "no room: observed");
                    IReadOnlyList<long> changed = sets.Update(now);
                    for (int b = 0; b < 3; b++)
                    {
                        bool isChanged = frame == 0;
                        for (int a = 0; a < 3; a++)
                        {
                            bool observes = sets.Observes(a, b);
                            Check(a != b || observes, "themselves");
                            Mover from = at[a], to = at[b];
                            from.HasVelocity = to.HasVelocity = false;
                            from.Limits = to.Limits = options.Limits;
                            from.Until = 0.05 * a + options.Interval;
                            if (from.Until > options.MaxAhead) from.Until = double.PositiveInfinity;
                            to.Until = options.Interval;
                            bool sees = a == b || bundle.VisibleInMotion(from, to);
                            if (sees) seen[a, b] = now;
                            if (!sets.IsWatched)
                            {
                                Check(observes == (sees || now < seen[a, b] + options.Hold), "as the bundle says, and held");
                                if (observes && !sees) held++;
                            }
                            if (!observes) hidden++;
                            isChanged |= observes != before[a, b];
                            before[a, b] = observes;
                        }
                        Check(((IList<long>)changed).Contains(b) == isChanged, "whose observers have changed: frame " + frame);
                    }
                }
                Check(hidden > 20 && (sets.IsWatched || held > 20), "hidden " + hidden + ", held " + held);
                sets.Put(0, at[0].Position, 0, 99);
                Check(((IList<long>)sets.Update(99)).Contains(0) && !sets.Knows(1), "who is not put has gone");
                sets.Put(5, at[1].Position, 0, 99);
                Mover one = at[0], new5 = at[1];
                one.HasVelocity = new5.HasVelocity = false;
                one.Limits = new5.Limits = options.Limits;
                one.Until = new5.Until = options.Interval;
                Check(sets.Observes(0, 5) == bundle.VisibleInMotion(one, new5), "who has just come is asked about at once");
            }
            ObserverOptions bad = options;
            bad.Interval = 0;
            Throws<ArgumentException>(() => new ObserverSets(bundle, bad));
            bad = options;
            bad.MaxAhead = 0.01;
            Throws<ArgumentException>(() => new ObserverSets(bundle, bad));
            bad = options;
            bad.Players = 0;
            Throws<ArgumentException>(() => new ObserverSets(bundle, bad));
        }
    }

    static void BadInput(string terrain)
    {
        Throws<ArgumentNullException>(() => Bundle.Open(null));
        Throws<FileNotFoundException>(() => Bundle.Open("/no/such/file.vcb"));
        Throws<FileNotFoundException>(() => Bundle.Open(Path.GetTempPath()));
        Check(Throws<ViewcellException>(() => Bundle.FromBytes(new byte[0])).Status == Status.Format, "no bytes");
        Check(Throws<ViewcellException>(() => Bundle.FromBytes(new byte[5000])).Message.Length > 10, "words");
        byte[] whole = File.ReadAllBytes(terrain);
        Check(Throws<ViewcellException>(() => Bundle.FromBytes(new ReadOnlySpan<byte>(whole, 0, whole.Length - 1))).Status == Status.Format, "cut short");
        string damaged = Path.GetTempFileName();
        foreach (int length in new int[] { 0, 9, 100, whole.Length - 1 })
        {
            File.WriteAllBytes(damaged, new ReadOnlySpan<byte>(whole, 0, length).ToArray());
            ViewcellException error = Throws<ViewcellException>(() => Bundle.Open(damaged));
            Check(error.Status == Status.Format && error.Message.Contains(Path.GetFileName(damaged)), "a damaged file: " + error.Message);
        }
        File.Delete(damaged);
        Throws<ArgumentException>(() => Bundle.Open("a\0b.vcb"));
        Throws<FileNotFoundException>(() => Bundle.Open(""));
        Bundle bundle = Bundle.Open(terrain);
        uint nowhere;
        Throws<ArgumentOutOfRangeException>(() => bundle.PlaceOf(13, 0));
        Throws<ArgumentOutOfRangeException>(() => bundle.PlaceOf(0, 9));
        Throws<ArgumentOutOfRangeException>(() => bundle.Visible(13 * 9, 0));
        Throws<ArgumentOutOfRangeException>(() => bundle.GroundHeight(13 * 9));
        Throws<ArgumentOutOfRangeException>(() => bundle.VisibleWithin(0, 13 * 9, 1, 1));
        Throws<ArgumentException>(() => bundle.VisibleFrom(0, new uint[2], new byte[3]));
        bundle.VisiblePairs(null, null, null); // none
        foreach (Position off in new Position[] { new Position(double.NaN, 0), new Position(-1e9, 0), new Position(0, double.PositiveInfinity) })
            Check(!bundle.Locate(off, out nowhere) && nowhere == Bundle.Nowhere, "off the map");
        Voids(bundle);
        Throws<ArgumentOutOfRangeException>(() => bundle.VisiblePairs(new uint[] { 0 }, new uint[] { 13 * 9 }, new byte[1]));
        Throws<ArgumentException>(() => bundle.Pvs(0, new ulong[1]));
        Throws<ArgumentOutOfRangeException>(() => bundle.Pvs(0, new ulong[99], 50));
        Throws<ArgumentOutOfRangeException>(() => new Session(bundle, -1));
        Throws<ArgumentException>(() => new Session(bundle, 5000));
        Throws<ViewcellException>(() => bundle.Region(new byte[] { 1, 2, 3 }));
        Session session = new Session(bundle, 3);
        FrontierBuilder builder = new FrontierBuilder(bundle);
        Throws<ArgumentOutOfRangeException>(() => builder.Begin(13 * 9, 0));
        Throws<ArgumentException>(() => builder.Area((Side)7));
        Throws<ArgumentException>(() => session.Move(0, 0, new Notice[1]));
        Throws<ArgumentException>(() => session.Move(-1, 0, new Notice[9]));
        Throws<ArgumentException>(() => session.Age(1, 1));
        bundle.Dispose();
        bundle.Dispose();
        Throws<ObjectDisposedException>(() => bundle.Visible(0, 0));
        Throws<ObjectDisposedException>(() => new FrontierBuilder(bundle));
        Throws<ObjectDisposedException>(() => new Session(bundle, 2));
        Throws<ObjectDisposedException>(() => bundle.Pvs(0, new ulong[99]));
        Throws<ObjectDisposedException>(() => bundle.Locate(new Position(0, 0), out nowhere));
        Throws<ObjectDisposedException>(() => bundle.VisiblePairs(new uint[1], new uint[1], new byte[1]));
        Throws<ObjectDisposedException>(() => bundle.Region(new byte[] { 1, 2, 3 }));
        Throws<ObjectDisposedException>(() => { IntPtr handle = bundle.DangerousHandle; });
        builder.Dispose();
        builder.Dispose();
        Throws<ObjectDisposedException>(() => builder.Begin(0, 1));
        session.Tick(); // what was made from it lives on
        session.Dispose();
        Throws<ObjectDisposedException>(() => session.Tick());
    }

    // Nobody can be at a void, so that it is nowhere: as C, Python and JavaScript have it.
    static void Voids(Bundle bundle)
    {
        WorldInfo info = bundle.Info;
        uint nobody = 0, somebody = 0;
        int voids = 0;
        for (uint row = 0; row < info.Height; row++)
            for (uint column = 0; column < info.Width; column++)
            {
                uint place = bundle.PlaceOf(column, row), found;
                bool isVoid = float.IsNaN(bundle.GroundHeight(place));
                Check(bundle.Locate(new Position(column * info.Dx, row * info.Dy), out found) == !isVoid && found == (isVoid ? Bundle.Nowhere : place), "a place");
                Check(bundle.Visible(place, place) == !isVoid, "whoever can be somewhere sees themselves");
                if (isVoid) { voids++; nobody = place; } else somebody = place;
            }
        Check(voids == 39, voids + " voids");
        using (FrontierBuilder builder = new FrontierBuilder(bundle))
            Check(Throws<ViewcellException>(() => builder.Begin(nobody, somebody)).Status == Status.Void, "a void");
    }

    static void Damage(string path)
    {
        byte[] whole = File.ReadAllBytes(path);
        int refused = 0, asked = 0;
        for (int i = 0; i < whole.Length; i++)
        {
            byte[] damaged = (byte[])whole.Clone();
            damaged[i] ^= (byte)(1 << i % 8);
            try
            {
                using (Bundle bundle = Bundle.FromBytes(damaged))
                {
                    bundle.Visible(0, 5);
                    asked++;
                }
            }
            catch (ViewcellException) { refused++; }
            catch (ArgumentOutOfRangeException) { refused++; }
        }
        Check(refused > 20 && asked > 100, "damage: " + refused + " refused, " + asked + " asked");
    }

    static void NothingIsAllocated(string terrain, string level)
    {
        using (Bundle bundle = Bundle.Open(terrain))
        using (Bundle cells = Bundle.Open(level))
        {
            uint[] pairs = new uint[100];
            byte[] visible = new byte[100];
            ulong[] words = new ulong[bundle.Info.Words];
            Action ask = () =>
            {
                for (uint i = 0; i < 20000; i++)
                {
                    bundle.Visible(i % 40, i % 9 * 40);
                    cells.Visible(0, i % (uint)cells.Info.Places);
                    if (i % 100 == 0) { bundle.VisiblePairs(pairs, pairs, visible); bundle.Pvs(0, words); }
                }
            };
            ask();
            // Collections happen when so much was allocated; 20,000 calls of even 24 bytes each would show.
            GC.Collect();
            long before = GC.GetTotalMemory(true);
            int collections = GC.CollectionCount(0);
            ask();
            long grown = GC.GetTotalMemory(false) - before;
            Check(GC.CollectionCount(0) == collections && grown < 100000, grown + " bytes in 40,000 calls");
        }
    }

    static void Threads(string path)
    {
        Bundle bundle = Bundle.Open(path);
        int rounds = 0, wrong = 0, closed = 0;
        bool expected = bundle.Visible(0, 359);
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() =>
            {
                try
                {
                    while (true)
                    {
                        if (bundle.Visible(0, 359) != expected) Interlocked.Increment(ref wrong);
                        Interlocked.Increment(ref rounds);
                    }
                }
                catch (ObjectDisposedException) { Interlocked.Increment(ref closed); }
            });
            threads[i].Start();
        }
        while (Volatile.Read(ref rounds) < 10000) Thread.Sleep(1);
        bundle.Dispose();
        foreach (Thread thread in threads) Check(thread.Join(30000), "a thread ends");
        Check(wrong == 0 && closed == 8, "threads");
    }

    // Opens and forgets, and lets the collector close: memory stays bounded, and what is held stays open.
    static void Soak(byte[] bytes, double seconds)
    {
        Bundle held = Bundle.FromBytes(bytes);
        bool expected = held.Visible(0, 359);
        Stopwatch clock = Stopwatch.StartNew();
        long first = 0, rounds = 0;
        while (clock.Elapsed.TotalSeconds < seconds || rounds < 3000)
        {
            for (int i = 0; i < 50; i++)
            {
                Bundle forgotten = Bundle.FromBytes(bytes);
                FrontierBuilder orphan = new FrontierBuilder(forgotten);
                if (i % 2 == 0) forgotten.Dispose();
                orphan.Begin(0, 359);
                orphan.Finish();
                Check(held.Visible(0, 359) == expected, "what is held stays open");
            }
            rounds += 50;
            GC.Collect();
            GC.WaitForPendingFinalizers();
            if (rounds == 1000) first = Process.GetCurrentProcess().WorkingSet64;
        }
        long last = Process.GetCurrentProcess().WorkingSet64;
        Check(last < first + (16 << 20), "memory grew from " + first + " to " + last + " in " + rounds + " opens");
        held.Dispose();
        Console.WriteLine(rounds + " opens forgotten, memory " + first / 1000 + " kB at first and " + last / 1000 + " kB at last");
    }

    static void Table(string path, string questions, string answers)
    {
        byte[] raw = File.ReadAllBytes(questions), expected = File.ReadAllBytes(answers);
        uint[] pairs = new uint[raw.Length / 4];
        Buffer.BlockCopy(raw, 0, pairs, 0, raw.Length);
        using (Bundle bundle = Bundle.Open(path))
        {
            byte[] found = new byte[expected.Length];
            // Of a terrain the table has columns and rows.
            int each = bundle.Kind == WorldKind.Terrain ? 2 : 1;
            uint[] from = new uint[found.Length], to = new uint[found.Length];
            for (int i = 0; i < found.Length; i++)
            {
                int at = 2 * each * i;
                from[i] = each == 2 ? bundle.PlaceOf(pairs[at], pairs[at + 1]) : pairs[at];
                to[i] = each == 2 ? bundle.PlaceOf(pairs[at + 2], pairs[at + 3]) : pairs[at + 1];
            }
            Time("C#, one by one", found, expected, () => { for (int i = 0; i < found.Length; i++) found[i] = (byte)(bundle.Visible(from[i], to[i]) ? 1 : 0); });
            Time("C#, at once", found, expected, () => bundle.VisiblePairs(from, to, found));
        }
    }

    static void Time(string name, byte[] found, byte[] expected, Action ask)
    {
        double best = double.MaxValue;
        for (int i = 0; i < 5; i++)
        {
            Array.Clear(found, 0, found.Length);
            Stopwatch clock = Stopwatch.StartNew();
            ask();
            best = Math.Min(best, clock.Elapsed.TotalSeconds);
        }
        for (int i = 0; i < found.Length; i++) Check(found[i] == expected[i], name + ": question " + i);
        Console.WriteLine(name + "\t" + found.Length + "\t" + Math.Round(best * 1e9 / found.Length));
    }
}
