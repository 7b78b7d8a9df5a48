// Everything that https adds to a server: its certificate, and the plain http listener.
import type { Server, ServerOptions } from 'node:http';
import type { App } from '../core/context.ts';
import { type Connections, UNUSED_GRACE_MS, watchConnections } from '../http/connections.ts';
import { openCertificateManager } from './certificate-manager.ts';
import { createHttpAnswers, createPlainServer, type Handle } from './plain-server.ts';
import type { SecureServer } from './secure-server.ts';

export interface Https extends NonNullable<App['https']> {
  /** The value of Strict-Transport-Security, if any. */
  hsts(): string | undefined;
  /** The plain http listener, if there is one. */
  plain: { server: Server; connections: Connections } | undefined;
  start(isScheduleOff: boolean): Promise<void>;
  /** Stops accepting plain requests and waits up to this long for running ones. */
  stop(timeoutMs: number): Promise<void>;
}

export interface HttpsParts {
  /** Handles a request like https does. */
  handle: Handle;
  /** Makes a server listen on a port at the configured address. */
  listen(server: Server, port: number): Promise<unknown>;
  options: ServerOptions;
}

/** Activates a certificate; `start` begins to manage it. Throws KeyFilesError for unusable files. */
export async function openHttps(app: App, secure: SecureServer, parts: HttpsParts): Promise<Https> {
  const { http_port: port } = app.config.server.tls;
  const answers = createHttpAnswers();
  const keeper = await openCertificateManager(app, secure, answers);
  const plain = port === 0 ? undefined : watched(createPlainServer(app, answers, parts.handle, parts.options));
  return {
    hsts: keeper.hsts,
    renew: keeper.renew,
    certificate: keeper.certificate,
    plain,
    async start(isScheduleOff) {
      if (plain !== undefined) await parts.listen(plain.server, port);
      keeper.start(isScheduleOff);
    },
    async stop(timeoutMs) {
      // After a handshake comes the first request of a connection.
      const grace = setTimeout(secure.dropHandshakes, UNUSED_GRACE_MS);
      secure.server.once('close', () => clearTimeout(grace));
      await keeper.stop();
      if (plain?.server.listening) await plain.connections.close(timeoutMs);
    },
  };
}

function watched(server: Server): NonNullable<Https['plain']> {
  return { server, connections: watchConnections(server) };
}
