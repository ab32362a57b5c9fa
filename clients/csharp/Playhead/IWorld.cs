// What a game gives: three methods, and what they are told.

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
}
