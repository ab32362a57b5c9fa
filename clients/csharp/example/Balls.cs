// A small game on playhead: balls bounce about in a yard, a guard flees from them.
//
//     mcs -langversion:7 -out:balls.exe '../Playhead/*.cs' Balls.cs
//     mono balls.exe --url "ws://127.0.0.1:5671/?token=TOKEN"
//
// It has no window. What it does it says as lines of JSON, a hash of its state among it, so that
// anybody can see that a run which was paused and scrubbed ends as one that never was. Tools may
// play it with two pads, run it by steps and call `guard.heal`. Without --url it runs alone and
// says the state after each step.

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;
using Playhead;

internal enum Doing { Patrol, Flee, Down }

/// <summary>What both kinds of objects have.</summary>
internal abstract class Thing
{
    public readonly ulong Id;
    public bool Hidden;
    public readonly double[] Position = new double[3];

    protected Thing(ulong id) { Id = id; }

    public Vector Place
    {
        get { return new Vector((float)Position[0], (float)Position[1], (float)Position[2]); }
    }

    public abstract void Write(Frame frame);
    public abstract void Read(Packet packet);
    public abstract void Write(BinaryWriter to);
}

internal sealed class Ball : Thing
{
    public static readonly PacketType Type = new PacketType(32, "ball")
        .Field("position", "<f8", 3, "m", "position")
        .Field("velocity", "<f8", 3, "m/s", "velocity")
        .Field("bounces", "<u4")
        .Field("color", "<u4");

    public readonly double[] Velocity = new double[3];
    public uint Bounces, Color;

    public Ball(ulong id) : base(id) { }

    public override void Write(Frame frame)
    {
        frame.Add(Type, Id, Place);
        foreach (double x in Position) frame.Write(x);
        foreach (double x in Velocity) frame.Write(x);
        frame.Write(Bounces).Write(Color);
    }

    public override void Read(Packet packet)
    {
        for (int i = 0; i < 3; i++) Position[i] = packet.ReadDouble();
        for (int i = 0; i < 3; i++) Velocity[i] = packet.ReadDouble();
        Bounces = packet.ReadUInt();
        Color = packet.ReadUInt();
    }

    public override void Write(BinaryWriter to)
    {
        foreach (double x in Position) to.Write(x);
        foreach (double x in Velocity) to.Write(x);
        to.Write(Bounces);
        to.Write(Color);
    }
}

internal sealed class Guard : Thing
{
    public static readonly PacketType Type = new PacketType(33, "guard", "ai")
        .Field("position", "<f8", 3, "m", "position")
        .Field("timer", "<f8", 0, "s")
        .Field("health", "<f4", 0, null, "health")
        .Field("state", "<i4", 0, null, "state");

    public double Timer;
    public float Health = 100;
    public Doing State;

    public Guard(ulong id) : base(id) { }

    public override void Write(Frame frame)
    {
        frame.Add(Type, Id, Place);
        foreach (double x in Position) frame.Write(x);
        frame.Write(Timer).Write(Health).Write((int)State);
    }

    public override void Read(Packet packet)
    {
        for (int i = 0; i < 3; i++) Position[i] = packet.ReadDouble();
        Timer = packet.ReadDouble();
        Health = packet.ReadFloat();
        State = (Doing)packet.ReadInt();
    }

    public override void Write(BinaryWriter to)
    {
        foreach (double x in Position) to.Write(x);
        to.Write(Timer);
        to.Write(Health);
        to.Write((int)State);
    }
}

/// <summary>The game, and what playhead asks of it: the three methods of `IWorld`.</summary>
internal sealed class Yard : IWorld
{
    public const double Step = 1.0 / 60;
    private const double Side = 5, Reach = 2;
    private const int Room = 12;
    // A game with a window would send what is on it.
    private static readonly byte[] Grey = Convert.FromBase64String(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAA"
        + "ggCBd81ytgAAAABJRU5ErkJggg==");
    private static readonly string[] Names = { "patrol", "flee", "down" };

    public readonly PlayheadClient Playhead;
    public int Steps;
    private readonly Guard guard = new Guard(1);
    private readonly List<Ball> balls = new List<Ball>();
    private readonly SortedSet<ulong> standIns = new SortedSet<ulong>();
    private ulong seed = 88172645463325252, nextId = (1ul << 53) + 1; // ids that no double can hold

