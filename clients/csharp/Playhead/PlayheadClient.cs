// A game in C# (Unity, Godot's C#, MonoGame, a console) recorded by playhead, paused, scrubbed back
// and resumed. C# 7, no package; sockets without threads, no allocation for a frame. All that a
// game needs is in this folder.
//
//     var playhead = new PlayheadClient("ws://127.0.0.1:5671/?token=TOKEN", world, "my game");
//     playhead.DefineType(Guard);
//     …
//     if (playhead.Live) { Step(dt); playhead.Record(time, dt); }
//     playhead.Update();
//
// `world` is three methods of yours: record all objects, apply one packet, show a change. Nothing
// here blocks. Without a service all calls do nothing; every second one is looked for. What a slow
// service has no room for is dropped and counted. One client belongs to one thread.

using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Net;

namespace Playhead
{
    /// <summary>A game's end of the gateway.</summary>
    public sealed partial class PlayheadClient : IDisposable
    {
        private const int MaxText = 1 << 20; // the protocol's, for a request
        private const long Retry = 1000, Patience = 5000; // ms

        private enum State { Off, Connecting, Greeting, Attaching, On }
        private enum Mode { Live, Pausing, Paused }

        private readonly IWorld world;
        private readonly bool canRestore;
        private readonly Dictionary<string, object> hello, game;
        private readonly List<Dictionary<string, object>> skeletons =
            new List<Dictionary<string, object>>();
        private readonly Dictionary<ushort, PacketType> types =
            new Dictionary<ushort, PacketType>();
        private readonly Stopwatch clock = Stopwatch.StartNew();
        private readonly WebSocket socket;
        private readonly Frame frame;
        private readonly Packet packet = new Packet();
        private readonly HashSet<ulong> hidden = new HashSet<ulong>();
        private readonly HashSet<ulong> standIns = new HashSet<ulong>();
        private readonly Pads pads;
        private readonly Calls calls = new Calls();

        private State state;
        private Mode mode;
        private long since;
        private long sequence, attach;
        private long stepsLeft; // of an `advance`; 0 while there is none
        private string origin = "";
        private Dictionary<string, object> order; // a `show` that waits for its image
        private bool stopAtEnd, placed, open, unsent, touched, busy;
        private double owed; // deltas of frames that were dropped

        /// <summary>The service listens: say what stays true (names). Comes again after each
        /// reconnection.</summary>
        public event Action Recording;
        /// <summary>The game stands still from now on: ignore the player's input.</summary>
        public event Action Paused;
        /// <summary>All changes of a frame (its number, its time) are done.</summary>
        public event Action<ulong, double> Shown;
        /// <summary>Everything is as before the pause: run on. Also when the service is
        /// gone.</summary>
        public event Action Resumed;
        /// <summary>Something was refused or has failed; the game goes on.</summary>
        public event Action<string> Failed;

        public long Frames { get; private set; }
        /// <summary>Frames that a slow service had no room for.</summary>
        public long FramesDropped { get; private set; }
        public long StatementsDropped { get; private set; }
        public long PacketsDropped { get { return frame.Dropped; } }
        public long Connections { get; private set; }
        /// <summary>What went wrong most recently, or "".</summary>
        public string Error { get; private set; }
        /// <summary>Whether the game is to run: false while it stands still for playback.</summary>
        public bool Live { get { return mode == Mode.Live; } }
        /// <summary>Whether frames are recorded now; the calls may be made in any case.</summary>
        public bool IsRecording { get { return state == State.On && Live; } }

