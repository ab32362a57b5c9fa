// A game in C# (Unity, Godot's C#, MonoGame, a console) recorded by playhead, paused, scrubbed back
// and resumed. One file, C# 7, no package; sockets without threads, no allocation for a frame.
//
//     var playhead = new PlayheadClient("ws://127.0.0.1:5671/?token=TOKEN", world, "my game");
//     playhead.Declare(Guard);
//     …
//     if (playhead.Live) { Step(dt); playhead.Record(time, dt); }
//     playhead.Update();
//
// `world` is three methods of yours: record all objects, apply one packet, show a change. Nothing
// here blocks. Without a service all calls do nothing; every second one is looked for. What a slow
// service has no room for is dropped and counted. One client belongs to one thread.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;

namespace Playhead
{
    /// <summary>Your game, as playhead sees it.</summary>
    public interface IWorld
    {
        /// <summary>Add a packet for each object, in a stable order.</summary>
        void Record(Frame frame);

        /// <summary>Put a packet back into its object; an unknown id is to be ignored.</summary>
        void Apply(Packet packet);

        /// <summary>Hide or unhide an object, show or remove a stand-in, look somewhere.</summary>
        void Show(View view);
    }

    /// <summary>What is to be shown otherwise.</summary>
    public enum Change
    {
        /// <summary>Don't show this object: it did not exist then.</summary>
        Hide,
        /// <summary>Show it again, as it was before.</summary>
        Unhide,
        /// <summary>Show, or move, what stands for a recorded object that is gone.</summary>
        StandIn,
        /// <summary>Take that away.</summary>
        RemoveStandIn,
        /// <summary>Turn the camera to this object.</summary>
        LookAt,
    }

    /// <summary>One change of what is shown.</summary>
    public struct View
    {
        public Change Change;
        public ulong Id;
        /// <summary>A stand-in's: the name of its type.</summary>
        public string Type;
        /// <summary>A stand-in's place, or where to look.</summary>
        public Vector Position;
        /// <summary>A stand-in's, radians.</summary>
        public Vector Angles;
        public bool Visible;
    }

    /// <summary>Three numbers.</summary>
    public struct Vector
    {
        public float X, Y, Z;

        public Vector(float x, float y, float z)
        {
            X = x;
            Y = y;
            Z = z;
        }
    }

    /// <summary>What packets of one type hold: its fields in order, packed.</summary>
    public sealed class PacketType
    {
        internal readonly ushort Number;
        internal readonly string Name;
        internal int Size;
        internal bool HasTail;
        private readonly List<object> fields = new List<object>();
        private readonly Dictionary<string, object> units = new Dictionary<string, object>();
        private readonly Dictionary<string, object> roles = new Dictionary<string, object>();
        private readonly Dictionary<string, object> more = new Dictionary<string, object>();

        /// <param name="number">The game's own, from 32 on.</param>
        /// <param name="channels">Such as "ai".</param>
        public PacketType(ushort number, string name, params string[] channels)
        {
            if (number < 32) throw new ArgumentException("type " + number + ": begin at 32");
            Number = number;
            Name = name;
            more["channels"] = channels;
        }

        /// <summary>The next field.</summary>
        /// <param name="format">numpy's: "&lt;f4", "&lt;f8", "&lt;i4", "&lt;u8", "|u1", "|b1",
        /// "|S16", …</param>
        /// <param name="count">How many of them; 0 is a single number, 1 a list of one.</param>
        public PacketType Field(string name, string format, int count = 0, string unit = null,
                                string role = null)
        {
            Size += SizeOf(format) * Math.Max(count, 1);
            object[] shape = count == 0 ? new object[0] : new object[] { count };
            fields.Add(new object[] { name, format, shape });
            if (unit != null) units[name] = unit;
            if (role != null) roles[name] = role;
            return this;
        }

        /// <summary>What repeats behind the fields to the payload's end.</summary>
        /// <param name="format">A format, "utf8" or "msgpack".</param>
        /// <param name="space">Of joint matrices (shape 3, 4): "model" or "world".</param>
        public PacketType Tail(string name, string format, int[] shape = null, string role = null,
                               string space = null)
        {
            HasTail = true;
            more["tail"] = format;
            more["tail_name"] = name;
            more["tail_shape"] = shape ?? new int[0];
            if (role != null) roles[name] = role;
            if (space != null) more["space"] = space;
            return this;
        }

        internal Dictionary<string, object> Ask
        {
            get
            {
                return new Dictionary<string, object>(more) {
                    { "do", "type" }, { "number", (long)Number }, { "name", Name },
                    { "fields", fields }, { "units", units }, { "roles", roles },
                };
            }
        }

        private static int SizeOf(string format)
        {
            string digits = format.TrimStart('<', '|');
            int size;
            if (digits.Length < 2 || "fiubSU".IndexOf(digits[0]) < 0 || !int.TryParse(
                    digits.Substring(1), NumberStyles.None, CultureInfo.InvariantCulture, out size)
                || size < 1 || size > 65535)
                throw new ArgumentException("format \"" + format + "\" can't be recorded");
            return digits[0] == 'U' ? size * 4 : size;
        }
    }

    /// <summary>Bytes of numbers, little-endian, without allocating.</summary>
    internal static class Raw
    {
        [StructLayout(LayoutKind.Explicit)]
        private struct Four
        {
            [FieldOffset(0)] public float Number;
            [FieldOffset(0)] public uint Bits;
        }

        internal static uint Bits(float value) { return new Four { Number = value }.Bits; }
        internal static float Number(uint bits) { return new Four { Bits = bits }.Number; }

