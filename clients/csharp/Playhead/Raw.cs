using System.Runtime.InteropServices;

namespace Playhead
{
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
}
