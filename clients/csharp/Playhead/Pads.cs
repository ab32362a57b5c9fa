// Gamepads that tools and agents hold, and what a game takes of them.

using System;
using System.Collections.Generic;

namespace Playhead
{
    /// <summary>The buttons of a pad, by the names on an Xbox pad.</summary>
    [Flags]
    public enum Button
    {
        None = 0,
        A = 1,
        B = 2,
        X = 4,
        Y = 8,
        LB = 16,
        RB = 32,
        Start = 64,
        Back = 128,
        Up = 256,
        Left = 512,
        Down = 1024,
        Right = 2048,
        LeftStick = 4096,
        RightStick = 8192,
    }

    /// <summary>What a player holds in one step. Sticks are −1 … 1 with right and up positive,
    /// triggers 0 … 1.</summary>
    public struct Pad
    {
        public double LeftX, LeftY, RightX, RightY, LeftTrigger, RightTrigger;
        /// <summary>Those that are down.</summary>
        public Button Buttons;
        /// <summary>Who holds it: a tool's name. Null: nobody ever has, so let the keyboard
        /// play.</summary>
        public string Holder;
        /// <summary>The holder's own count of its pads.</summary>
        public long Sequence;
        /// <summary>Timeline seconds of the instant that it was decided on, if that was
        /// said.</summary>
        public double? Time;

        /// <summary>Whether this button is down.</summary>
        public bool Holds(Button button) { return (Buttons & button) != 0; }
    }

    /// <summary>The newest pad of each player, and what was pressed since the game
    /// looked.</summary>
    internal sealed class Pads
    {
        private const double Pulled = 0.5; // a trigger beyond counts as pressed

        private static readonly string[] Names = {
            "A", "B", "X", "Y", "LB", "RB", "START", "BACK", "UP", "LEFT", "DOWN", "RIGHT", "LS",
            "RS",
        };

        private struct Slot
        {
            internal Pad Newest, Given;
            internal Button Pressed; // also what has been let go again since
            internal double LeftPulled, RightPulled;
            internal bool IsTaken; // in this step
        }

        private readonly Slot[] slots;

        internal Pads(int players) { slots = new Slot[players]; }

        internal int Players { get { return slots.Length; } }

        /// <summary>An order says what a player holds.</summary>
        internal void Hold(Dictionary<string, object> order)
        {
            double player = Json.Number(order, "player");
            if (!(player >= 0 && player < slots.Length))
                throw new FormatException("there is no player " + player + " whose pad is taken");
            var pad = new Pad {
                LeftTrigger = Json.Number(order, "left_trigger"),
                RightTrigger = Json.Number(order, "right_trigger"),
                Buttons = (Button)(int)Json.Number(order, "buttons"),
                Holder = Json.Text(order, "holder"),
                Sequence = (long)Json.Number(order, "sequence"),
                Time = Json.Member(order, "time") as double?,
            };
            Stick(order, "left", out pad.LeftX, out pad.LeftY);
            Stick(order, "right", out pad.RightX, out pad.RightY);
            int at = (int)player;
            Pad before = slots[at].Newest;
            slots[at].Pressed |= pad.Buttons & ~before.Buttons;
            if (before.LeftTrigger <= Pulled && pad.LeftTrigger > Pulled)
                slots[at].LeftPulled = Math.Max(slots[at].LeftPulled, pad.LeftTrigger);
            if (before.RightTrigger <= Pulled && pad.RightTrigger > Pulled)
                slots[at].RightPulled = Math.Max(slots[at].RightPulled, pad.RightTrigger);
            slots[at].Newest = pad;
        }

        private static void Stick(Dictionary<string, object> order, string key, out double x,
                                  out double y)
        {
            x = y = 0;
            List<object> axes = Json.Items(order, key);
            if (axes.Count == 0) return;
            if (axes.Count != 2 || !(axes[0] is double) || !(axes[1] is double))
                throw new FormatException("a pad's " + key + " stick has no two numbers");
            x = (double)axes[0];
            y = (double)axes[1];
        }

        /// <summary>The pad that a player plays this step with.</summary>
        /// <returns>Whether the game takes it now: it has not in this step, and somebody holds
        /// it or has.</returns>
        internal bool Take(int player, out Pad pad)
        {
            Slot slot = slots[player];
            pad = slot.Given;
            if (slot.IsTaken) return false; // within a step it does not change
            pad = slot.Newest;
            pad.Buttons |= slot.Pressed;
            if (pad.LeftTrigger <= Pulled && slot.LeftPulled > 0) pad.LeftTrigger = slot.LeftPulled;
            if (pad.RightTrigger <= Pulled && slot.RightPulled > 0)
                pad.RightTrigger = slot.RightPulled;
            slots[player] = new Slot { Newest = slot.Newest, Given = pad, IsTaken = true };
            return pad.Holder != null;
        }

        /// <summary>What has been taken in this step; nothing if nothing was.</summary>
        internal Pad Given(int player) { return slots[player].Given; }

        /// <summary>The next step may have other pads.</summary>
        internal void EndStep()
        {
            for (int i = 0; i < slots.Length; i++)
            {
                slots[i].IsTaken = false;
                slots[i].Given = new Pad { Holder = slots[i].Newest.Holder };
            }
        }

        /// <summary>Playback begins: nobody holds anything.</summary>
        internal void LetGo()
        {
            for (int i = 0; i < slots.Length; i++)
                slots[i] = new Slot { Newest = new Pad { Holder = slots[i].Newest.Holder } };
        }

        /// <summary>The service is gone: nobody has ever held one.</summary>
        internal void Forget() { Array.Clear(slots, 0, slots.Length); }

        /// <summary>A pad as an input to be recorded: what is at rest is left out.</summary>
        internal static Dictionary<string, object> Input(Pad pad)
        {
            var values = new Dictionary<string, object>();
            Action<string, double> add = (name, value) => { if (value != 0) values[name] = value; };
            add("left x", pad.LeftX);
            add("left y", pad.LeftY);
            add("right x", pad.RightX);
            add("right y", pad.RightY);
            add("left trigger", pad.LeftTrigger);
            add("right trigger", pad.RightTrigger);
            for (int bit = 0; bit < Names.Length; bit++)
                if (pad.Holds((Button)(1 << bit))) values[Names[bit]] = true;
            return values;
        }
    }
}
