// A room that the playthrough tester plays: the same as in the other clients' samples. As in Unity, y
// is up, z points ahead, and the axes are left-handed.
//
//     mcs -langversion:7 -out:errand.exe 'Playhead/*.cs' example/Errand.cs
//     mono errand.exe --url "ws://127.0.0.1:5671/?token=TOKEN"
//     playhead demo-record --connect 5670 errand.csv --script person.py
//     playhead replay --connect 5670 errand.csv --seeds 1..10
//
// The player pulls a lever, reads what it says, and goes through the door that opens to the exit.
// Chance decides where a coin lies and whether the day is lucky; the exit opens on lucky days only,
// and what tests need for that is the debug function `luck`.

using System;
using System.Collections.Generic;
using System.Globalization;
using Playhead;

internal sealed class Room : IWorld
{
    public const double Step = 1.0 / 60;
    private const double Speed = 3;
    private const int Pages = 2;
    private const ulong PlayerId = 1, LeverId = 2, CoinId = 3;
    private static readonly PacketType Type = new PacketType(32, "thing").Field("state", "<i4");

    public readonly PlayheadClient Playhead;
    private readonly Playable playable;
    private double time, x, z, facing, coinX, coinZ;
    private int page, coins;
    private bool open, lucky, finished, taken;
    private Button before;

    public Room(string url)
    {
        Playhead = new PlayheadClient(url, this, "errand", "1.0", "y", "left", "m", "zxy", pads: 1);
        Playhead.DefineType(Type);
        Playhead.Failed += reason => Console.Error.WriteLine("playhead: " + reason);
        playable = new Playable(Playhead) {
            Name = "errand", Player = PlayerId, Restart = Begin,
            Settings = "debug: [{call: luck, on: differs, column: lucky}]" };
        playable.Columns["door"] = "bool";
        playable.Columns["coins"] = "float";
        playable.Columns["lucky"] = "bool";
        playable.Outcomes["door"] = "equal";
        playable.Outcomes["coins"] = "equal";
        playable.Debug["luck"] = argument => lucky = argument is bool && (bool)argument;
        playable.FindPath = FindPath;
        playable.Serve();
        Begin(null);
    }

    /// <summary>Everything is as at the beginning; the seed decides what is left to
    /// chance.</summary>
    private void Begin(long? seed)
    {
        var random = new Random((int)(seed ?? 0));
        time = facing = 0;
        x = z = 1;
        page = -1;
        coins = 0;
        open = finished = taken = false;
        before = Button.None;
        lucky = (seed ?? 0) == 0 || random.NextDouble() < 0.5;
        coinX = 2.5 + random.NextDouble();
        coinZ = 3 + random.NextDouble();
    }

    public void Advance()
    {
        Pad pad = Playhead.Pad(0);
        Button pressed = pad.Buttons & ~before;
        before = pad.Buttons;
        time += Step;
        if (page >= 0)
        {
            if ((pressed & Button.A) != 0 && ++page == Pages)
            {
                page = -1;
                open = true;
            }
        }
        else
        {
            double dx = pad.LeftX * Speed * Step, dz = pad.LeftY * Speed * Step;
            if (IsFree(x + dx, z)) x += dx;
            if (IsFree(x, z + dz)) z += dz;
            if (Away(0, 0, pad.LeftX, pad.LeftY) > 0.1) facing = Math.Atan2(pad.LeftY, pad.LeftX);
            if ((pressed & Button.A) != 0 && !open && Away(x, z, 3, 6) < 1) page = 0;
        }
        if (!taken && Away(x, z, coinX, coinZ) < 0.5)
        {
            taken = true;
            coins++;
        }
        if (lucky && Away(x, z, 11, 4) < 0.6) finished = true;
        Playhead.Record(time, Step);
        Observe(pad);
    }

    private void Observe(Pad pad)
    {
        var seen = new Observation {
            X = x, Z = z, Facing = facing, Level = "room", Message = page >= 0,
            Event = page >= 0 ? "lever" : "", Finished = finished };
        if (!taken) seen.Items.Add(new Thing { Label = "coin", X = coinX, Z = coinZ, Object = CoinId });
        seen.Extras["door"] = open;
        seen.Extras["coins"] = (double)coins;
        seen.Extras["lucky"] = lucky;
        playable.Observe(time, seen, pad);
    }

    private static double Away(double fromX, double fromZ, double toX, double toZ)
    {
        return Math.Sqrt((fromX - toX) * (fromX - toX) + (fromZ - toZ) * (fromZ - toZ));
    }

    /// <summary>The way on foot: through the door, if the wall is between.</summary>
    private static IEnumerable<double[]> FindPath(double[] start, double[] goal, double near)
    {
        if (start[0] < 6 != goal[0] < 6) yield return new double[] { 6, 0, 4 };
        yield return goal;
    }

    private bool IsFree(double atX, double atZ)
    {
        if (atX < 0.3 || atZ < 0.3 || atX > 11.7 || atZ > 7.7) return false;
        return Math.Abs(atX - 6) > 0.4 || (open && atZ > 3 && atZ < 5);
    }

    public void Record(Frame frame)
    {
        frame.Add(Type, PlayerId, new Vector((float)x, 0, (float)z)).Write(page);
        frame.Add(Type, LeverId, new Vector(3, 0, 6)).Write(open ? 1 : 0);
        if (!taken) frame.Add(Type, CoinId, new Vector((float)coinX, 0, (float)coinZ)).Write(0);
    }

    public void Apply(Packet packet) { }

    public void Show(View view) { }
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
        double seconds = double.Parse(Given(arguments, "seconds", "3600"), CultureInfo.InvariantCulture);
        var room = new Room(Given(arguments, "url", "ws://127.0.0.1:5671/"));
        DateTime end = DateTime.UtcNow.AddSeconds(seconds), due = DateTime.UtcNow;
        while (DateTime.UtcNow < end)
        {
            if (room.Playhead.Live && room.Playhead.IsRecording) room.Advance();
            due = due.AddSeconds(Room.Step);
            int left = (int)(due - DateTime.UtcNow).TotalMilliseconds;
            if (left < -250) due = DateTime.UtcNow;
            room.Playhead.Wait(Math.Max(1, left));
        }
        room.Playhead.Close(1000);
        return 0;
    }
}
