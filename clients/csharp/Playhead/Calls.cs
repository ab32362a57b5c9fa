// Functions of the game that tools can call.

using System;
using System.Collections.Generic;

namespace Playhead
{
    /// <summary>Thrown by a function that is served: the caller is to blame, whose argument makes
    /// no sense. The message says why, for a person.</summary>
    public sealed class CallRefusedException : Exception
    {
        public CallRefusedException(string message) : base(message) { }
    }

    /// <summary>What the game serves, and the calls that wait for their turn.</summary>
    internal sealed class Calls
    {
        private readonly Dictionary<string, Func<object, object>> functions =
            new Dictionary<string, Func<object, object>>();
        private readonly Queue<Dictionary<string, object>> waiting =
            new Queue<Dictionary<string, object>>();

        internal bool IsEmpty { get { return functions.Count == 0; } }
        /// <summary>Whether a call waits to be answered.</summary>
        internal bool AreWaiting { get { return waiting.Count > 0; } }

        /// <summary>The request that says what is served.</summary>
        internal Dictionary<string, object> Request
        {
            get
            {
                return new Dictionary<string, object> {
                    { "do", "serve" }, { "names", functions.Keys } };
            }
        }

        internal void Serve(string name, Func<object, object> function)
        {
            if (function != null) functions[name] = function;
            else functions.Remove(name);
        }

        /// <summary>An order says that somebody calls.</summary>
        internal void Add(Dictionary<string, object> order) { waiting.Enqueue(order); }

        /// <summary>The service is gone, and with it those who wait.</summary>
        internal void Forget() { waiting.Clear(); }

        /// <summary>Do what the oldest call asks for.</summary>
        /// <returns>What is to be answered.</returns>
        internal Dictionary<string, object> Answer()
        {
            Dictionary<string, object> order = waiting.Dequeue();
            object number = Json.Member(order, "call");
            string name = Json.Text(order, "name");
            Func<object, object> function;
            if (!functions.TryGetValue(name, out function))
                return Failure(number, "the game serves no \"" + name + "\"", true);
            try
            {
                return new Dictionary<string, object> {
                    { "do", "return" }, { "call", number },
                    { "result", function(Json.Member(order, "argument")) } };
            }
            catch (Exception error)
            {
                return Failure(number, error.Message, error is CallRefusedException);
            }
        }

        internal static Dictionary<string, object> Failure(object number, string why, bool refused)
        {
            // An empty text would be no error.
            return new Dictionary<string, object> {
                { "do", "return" }, { "call", number },
                { "error", string.IsNullOrEmpty(why) ? "it failed" : why },
                { "refused", refused } };
        }
    }
}
