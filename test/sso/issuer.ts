// An OpenID Connect provider under the control of a test: it issues correct tokens, and every incorrect one that a test asks for.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { vi } from 'vitest';
import { oidcProvidersOf } from '../../src/oidc/providers.ts';
import type { Fixture } from '../../src/testing/fixture.ts';

export interface IssuerKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

export interface Signing {
  key?: IssuerKey | Uint8Array;
  header?: Record<string, unknown>;
}

type Handler = (response: ServerResponse, request: IncomingMessage, body: string) => void;

export interface Issuer {
  /** The issuer as tokens contain it. */
  name: string;
  base: string;
  clientSecret: string;
  /** The keys that are published; the first one signs. */
  keys: IssuerKey[];
  /** Changes of the discovery document; undefined removes a field. */
  document: Record<string, unknown>;
  /** Replaces the response of a path. */
  overrides: Map<string, Handler>;
  /** The requested paths, in order. */
  requests: { path: string; headers: IncomingMessage['headers']; body: string }[];
  userinfo: Record<string, unknown>;
  sign(claims: JWTPayload, signing?: Signing): Promise<string>;
  /** Issues a code for an authorization URL. */
  issueCode(location: string, idToken: string): string;
  reset(): void;
  stop(): Promise<void>;
}

/** Making a pair of keys takes a tenth of a second, so every ninth key of an algorithm has the first pair again. */
const PAIRS = 8;
const pools = new Map<string, { pairs: ReturnType<typeof generateKeyPair>[]; count: number }>();

export async function makeKey(alg = 'RS256', kid: string = randomUUID()): Promise<IssuerKey> {
  const pool = pools.get(alg) ?? { pairs: [], count: 0 };
  pools.set(alg, pool);
  const at = pool.count % PAIRS;
  pool.count += 1;
  const making = pool.pairs[at] ?? generateKeyPair(alg, { extractable: true });
  pool.pairs[at] = making;
  const { privateKey, publicKey } = await making;
  return { kid, alg, privateKey, publicKey };
}

export const sendJson: (body: unknown, status?: number) => Handler =
  (body, status = 200) =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Starts a provider on a free port of this machine. `path` is that of the issuer. */
export async function startIssuer(path = ''): Promise<Issuer> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => void handle(request, response, body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const first = await makeKey();
  const codes = new Map<string, { challenge: string; redirectUri: string; clientId: string; idToken: string }>();

  const issuer: Issuer = {
    name: `${base}${path}`,
    base,
    clientSecret: 'correct horse +/%&=battery',
    keys: [first],
    document: {},
    overrides: new Map(),
    requests: [],
    userinfo: {},
    async sign(claims, { key = issuer.keys[0] ?? first, header = {} } = {}) {
      const known = key instanceof Uint8Array ? { alg: 'HS256' } : { alg: key.alg, kid: key.kid };
      return new SignJWT(claims)
        .setProtectedHeader({ ...known, ...header } as { alg: string })
        .sign(key instanceof Uint8Array ? key : key.privateKey);
    },
    issueCode(location, idToken) {
      const query = new URL(location).searchParams;
      const code = randomUUID();
      codes.set(code, {
        challenge: query.get('code_challenge') ?? '',
        redirectUri: query.get('redirect_uri') ?? '',
        clientId: query.get('client_id') ?? '',
        idToken,
      });
      return code;
    },
    reset() {
      issuer.keys = [first];
      issuer.document = {};
      issuer.overrides.clear();
      issuer.requests.length = 0;
      issuer.userinfo = {};
    },
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };

  const metadata = () => ({
    issuer: issuer.name,
    authorization_endpoint: `${base}/authorize?tenant=1`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/keys`,
    userinfo_endpoint: `${base}/userinfo`,
    end_session_endpoint: `${base}/logout`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    // A provider can list what it likes.
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    code_challenge_methods_supported: ['plain', 'S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    ...issuer.document,
  });

  function answerToken(body: string): Handler {
    const form = new URLSearchParams(body);
    if (form.get('client_secret') !== issuer.clientSecret) return sendJson({ error: 'invalid_client' }, 401);
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const hash = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      code !== undefined &&
      hash === code.challenge &&
      form.get('redirect_uri') === code.redirectUri &&
      form.get('client_id') === code.clientId;
    if (!isRight) return sendJson({ error: 'invalid_grant', error_description: 'The code\nis wrong' }, 400);
    return sendJson({ access_token: 'access', token_type: 'Bearer', expires_in: 60, id_token: code.idToken });
  }

  async function handle(request: IncomingMessage, response: ServerResponse, body: string): Promise<void> {
    const { pathname } = new URL(request.url ?? '', base);
    issuer.requests.push({ path: pathname, headers: request.headers, body });
    const override = issuer.overrides.get(pathname);
    if (override !== undefined) override(response, request, body);
    else if (pathname.endsWith('/.well-known/openid-configuration')) sendJson(metadata())(response, request, body);
    else if (pathname === '/keys') sendJson(await publishedKeys())(response, request, body);
    else if (pathname === '/token') answerToken(body)(response, request, body);
    else if (pathname === '/userinfo') sendJson(issuer.userinfo)(response, request, body);
    else response.writeHead(404).end();
  }

  async function publishedKeys() {
    const keys = issuer.keys.map(async ({ kid, alg, publicKey }) => ({
      ...(await exportJWK(publicKey)),
      kid,
      alg,
      use: 'sig',
    }));
    return { keys: await Promise.all(keys) };
  }
  return issuer;
}

/** Gives a provider the issuer of a service on the internet. Its endpoints stay on this machine. */
export async function disguise(fixture: Fixture, issuer: Issuer, name: string): Promise<void> {
  const providers = oidcProvidersOf(fixture.app);
  const { metadata, keys } = await providers.reload(issuer.name);
  const provider = { metadata: { ...metadata, issuer: name }, keys };
  vi.spyOn(providers, 'load').mockResolvedValue(provider);
  vi.spyOn(providers, 'reload').mockResolvedValue(provider);
  issuer.name = name;
}
