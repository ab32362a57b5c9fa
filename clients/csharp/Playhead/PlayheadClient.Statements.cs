// What a game says between two frames: it is recorded in the one that comes next.

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Playhead
{
    /// <summary>An alternative that lost, and why.</summary>
    public struct Rejected
    {
        public string Condition, Reason;

        public Rejected(string condition, string reason)
        {
            Condition = condition;
            Reason = reason;
        }
    }

    public sealed partial class PlayheadClient
    {
        private const int MaxPicture = (MaxText - 4096) / 4 * 3; // it travels as base64

        /// <summary>A machine of an agent went from one state to another because `won`
        /// held.</summary>
        public void TraceState(ulong agent, string machine, string source, string target,
                               string won, IDictionary<string, object> values = null,
                               IEnumerable<Rejected> rejected = null,
                               IEnumerable<string> alsoTrue = null,
                               [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        {
            if (state != State.On) return;
            var lost = new List<object>();
            foreach (Rejected one in rejected ?? new Rejected[0])
                lost.Add(new Dictionary<string, object> {
                    { "condition", one.Condition }, { "reason", one.Reason } });
            Say(new Dictionary<string, object> {
                { "do", "trace_state" }, { "agent", agent },
                { "trace", new Dictionary<string, object> {
                    { "machine", machine }, { "source", source }, { "target", target },
                    { "won", won }, { "also_true", alsoTrue ?? new string[0] },
                    { "rejected", lost },
                    { "values", values ?? new Dictionary<string, object>() },
                    { "file", file }, { "line", (long)line } } },
            });
        }

        public void Log(string text, string level = "info", ulong about = 0,
                        [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        {
            if (state != State.On) return;
            Say(new Dictionary<string, object> {
                { "do", "log" }, { "line", new Dictionary<string, object> {
                    { "text", text }, { "level", level }, { "object", about },
                    { "file", file }, { "line", (long)line } } },
            });
        }

        /// <summary>A named number of an object, in this frame.</summary>
        public void Watch(string name, double value, ulong of = 0)
        {
            if (state != State.On) return;
            Say(new Dictionary<string, object> {
                { "do", "watch" }, { "name", name }, { "value", value }, { "object", of } });
        }

        public void Mark(string name, string note = "", ulong about = 0)
        {
            Say(new Dictionary<string, object> {
                { "do", "mark" }, { "name", name }, { "note", note }, { "object", about } });
        }

        /// <summary>What people call an object.</summary>
        public void Name(ulong id, string name)
        {
            Say(new Dictionary<string, object> {
                { "do", "name" }, { "object", id }, { "name", name } });
        }

        public void Despawn(ulong id)
        {
            Say(new Dictionary<string, object> { { "do", "despawn" }, { "object", id } });
        }

        /// <summary>A debug drawing; color is 0xRRGGBB.</summary>
        public void Line(Vector start, Vector end, int color = 0xffffff, ulong of = 0,
                         string channel = null)
        {
            if (state != State.On) return;
            Say(new Dictionary<string, object> {
                { "do", "draw" }, { "shape", "line" }, { "points", new object[] { start, end } },
                { "color", new object[] { (long)(color >> 16 & 255), (long)(color >> 8 & 255),
                                          (long)(color & 255) } },
                { "object", of }, { "channel", channel },
            });
        }

        /// <summary>The recorder assert: if it fails, the game pauses at the end of this frame and
        /// all tools look at the object. Returns the condition; without a service nothing
        /// happens.</summary>
        public bool Check(bool condition, string message, ulong about = 0, string expression = "",
                          [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        {
            if (!condition && Say(new Dictionary<string, object> {
                    { "do", "report_failed_check" }, { "message", message }, { "object", about },
                    { "expression", expression }, { "file", file }, { "line", (long)line } }))
                stopAtEnd = true;
            return condition;
        }

        // --- what comes from outside, and what happens ----------------------------------------

        /// <summary>What came from outside in this step: a key, a seed, a message.</summary>
        /// <param name="value">Plain: a number, a text, a bool, null, a list, a
        /// dictionary.</param>
        public void Input(string name, object value, ulong of = 0)
        {
            Say(new Dictionary<string, object> {
                { "do", "input" }, { "name", name }, { "value", value }, { "object", of } });
        }

        /// <summary>Something happened in the game: a door opened, somebody scored.</summary>
        /// <param name="value">Plain, as of an input.</param>
        public void Event(string name, object value = null, ulong of = 0)
        {
            Say(new Dictionary<string, object> {
                { "do", "event" }, { "name", name }, { "value", value }, { "object", of } });
        }

        /// <summary>A stretch of the run begins, such as a level; it goes on until the next one.
        /// An empty name ends it.</summary>
        public void Phase(string name, [CallerFilePath] string file = "",
                          [CallerLineNumber] int line = 0)
        {
            if (state != State.On) return;
            Say(new Dictionary<string, object> {
                { "do", "phase" }, { "name", name }, { "file", file }, { "line", (long)line } });
        }

        /// <summary>What the game's screen shows in this frame: a whole file of 760 KiB at most.
        /// A few each second are enough.</summary>
        /// <param name="format">"jpeg", "png" or "webp".</param>
        /// <returns>False: nobody records, or it was dropped.</returns>
        public bool Picture(byte[] data, int width = 0, int height = 0, string format = "jpeg",
                            string name = "screen")
        {
            if (state != State.On) return false;
            if (data.Length > MaxPicture)
            {
                StatementsDropped++;
                Fail("a picture has " + data.Length + " bytes: " + MaxPicture + " at most");
                return false;
            }
            return Say(new Dictionary<string, object> {
                { "do", "picture" }, { "data", Convert.ToBase64String(data) },
                { "format", format }, { "width", (long)width }, { "height", (long)height },
                { "name", name } });
        }

        /// <summary>What a player holds in this step, counted from 0, if a tool plays. What is
        /// pressed and let go between two steps is down in the next. It is recorded as the input
        /// "pad", of the next player "pad 1".</summary>
        /// <exception cref="ArgumentException">The client was made for fewer pads.</exception>
        public Pad Pad(int player = 0)
        {
            if (player < 0 || player >= pads.Players)
                throw new ArgumentException("pad of player " + player + ": the client was made for "
                                            + pads.Players + " pads");
            Pad pad;
            if (Live && pads.Take(player, out pad))
                Input(player == 0 ? "pad" : "pad " + player, Pads.Input(pad));
            else
                pad = pads.Given(player);
            return pad;
        }

        // --- for tools: nothing of it is recorded -----------------------------------------------

        /// <summary>Let tools call a function under a name; null ends that. It gets the argument
        /// and returns the result, both plain: dictionaries, lists, texts, doubles, bools, null.
        /// It runs at the end of a step, or while the game stands. What it throws is told to the
        /// caller; see `CallRefusedException`.</summary>
        public void Serve(string name, Func<object, object> function)
        {
            calls.Serve(name, function);
            if (state >= State.Attaching) Ask(calls.Request);
        }

        /// <summary>The newest under a name, for all tools that want to know. Plain, 256 KiB at
        /// most.</summary>
        /// <returns>False: nobody records, or it was dropped.</returns>
        public bool Publish(string name, object body)
        {
            return Say(new Dictionary<string, object> {
                { "do", "publish" }, { "name", name }, { "body", body } });
        }

        /// <summary>Any statement of the protocol, of dictionaries, lists, texts, numbers and
        /// vectors: {"do": "fact", …}.</summary>
        /// <returns>False: nobody records, or it was dropped.</returns>
        public bool Say(IDictionary<string, object> ask)
        {
            if (state != State.On) return false;
            if (Request(ask, 0, false)) return true; // 0: answered only if it fails
            StatementsDropped++;
            return false;
        }
    }
}
