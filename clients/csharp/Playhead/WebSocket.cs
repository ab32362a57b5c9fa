using System;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Text;

namespace Playhead
{
    /// <summary>A WebSocket (RFC 6455) that never blocks and starts no thread. What waits to be
    /// sent, and what is read, have a limit.</summary>
    internal sealed class WebSocket
    {
        internal const int Text = 1, Binary = 2;
        private const int Continued = 0, Closing = 8, Ping = 9, Pong = 10;
        private const int Urgent = 1 << 16;               // room beyond the queue's limit
        private const long Silence = 10000, Dead = 20000; // ms

        internal enum State { Closed, Connecting, Shaking, Open }

        private readonly Uri url;
        private readonly IPAddress host;
        private readonly int mostRead, queueLimit;
        private readonly Stopwatch clock;
        private readonly RandomNumberGenerator random = RandomNumberGenerator.Create();
        private readonly byte[] mask = new byte[4];
        private readonly Action opened;
        private readonly Action<string> lost;
        private readonly Action<int, byte[], int> received;

        private Socket socket;
        private State state;
        private string accept;
        private long pinged;
        private byte[] input = new byte[1 << 16], output = new byte[1 << 16];
        private byte[] message = new byte[1 << 12];
        private int inputSize, outputStart, outputSize, messageSize, fragments;

        /// <param name="clock">Its milliseconds are those of `Heard` and `KeepAlive`.</param>
        /// <param name="opened">The handshake is over.</param>
        /// <param name="lost">The connection is gone: why, or "" if nobody was there.</param>
        /// <param name="received">A whole message: Text or Binary, and its bytes, which hold until
        /// the next one.</param>
        internal WebSocket(Uri url, IPAddress host, int mostRead, int queueLimit, Stopwatch clock,
                           Action opened, Action<string> lost, Action<int, byte[], int> received)
        {
            this.url = url;
            this.host = host;
            this.mostRead = mostRead;
            this.queueLimit = queueLimit;
            this.clock = clock;
            this.opened = opened;
            this.lost = lost;
            this.received = received;
        }

        /// <summary>When something came last.</summary>
        internal long Heard { get; private set; }
        /// <summary>Whether somebody is there, be it in the middle of the handshake.</summary>
        internal bool IsConnected { get { return state > State.Connecting; } }

        internal void Connect()
        {
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
                    lost("");
            }
        }

        /// <summary>Send what waits and read what has come.</summary>
        internal void Update()
        {
            if (state == State.Connecting) Connected();
            if (state > State.Connecting)
            {
                Flush();
                Receive();
            }
        }

        /// <summary>Ask a peer that is silent whether it is still there.</summary>
        internal void KeepAlive(long now)
        {
            if (pinged != 0 && now - pinged > Dead) lost("the service has fallen silent");
            else if (pinged == 0 && now - Heard > Silence && Queue(Ping, input, 0, true))
                pinged = now;
        }

        /// <summary>Sleep until something comes, or so many milliseconds.</summary>
        internal void Wait(long milliseconds)
        {
            // A poll for both reading and writing is not to be had everywhere.
            if (IsConnected && outputStart == outputSize)
                socket.Poll((int)Math.Min(milliseconds, 100) * 1000, SelectMode.SelectRead);
            else
                System.Threading.Thread.Sleep((int)Math.Min(milliseconds, 10));
        }

        /// <summary>Say goodbye, for at most so many milliseconds.</summary>
        internal void Leave(int milliseconds)
        {
            Queue(Closing, new byte[] { 3, 232 }, 2, true);
            long end = clock.ElapsedMilliseconds + milliseconds;
            // Listen until the service has closed its end too: a socket that is closed with
            // something unread resets the connection, and what was under way is lost.
            while (IsConnected && clock.ElapsedMilliseconds < end)
            {
                Flush();
                if (IsConnected && socket.Poll(5000, SelectMode.SelectRead)) Receive();
            }
        }

