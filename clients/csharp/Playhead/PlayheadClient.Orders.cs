// What the service says: answers, and orders to stand, to run, to play and to do what is called.

using System;
using System.Collections.Generic;
using System.Text;

namespace Playhead
{
    public sealed partial class PlayheadClient
    {
        private void Understand(int opcode, byte[] message, int size)
        {
            try
            {
                if (opcode == WebSocket.Binary)
                {
                    Dictionary<string, object> waiting = order;
                    order = null;
                    if (waiting == null) throw new FormatException("no order announced a frame");
                    Show(waiting, message, size);
                    return;
                }
                string text = Encoding.UTF8.GetString(message, 0, size);
                var said = Json.Read(text) as Dictionary<string, object>;
                if (said == null) throw new FormatException("it is no object");
                var answer = Json.Member(said, "answer") as Dictionary<string, object>;
                var ordered = Json.Member(said, "order") as Dictionary<string, object>;
                if (answer != null) Answered(answer, Json.Id(Json.Member(said, "sequence") ?? 0.0));
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
                if (!calls.IsEmpty) Ask(calls.Request);
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
                    stepsLeft = 0;
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
                    else Show(given, null, 0);
                    break;
                case "look_at":
                    Tell(new View {
                        Change = Change.LookAt, Id = Json.Id(Json.Member(given, "object")),
                        Position = Json.Vector(Json.Member(given, "position")), Visible = true });
                    break;
                case "resume":
                    RunOn(0);
                    break;
                case "advance":
                    double steps = Json.Number(given, "steps");
                    if (!(steps >= 1)) throw new FormatException("to advance by no steps");
                    RunOn((long)steps);
                    break;
                case "pad":
                    pads.Hold(given);
                    break;
                case "call":
                    calls.Add(given); // answered at the end of the step, or while it stands
                    break;
            }
        }

        private void RunOn(long steps)
        {
            bool was = mode != Mode.Live;
            mode = Mode.Live;
            stepsLeft = steps;
            touched = false;
            hidden.Clear();
            standIns.Clear();
            if (was) Call(Resumed);
            Ask(new Dictionary<string, object> { { "do", "resumed" } });
        }

        private void AnswerCalls()
        {
            while (calls.AreWaiting)
            {
                Dictionary<string, object> answer = calls.Answer();
                if (state != State.On) return; // it went meanwhile
                if (Request(answer, ++sequence, true)) continue;
                // Who called would wait for ever.
                Ask(Calls.Failure(answer["call"], "what came of it is nothing plain, or too long",
                                  false));
            }
        }

        /// <summary>`paused` follows the frame it stands at, so it waits until that has found
        /// room.</summary>
        private void Stand()
        {
            if (mode != Mode.Pausing || open) return;
            if (unsent)
            {
                if (!socket.Queue(WebSocket.Binary, frame.Data, frame.Size, false)) return;
                unsent = false;
                owed = 0;
                Frames++;
                FramesDropped--;
            }
            Ask(new Dictionary<string, object> { { "do", "paused" } });
            mode = Mode.Paused;
            touched = false;
            pads.LetGo();
            Call(Paused);
        }
    }
}