        internal static void Put(byte[] to, int at, ulong value, int size)
        {
            for (int i = 0; i < size; i++) to[at + i] = (byte)(value >> (8 * i));
        }

        internal static ulong Get(byte[] from, int at, int size)
        {
            ulong value = 0;
            for (int i = size - 1; i >= 0; i--) value = value << 8 | from[at + i];
            return value;
        }
    }

    /// <summary>The frame that is being recorded: `Add` an object, then write its fields in
    /// order.</summary>
    public sealed class Frame
    {
        internal const ulong None = ulong.MaxValue;
        internal const int Head = 96, RunHead = 24, PacketHead = 40;

        internal byte[] Data = new byte[1 << 16];
        internal int Size;
        /// <summary>Packets that had no room, or not the size of their type.</summary>
        internal long Dropped;
        internal string Complaint;
        private readonly int limit;
        private int run, last, packet, before;
        private PacketType type, runType;
        private bool overflown;

        internal Frame(int limit)
        {
            this.limit = limit;
        }

        internal void Begin(double time, double delta)
        {
            Array.Clear(Data, 0, Head);
            Raw.Put(Data, 0, 1, 8);
            foreach (int at in Nones) Raw.Put(Data, at, None, 8);
            Raw.Put(Data, 24, (ulong)BitConverter.DoubleToInt64Bits(time), 8);
            Raw.Put(Data, 32, (ulong)BitConverter.DoubleToInt64Bits(delta), 8);
            Size = Head;
            run = last = packet = 0;
            type = runType = null;
        }

        private static readonly int[] Nones = { 8, 16, 40, 48, 56 };

        /// <summary>An object: what is said of it beside its fields, which are written
        /// next.</summary>
        /// <param name="id">1 … 2⁶³−1, the object's own for as long as it lives.</param>
        /// <param name="angles">Radians.</param>
        public Frame Add(PacketType type, ulong id, Vector position,
                         Vector angles = default(Vector), bool hidden = false,
                         bool targetable = true)
        {
            Finish();
            if (id == 0 || id > long.MaxValue)
                throw new ArgumentException("id " + id + ": ids are from 1 to 2^63 - 1");
            before = Size;
            overflown = false;
            this.type = type;
            bool joins = runType == type && !type.HasTail;
            packet = Claim((joins ? 0 : RunHead) + PacketHead) + (joins ? 0 : RunHead);
            if (overflown) return this;
            Raw.Put(Data, packet, id, 8);
            Raw.Put(Data, packet + 8, type.Number, 2);
            Data[packet + 10] = (byte)(targetable ? 1 : 0);
            Data[packet + 11] = (byte)(hidden ? 2 : 0);
            PutVector(packet + 16, position);
            PutVector(packet + 28, angles);
            return this;
        }

        public Frame Write(float value) { return Bits(Raw.Bits(value), 4); }
        public Frame Write(double value) { return Write(BitConverter.DoubleToInt64Bits(value)); }
        public Frame Write(sbyte value) { return Bits((ulong)value, 1); }
        public Frame Write(byte value) { return Bits(value, 1); }
        public Frame Write(short value) { return Bits((ulong)value, 2); }
        public Frame Write(ushort value) { return Bits(value, 2); }
        public Frame Write(int value) { return Bits((ulong)value, 4); }
        public Frame Write(uint value) { return Bits(value, 4); }
        public Frame Write(long value) { return Bits((ulong)value, 8); }
        public Frame Write(ulong value) { return Bits(value, 8); }
        public Frame Write(bool value) { return Bits(value ? 1u : 0u, 1); }
        public Frame Write(Vector value) { return Write(value.X).Write(value.Y).Write(value.Z); }

        /// <summary>Bytes as they are: texts of fixed size, tails.</summary>
        public Frame Write(byte[] bytes)
        {
            int at = Claim(bytes.Length);
            if (!overflown) Buffer.BlockCopy(bytes, 0, Data, at, bytes.Length);
            return this;
        }

        private Frame Bits(ulong value, int size)
        {
            int at = Claim(size);
            if (!overflown) Raw.Put(Data, at, value, size);
            return this;
        }

        private void PutVector(int at, Vector v)
        {
            Raw.Put(Data, at, Raw.Bits(v.X), 4);
            Raw.Put(Data, at + 4, Raw.Bits(v.Y), 4);
            Raw.Put(Data, at + 8, Raw.Bits(v.Z), 4);
        }

        /// <summary>Room behind what there is, all zero.</summary>
        private int Claim(int size)
        {
            int at = Size;
            if (overflown || size > limit - Size)
            {
                overflown = true;
                return at;
            }
            if (Size + size > Data.Length)
            {
                long room = Math.Max(Data.Length * 2L, Size + (long)size);
                Array.Resize(ref Data, (int)Math.Min(limit, room));
            }
            Array.Clear(Data, Size, size);
            Size += size;
            return at;
        }

        /// <summary>The packet's fields are written: link it, or take it back.</summary>
        private void Finish()
        {
            if (packet == 0) return;
            int size = Size - packet - PacketHead, at = packet;
            packet = 0;
            bool fits = type.HasTail ? size >= type.Size : size == type.Size;
            if (fits) Claim(-(PacketHead + size) & 7);
            if (!fits || overflown)
            {
                if (!overflown)
                    Complaint = "a packet of type " + type.Name + " has " + size
                                + " bytes, its fields " + type.Size;
                Size = before;
                Data[84] |= 4;
                Dropped++;
                return;
            }
            if (runType != type || type.HasTail)
            {
                int header = at - RunHead;
                if (run != 0) Raw.Put(Data, run, (ulong)(header - run) / 8, 4);
                else Raw.Put(Data, 48, (ulong)header, 8);
                run = header;
                runType = type;
                Raw.Put(Data, run + 8, (ulong)(Size - at), 4);
                Raw.Put(Data, run + 12, (ulong)size, 4);
                Raw.Put(Data, run + 20, type.Number, 2);
            }
            Raw.Put(Data, run + 4, Raw.Get(Data, run + 4, 4) + 1, 4);
            Raw.Put(Data, 80, Raw.Get(Data, 80, 4) + 1, 4);
            if (last != 0) Raw.Put(Data, last + 12, (ulong)(at - last) / 8, 4);
            else Raw.Put(Data, 40, (ulong)at, 8);
            last = at;
        }

