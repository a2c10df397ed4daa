// Tests under Mono, of the same sources that the package ships: Program.exe ROOT [seconds], and
// Program.exe table BUNDLE QUESTIONS ANSWERS, see ../../table.
using System;
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
        if (arguments[0] == "table") { Table(arguments[1], arguments[2], arguments[3]); return 0; }
        string golden = Path.Combine(arguments[0], "tests/golden/v1");
        string terrain = Path.Combine(golden, "40x9-pairs.vcb"), voids = Path.Combine(golden, "13x9-voids-pairs.vcb");
        string level = Path.Combine(golden, "level.vcb");
        OfTerrain(terrain);
        OfTerrain(voids);
        OfLevel(level);
        OfSolid(Path.Combine(golden, "solid.vcb"));
        Sessions(terrain, level);
        SessionAmongSolids(Path.Combine(golden, "solid.vcb"));
        BadInput(voids, level);
        Damage(voids);
        NothingIsAllocated(terrain, level);
        Threads(terrain);
        Soak(File.ReadAllBytes(terrain), arguments.Length > 1 ? double.Parse(arguments[1]) : 5);
        Console.WriteLine(checks + " checks hold");
        return 0;
    }

    static void OfTerrain(string path)
    {
        using (Bundle bundle = Bundle.Open(path))
        using (Bundle copy = Bundle.OpenCopy(path))
        using (FrontierBuilder builder = new FrontierBuilder(bundle))
        {
            TerrainInfo info = bundle.Terrain;
            uint places = info.Width * info.Height;
            Check(bundle.Kind == WorldKind.Terrain && info.Dx > 0 && info.Mutual, "what it is");
            ulong[] words = new ulong[info.Blocks];
            uint[] pairs = new uint[4 * places];
            byte[] visible = new byte[places], from = new byte[places];
            Sample[] all = new Sample[places];
            for (uint i = 0; i < places; i++) all[i] = new Sample(i % info.Width, i / info.Width);
            uint seen = 0, sets = 0;
            byte[] code = new byte[4096];
            for (uint i = 0; i < places; i++)
            {
                Sample a = all[i], found;
                // Nobody can be at a void, so that it is nowhere.
                bool isThere = !float.IsNaN(bundle.GroundHeight(a));
                Check(bundle.Locate(a.Column * info.Dx, a.Row * info.Dy, out found) == isThere && (!isThere || found.Equals(a)), "locate " + a);
                bundle.Pvs(a, words);
                for (uint j = 0; j < places; j++) { pairs[4 * j] = a.Column; pairs[4 * j + 1] = a.Row; pairs[4 * j + 2] = all[j].Column; pairs[4 * j + 3] = all[j].Row; }
                bundle.VisiblePairs(pairs, visible);
                bundle.VisibleFrom(a, all, from);
                for (uint j = 0; j < places; j++)
                {
                    Sample b = all[j];
                    bool sees = bundle.Visible(a, b);
                    Check(copy.Visible(a, b) == sees, "a copy of the file");
                    bool bit = (words[b.Row / 8 * info.BlockColumns + b.Column / 8] >> (int)(b.Row % 8 * 8 + b.Column % 8) & 1) == 1;
                    Check(sees == bit && visible[j] == (sees ? 1 : 0) && from[j] == visible[j], a + " and " + b);
                    Check(BurstNative.viewcell_visible_at(bundle.DangerousHandle, a.Column, a.Row, b.Column, b.Row) == visible[j], "Burst");
                    if (j % 29 == 0) Check(bundle.VisibleWithin(a, b, 30, 30) || !sees, "look-ahead");
                    if (sees) seen++;
                }
                Sight quads = bundle.VisibleQuads(0, a, 0, all[0]);
                Check(quads == (bundle.Visible(a, all[0]) ? Sight.Visible : Sight.Hidden), "quads of level 0");
                Sample other = all[(53 * i + 17) % places];
                if (i % 3 != 0 || float.IsNaN(bundle.GroundHeight(a)) || float.IsNaN(bundle.GroundHeight(other))) continue;
                builder.Begin(a, other);
                builder.Finish();
                if (builder.Area(Side.A) == 0) { Check(a.Equals(other) || bundle.Visible(a, other) || bundle.Visible(other, a), "an empty set"); continue; }
                sets++;
                int length = builder.Encode(Side.B, 0, code);
                using (Region region = bundle.Region(new ReadOnlySpan<byte>(code, 0, length)))
                    for (uint p = 0; p < places; p++)
                    {
                        Check(region.Contains(all[p]) == builder.Contains(Side.B, all[p]), "a region that was sent");
                        if (!builder.Contains(Side.A, all[p])) continue;
                        for (uint q = 0; q < places; q++)
                            Check(!builder.Contains(Side.B, all[q]) || !bundle.Visible(all[p], all[q]), "a frontier set");
                    }
            }
            Check(seen > 0 && seen < places * places && sets > 0, "something is seen and something hidden: " + seen + " pairs, " + sets + " sets");
        }
    }

    static void OfLevel(string path)
    {
        using (Bundle bundle = Bundle.Open(path))
        {
            LevelInfo info = bundle.Level;
            ulong[] words = new ulong[info.Words], memory = new ulong[bundle.FrontierWords(Construction.Tightened)];
            uint[] pairs = new uint[2 * info.Cells], others = new uint[info.Cells];
            byte[] visible = new byte[info.Cells], from = new byte[info.Cells];
            for (uint a = 0; a < info.Cells; a++)
            {
                bundle.Pvs(a, words);
                for (uint b = 0; b < info.Cells; b++) { pairs[2 * b] = a; pairs[2 * b + 1] = b; others[b] = b; }
                bundle.VisiblePairs(pairs, visible);
                bundle.VisibleFrom(a, others, from);
                for (uint b = 0; b < info.Cells; b++)
                {
                    bool sees = bundle.Visible(a, b);
                    Check(sees == Bundle.Contains(words, b) && visible[b] == (sees ? 1 : 0) && from[b] == visible[b], "cells");
                    Check((bundle.Distance(a, b) == 1) == (sees && a != b), "distance");
                    Check(bundle.VisibleWithin(a, b, 1, 1) || !sees, "look-ahead");
                    if (!bundle.Frontier(a, b, Construction.Tightened, memory)) continue;
                    Check(Bundle.Contains(memory, a), "a frontier set has its player");
                }
            }
            uint cell;
            Check(!bundle.Locate(double.NaN, 0, 0, out cell), "nowhere");
        }
    }

    static void OfSolid(string path)
    {
        using (Bundle bundle = Bundle.Open(path))
        {
            SolidInfo info = bundle.Solid;
            Check(bundle.Kind == WorldKind.Solid && info.Solids == 7 && info.EyeLow == 22 && info.EyeHigh == 22 && info.HullLow.Z == -24 && info.HullHigh.X == 16, "what it is");
            Point[] middles = new Point[info.Cells];
            ulong[] words = new ulong[info.Words];
            uint cell, seen = 0;
            for (uint a = 0; a < info.Cells; a++)
            {
                Point low, high;
                bundle.Bounds(a, out low, out high);
                middles[a] = new Point((low.X + high.X) / 2, (low.Y + high.Y) / 2, (low.Z + high.Z) / 2);
                Check(bundle.Locate(middles[a].X, middles[a].Y, middles[a].Z, out cell) && cell == a, "locate");
            }
            Point[] from = new Point[info.Cells];
            byte[] visible = new byte[info.Cells], cells = new byte[info.Cells];
            uint[] pairs = new uint[2 * info.Cells];
            for (uint a = 0; a < info.Cells; a++)
            {
                bundle.Pvs(a, words);
                for (uint b = 0; b < info.Cells; b++) { from[b] = middles[a]; pairs[2 * b] = a; pairs[2 * b + 1] = b; }
                bundle.VisiblePairs(from, middles, visible);
                bundle.VisiblePairs(pairs, cells);
                for (uint b = 0; b < info.Cells; b++)
                {
                    bool sees = bundle.Visible(a, b);
                    Check(sees == Bundle.Contains(words, b) && visible[b] == (sees ? 1 : 0) && cells[b] == visible[b], "cells of a solid level");
                    Check(bundle.Visible(middles[a], middles[b]) == sees, "positions");
                    Check(bundle.VisibleWithin(middles[a], middles[b], 8, 8) || !sees, "look-ahead");
                    if (sees) seen++;
                }
            }
            Check(seen > 0 && seen < info.Cells * info.Cells, "something is seen and something hidden");
            Point west = new Point(48, 48, 32), east = new Point(480, 48, 32), above = new Point(48, 48, 999);
            Check(!bundle.Visible(west, east) && !bundle.VisibleWithin(west, east, 8, 8) && bundle.VisibleWithin(west, east, 300, 300), "two rooms");
            Check(!bundle.Locate(above.X, above.Y, above.Z, out cell) && bundle.Visible(above, east), "who is in no cell sees all");
            Throws<ArgumentOutOfRangeException>(() => bundle.Visible(0, info.Cells));
            Throws<ArgumentOutOfRangeException>(() => { Point low, high; bundle.Bounds(info.Cells, out low, out high); });
            Throws<ArgumentException>(() => bundle.Pvs(0, new ulong[0]));
            Throws<ArgumentException>(() => bundle.VisiblePairs(new Point[2], new Point[3], new byte[3]));
            Throws<ViewcellException>(() => bundle.Distance(0, 1));
            Throws<ViewcellException>(() => { LevelInfo level = bundle.Level; });
        }
    }

    static void Sessions(string terrain, string level)
    {
        Random dice = new Random(7);
        using (Bundle bundle = Bundle.Open(terrain))
        using (Session session = new Session(bundle, 4))
        {
            Notice[] notices = new Notice[session.MostNotices];
            Sample[] at = new Sample[4];
            byte[] code = new byte[4096];
            int told = 0, silent = 0;
            for (int tick = 0; tick < 400; tick++)
            {
                session.Tick();
                for (int player = 0; player < 4; player++)
                {
                    at[player] = new Sample((uint)dice.Next(40), (uint)dice.Next(9));
                    told += session.Move(player, at[player], notices);
                }
                for (int a = 0; a < 4; a++)
                    for (int b = 0; b < 4; b++)
                        if (a != b && session.Age(a, b) >= 0)
                        {
                            silent++;
                            Check(!bundle.Visible(at[a], at[b]) && session.Contains(a, b, at[a]), "silence");
                            int length = session.Encode(a, b, code);
                            using (Region half = bundle.Region(new ReadOnlySpan<byte>(code, 0, length))) Check(half.Contains(at[a]), "a half");
                        }
            }
            Check(told > 0 && silent > 0 && session.Sets > 0, "a session: " + told + " " + silent);
            session.Leave(0, notices);
            Check(session.Age(0, 1) == -1, "who is gone has no set");
        }
        using (Bundle bundle = Bundle.Open(level))
        using (Session session = new Session(bundle, 3, Construction.Tightened))
        {
            Notice[] notices = new Notice[session.MostNotices];
            uint[] at = new uint[3];
            int silent = 0;
            for (int tick = 0; tick < 400; tick++)
            {
                session.Tick();
                for (int player = 0; player < 3; player++) session.Move(player, at[player] = (uint)dice.Next((int)bundle.Level.Cells), notices);
                for (int a = 0; a < 3; a++)
                    if (session.Age(a, (a + 1) % 3) >= 0) { silent++; Check(!bundle.Visible(at[a], at[(a + 1) % 3]) && session.Contains(a, (a + 1) % 3, at[a]), "silence of cells"); }
            }
            Check(silent > 0, "a session of cells");
        }
    }

    static void SessionAmongSolids(string solid)
    {
        Random dice = new Random(8);
        SessionOptions options = SessionOptions.Default;
        options.Patience = 0;
        using (Bundle bundle = Bundle.Open(solid))
        using (Session session = new Session(bundle, 3, options))
        {
            Notice[] notices = new Notice[session.MostNotices];
            Point[] at = new Point[3];
            int silent = 0, nowhere = 0;
            for (int turn = 0; turn < 1500; turn++)
            {
                int player = turn % 3, other = (turn + 1) % 3;
                if (player == 0) session.Tick();
                at[player] = new Point(20 + 488 * dice.NextDouble(), 20 + 216 * dice.NextDouble(), 28 + (dice.Next(10) == 0 ? 999 : 64) * dice.NextDouble());
                uint cell;
                bool known = bundle.Locate(at[player].X, at[player].Y, at[player].Z, out cell);
                if (!known) nowhere++;
                int told = known && turn % 2 == 0 ? session.Move(player, cell, notices) : session.Move(player, at[player], notices);
                if (turn < 3) continue;
                bool heard = false;
                for (int i = 0; i < told; i++) heard |= notices[i].To == player && notices[i].About == other;
                Check(heard == bundle.Visible(at[player], at[other]), "who may see somebody is told, and nobody else");
                if (session.Age(player, other) >= 0) { silent++; Check(known && session.Contains(player, other, cell), "silence among solids"); }
            }
            Check(silent > 100 && nowhere > 30, "a session among solids: " + silent + " " + nowhere);
            session.Leave(0, notices);
            Check(session.Age(0, 1) == -1, "who is gone has no set");
            Throws<ViewcellException>(() => session.Move(0, new Sample(0, 0), new Notice[4]));
        }
    }

    static void BadInput(string terrain, string level)
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
        Throws<ArgumentOutOfRangeException>(() => bundle.Visible(new Sample(13, 0), new Sample(0, 0)));
        Throws<ArgumentOutOfRangeException>(() => bundle.Visible(new Sample(0, 0), new Sample(uint.MaxValue, uint.MaxValue)));
        Throws<ArgumentOutOfRangeException>(() => bundle.GroundHeight(new Sample(0, 9)));
        Throws<ArgumentOutOfRangeException>(() => bundle.VisibleWithin(new Sample(0, 0), new Sample(0, 9), 1, 1));
        Throws<ArgumentException>(() => bundle.VisibleFrom(new Sample(0, 0), new Sample[2], new byte[3]));
        bundle.VisiblePairs(null, null); // none
        Sample nowhere;
        Check(!bundle.Locate(double.NaN, 0, out nowhere) && !bundle.Locate(-1e9, 0, out nowhere) && !bundle.Locate(0, double.PositiveInfinity, out nowhere), "off the map");
        Voids(bundle);
        Throws<ArgumentOutOfRangeException>(() => bundle.VisiblePairs(new uint[] { 0, 0, 0, 9 }, new byte[1]));
        Throws<ArgumentException>(() => bundle.VisiblePairs(new uint[5], new byte[1]));
        Throws<ArgumentException>(() => bundle.Pvs(new Sample(0, 0), new ulong[1]));
        Throws<ArgumentOutOfRangeException>(() => bundle.Pvs(new Sample(0, 0), new ulong[99], 50));
        Throws<ViewcellException>(() => bundle.Visible(0, 1));
        Throws<ViewcellException>(() => new Session(bundle, 3, Construction.Published));
        Throws<ArgumentOutOfRangeException>(() => new Session(bundle, -1));
        Throws<ArgumentException>(() => new Session(bundle, 5000));
        Throws<ViewcellException>(() => bundle.Region(new byte[] { 1, 2, 3 }));
        Session session = new Session(bundle, 3);
        FrontierBuilder builder = new FrontierBuilder(bundle);
        Throws<ArgumentOutOfRangeException>(() => builder.Begin(new Sample(13, 0), new Sample(0, 0)));
        Throws<ArgumentException>(() => builder.Area((Side)7));
        Throws<ArgumentException>(() => session.Move(0, new Sample(0, 0), new Notice[1]));
        Throws<ArgumentException>(() => session.Move(-1, new Sample(0, 0), new Notice[9]));
        Throws<ArgumentException>(() => session.Age(1, 1));
        bundle.Dispose();
        bundle.Dispose();
        Throws<ObjectDisposedException>(() => bundle.Visible(new Sample(0, 0), new Sample(0, 0)));
        Throws<ObjectDisposedException>(() => new FrontierBuilder(bundle));
        Throws<ObjectDisposedException>(() => new Session(bundle, 2));
        Throws<ObjectDisposedException>(() => bundle.Pvs(new Sample(0, 0), new ulong[99]));
        Throws<ObjectDisposedException>(() => bundle.Locate(0, 0, out nowhere));
        Throws<ObjectDisposedException>(() => bundle.VisiblePairs(new uint[4], new byte[1]));
        Throws<ObjectDisposedException>(() => bundle.Region(new byte[] { 1, 2, 3 }));
        Throws<ObjectDisposedException>(() => { IntPtr handle = bundle.DangerousHandle; });
        builder.Dispose();
        builder.Dispose();
        Throws<ObjectDisposedException>(() => builder.Begin(new Sample(0, 0), new Sample(1, 1)));
        session.Tick(); // what was made from it lives on
        session.Dispose();
        Throws<ObjectDisposedException>(() => session.Tick());
        using (Bundle cells = Bundle.Open(level))
        {
            Throws<ArgumentOutOfRangeException>(() => cells.Visible(0, cells.Level.Cells));
            Throws<ViewcellException>(() => { TerrainInfo info = cells.Terrain; });
            Throws<ViewcellException>(() => new FrontierBuilder(cells));
            Throws<ArgumentException>(() => cells.Frontier(0, 1, Construction.Tightened, new ulong[0]));
        }
    }

    // Nobody can be at a void, so that it is nowhere: as C, Python and JavaScript have it.
    static void Voids(Bundle bundle)
    {
        TerrainInfo info = bundle.Terrain;
        Sample nobody = new Sample(0, 0), somebody = new Sample(0, 0);
        int voids = 0;
        for (uint row = 0; row < info.Height; row++)
            for (uint column = 0; column < info.Width; column++)
            {
                Sample sample = new Sample(column, row), found;
                bool isVoid = float.IsNaN(bundle.GroundHeight(sample));
                Check(bundle.Locate(column * info.Dx, row * info.Dy, out found) == !isVoid && (isVoid || found.Equals(sample)), "a place");
                Check(bundle.Visible(sample, sample) == !isVoid, "whoever can be somewhere sees themselves");
                if (isVoid) { voids++; nobody = sample; } else somebody = sample;
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
                    if (bundle.Kind == WorldKind.Terrain) bundle.Visible(new Sample(0, 0), new Sample(5, 5));
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
            uint[] pairs = new uint[400];
            byte[] visible = new byte[100];
            ulong[] words = new ulong[bundle.Terrain.Blocks];
            Action ask = () =>
            {
                for (uint i = 0; i < 20000; i++)
                {
                    bundle.Visible(new Sample(i % 40, 0), new Sample(0, i % 9));
                    cells.Visible(0, i % cells.Level.Cells);
                    if (i % 100 == 0) { bundle.VisiblePairs(pairs, visible); bundle.Pvs(new Sample(0, 0), words); }
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
        bool expected = bundle.Visible(new Sample(0, 0), new Sample(39, 8));
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.Length; i++)
        {
            threads[i] = new Thread(() =>
            {
                try
                {
                    while (true)
                    {
                        if (bundle.Visible(new Sample(0, 0), new Sample(39, 8)) != expected) Interlocked.Increment(ref wrong);
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
        bool expected = held.Visible(new Sample(0, 0), new Sample(39, 8));
        Stopwatch clock = Stopwatch.StartNew();
        long first = 0, rounds = 0;
        while (clock.Elapsed.TotalSeconds < seconds || rounds < 3000)
        {
            for (int i = 0; i < 50; i++)
            {
                Bundle forgotten = Bundle.FromBytes(bytes);
                FrontierBuilder orphan = new FrontierBuilder(forgotten);
                if (i % 2 == 0) forgotten.Dispose();
                orphan.Begin(new Sample(0, 0), new Sample(39, 8));
                orphan.Finish();
                Check(held.Visible(new Sample(0, 0), new Sample(39, 8)) == expected, "what is held stays open");
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
            Time("C#, one by one", found, expected, () =>
            {
                if (bundle.Kind != WorldKind.Terrain) for (int i = 0; i < found.Length; i++) found[i] = (byte)(bundle.Visible(pairs[2 * i], pairs[2 * i + 1]) ? 1 : 0);
                else for (int i = 0; i < found.Length; i++) found[i] = (byte)(bundle.Visible(new Sample(pairs[4 * i], pairs[4 * i + 1]), new Sample(pairs[4 * i + 2], pairs[4 * i + 3])) ? 1 : 0);
            });
            Time("C#, at once", found, expected, () => bundle.VisiblePairs(pairs, found));
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
