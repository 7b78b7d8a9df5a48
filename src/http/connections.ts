// The connections of an HTTP server: which of them carry a request, and how they end when the server stops.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { SECOND } from '../lib/clock.ts';

export interface Connections {
  /** Whether a request of the connection is being answered. */
  isBusy(connection: Duplex): boolean;
  /** The answer to a request whose body isn't complete: what can't be parsed on its connection belongs to that body. */
  incompleteRequest(connection: Duplex): ServerResponse | undefined;
  /** Whether nothing has come over the connection: browsers open some ahead of what they will ask. */
  isUnused(connection: Duplex): boolean;
  /** How many connections there are, TLS handshakes included. */
  count(): number;
  /** Closes the connection that has been idle the longest, to make room for others. Returns whether there was one. */
  closeOldestIdle(): boolean;
  /** Takes no more connections, lets running requests end, and cuts off those that last longer than the patience. */
  close(patienceMs: number): Promise<void>;
}

/** How long a connection is kept for the rest of a body whose request was answered already. */
const UNREAD_BODY_MS = 30 * SECOND;

/**
 * Watches a server from before its first request on; other listeners for requests come later. A client that goes on sending a
 * body for `unreadBodyMs` after its answer is cut off: it may have been refused, and nobody reads what it sends.
 */
export function watchConnections(http: Server, { unreadBodyMs = UNREAD_BODY_MS } = {}): Connections {
  /** The latest answer of each connection, finished or not: a listener for the end of each would be paid by every request. */
  const latest = new Map<Duplex, ServerResponse>();
  /**
   * Connections without a request yet, and what had been read from each when it was ready for one: browsers open them on
   * suspicion, and the server takes them for busy ones.
   */
  const fresh = new Map<Socket, number>();
  let isClosing = false;
  let open = 0;

  http.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  http.on(http instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
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

  const isRunning = (response: ServerResponse) => !response.writableFinished && !response.destroyed;

  /** Ends the connection of a running answer with it. A client that keeps sending would hold up the end for as long as it likes. */
  function closeAfter(response: ServerResponse): void {
    if (!response.headersSent) response.setHeader('connection', 'close');
    // Its headers may have promised that the connection stays.
    response.once('close', () => setImmediate(() => http.closeIdleConnections()));
  }

  /** Those that never asked for anything first; the newest is on its way to its first request. */
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
    close(patienceMs) {
      isClosing = true;
      for (const response of latest.values()) if (isRunning(response)) closeAfter(response);
      return new Promise((resolve) => {
        const impatience = setTimeout(() => http.closeAllConnections(), patienceMs);
        http.close(() => {
          clearTimeout(impatience);
          resolve();
        });
        http.closeIdleConnections();
        for (const [socket, bytes] of fresh) if (socket.bytesRead === bytes) socket.destroy();
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
