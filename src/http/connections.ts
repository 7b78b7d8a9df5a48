// The connections of an HTTP server: which ones are busy, and how they're closed when the server stops.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { SECOND } from '../lib/clock.ts';

export interface Connections {
  /** Whether a request of the connection is in progress. */
  isBusy(connection: Duplex): boolean;
  /** Returns the response to a request with an incomplete body. Unparsable data on the connection belongs to that body. */
  incompleteRequest(connection: Duplex): ServerResponse | undefined;
  /** Whether the connection has received no data: browsers open some in advance. */
  isUnused(connection: Duplex): boolean;
  /** Returns the number of connections, including TLS handshakes. */
  count(): number;
  /** Closes the connection that has been idle longest. Returns whether there was one. */
  closeOldestIdle(): boolean;
  /**
   * Stops accepting connections, waits `UNUSED_GRACE_MS` for the first request of new ones, lets running requests finish, and closes
   * the rest after `timeoutMs`.
   */
  close(timeoutMs: number): Promise<void>;
}

/**
 * How long a connection may take for its first request when the server stops. Clients send it right after connecting, and don't
 * repeat it if the connection is closed.
 */
export const UNUSED_GRACE_MS = 250;
/** How long a connection is kept for the rest of a body after its request was answered. */
const UNREAD_BODY_MS = 30 * SECOND;
/** How long a connection is kept whose client doesn't read, in addition to the time that a slow one takes for what is written. */
const UNREAD_RESPONSE_MS = 60 * SECOND;
const LEAST_BYTES_PER_SECOND = 16 * 1024;
const CHECK_MS = 10 * SECOND;

/**
 * Watches a server. Must be called before other listeners are added. A client that is still sending a body `unreadBodyMs` after
 * the response is disconnected, because nothing reads the body of a rejected request. So is a client that doesn't read a response,
 * because the connection and the bytes would be kept for as long as it likes.
 */
export function watchConnections(
  http: Server,
  {
    isSecure = false,
    unreadBodyMs = UNREAD_BODY_MS,
    unreadResponseMs = UNREAD_RESPONSE_MS,
    leastBytesPerSecond = LEAST_BYTES_PER_SECOND,
  } = {},
): Connections {
  /** The latest response of each connection, finished or not. A listener for the end of each response would slow down every request. */
  const latest = new Map<Duplex, ServerResponse>();
  /**
   * Connections without a request yet, with the number of bytes read when they became ready: browsers open connections in
   * advance, and Node's server counts them as busy.
   */
  const fresh = new Map<Socket, number>();
  let isClosing = false;
  let open = 0;
  // A client may close its side after its request, as `nc` does in health checks. Node would close the connection without the response.
  Object.assign(http, { httpAllowHalfOpen: true });

  http.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  http.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    fresh.set(socket, socket.bytesRead);
    socket.once('close', () => fresh.delete(socket));
  });
  http.on('request', (request, response) => {
    const { socket } = request;
    if (announcesBody(request)) response.once('finish', () => cutUnread(request, unreadBodyMs));
    if (!latest.has(socket)) {
      fresh.delete(socket);
      socket.once('close', () => latest.delete(socket));
    }
    latest.set(socket, response);
    if (isClosing) closeAfter(response);
  });

  /** Connections with bytes that their client hasn't read, with the number of those that it has, and since when. */
  let unread = new Map<Socket, { taken: number; since: number }>();
  // A timer for each response would slow down every request.
  const check = setInterval(cutUnreadResponses, Math.min(CHECK_MS, unreadResponseMs)).unref();
  http.once('close', () => clearInterval(check));

  function cutUnreadResponses(): void {
    const now = performance.now();
    const before = unread;
    unread = new Map();
    for (const { req } of latest.values()) {
      const { socket } = req;
      const left = socket.writableLength;
      if (left === 0) continue;
      const taken = socket.bytesWritten - left;
      const known = before.get(socket);
      const since = known?.taken === taken ? known.since : now;
      if (now - since > unreadResponseMs + (left / leastBytesPerSecond) * SECOND) socket.destroy();
      else unread.set(socket, { taken, since });
    }
  }

  const isRunning = (response: ServerResponse) => !response.writableFinished && !response.destroyed;

  /** Closes the connection after its running response. A client that keeps sending could otherwise delay the stop indefinitely. */
  function closeAfter(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader('connection', 'close');
    // Sent headers may have announced a persistent connection.
    response.once('close', () => setImmediate(() => http.closeIdleConnections()));
  }

  /** Prefers connections without any request. The newest one is skipped, because its first request is expected next. */
  function findOldestIdle(): Duplex | undefined {
    const [oldest] = fresh.size > 1 ? fresh.keys() : [];
    if (oldest !== undefined) return oldest;
    for (const [socket, response] of latest) if (!isRunning(response)) return socket;
    return undefined;
  }

  return {
    count: () => open,
    closeOldestIdle() {
      const socket = findOldestIdle();
      socket?.destroy();
      return socket !== undefined;
    },
    isBusy(connection) {
      const response = latest.get(connection);
      return response !== undefined && isRunning(response);
    },
    incompleteRequest(connection) {
      const response = latest.get(connection);
      return response !== undefined && announcesBody(response.req) && !response.req.complete ? response : undefined;
    },
    isUnused(connection) {
      for (const [socket, bytes] of fresh) if (socket === connection) return socket.bytesRead === bytes;
      return false;
    },
    close(timeoutMs) {
      isClosing = true;
      for (const response of latest.values()) if (isRunning(response)) closeAfter(response);
      return new Promise((resolve) => {
        const end = setTimeout(() => http.closeAllConnections(), timeoutMs);
        const grace = setTimeout(() => {
          for (const [socket, bytes] of fresh) if (socket.bytesRead === bytes) socket.destroy();
        }, UNUSED_GRACE_MS);
        http.close(() => {
          clearTimeout(end);
          clearTimeout(grace);
          resolve();
        });
        http.closeIdleConnections();
      });
    },
  };
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function cutUnread(request: IncomingMessage, afterMs: number): void {
  if (request.complete) return;
  const cut = setTimeout(() => request.socket.destroy(), afterMs).unref();
  request.once('close', () => clearTimeout(cut));
  request.once('end', () => clearTimeout(cut));
}
