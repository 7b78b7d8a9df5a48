// Everything that serving https adds to a server: its certificate, and the plain listener beside it.
import type { Server, ServerOptions } from 'node:http';
import type { App } from '../core/context.ts';
import { watchConnections } from '../http/connections.ts';
import { openCertificateManager } from './certificate-manager.ts';
import { createHttpAnswers, createPlainServer, type Handle } from './plain-server.ts';
import type { SecureServer } from './secure-server.ts';

export interface Https {
  /** The value of Strict-Transport-Security for each answer, if any. */
  hsts(): string | undefined;
  renew(): Promise<void>;
  start(isScheduleOff: boolean): Promise<void>;
  /** Takes no more plain requests and lets running ones end, for so long. */
  stop(patienceMs: number): Promise<void>;
}

export interface HttpsParts {
  /** Serves a request as https would. */
  handle: Handle;
  /** Makes a server listen on a port, at the configured address. */
  listen(server: Server, port: number): Promise<unknown>;
  options: ServerOptions;
}

/** Puts a certificate into force; `start` begins to look after it. Throws KeyFilesError for files that cannot be used. */
export async function openHttps(app: App, secure: SecureServer, parts: HttpsParts): Promise<Https> {
  const { http_port: port } = app.config.server.tls;
  const answers = createHttpAnswers();
  const keeper = await openCertificateManager(app, secure, answers);
  const plain = port === 0 ? undefined : createPlainServer(app, answers, parts.handle, parts.options);
  const connections = plain && watchConnections(plain);
  return {
    hsts: keeper.hsts,
    renew: keeper.renew,
    async start(isScheduleOff) {
      if (plain !== undefined) await parts.listen(plain, port);
      keeper.start(isScheduleOff);
    },
    async stop(patienceMs) {
      secure.dropHandshakes();
      await keeper.stop();
      if (plain?.listening) await connections?.close(patienceMs);
    },
  };
}
