// The https listener: its certificate can be replaced at runtime, and it answers TLS-ALPN-01 challenges (RFC 8737).
import type { ServerOptions } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, type SecureContext } from 'node:tls';
import type { MadeCertificate } from '../certificates/x509.ts';
import type { Identity } from './identity.ts';

export interface SecureServer {
  server: HttpsServer;
  /** Uses another certificate for new connections. Throws OpenSSL's error if it's unusable. */
  use(identity: Identity): void;
  /** Answers challenges for a name. Returns a function that stops it. */
  answerAlpn(name: string, certificate: MadeCertificate): () => void;
  /** Closes connections during their handshake, because closing the server doesn't include them. */
  dropHandshakes(): void;
}

const MINIMUM = 'TLSv1.2';
/** For the whole handshake, even if data keeps arriving. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const CHALLENGE_PROTOCOL = 'acme-tls/1';
const MAX_HELLO_BYTES = 16 * 1024 + 5;
const RECORD_HEADER_BYTES = 5;
const HANDSHAKE_RECORD = 0x16;

/** Creates a server without a certificate, which rejects every connection until `use`. */
export function createSecureServer(options: ServerOptions): SecureServer {
  const server = createServer({ ...options, minVersion: MINIMUM, handshakeTimeout: HANDSHAKE_TIMEOUT_MS });
  // The default listener passes TLS errors to the handler of unreadable requests, which would respond in plain text.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  const answers = new Map<string, SecureContext>();
  divertChallenges(server, answers);
  // Registered last, so that connections are also tracked while their first message is being read.
  const dropHandshakes = watchHandshakes(server);
  return {
    server,
    use({ chain, privateKey }) {
      const options = { cert: chain, key: privateKey, minVersion: MINIMUM } as const;
      // An invalid pair throws here, before the active one is replaced.
      createSecureContext(options);
      server.setSecureContext(options);
    },
    answerAlpn(name, { certificate, privateKey }) {
      const context = createSecureContext({ cert: certificate, key: privateKey, minVersion: MINIMUM });
      answers.set(name, context);
      return () => {
        if (answers.get(name) === context) answers.delete(name);
      };
    },
    dropHandshakes,
  };
}

/** Tracks connections during their handshake. Returns a function that closes them all. */
function watchHandshakes(server: HttpsServer): () => void {
  const handshaking = new Map<string, Socket>();
  // The TLS socket is a different object than the underlying one, but has the same addresses.
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshaking.set(name, socket);
    socket.once('close', () => {
      if (handshaking.get(name) === socket) handshaking.delete(name);
    });
  });
  server.on('secureConnection', (socket) => handshaking.delete(nameOf(socket)));
  return () => {
    for (const socket of handshaking.values()) socket.destroy();
  };
}

/**
 * Node chooses the certificate before it reads the protocols that a client offers. So only while a challenge is open, the first
 * message of each connection is inspected, and connections of authorities are passed to a server of their own.
 */
function divertChallenges(server: HttpsServer, answers: ReadonlyMap<string, SecureContext>): void {
  const challengeServer = createTlsServer(
    {
      ALPNProtocols: [CHALLENGE_PROTOCOL],
      minVersion: MINIMUM,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      SNICallback(name, done) {
        const context = answers.get(name.toLowerCase());
        if (context === undefined) done(new Error('no challenge is open for this name'));
        else done(null, context);
      },
    },
    (socket) => socket.end(),
  );
  challengeServer.on('tlsClientError', (_error, socket) => socket.destroy());
  const take = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const serve = () => {
      for (const listener of take) listener.call(server, socket);
    };
    if (answers.size === 0) serve();
    else readHello(socket, (isChallenge) => (isChallenge ? challengeServer.emit('connection', socket) : serve()));
  });
}

/** Reads the first record of a connection and puts it back. Closes connections that don't send one in time. */
function readHello(socket: Socket, done: (isChallenge: boolean) => void): void {
  let hello: Buffer = Buffer.alloc(0);
  const impatience = setTimeout(() => socket.destroy(), HANDSHAKE_TIMEOUT_MS);
  const ignoreError = () => undefined;

  function stop(): void {
    clearTimeout(impatience);
    socket.off('readable', read);
    socket.off('close', stop);
    socket.off('error', ignoreError);
  }

  function read(): void {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read()) {
      hello = Buffer.concat([hello, chunk]);
    }
    const isShort = hello.length < RECORD_HEADER_BYTES;
    const wanted = RECORD_HEADER_BYTES + (isShort ? 0 : hello.readUInt16BE(3));
    const isHopeless = hello.length >= MAX_HELLO_BYTES || (hello.length > 0 && hello[0] !== HANDSHAKE_RECORD);
    if (hello.length < wanted && !isHopeless) {
      if (socket.readableEnded) socket.destroy();
      return;
    }
    stop();
    socket.unshift(hello);
    done(hello.includes(`\x0a${CHALLENGE_PROTOCOL}`));
  }

  socket.on('error', ignoreError);
  socket.on('close', stop);
  socket.on('readable', read);
}