        internal void End()
        {
            Finish();
            Raw.Put(Data, 64, (ulong)Size, 8);
            Raw.Put(Data, 72, (ulong)Size, 8);
        }
    }

    /// <summary>A recorded packet to be put back: read its fields in order.</summary>
    public sealed class Packet
    {
        public PacketType Type { get; internal set; }
        public ulong Id { get; internal set; }
        public Vector Position { get; internal set; }
        public Vector Angles { get; internal set; }
        public bool Hidden { get; internal set; }
        internal byte[] Data;
        internal int At, End;

        /// <summary>Bytes of the payload that are not read yet.</summary>
        public int Left { get { return End - At; } }

        public float ReadFloat() { return Raw.Number((uint)Bits(4)); }
        public double ReadDouble() { return BitConverter.Int64BitsToDouble((long)Bits(8)); }
        public sbyte ReadSByte() { return (sbyte)Bits(1); }
        public byte ReadByte() { return (byte)Bits(1); }
        public short ReadShort() { return (short)Bits(2); }
        public ushort ReadUShort() { return (ushort)Bits(2); }
        public int ReadInt() { return (int)Bits(4); }
        public uint ReadUInt() { return (uint)Bits(4); }
        public long ReadLong() { return (long)Bits(8); }
        public ulong ReadULong() { return Bits(8); }
        public bool ReadBool() { return Bits(1) != 0; }
        public Vector ReadVector() { return new Vector(ReadFloat(), ReadFloat(), ReadFloat()); }

        public byte[] ReadBytes(int count)
        {
            var bytes = new byte[count];
            Buffer.BlockCopy(Data, Claim(count), bytes, 0, count);
            return bytes;
        }

        private ulong Bits(int size) { return Raw.Get(Data, Claim(size), size); }

        private int Claim(int size)
        {
            if (size > End - At)
                throw new InvalidOperationException("type " + Type.Name + " has no field there");
            At += size;
            return At - size;
        }

        internal void Open(byte[] data, int at, PacketType type, int size)
        {
            Data = data;
            Type = type;
            Id = Raw.Get(data, at, 8);
            Hidden = (data[at + 11] & 2) != 0;
            Position = VectorAt(at + 16);
            Angles = VectorAt(at + 28);
            At = at + Frame.PacketHead;
            End = At + size;
        }

        private Vector VectorAt(int at)
        {
            return new Vector(Raw.Number((uint)Raw.Get(Data, at, 4)),
                              Raw.Number((uint)Raw.Get(Data, at + 4, 4)),
                              Raw.Number((uint)Raw.Get(Data, at + 8, 4)));
        }
    }

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

    /// <summary>A game's end of the gateway.</summary>
    public sealed class PlayheadClient : IDisposable
    {
        private const int MaxText = 1 << 20; // the protocol's, for a request
        private const int Urgent = 1 << 16;  // room beyond the queue's limit: pongs, `paused`
        private const long Retry = 1000, Patience = 5000, Silence = 10000, Dead = 20000; // ms

        private enum State { Off, Connecting, Shaking, Greeting, Attaching, On }
        private enum Mode { Live, Pausing, Paused }

        private readonly IWorld world;
        private readonly Uri url;
        private readonly IPAddress host;
        private readonly bool canRestore;
        private readonly int frameLimit, queueLimit;
        private readonly Dictionary<string, object> hello, game;
        private readonly List<Dictionary<string, object>> skeletons =
            new List<Dictionary<string, object>>();
        private readonly Dictionary<ushort, PacketType> types =
            new Dictionary<ushort, PacketType>();
        private readonly Stopwatch clock = Stopwatch.StartNew();
        private readonly RandomNumberGenerator random = RandomNumberGenerator.Create();
        private readonly byte[] mask = new byte[4];
        private readonly Frame frame;
        private readonly Packet packet = new Packet();
        private readonly HashSet<ulong> hidden = new HashSet<ulong>();
        private readonly HashSet<ulong> standIns = new HashSet<ulong>();

