using System;
using System.Collections.Generic;
using System.Globalization;

namespace Playhead
{
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
                    { "do", "define_type" }, { "number", (long)Number }, { "name", Name },
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
}
