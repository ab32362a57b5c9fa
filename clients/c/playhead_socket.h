/* playhead_socket.h: a TCP socket that never blocks, on POSIX and on Windows. Part of
 * playhead.h. */
#ifndef PLAYHEAD_SOCKET_H
#define PLAYHEAD_SOCKET_H

#include "playhead_internal.h"

#ifdef _WIN32
static bool ph__again(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
static bool ph__underway(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
static void ph__shut(ph__socket s) { closesocket(s); }
#else
static bool ph__again(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }
static bool ph__underway(void) { return errno == EINPROGRESS || errno == EINTR; }
static void ph__shut(ph__socket s) { close(s); }
#endif

/* Sleep until there is something to read, or to write if that is asked for. */
static bool ph__poll(ph__socket s, bool read, bool write, int milliseconds)
{
#ifdef _WIN32
    fd_set in, out, failed; /* a refused connection is told as failed */
    struct timeval limit;
    limit.tv_sec = milliseconds / 1000;
    limit.tv_usec = (milliseconds % 1000) * 1000;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_ZERO(&failed);
    if (read) FD_SET(s, &in);
    if (write) FD_SET(s, &out);
    FD_SET(s, &failed);
    return select(0, &in, &out, &failed, &limit) > 0;
#else
    struct pollfd one;
    one.fd = s;
    one.events = (short)((read ? POLLIN : 0) | (write ? POLLOUT : 0));
    one.revents = 0;
    return poll(&one, 1, milliseconds) > 0;
#endif
}

static bool ph__prepare(ph__socket s)
{
    int on = 1;
#ifdef _WIN32
    u_long without_blocking = 1;
    if (ioctlsocket(s, (long)FIONBIO, &without_blocking)) return false;
#else
    int flags = fcntl(s, F_GETFL, 0);
    if (flags < 0 || fcntl(s, F_SETFL, flags | O_NONBLOCK) < 0) return false;
    fcntl(s, F_SETFD, FD_CLOEXEC);
#endif
#ifdef SO_NOSIGPIPE
    setsockopt(s, SOL_SOCKET, SO_NOSIGPIPE, (const char *)&on, sizeof on);
#endif
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof on);
    return true;
}

static void ph__connect(playhead *ph)
{
    struct addrinfo wanted, *found = NULL;
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV; /* a look-up of names would block */
    ph->since = ph__now();
    if (getaddrinfo(ph->host, ph->port, &wanted, &found) || !found) {
        ph__fail(ph, "the url's host is no numeric address");
        return;
    }
    ph->socket = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (ph->socket != PH__NO_SOCKET) {
        if (ph__prepare(ph->socket)
            && (connect(ph->socket, found->ai_addr,
#ifdef _WIN32
                        (int)found->ai_addrlen
#else
                        found->ai_addrlen
#endif
                        ) == 0
                || ph__underway())) {
            ph->state = PH__CONNECTING;
        } else {
            ph__shut(ph->socket);
            ph->socket = PH__NO_SOCKET;
        }
    }
    freeaddrinfo(found);
}

#endif /* PLAYHEAD_SOCKET_H */