        /// <param name="url">ws://HOST:PORT/?token=TOKEN; HOST is a numeric address or
        /// localhost.</param>
        /// <param name="up">The axis that points up; Unity's is "y".</param>
        /// <param name="handedness">"right"; Unity's is "left".</param>
        /// <param name="angles">The axes that angles turn about, in order; Unity's are
        /// "zxy".</param>
        /// <param name="canRestore">Whether Apply puts packets back into their objects.</param>
        /// <param name="canAdvance">Whether tools may run the paused game by steps. It has to ask
        /// `Live` before each step, not once for several.</param>
        /// <param name="pads">How many players' pads the game takes, with `Pad`.</param>
        /// <param name="frameLimit">Bytes of the largest frame; memory grows up to it.</param>
        /// <param name="queueLimit">Bytes that may wait to be sent; the memory is twice
        /// that.</param>
        /// <exception cref="ArgumentException">The url is none.</exception>
        public PlayheadClient(string url, IWorld world, string name, string build = "",
                              string up = "z", string handedness = "right", string unit = "m",
                              string angles = "xyz", bool canRestore = true,
                              bool canAdvance = true, int pads = 0, int frameLimit = 4 << 20,
                              int queueLimit = 16 << 20)
        {
            this.world = world;
            this.canRestore = canRestore;
            if (pads < 0 || pads > 16)
                throw new ArgumentException("pads " + pads + ": those of 0 to 16 players");
            this.pads = new Pads(pads);
            Uri where;
            if (!Uri.TryCreate(url, UriKind.Absolute, out where) || where.Scheme != "ws")
                throw new ArgumentException("\"" + url + "\": give ws://HOST:PORT/?token=TOKEN");
            string numeric = where.Host == "localhost" ? "127.0.0.1" : where.Host;
            IPAddress host;
            // A look-up of names would block.
            if (!IPAddress.TryParse(numeric.Trim('[', ']'), out host))
                throw new ArgumentException("\"" + url + "\": give a numeric address as host");
            frameLimit = Math.Min(Math.Max(frameLimit, 4096), 64 << 20);
            socket = new WebSocket(where, host, 2 * frameLimit + MaxText,
                                   Math.Max(queueLimit, frameLimit + MaxText), clock,
                                   Greet, Drop, Understand);
            frame = new Frame(frameLimit);
            Error = "";
            since = -Retry;
            var axes = new List<object>();
            foreach (char axis in angles) axes.Add(axis.ToString());
            hello = new Dictionary<string, object> {
                { "do", "hello" }, { "name", name }, { "protocol", new object[] { 2L, 0L } },
            };
            game = new Dictionary<string, object> {
                { "do", "register_game" }, { "name", name }, { "can_restore", canRestore },
                { "can_advance", canAdvance }, { "pads", (long)pads },
                { "conventions", new Dictionary<string, object> {
                    { "up", up }, { "handedness", handedness }, { "unit", unit },
                    { "angles", axes } } },
                { "about", new Dictionary<string, object> {
                    { "client", "C#" }, { "build", build } } },
            };
        }

        // --- what the game declares --------------------------------------------------------------

        /// <summary>Say what packets of a type hold, before the first frame that has
        /// some.</summary>
        public PacketType DefineType(PacketType type)
        {
            types[type.Number] = type;
            if (state >= State.Attaching) Ask(type.Ask);
            return type;
        }

        /// <summary>A skeleton for a type with a field "skeleton" ("&lt;i4"); a root's parent is
        /// −1.</summary>
        public void DefineSkeleton(PacketType type, int number, string name, string[] joints,
                             int[] parents)
        {
            var ask = new Dictionary<string, object> {
                { "do", "define_skeleton" }, { "type", (long)type.Number },
                { "number", (long)number },
                { "name", name }, { "joints", joints }, { "parents", parents },
            };
            skeletons.Add(ask);
            if (state >= State.Attaching) Ask(ask);
        }

        // --- frames ------------------------------------------------------------------------------

        /// <summary>Record a frame, after a step of the game, whose own clock says
        /// `time`.</summary>
        /// <returns>False: nobody records, or it was dropped.</returns>
        public bool Record(double time, double delta)
        {
            if (!IsRecording) return false;
            if (double.IsNaN(time) || double.IsInfinity(time) || double.IsInfinity(delta)
                || !(delta >= 0))
                throw new ArgumentException("a frame at " + time + " after " + delta
                                            + ": give seconds");
            pads.EndStep();
            AnswerCalls(); // what they do is in this frame
            delta += owed; // since the newest frame that was sent
            unsent = false;
            open = true;
            frame.Begin(time, delta);
            try
            {
                world.Record(frame);
            }
            catch (Exception error)
            {
                Fail("Record: " + error.Message); // what was added so far is recorded
            }
            frame.End();
            open = false;
            if (frame.Complaint != null) Fail(frame.Complaint);
            frame.Complaint = null;
            if (state != State.On) return false; // lost in mid-frame
            bool sent = socket.Queue(WebSocket.Binary, frame.Data, frame.Size, false);
            unsent = !sent;
            owed = sent ? 0 : delta;
            placed = true;
            if (sent) Frames++;
            else FramesDropped++;
            if (stepsLeft > 0 && --stepsLeft == 0) stopAtEnd = true;
            if (stopAtEnd)
            {
                stopAtEnd = false;
                stepsLeft = 0;
                mode = Mode.Pausing;
            }
            Stand();
            return sent;
        }