        /// <summary>Hang up at once; what waits is lost.</summary>
        internal void Close()
        {
            if (socket != null) socket.Close();
            socket = null;
            state = State.Closed;
            inputSize = outputStart = outputSize = messageSize = fragments = 0;
            pinged = 0;
        }

        private void Connected()
        {
            bool failed = socket.Poll(0, SelectMode.SelectError);
            if (!failed && !socket.Poll(0, SelectMode.SelectWrite)) return;
            object error = socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error);
            if (failed || (int)error != 0)
            {
                lost(""); // nobody listens: no error, the game runs without
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

        /// <summary>Queue a message; false if it finds no room. What is urgent finds a little
        /// more.</summary>
        internal bool Queue(int opcode, byte[] data, int size, bool urgent)
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

        internal void Flush()
        {
            while (outputStart < outputSize)
            {
                SocketError error;
                int size = Math.Min(outputSize - outputStart, 1 << 20);
                int sent = socket.Send(output, outputStart, size, SocketFlags.None, out error);
                if (error == SocketError.WouldBlock || error == SocketError.Interrupted) return;
                if (error != SocketError.Success)
                {
                    lost("the connection broke");
                    return;
                }
                outputStart += sent;
            }
        }

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
                    lost("the service closed the connection");
                    return;
                }
                inputSize += got;
                Heard = clock.ElapsedMilliseconds;
                int taken = state == State.Shaking ? Shake() : 0;
                while (state > State.Shaking)
                {
                    int size = Next(taken);
                    if (size == 0) break;
                    taken += size;
                }
                if (state == State.Closed) return;
                Buffer.BlockCopy(input, taken, input, 0, inputSize - taken);
                inputSize -= taken;
            }
        }

        private int Shake()
        {
            string answer = Encoding.ASCII.GetString(input, 0, Math.Min(inputSize, 8192));
            int end = answer.IndexOf("\r\n\r\n", StringComparison.Ordinal);
            if (end < 0)
            {
                if (inputSize >= 8192) lost("the service's answer to the handshake has no end");
                return 0;
            }
            string[] lines = answer.Substring(0, end).Split('\n');
            if (!lines[0].StartsWith("HTTP/1.1 101 ", StringComparison.Ordinal))
            {
                lost("the service refused the connection: " + lines[0].Trim());
                return 0;
            }
            foreach (string line in lines)
            {
                int colon = line.IndexOf(':');
                if (colon < 0 || line.Substring(colon + 1).Trim() != accept) continue;
                if (line.Substring(0, colon).Equals("Sec-WebSocket-Accept",
                                                    StringComparison.OrdinalIgnoreCase))
                {
                    state = State.Open;
                    opened();
                    return end + 4;
                }
            }
            lost("what answered the handshake is no WebSocket");
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
                lost("the service broke the WebSocket protocol");
                return 0;
            }
            if (size > (ulong)mostRead)
            {
                lost("the service sent more than can be read");
                return 0;
            }
            if ((ulong)(held - at) < size) return 0;
            Received(end, opcode, from + at, (int)size);
            return at + (int)size;
        }

        private void Received(bool end, int opcode, int at, int size)
        {
            if (opcode == Ping)
            {
                var echo = new byte[size];
                Buffer.BlockCopy(input, at, echo, 0, size);
                Queue(Pong, echo, size, true);
            }
            else if (opcode == Pong)
            {
                pinged = 0;
            }
            else if (opcode == Closing)
            {
                lost("the service closed the connection");
            }
            else if (opcode > Binary || (opcode == Continued) != (fragments != 0))
            {
                lost("the service broke the WebSocket protocol");
            }
            else if (size > mostRead - messageSize)
            {
                lost("the service sent more than can be read");
            }
            else
            {
                if (messageSize + size > message.Length)
                    Array.Resize(ref message, Math.Max(2 * message.Length, messageSize + size));
                Buffer.BlockCopy(input, at, message, messageSize, size);
                messageSize += size;
                if (opcode != Continued) fragments = opcode;
                if (!end) return;
                opcode = fragments;
                size = messageSize;
                fragments = messageSize = 0;
                received(opcode, message, size);
            }
        }
    }
}