    public Yard(string url)
    {
        Playhead = new PlayheadClient(url, this, "balls", "1.0", pads: 2);
        Playhead.DefineType(Ball.Type);
        Playhead.DefineType(Guard.Type);
        Playhead.Serve("guard.heal", Heal);
        Playhead.Recording += () => { Playhead.Name(guard.Id, "Guard"); Report("recording"); };
        Playhead.Paused += () => Report("paused");
        Playhead.Shown += (frame, time) => Report("shown", frame);
        Playhead.Resumed += () => Report("resumed");
        Playhead.Failed += reason => Console.Error.WriteLine("playhead: " + reason);
    }

    // --- what playhead asks ---

    public void Record(Frame frame)
    {
        guard.Write(frame);
        foreach (Ball ball in balls) ball.Write(frame);
    }

    public void Apply(Packet packet)
    {
        Thing thing = Find(packet.Id);
        if (thing != null) thing.Read(packet);
    }

    public void Show(View view)
    {
        Thing thing = Find(view.Id);
        if (view.Change == Change.StandIn) standIns.Add(view.Id);
        else if (view.Change == Change.RemoveStandIn) standIns.Remove(view.Id);
        else if (view.Change == Change.Hide && thing != null) thing.Hidden = true;
        else if (view.Change == Change.Unhide && thing != null) thing.Hidden = false;
    }

    private Thing Find(ulong id)
    {
        return id == guard.Id ? (Thing)guard : balls.Find(ball => ball.Id == id);
    }

    // --- the game ---

    private double Chance()
    {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        return (seed >> 11) / 9007199254740992.0;
    }

    public void Advance()
    {
        Steps++;
        if (Steps == 1) Playhead.Input("seed", seed);
        if (Steps == 1) Playhead.Phase("warm-up");
        if (Steps == 31) Playhead.Phase("match");
        if (Steps == 1 || Steps % 60 == 0) Playhead.Picture(Grey, 1, 1, "png");
        Pad first = Playhead.Pad(0), second = Playhead.Pad(1);
        guard.Position[0] += first.LeftX * 2 * Step;
        if (Steps % 40 == 1) Spawn();
        if (first.Holds(Button.A)) Spawn();
        if (second.Holds(Button.A)) Spawn();
        if (Steps % 90 == 0 && balls.Count > 0)
        {
            Playhead.Event("ball gone", balls[0].Bounces, balls[0].Id);
            Playhead.Despawn(balls[0].Id);
            balls.RemoveAt(0);
        }
        foreach (Ball ball in balls) Move(ball);
        Think();
        Playhead.Record(Steps * Step, Step);
        Playhead.Publish("yard", new Dictionary<string, object> {
            { "step", Steps }, { "balls", balls.Count } });
    }

    /// <summary>What tools call: give the guard another health, and get the one before.</summary>
    private object Heal(object argument)
    {
        var given = argument as Dictionary<string, object>;
        object health = null;
        if (given != null) given.TryGetValue("health", out health);
        if (!(health is double) || !((double)health >= 0 && (double)health <= 100))
            throw new CallRefusedException("give {\"health\": a number from 0 to 100}");
        if (guard.State == Doing.Down) throw new InvalidOperationException("the guard is down");
        float before = guard.Health;
        guard.Health = (float)(double)health;
        return before;
    }

    private void Spawn()
    {
        if (balls.Count >= Room) return;
        var ball = new Ball(nextId++);
        for (int i = 0; i < 2; i++)
        {
            ball.Position[i] = (Chance() - 0.5) * Side;
            ball.Velocity[i] = (Chance() - 0.5) * 12;
        }
        ball.Position[2] = 2 + Chance() * 3;
        ball.Color = (uint)(Chance() * 0xffffff);
        balls.Add(ball);
        Playhead.Log("a ball comes in", "info", ball.Id);
    }

    private static void Move(Ball ball)
    {
        ball.Velocity[2] -= 9.81 * Step;
        for (int i = 0; i < 3; i++)
        {
            double low = i < 2 ? -Side : 0, high = i < 2 ? Side : 20;
            ball.Position[i] += ball.Velocity[i] * Step;
            if (ball.Position[i] >= low && ball.Position[i] <= high) continue;
            ball.Position[i] = ball.Position[i] < low ? low : high;
            ball.Velocity[i] *= -0.98;
            ball.Bounces++;
        }
    }

    private void Go(Doing state, string won, double distance)
    {
        Playhead.TraceState(guard.Id, "guard", Names[(int)guard.State], Names[(int)state], won,
            new Dictionary<string, object> { { "distance", distance }, { "health", guard.Health } },
            new[] { new Rejected("tired", "it has rested enough") });
        guard.State = state;
        guard.Timer = 0;
    }

