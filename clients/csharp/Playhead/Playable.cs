// A game that the playthrough tester plays: what it says of itself, and what its player sees.

using System;
using System.Collections.Generic;

namespace Playhead
{
    /// <summary>Something around the player that an agent may act on.</summary>
    public struct Thing
    {
        public string Label;
        public double X, Y, Z, Health;
        /// <summary>Its id in the recording; 0: not said.</summary>
        public ulong Object;

        internal Dictionary<string, object> Values
        {
            get
            {
                return new Dictionary<string, object> {
                    { "label", Label ?? "" }, { "position", new object[] { X, Y, Z } },
                    { "hp", Health }, { "object", Object } };
            }
        }
    }

    /// <summary>What the player sees after a step; docs/protocol.md, "A game that is tested",
    /// explains each value.</summary>
    public sealed class Observation
    {
        public double X, Y, Z, Facing, CameraHeading, CameraPitch;
        public bool Message, InAir, CanJump, Dead, Finished;
        public string Level = "", Event = "", Screen = "", Field = "";
        public readonly List<Thing> Enemies = new List<Thing>();
        public readonly List<Thing> Bosses = new List<Thing>();
        public readonly List<Thing> Items = new List<Thing>();
        /// <summary>Whom and what one can talk to, by their names.</summary>
        public readonly List<Thing> People = new List<Thing>();
        /// <summary>A value (double, bool or string) for each of the game's columns.</summary>
        public readonly Dictionary<string, object> Extras = new Dictionary<string, object>();

        internal Dictionary<string, object> Values
        {
            get
            {
                return new Dictionary<string, object> {
                    { "position", new object[] { X, Y, Z } }, { "facing", Facing },
                    { "camera", new object[] { CameraHeading, CameraPitch } },
                    { "message", Message }, { "in_air", InAir }, { "can_jump", CanJump },
                    { "dead", Dead }, { "finished", Finished }, { "level", Level },
                    { "event", Event }, { "screen", Screen }, { "field", Field },
                    { "enemies", All(Enemies) }, { "bosses", All(Bosses) },
                    { "items", All(Items) }, { "people", All(People) }, { "extras", Extras } };
            }
        }

        private static List<object> All(List<Thing> things)
        {
            var values = new List<object>();
            foreach (Thing thing in things) values.Add(thing.Values);
            return values;
        }
    }

    /// <summary>Lets the playthrough tester play the game: make one, set what the game has, call
    /// <see cref="Serve"/>, and <see cref="Observe"/> behind each step's frame.</summary>
    public sealed class Playable
    {
        private readonly PlayheadClient playhead;
        private double due = double.NegativeInfinity, time = double.NegativeInfinity;
        private Button pressed, before;

        public string Name = "game";
        /// <summary>The id of the object that is played.</summary>
        public ulong Player;
        /// <summary>Seconds of game time between two observations.</summary>
        public double Interval = 1.0 / 30;
        /// <summary>The game's own columns in demos: "float", "bool" or "str" by name.</summary>
        public readonly Dictionary<string, object> Columns = new Dictionary<string, object>();
        /// <summary>Those that say what must have come of a demo: "equal", "includes" or
        /// "noted".</summary>
        public readonly Dictionary<string, object> Outcomes = new Dictionary<string, object>();
        public readonly List<string> Levels = new List<string>();
        /// <summary>What the left stick points along: "world", "player" or "camera".</summary>
        public string Sticks = "world";
        /// <summary>The agent's settings for this game, as YAML.</summary>
        public string Settings = "";
        /// <summary>Begins the game anew, with a seed or without one. What this and the others
        /// throw is told to the caller.</summary>
        public Action<long?> Restart;
        public Action<string> Load, Save;
        /// <summary>Finds the way on foot from a start to within a distance of a goal, as a
        /// navigation mesh does: positions of three numbers, none if there is no way.</summary>
        public Func<double[], double[], double, IEnumerable<double[]>> FindPath;
        /// <summary>Functions by name that the agent's rules may call, each with a plain
        /// argument.</summary>
        public readonly Dictionary<string, Action<object>> Debug =
            new Dictionary<string, Action<object>>();

