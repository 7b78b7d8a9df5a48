// The connections of an HTTP server: which of them carry a request, and how they end when the server stops.
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connections {
  /** Whether a request of the connection is being answered. */
  isBusy(connection: Duplex): boolean;
  /** Takes no more connections, lets running requests end, and cuts off those that last longer than the patience. */
  close(patienceMs: number): Promise<void>;
}

/** Watches a server from before its first request on; other listeners for requests come later. */
export function watchConnections(http: Server): Connections {
  const running = new Map<Duplex, ServerResponse>();
  let isClosing = false;

  http.on('request', (request, response) => {
    const { socket } = request;
    running.set(socket, response);
    if (isClosing) response.setHeader('connection', 'close');
    response.once('close', () => {
      if (running.get(socket) === response) running.delete(socket);
      // Its headers may have promised that the connection stays.
      if (isClosing) setImmediate(() => http.closeIdleConnections());
    });
  });

  return {
    isBusy: (connection) => running.has(connection),
    close(patienceMs) {
      isClosing = true;
      // A client that keeps sending on its connection would hold up the end for as long as it likes.
      for (const response of running.values()) {
        if (!response.headersSent) response.setHeader('connection', 'close');
      }
      return new Promise((resolve) => {
        const impatience = setTimeout(() => http.closeAllConnections(), patienceMs);
        http.close(() => {
          clearTimeout(impatience);
          resolve();
        });
        http.closeIdleConnections();
      });
    },
  };
}