    private void Think()
    {
        Ball nearest = null;
        double best = 1e9;
        foreach (Ball ball in balls)
        {
            double x = ball.Position[0] - guard.Position[0];
            double y = ball.Position[1] - guard.Position[1];
            double square = x * x + y * y + ball.Position[2] * ball.Position[2];
            if (square >= best) continue;
            best = square;
            nearest = ball;
        }
        guard.Timer += Step;
        if (guard.State == Doing.Down)
        {
            if (guard.Timer < 2) return;
            guard.Health = 100;
            Go(Doing.Patrol, "rested", best);
        }
        if (best < Reach * Reach)
        {
            guard.Health -= 20;
            if (guard.Health <= 0)
            {
                if (!Playhead.Check(guard.Health > 0, "the guard is up", guard.Id)) Report("check");
                Go(Doing.Down, "hit", best);
                return;
            }
        }
        if (guard.State == Doing.Patrol && best < 9) Go(Doing.Flee, "a ball is near", best);
        if (guard.State == Doing.Flee && best > 16) Go(Doing.Patrol, "nothing near", best);
        for (int i = 0; i < 2; i++)
        {
            double post = i == 0 ? (Steps / 240 % 2 == 0 ? 1 : -1) : 0;
            double way = guard.State == Doing.Flee ? guard.Position[i] - nearest.Position[i]
                : post - guard.Position[i] * 0.1;
            guard.Position[i] += Math.Max(-1, Math.Min(1, way)) * 2 * Step;
            guard.Position[i] = Math.Max(-Side, Math.Min(Side, guard.Position[i]));
        }
        if (nearest != null) Playhead.Line(guard.Place, nearest.Place, 0xff0000, guard.Id, "ai");
        Playhead.Watch("distance²", best, guard.Id);
    }

    // --- saying what it does ---

    private static uint Mixed(uint hash, byte[] bytes) // FNV-1a
    {
        foreach (byte one in bytes) hash = unchecked((hash ^ one) * 16777619u);
        return hash;
    }

    private static byte[] BytesOf(Action<BinaryWriter> write)
    {
        using (var stream = new MemoryStream())
        using (var writer = new BinaryWriter(stream))
        {
            write(writer);
            writer.Flush();
            return stream.ToArray();
        }
    }

    public void Report(string what, ulong frame = 0)
    {
        var objects = new StringBuilder();
        uint state = Mixed(2166136261, BytesOf(to => { to.Write(Steps); to.Write(seed); }));
        var all = new List<Thing> { guard };
        all.AddRange(balls);
        foreach (Thing thing in all)
        {
            byte[] bytes = BytesOf(thing.Write);
            state = Mixed(Mixed(state, BitConverter.GetBytes(thing.Id)), bytes);
            if (thing.Hidden) continue;
            objects.Append(objects.Length > 0 ? ", \"" : "\"").Append(thing.Id).Append("\": ")
                .Append(Mixed(2166136261, bytes));
        }
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture,
            "{{\"event\": \"{0}\", \"step\": {1}, \"state\": {2}, \"frame\": {3},"
            + " \"objects\": {{{4}}}, \"stand_ins\": [{5}]}}",
            what, Steps, state, frame, objects, string.Join(", ", standIns)));
    }
}

internal static class Program
{
    private static string Given(string[] arguments, string name, string otherwise)
    {
        int at = Array.IndexOf(arguments, "--" + name);
        return at < 0 || at + 1 == arguments.Length ? otherwise : arguments[at + 1];
    }

    private static int Main(string[] arguments)
    {
        string url = Given(arguments, "url", "");
        int steps = int.Parse(Given(arguments, "steps", "600"), CultureInfo.InvariantCulture);
        int rate = int.Parse(Given(arguments, "rate", "60"), CultureInfo.InvariantCulture);
        var yard = new Yard(url.Length > 0 ? url : "ws://127.0.0.1:1/"); // where nobody is
        // A run to be recorded begins when somebody records.
        while (url.Length > 0 && !yard.Playhead.IsRecording) yard.Playhead.Wait(100);
        while (yard.Steps < steps)
        {
            if (yard.Playhead.Live)
            {
                yard.Advance();
                if (url.Length == 0) yard.Report("step");
            }
            if (url.Length > 0) yard.Playhead.Wait(yard.Playhead.Live ? 1000 / rate : 250);
        }
        yard.Report("end");
        yard.Playhead.Close(2000);
        return 0;
    }
}