        // --- the connection ----------------------------------------------------------------------

        /// <summary>Send, receive and carry out orders. Call it often, also while the game stands
        /// still, and right after `Record`, before anything changes.</summary>
        public void Update()
        {
            if (busy) return;
            busy = true;
            try
            {
                long now = clock.ElapsedMilliseconds;
                if (state == State.Off && now - since >= Retry) Connect();
                socket.Update();
                if (state != State.Off && state != State.On && now - since > Patience)
                    Drop(socket.IsConnected ? "the service does not answer" : "");
                if (state == State.On)
                {
                    Stand();
                    if (mode == Mode.Paused) AnswerCalls();
                    socket.KeepAlive(now);
                }
                socket.Flush();
            }
            finally
            {
                busy = false;
            }
        }

        /// <summary>The same, and sleep until the service says something, or so many
        /// milliseconds.</summary>
        public void Wait(int milliseconds)
        {
            long end = clock.ElapsedMilliseconds + milliseconds, before = socket.Heard;
            for (Update(); socket.Heard == before; Update())
            {
                long left = end - clock.ElapsedMilliseconds;
                if (left <= 0) return;
                socket.Wait(left);
            }
        }

        /// <summary>Send what waits, for at most so many milliseconds, and leave.</summary>
        public void Close(int milliseconds)
        {
            if (state == State.On)
            {
                Ask(new Dictionary<string, object> { { "do", "bye" } });
                mode = Mode.Live; // who closes is not given anything back
                socket.Leave(milliseconds);
            }
            mode = Mode.Live;
            Drop("");
            since = long.MaxValue / 2; // and look for no other
        }

        public void Dispose()
        {
            Close(0);
        }

        private void Connect()
        {
            since = clock.ElapsedMilliseconds;
            state = State.Connecting;
            socket.Connect();
        }

        private void Greet()
        {
            state = State.Greeting;
            sequence = 0;
            Ask(hello);
        }

        private void Drop(string reason)
        {
            socket.Close();
            state = State.Off;
            since = clock.ElapsedMilliseconds;
            order = null;
            stopAtEnd = placed = unsent = false;
            stepsLeft = 0;
            owed = 0;
            pads.Forget();
            calls.Forget();
            origin = "";
            if (reason.Length > 0) Fail(reason);
            GiveBack();
        }

        private bool Request(IDictionary<string, object> ask, long number, bool urgent)
        {
            byte[] bytes = Json.Bytes(new Dictionary<string, object> {
                { "origin", origin }, { "sequence", number }, { "ask", ask } });
            return bytes != null && bytes.Length <= MaxText
                   && socket.Queue(WebSocket.Text, bytes, bytes.Length, urgent);
        }

        /// <summary>A request that can't be dropped.</summary>
        private void Ask(IDictionary<string, object> ask)
        {
            sequence++;
            if (!Request(ask, sequence, true)) Fail(ask["do"] + ": too long to be sent");
        }

        private void Fail(string reason)
        {
            Error = reason;
            if (Failed == null) return;
            try
            {
                Failed(reason);
            }
            catch (Exception)
            {
                // Who is told of errors has none to tell.
            }
        }

        private void Call(Action action)
        {
            try
            {
                if (action != null) action();
            }
            catch (Exception error)
            {
                Fail(error.Message);
            }
        }

        private void Tell(View view)
        {
            try
            {
                world.Show(view);
            }
            catch (Exception error)
            {
                Fail("Show: " + error.Message);
            }
        }
    }
}
