// Recorded frames are shown in the game, and its own state is given back.

using System;
using System.Collections.Generic;

namespace Playhead
{
    public sealed partial class PlayheadClient
    {
        /// <summary>Nobody is hidden while a packet is put into it: showing an object again gives
        /// back what was before.</summary>
        private void Show(Dictionary<string, object> given, byte[] image, int size)
        {
            foreach (object id in Json.Items(given, "unhide"))
                Turn(Change.Unhide, hidden, id, false);
            if (size > 0)
            {
                touched = true;
                Apply(image, size);
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
        /// packets as it says.</summary>
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
}
