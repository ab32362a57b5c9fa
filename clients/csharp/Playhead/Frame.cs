// A frame's bytes, as they go over the wire: see docs/ring.md, "A frame by itself".

using System;

namespace Playhead
{
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
}
