using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Playhead
{
    /// <summary>As much JSON as the gateway speaks. What comes from outside raises
    /// FormatException.</summary>
    internal static class Json
    {
        private const int MaxDepth = 32;
        private const ulong Exact = (1ul << 53) - 1; // larger whole numbers are text

        /// <summary>A value as bytes; null if it is not plain, or has a number that JSON has no
        /// word for.</summary>
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
            else if (value is IDictionary)
            {
                var members = new Dictionary<string, object>();
                foreach (DictionaryEntry one in (IDictionary)value)
                    members[Convert.ToString(one.Key, CultureInfo.InvariantCulture)] = one.Value;
                return Write(to, members);
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
            else return WriteWhole(to, value);
            return true;
        }

        private static bool WriteWhole(StringBuilder to, object value)
        {
            TypeCode code = Convert.GetTypeCode(value);
            if (code < TypeCode.SByte || code > TypeCode.UInt64) return false; // nothing plain
            bool isLarge = code == TypeCode.UInt64 ? Convert.ToUInt64(value) > Exact
                : Convert.ToInt64(value) > (long)Exact;
            string whole = code == TypeCode.UInt64
                ? Convert.ToUInt64(value).ToString(CultureInfo.InvariantCulture)
                : Convert.ToInt64(value).ToString(CultureInfo.InvariantCulture);
            to.Append(isLarge ? "\"" + whole + "\"" : whole);
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

        /// <summary>A number; 0 if there is none.</summary>
        internal static double Number(Dictionary<string, object> given, string key)
        {
            object value = Member(given, key);
            if (value == null) return 0;
            if (!(value is double)) throw new FormatException(key + " is no number");
            return (double)value;
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