        public Playable(PlayheadClient playhead) { this.playhead = playhead; }

        /// <summary>Let tools ask for all of it.</summary>
        public void Serve()
        {
            playhead.Serve("replay.game", argument => Facts());
            if (Restart != null)
            {
                playhead.Serve("replay.restart", argument =>
                {
                    object seed = Member(argument, "seed");
                    Restart(seed is double ? (long?)(double)seed : null);
                    return Anew();
                });
            }
            if (Load != null)
            {
                playhead.Serve("replay.load", argument =>
                {
                    Load(Convert.ToString(Member(argument, "path")));
                    return Anew();
                });
            }
            if (Save != null)
            {
                playhead.Serve("replay.save", argument =>
                {
                    Save(Convert.ToString(Member(argument, "path")));
                    return null;
                });
            }
            if (FindPath != null)
            {
                playhead.Serve("replay.path", argument =>
                {
                    var way = new List<object>();
                    double near = Convert.ToDouble(Member(argument, "near"));
                    foreach (double[] at in FindPath(
                        Position(argument, "start"), Position(argument, "goal"), near))
                        way.Add(new object[] { at[0], at[1], at[2] });
                    return way;
                });
            }
            playhead.Serve("replay.debug", argument =>
            {
                Action<object> function;
                string name = Convert.ToString(Member(argument, "name"));
                if (!Debug.TryGetValue(name, out function))
                    throw new CallRefusedException("there is no debug function " + name);
                function(Member(argument, "argument"));
                return null;
            });
        }

        /// <summary>A step was made with this pad: publish what its player sees, once in each
        /// interval.</summary>
        /// <param name="now">The game's clock, seconds.</param>
        public void Observe(double now, Observation seen, Pad pad)
        {
            pressed |= pad.Buttons & ~before;
            before = pad.Buttons;
            if (now < time) due = double.NegativeInfinity; // the clock began anew
            time = now;
            if (now < due - 1e-9) return;
            due = (due < now - Interval ? now : due) + Interval;
            playhead.Publish("observation", new Dictionary<string, object> {
                { "game_time", now }, { "seen", seen.Values },
                { "pad", new Dictionary<string, object> {
                    { "left", new object[] { pad.LeftX, pad.LeftY } },
                    { "right", new object[] { pad.RightX, pad.RightY } },
                    { "left_trigger", pad.LeftTrigger }, { "right_trigger", pad.RightTrigger },
                    { "buttons", (int)(pad.Buttons | pressed) } } } });
            pressed = Button.None;
        }

        private object Facts()
        {
            return new Dictionary<string, object> {
                { "name", Name }, { "interval", Interval }, { "player", Player },
                { "columns", Columns }, { "outcomes", Outcomes }, { "levels", Levels },
                { "sticks", Sticks }, { "settings", Settings }, { "restarts", Restart != null },
                { "loads", Load != null }, { "saves", Save != null },
                { "paths", FindPath != null },
                { "debug", new List<string>(Debug.Keys) } };
        }

        private object Anew()
        {
            due = time = double.NegativeInfinity;
            pressed = Button.None;
            return null;
        }

        private static double[] Position(object argument, string name)
        {
            var numbers = Member(argument, name) as List<object>;
            if (numbers == null || numbers.Count != 3)
                throw new CallRefusedException(name + ": a list of three numbers");
            return new[] {
                Convert.ToDouble(numbers[0]), Convert.ToDouble(numbers[1]),
                Convert.ToDouble(numbers[2]) };
        }

        private static object Member(object argument, string name)
        {
            object value = null;
            var given = argument as Dictionary<string, object>;
            if (given != null) given.TryGetValue(name, out value);
            return value;
        }
    }
}
