using System;

namespace Playhead
{
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
}
