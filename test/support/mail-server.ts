// A real SMTP server for tests: it takes, refuses, stalls and encrypts as it is told.
import { createServer, type Server, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createIdentity } from '../inspection/build-signature.ts';

interface ReceivedMail {
  from: string;
  to: string[];
  source: string;
  isEncrypted: boolean;
  user: string | undefined;
}

export interface MailServer {
  port: number;
  received: ReceivedMail[];
  /** Set to refuse from then on: at the recipient or after the message. */
  refusal: { at: 'sender' | 'recipient' | 'data'; code: number } | undefined;
  /** Messages are taken, and answered this much later, in milliseconds. */
  delayMs: number;
  /** Set to answer a message only when this ends. */
  hold: ((source: string) => Promise<void>) | undefined;
  stop(): Promise<void>;
}

/** A key and a self-signed certificate for `localhost`, in PEM. */
export function localhostCertificate(): { key: string; cert: string } {
  const { key, certificate } = createIdentity('localhost');
  const body = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
  };
}

function refused(code: number): Error {
  return Object.assign(new Error(`refused with ${code}`), { responseCode: code });
}

/** Starts a server on a free port of localhost; without an account anybody may send. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  account?: { user: string; password: string },
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    logger: false,
    allowInsecureAuth: true,
    authOptional: account === undefined,
    disableReverseLookup: true,
    onAuth({ username, password }, _session, done) {
      const isRight = account !== undefined && username === account.user && password === account.password;
      if (isRight) done(null, { user: username });
      else done(refused(535));
    },
    onMailFrom(_address, _session, done) {
      done(state.refusal?.at === 'sender' ? refused(state.refusal.code) : null);
    },
    onRcptTo(_address, _session, done) {
      done(state.refusal?.at === 'recipient' ? refused(state.refusal.code) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (state.refusal?.at === 'data') {
          done(refused(state.refusal.code));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        const source = Buffer.concat(chunks).toString('utf8');
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map((recipient) => recipient.address),
          source,
          isEncrypted: session.secure === true,
          user: typeof session.user === 'string' ? session.user : undefined,
        });
        const answer = () => setTimeout(() => done(null), state.delayMs);
        if (state.hold === undefined) answer();
        else void state.hold(source).then(answer);
      });
    },
    ...options,
  });
  server.on('error', () => {
    // Clients that give up are part of the tests.
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.server.address();
  const state: MailServer = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    received,
    refusal: undefined,
    delayMs: 0,
    hold: undefined,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return state;
}

interface HostileServer {
  port: number;
  /** The number of connections so far. */
  connections(): number;
  /** The number of connections that are open. */
  open(): number;
  stop(): void;
}

/** A server that takes connections and never says a word. */
export function startSilentServer(): Promise<HostileServer> {
  return startHostileServer(() => undefined);
}

/** A server that greets, and whose response to the first command never ends: it sends a line every 20 ms. */
export function startEndlessServer(): Promise<HostileServer> {
  return startHostileServer((socket) => {
    socket.write('220 localhost\r\n');
    socket.once('data', () => {
      const lines = setInterval(() => socket.write('250-X\r\n'), 20);
      socket.once('close', () => clearInterval(lines));
    });
  });
}

async function startHostileServer(welcome: (socket: Socket) => void): Promise<HostileServer> {
  const server: Server = createServer((socket) => socket.on('error', () => socket.destroy()));
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    welcome(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    connections: () => sockets.size,
    open: () => [...sockets].filter(({ destroyed }) => !destroyed).length,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