        private Socket socket;
        private State state;
        private Mode mode;
        private long since, heard, pinged;
        private long sequence, attach;
        private string origin = "", accept;
        private byte[] input = new byte[1 << 16], output = new byte[1 << 16];
        private byte[] message = new byte[1 << 12];
        private int inputSize, outputStart, outputSize, messageSize, fragments;
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
        /// <param name="frameLimit">Bytes of the largest frame; memory grows up to it.</param>
        /// <param name="queueLimit">Bytes that may wait to be sent; the memory is twice
        /// that.</param>
        /// <exception cref="ArgumentException">The url is none.</exception>
        public PlayheadClient(string url, IWorld world, string name, string build = "",
                              string up = "z", string handedness = "right", string unit = "m",
                              string angles = "xyz", bool canRestore = true,
                              int frameLimit = 4 << 20, int queueLimit = 16 << 20)
        {
            this.world = world;
            if (!Uri.TryCreate(url, UriKind.Absolute, out this.url) || this.url.Scheme != "ws")
                throw new ArgumentException("\"" + url + "\": give ws://HOST:PORT/?token=TOKEN");
            string numeric = this.url.Host == "localhost" ? "127.0.0.1" : this.url.Host;
            // A look-up of names would block.
            if (!IPAddress.TryParse(numeric.Trim('[', ']'), out host))
                throw new ArgumentException("\"" + url + "\": give a numeric address as host");
            this.canRestore = canRestore;
            this.frameLimit = Math.Min(Math.Max(frameLimit, 4096), 64 << 20);
            this.queueLimit = Math.Max(queueLimit, this.frameLimit + MaxText);
            frame = new Frame(this.frameLimit);
            Error = "";
            since = -Retry;
            var axes = new List<object>();
            foreach (char axis in angles) axes.Add(axis.ToString());
            hello = new Dictionary<string, object> {
                { "do", "hello" }, { "name", name }, { "protocol", new object[] { 1L, 0L } },
            };
            game = new Dictionary<string, object> {
                { "do", "game" }, { "name", name }, { "can_restore", canRestore },
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
        public PacketType Declare(PacketType type)
        {
            types[type.Number] = type;
            if (state >= State.Attaching) Ask(type.Ask);
            return type;
        }

        /// <summary>A skeleton for a type with a field "skeleton" ("&lt;i4"); a root's parent is
        /// −1.</summary>
        public void Skeleton(PacketType type, int number, string name, string[] joints,
                             int[] parents)
        {
            var ask = new Dictionary<string, object> {
                { "do", "skeleton" }, { "type", (long)type.Number }, { "number", (long)number },
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
            bool sent = Queue(2, frame.Data, frame.Size, false);
            unsent = !sent;
            owed = sent ? 0 : delta;
            placed = true;
            if (sent) Frames++;
            else FramesDropped++;
            if (stopAtEnd)
            {
                stopAtEnd = false;
                mode = Mode.Pausing;
            }
            Stand();
            return sent;
        }

        // --- what the game says: recorded in the frame that comes next -------------------------

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
        /// all
        /// tools look at the object. Returns the condition; without a service nothing
        /// happens.</summary>
        public bool Check(bool condition, string message, ulong about = 0, string expression = "",
                          [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        {
            if (!condition && Say(new Dictionary<string, object> {
                    { "do", "check_failed" }, { "message", message }, { "object", about },
                    { "expression", expression }, { "file", file }, { "line", (long)line } }))
                stopAtEnd = true;
            return condition;
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
                if (state == State.Connecting) Connected();
                if (state > State.Connecting)
                {
                    Flush();
                    Receive();
                }
                if (state != State.Off && state != State.On && now - since > Patience)
                    Drop(state == State.Connecting ? "" : "the service does not answer");
                if (state == State.On)
                {
                    Stand();
                    if (pinged != 0 && now - pinged > Dead)
                        Drop("the service has fallen silent");
                    else if (pinged == 0 && now - heard > Silence && Queue(9, input, 0, true))
                        pinged = now;
                }
                if (state > State.Connecting) Flush();
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
            long end = clock.ElapsedMilliseconds + milliseconds, before = heard;
            for (Update(); heard == before; Update())
            {
                long left = end - clock.ElapsedMilliseconds;
                if (left <= 0) return;
                // A poll for both reading and writing is not to be had everywhere.
                if (state > State.Connecting && outputStart == outputSize)
                    socket.Poll((int)Math.Min(left, 100) * 1000, SelectMode.SelectRead);
                else
                    System.Threading.Thread.Sleep((int)Math.Min(left, 10));
            }
        }

        /// <summary>Send what waits, for at most so many milliseconds, and leave.</summary>
        public void Close(int milliseconds)
        {
            if (state == State.On)
            {
                Ask(new Dictionary<string, object> { { "do", "bye" } });
                Queue(8, new byte[] { 3, 232 }, 2, true);
                long end = clock.ElapsedMilliseconds + milliseconds;
                mode = Mode.Live; // who closes is not given anything back
                // Listen until the service has closed its end too: a socket that is closed with
                // something unread resets the connection, and what was under way is lost.
                while (state == State.On && clock.ElapsedMilliseconds < end)
                {
                    Flush();
                    if (state == State.On && socket.Poll(5000, SelectMode.SelectRead)) Receive();
                }
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
            try
            {
                socket = new Socket(host.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
                socket.Blocking = false;
                socket.NoDelay = true;
                state = State.Connecting;
                socket.Connect(new IPEndPoint(host, url.Port));
            }
            catch (SocketException error)
            {
                if (error.SocketErrorCode != SocketError.WouldBlock
                    && error.SocketErrorCode != SocketError.InProgress)
                    Drop("");
            }
        }

        private void Connected()
        {
            bool failed = socket.Poll(0, SelectMode.SelectError);
            if (!failed && !socket.Poll(0, SelectMode.SelectWrite)) return;
            object error = socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error);
            if (failed || (int)error != 0)
            {
                Drop(""); // nobody listens: no error, the game runs without
                return;
            }
            var bytes = new byte[16];
            random.GetBytes(bytes);
            string key = Convert.ToBase64String(bytes);
            using (SHA1 sha = SHA1.Create())
                accept = Convert.ToBase64String(sha.ComputeHash(Encoding.ASCII.GetBytes(
                    key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")));
            byte[] request = Encoding.ASCII.GetBytes(
                "GET " + url.PathAndQuery + " HTTP/1.1\r\nHost: " + url.Authority
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                + "\r\nSec-WebSocket-Key: " + key + "\r\n\r\n");
            inputSize = outputStart = outputSize = 0;
            Buffer.BlockCopy(request, 0, Room(request.Length, true), outputSize, request.Length);
            outputSize += request.Length;
            state = State.Shaking;
        }

        private void Drop(string reason)
        {
            if (socket != null) socket.Close();
            socket = null;
            state = State.Off;
            since = clock.ElapsedMilliseconds;
            inputSize = outputStart = outputSize = messageSize = fragments = 0;
            order = null;
            stopAtEnd = placed = unsent = false;
            pinged = 0;
            owed = 0;
            origin = "";
            if (reason.Length > 0) Fail(reason);
            GiveBack();
        }

        /// <summary>The service has gone in mid-playback: the game gets its own state
        /// back.</summary>
        private void GiveBack()
        {
            if (mode == Mode.Live) return;
            foreach (ulong id in hidden) Tell(new View { Change = Change.Unhide, Id = id });
            foreach (ulong id in standIns)
                Tell(new View { Change = Change.RemoveStandIn, Id = id });
            hidden.Clear();
            standIns.Clear();
            if (touched && frame.Size > 0) Apply(frame.Data, frame.Size);
            touched = false;
            bool stood = mode == Mode.Paused;
            mode = Mode.Live;
            if (stood) Call(Resumed);
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

        // --- WebSocket: sending ----------------------------------------------------------------

        /// <summary>The queue with room for so many bytes at its end, or null. It is moved to the
        /// front only when half of the memory is free, which keeps that cheaper than
        /// sending.</summary>
        private byte[] Room(int size, bool urgent)
        {
            int waiting = outputSize - outputStart, limit = queueLimit + (urgent ? Urgent : 0);
            if (size > limit - waiting) return null;
            if (outputStart == outputSize) outputStart = outputSize = 0;
            if (outputSize + size <= output.Length) return output;
            long most = 2L * queueLimit + Urgent;
            byte[] to = output;
            if (outputStart < output.Length / 2 && output.Length < most)
                to = new byte[Math.Min(most, Math.Max(2L * output.Length, waiting + (long)size))];
            Buffer.BlockCopy(output, outputStart, to, 0, waiting);
            output = to;
            outputStart = 0;
            outputSize = waiting;
            return output;
        }

        private bool Queue(int opcode, byte[] data, int size, bool urgent)
        {
            int more = size < 126 ? 0 : size < 65536 ? 2 : 8;
            byte[] to = Room(6 + more + size, urgent);
            if (to == null) return false;
            int at = outputSize;
            random.GetBytes(mask);
            to[at++] = (byte)(0x80 | opcode);
            to[at++] = (byte)(0x80 | (more == 0 ? size : more == 2 ? 126 : 127));
            for (int i = more - 1; i >= 0; i--) to[at++] = (byte)((ulong)size >> (8 * i));
            for (int i = 0; i < 4; i++) to[at++] = mask[i];
            for (int i = 0; i < size; i++) to[at + i] = (byte)(data[i] ^ mask[i & 3]);
            outputSize = at + size;
            return true;
        }

        private bool Request(IDictionary<string, object> ask, long number, bool urgent)
        {
            byte[] bytes = Json.Bytes(new Dictionary<string, object> {
                { "origin", origin }, { "sequence", number }, { "ask", ask } });
            return bytes != null && bytes.Length <= MaxText
                   && Queue(1, bytes, bytes.Length, urgent);
        }

        /// <summary>A request that can't be dropped.</summary>
        private void Ask(IDictionary<string, object> ask)
        {
            sequence++;
            if (!Request(ask, sequence, true)) Fail(ask["do"] + ": too long to be sent");
        }

        private void Flush()
        {
            while (outputStart < outputSize)
            {
                SocketError error;
                int size = Math.Min(outputSize - outputStart, 1 << 20);
                int sent = socket.Send(output, outputStart, size, SocketFlags.None, out error);
                if (error == SocketError.WouldBlock || error == SocketError.Interrupted) return;
                if (error != SocketError.Success)
                {
                    Drop("the connection broke");
                    return;
                }
                outputStart += sent;
            }
        }

        // --- WebSocket: receiving --------------------------------------------------------------

        private void Receive()
        {
            for (int chunks = 0; chunks < 32 && state > State.Connecting; chunks++)
            {
                if (inputSize == input.Length) Array.Resize(ref input, 2 * input.Length);
                SocketError error;
                int got = socket.Receive(input, inputSize, input.Length - inputSize,
                                         SocketFlags.None, out error);
                if (error == SocketError.WouldBlock || error == SocketError.Interrupted) return;
                if (error != SocketError.Success || got == 0)
                {
                    Drop("the service closed the connection");
                    return;
                }
                inputSize += got;
                heard = clock.ElapsedMilliseconds;
                int taken = state == State.Shaking ? Shake() : 0;
                while (state > State.Shaking)
                {
                    int size = Next(taken);
                    if (size == 0) break;
                    taken += size;
                }
                if (state == State.Off) return;
                Buffer.BlockCopy(input, taken, input, 0, inputSize - taken);
                inputSize -= taken;
            }
        }

        private int Shake()
        {
            string told = Encoding.ASCII.GetString(input, 0, Math.Min(inputSize, 8192));
            int end = told.IndexOf("\r\n\r\n", StringComparison.Ordinal);
            if (end < 0)
            {
                if (inputSize >= 8192) Drop("the service's answer to the handshake has no end");
                return 0;
            }
            string[] lines = told.Substring(0, end).Split('\n');
            if (!lines[0].StartsWith("HTTP/1.1 101 ", StringComparison.Ordinal))
            {
                Drop("the service refused the connection: " + lines[0].Trim());
                return 0;
            }
            foreach (string line in lines)
            {
                int colon = line.IndexOf(':');
                if (colon < 0 || line.Substring(colon + 1).Trim() != accept) continue;
                if (line.Substring(0, colon).Equals("Sec-WebSocket-Accept",
                                                    StringComparison.OrdinalIgnoreCase))
                {
                    state = State.Greeting;
                    sequence = 0;
                    Ask(hello);
                    return end + 4;
                }
            }
            Drop("what answered the handshake is no WebSocket");
            return 0;
        }

        /// <summary>Bytes of the WebSocket frame at a place, which is carried out; 0: not all is
        /// there.</summary>
        private int Next(int from)
        {
            int held = inputSize - from, at = 2;
            if (held < 2) return 0;
            int first = input[from], second = input[from + 1], opcode = first & 15;
            ulong size = (ulong)(second & 127);
            bool end = (first & 0x80) != 0;
            if (size >= 126)
            {
                int more = size == 126 ? 2 : 8;
                if (held < 2 + more) return 0;
                for (size = 0; at < 2 + more; at++) size = size << 8 | input[from + at];
            }
            if ((first & 0x70) != 0 || (second & 0x80) != 0
                || (opcode >= 8 && (size > 125 || !end)))
            {
                Drop("the service broke the WebSocket protocol");
                return 0;
            }
            if (size > (ulong)MostRead)
            {
                Drop("the service sent more than can be read");
                return 0;
            }
            if ((ulong)(held - at) < size) return 0;
            Received(end, opcode, from + at, (int)size);
            return at + (int)size;
        }

        private int MostRead { get { return 2 * frameLimit + MaxText; } }

        private void Received(bool end, int opcode, int at, int size)
        {
            if (opcode == 9)
            {
                var echo = new byte[size];
                Buffer.BlockCopy(input, at, echo, 0, size);
                Queue(10, echo, size, true);
            }
            else if (opcode == 10)
            {
                pinged = 0;
            }
            else if (opcode == 8)
            {
                Drop("the service closed the connection");
            }
            else if (opcode > 2 || (opcode == 0) != (fragments != 0))
            {
                Drop("the service broke the WebSocket protocol");
            }
            else if (size > MostRead - messageSize)
            {
                Drop("the service sent more than can be read");
            }
            else
            {
                if (messageSize + size > message.Length)
                    Array.Resize(ref message, Math.Max(2 * message.Length, messageSize + size));
                Buffer.BlockCopy(input, at, message, messageSize, size);
                messageSize += size;
                if (opcode != 0) fragments = opcode;
                if (!end) return;
                opcode = fragments;
                size = messageSize;
                fragments = messageSize = 0;
                Understand(opcode, size);
            }
        }

        // --- what the service says -------------------------------------------------------------

        private void Understand(int opcode, int size)
        {
            try
            {
                if (opcode == 2)
                {
                    Dictionary<string, object> waiting = order;
                    order = null;
                    if (waiting == null) throw new FormatException("no order announced a frame");
                    Show(waiting, size);
                    return;
                }
                string text = Encoding.UTF8.GetString(message, 0, size);
                var told = Json.Read(text) as Dictionary<string, object>;
                if (told == null) throw new FormatException("it is no object");
                var answer = Json.Member(told, "answer") as Dictionary<string, object>;
                var ordered = Json.Member(told, "order") as Dictionary<string, object>;
                if (answer != null) Answered(answer, Json.Id(Json.Member(told, "sequence") ?? 0.0));
                else if (ordered != null && state == State.On) Ordered(ordered);
            }
            catch (FormatException error)
            {
                Fail("the service said something that makes no sense: " + error.Message);
            }
        }

        private void Answered(Dictionary<string, object> answer, ulong number)
        {
            string kind = Json.Text(answer, "is");
            if (kind == "error")
            {
                string reason = Json.Text(answer, "message");
                if (state != State.On || Json.Text(answer, "kind") == "hello") Drop(reason);
                else Fail(reason);
            }
            else if (state == State.Greeting && kind == "welcome")
            {
                origin = Json.Text(answer, "origin");
                state = State.Attaching;
                Ask(game);
                attach = sequence;
                foreach (PacketType type in types.Values) Ask(type.Ask);
                foreach (Dictionary<string, object> skeleton in skeletons) Ask(skeleton);
            }
            else if (state == State.Attaching && number == (ulong)attach)
            {
                state = State.On;
                Connections++;
                Error = "";
                Call(Recording);
            }
        }

        private void Ordered(Dictionary<string, object> given)
        {
            switch (Json.Text(given, "order"))
            {
                case "pause":
                    // The game stands at its newest frame, which resuming gives back: so there
                    // has to be one.
                    if (mode == Mode.Paused)
                        Ask(new Dictionary<string, object> { { "do", "paused" } });
                    else if (open || !placed) stopAtEnd = true;
                    else mode = Mode.Pausing;
                    Stand();
                    break;
                case "show":
                    if (mode != Mode.Paused) Fail("an order to show came to a game that runs");
                    else if (true.Equals(Json.Member(given, "image"))) order = given;
                    else Show(given, 0);
                    break;
                case "look_at":
                    Tell(new View {
                        Change = Change.LookAt, Id = Json.Id(Json.Member(given, "object")),
                        Position = Json.Vector(Json.Member(given, "position")), Visible = true });
                    break;
                case "resume":
                    bool was = mode != Mode.Live;
                    mode = Mode.Live;
                    touched = false;
                    hidden.Clear();
                    standIns.Clear();
                    if (was) Call(Resumed);
                    Ask(new Dictionary<string, object> { { "do", "resumed" } });
                    break;
            }
        }

        /// <summary>`paused` follows the frame it stands at, so it waits until that has found
        /// room.</summary>
        private void Stand()
        {
            if (mode != Mode.Pausing || open) return;
            if (unsent)
            {
                if (!Queue(2, frame.Data, frame.Size, false)) return;
                unsent = false;
                owed = 0;
                Frames++;
                FramesDropped--;
            }
            Ask(new Dictionary<string, object> { { "do", "paused" } });
            mode = Mode.Paused;
            touched = false;
            Call(Paused);
        }

        /// <summary>Nobody is hidden while a packet is put into it: showing an object again gives
        /// back
        /// what was before.</summary>
        private void Show(Dictionary<string, object> given, int size)
        {
            foreach (object id in Json.Items(given, "unhide"))
                Turn(Change.Unhide, hidden, id, false);
            if (size > 0)
            {
                touched = true;
                Apply(message, size);
            }
            foreach (object id in Json.Items(given, "hide")) Turn(Change.Hide, hidden, id, true);
            foreach (object id in Json.Items(given, "remove_stand_ins"))
                Turn(Change.RemoveStandIn, standIns, id, false);
            foreach (object item in Json.Items(given, "stand_ins"))
            {
                var row = item as Dictionary<string, object>;
                if (row == null) throw new FormatException("a stand-in is no object");
                var view = new View {
                    Change = Change.StandIn, Id = Json.Id(Json.Member(row, "id")),
                    Type = Json.Text(row, "type"),
                    Position = Json.Vector(Json.Member(row, "position")),
                    Angles = Json.Vector(Json.Member(row, "angles")),
                    Visible = !false.Equals(Json.Member(row, "visible")),
                };
                standIns.Add(view.Id);
                Tell(view);
            }
            ulong number = Json.Id(Json.Member(given, "frame"));
            object time = Json.Member(given, "time");
            if (Shown != null) Call(() => Shown(number, time is double ? (double)time : 0));
        }

        private void Turn(Change change, HashSet<ulong> ids, object given, bool keep)
        {
            ulong id = Json.Id(given);
            if (keep) ids.Add(id);
            else ids.Remove(id);
            Tell(new View { Change = change, Id = id });
        }

        private void Apply(byte[] image, int size)
        {
            if (!Whole(image, size))
            {
                Fail("a frame to be shown is damaged: nothing of it was put back");
                return;
            }
            if (!canRestore) return;
            bool strange = false;
            ulong total = Raw.Get(image, 80, 4), seen = 0;
            for (int at = Frame.Head; seen < total;)
            {
                int count = (int)Raw.Get(image, at + 4, 4), stride = (int)Raw.Get(image, at + 8, 4);
                int bytes = (int)Raw.Get(image, at + 12, 4), flags = image[at + 22];
                PacketType type;
                bool fits = types.TryGetValue((ushort)Raw.Get(image, at + 20, 2), out type)
                            && (flags & 1) == 0
                            && (type.HasTail ? bytes >= type.Size : bytes == type.Size);
                strange |= !fits;
                for (int i = 0; i < count && fits; i++)
                {
                    int place = at + Frame.RunHead + i * stride;
                    if ((image[place + 11] & 1) != 0) continue; // damaged: there is only its header
                    packet.Open(image, place, type, bytes);
                    try
                    {
                        world.Apply(packet);
                    }
                    catch (Exception error)
                    {
                        Fail("Apply: " + error.Message);
                    }
                }
                seen += (ulong)count;
                at += Frame.RunHead + count * stride;
            }
            if (strange) Fail("packets of another layout than declared were not put back");
        }

        /// <summary>Whether an image is whole: one run behind the other, inside, with as many
        /// packets
        /// as it says.</summary>
        private static bool Whole(byte[] image, int size)
        {
            if (size < Frame.Head || Raw.Get(image, 64, 8) != (ulong)size) return false;
            ulong total = Raw.Get(image, 80, 4), seen = 0, at = Frame.Head;
            if (Raw.Get(image, 48, 8) != (total == 0 ? Frame.None : Frame.Head)) return false;
            while (seen < total)
            {
                if ((ulong)size - at < Frame.RunHead) return false;
                int here = (int)at;
                ulong next = Raw.Get(image, here, 4), count = Raw.Get(image, here + 4, 4);
                ulong stride = Raw.Get(image, here + 8, 4), bytes = Raw.Get(image, here + 12, 4);
                ulong whole = Frame.RunHead + count * stride;
                seen += count;
                at += whole;
                if (count == 0 || stride % 8 != 0 || stride < Frame.PacketHead + bytes
                    || at > (ulong)size || seen > total || next * 8 != (seen < total ? whole : 0))
                    return false;
            }
            return true;
        }
    }

    /// <summary>As much JSON as the gateway speaks. What comes from outside raises
    /// FormatException.</summary>
    internal static class Json
    {
        private const int MaxDepth = 32;
        private const ulong Exact = (1ul << 53) - 1; // larger whole numbers are text

        /// <summary>A value as bytes; null if it has a number that JSON has no word for.</summary>
        internal static byte[] Bytes(object value)
        {
            var text = new StringBuilder();
            return Write(text, value) ? Encoding.UTF8.GetBytes(text.ToString()) : null;
        }

        private static bool Write(StringBuilder to, object value)
        {
            if (value == null) to.Append("null");
            else if (value is string) Quote(to, (string)value);
            else if (value is bool) to.Append((bool)value ? "true" : "false");
            else if (value is Vector)
            {
                var v = (Vector)value;
                return Write(to, new object[] { v.X, v.Y, v.Z });
            }
            else if (value is float || value is double)
            {
                double number = value is float ? (double)(float)value : (double)value;
                if (double.IsNaN(number) || double.IsInfinity(number)) return false;
                to.Append(number.ToString("R", CultureInfo.InvariantCulture));
            }
            else if (value is IDictionary<string, object>)
            {
                string comma = "{";
                foreach (KeyValuePair<string, object> one in (IDictionary<string, object>)value)
                {
                    to.Append(comma);
                    Quote(to, one.Key);
                    to.Append(':');
                    if (!Write(to, one.Value)) return false;
                    comma = ",";
                }
                to.Append(comma == "{" ? "{}" : "}");
            }
            else if (value is IEnumerable)
            {
                string comma = "[";
                foreach (object one in (IEnumerable)value)
                {
                    to.Append(comma);
                    if (!Write(to, one)) return false;
                    comma = ",";
                }
                to.Append(comma == "[" ? "[]" : "]");
            }
            else
            {
                string whole = Convert.ToString(value, CultureInfo.InvariantCulture);
                to.Append(value is ulong && (ulong)value > Exact ? "\"" + whole + "\"" : whole);
            }
            return true;
        }

        private static void Quote(StringBuilder to, string text)
        {
            to.Append('"');
            foreach (char c in text)
            {
                if (c < ' ' || c == '"' || c == '\\')
                    to.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
                else to.Append(c);
            }
            to.Append('"');
        }

        internal static object Read(string text)
        {
            int at = 0;
            object value = Value(text, ref at, 0);
            Space(text, ref at);
            if (at != text.Length) throw new FormatException("something follows the JSON");
            return value;
        }

        internal static object Member(Dictionary<string, object> given, string key)
        {
            object value;
            return given.TryGetValue(key, out value) ? value : null;
        }

        internal static string Text(Dictionary<string, object> given, string key)
        {
            return Member(given, key) as string ?? "";
        }

        internal static List<object> Items(Dictionary<string, object> given, string key)
        {
            object value = Member(given, key);
            if (value == null) return new List<object>();
            var items = value as List<object>;
            if (items == null) throw new FormatException(key + " is no list");
            return items;
        }

        internal static ulong Id(object value)
        {
            ulong id;
            if (value is double && (double)value >= 0 && (double)value <= Exact)
                return (ulong)(double)value;
            if (value is string && ulong.TryParse((string)value, NumberStyles.None,
                                                  CultureInfo.InvariantCulture, out id)) return id;
            throw new FormatException("an id is none");
        }

        internal static Vector Vector(object value)
        {
            var items = value as List<object>;
            if (items == null || items.Count != 3) throw new FormatException("a vector is none");
            var v = new float[3];
            for (int i = 0; i < 3; i++)
            {
                if (!(items[i] is double)) throw new FormatException("a vector is none");
                v[i] = (float)(double)items[i];
            }
            return new Vector(v[0], v[1], v[2]);
        }

        private static void Space(string text, ref int at)
        {
            while (at < text.Length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n'
                                        || text[at] == '\r')) at++;
        }

        private static char Peek(string text, ref int at)
        {
            Space(text, ref at);
            if (at == text.Length) throw new FormatException("the JSON has no end");
            return text[at];
        }

        private static object Value(string text, ref int at, int depth)
        {
            if (depth > MaxDepth) throw new FormatException("the JSON is too deep");
            char c = Peek(text, ref at);
            if (c == '"') return Quoted(text, ref at);
            if (c == '{')
            {
                var members = new Dictionary<string, object>();
                for (at++; Peek(text, ref at) != '}' || members.Count > 0;)
                {
                    if (Peek(text, ref at) != '"') throw new FormatException("a key is no text");
                    string key = Quoted(text, ref at);
                    if (Peek(text, ref at) != ':') throw new FormatException("a key has no value");
                    at++;
                    members[key] = Value(text, ref at, depth + 1);
                    if (Peek(text, ref at) == '}') break;
                    if (text[at++] != ',') throw new FormatException("a comma is missing");
                }
                at++;
                return members;
            }
            if (c == '[')
            {
                var items = new List<object>();
                for (at++; Peek(text, ref at) != ']' || items.Count > 0;)
                {
                    items.Add(Value(text, ref at, depth + 1));
                    if (Peek(text, ref at) == ']') break;
                    if (text[at++] != ',') throw new FormatException("a comma is missing");
                }
                at++;
                return items;
            }
            int start = at;
            while (at < text.Length
                   && (char.IsLetterOrDigit(text[at]) || "+-.".IndexOf(text[at]) >= 0)) at++;
            string word = text.Substring(start, at - start);
            if (word == "true") return true;
            if (word == "false") return false;
            if (word == "null") return null;
            double number;
            if (double.TryParse(word, NumberStyles.Float, CultureInfo.InvariantCulture, out number)
                && !double.IsNaN(number) && !double.IsInfinity(number)) return number;
            throw new FormatException("the JSON has no value where there should be one");
        }

        private static string Quoted(string text, ref int at)
        {
            var value = new StringBuilder();
            for (at++; ; at++)
            {
                if (at >= text.Length) throw new FormatException("a text has no end");
                char c = text[at];
                if (c == '"') break;
                if (c != '\\')
                {
                    value.Append(c);
                    continue;
                }
                if (++at == text.Length) throw new FormatException("a text has no end");
                int code;
                c = text[at];
                if (c == 'u')
                {
                    if (text.Length - at < 5 || !int.TryParse(text.Substring(at + 1, 4),
                            NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out code))
                        throw new FormatException("a text has a broken escape");
                    value.Append((char)code);
                    at += 4;
                }
                else
                {
                    int plain = "nrtbf".IndexOf(c);
                    value.Append(plain < 0 ? c : "\n\r\t\b\f"[plain]);
                }
            }
            at++;
            return value.ToString();
        }
    }
}
