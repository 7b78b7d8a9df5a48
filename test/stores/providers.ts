// App Store Connect and Google Play in the test process: they verify the signature and the claims of every token, and keep devices
// with a quota. A test can hold, change or break any answer.
import { generateKeyPairSync, type KeyObject, type KeyPairKeyObjectResult, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ProviderAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent instead of `body`. */
  raw?: string | Buffer;
  /** Closes the connection instead of answering. */
  cut?: true;
  /** Sends the headers and the beginning of the body, then nothing. */
  stall?: true;
}

interface FakeDevice {
  id: string;
  udid: string;
  name: string;
  deviceClass: string;
  status: string;
}

interface FakeProfile {
  id: string;
  name: string;
  uuid: string;
  profileType: string;
  profileState: string;
  createdDate: string;
  expirationDate: string;
  /** Ids of devices. */
  devices: string[];
}

interface SeenRequest {
  method: string;
  path: string;
  body: string;
  claims: Record<string, unknown> | undefined;
}

/** Changes what the provider answered. `answer` is what it would send. */
type Change = (request: SeenRequest, answer: ProviderAnswer) => ProviderAnswer | undefined | Promise<ProviderAnswer>;

const appleError = (status: number, code: string): ProviderAnswer => ({
  status,
  body: { errors: [{ status: String(status), code, title: 'never shown', detail: 'never shown' }] },
});
const googleError = (status: number, name: string, reason: string): ProviderAnswer => ({
  status,
  body: { error: { code: status, message: 'never shown', errors: [{ reason }], status: name } },
});

const accountKeys: KeyPairKeyObjectResult[] = [];

/** The RSA key of the n-th service account. Making one takes a tenth of a second, so every fourth account has the same. */
function takeAccountKey(n: number): KeyPairKeyObjectResult {
  const place = n % 4;
  accountKeys[place] ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return accountKeys[place];
}

/** Starts both providers on one port. `now` is the time in milliseconds that tokens are compared with. */
export async function startProviders(now: () => number) {
  const apple = {
    // Apple's ids aren't UUIDs of RFC 9562: their variant is another one.
    issuerId: `${randomUUID().slice(0, 19)}e053${randomUUID().slice(23)}`,
    keys: new Map<string, { publicKey: KeyObject; isIndividual: boolean; mayRegister: boolean }>(),
    devices: [] as FakeDevice[],
    profiles: [] as FakeProfile[],
    quota: 100,
    nextClass: 'IPHONE',
    nextStatus: 'ENABLED',
    hasAgreement: true,
    pageSize: 200,
  };
  const google = {
    accounts: new Map<string, { keys: Map<string, KeyObject>; packages: string[] }>(),
    tokens: new Map<string, { email: string; until: number }>(),
    edits: new Set<string>(),
    isEnabled: true,
  };
  const requests: SeenRequest[] = [];
  let change: Change | undefined;
  let serial = 0;

  function readToken(token: string) {
    const [header = '', claims = '', signature = ''] = token.split('.');
    const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString() || '{}');
    return {
      header: parse(header),
      claims: parse(claims) as Record<string, unknown>,
      signed: Buffer.from(`${header}.${claims}`),
      signature: Buffer.from(signature, 'base64url'),
    };
  }

  function checkAppleToken(authorization: string): ProviderAnswer | { mayRegister: boolean } {
    const refused = appleError(401, 'NOT_AUTHORIZED');
    const { header, claims, signed, signature } = readToken(authorization.replace('Bearer ', ''));
    const key = apple.keys.get(header.kid);
    if (key === undefined || header.alg !== 'ES256' || header.typ !== 'JWT') return refused;
    if (!verify('sha256', signed, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, signature)) return refused;
    const isFrom = key.isIndividual
      ? claims.sub === 'user' && claims.iss === undefined
      : claims.iss === apple.issuerId && claims.sub === undefined;
    const [iat, exp] = [Number(claims.iat), Number(claims.exp)];
    const second = Math.floor(now() / 1000);
    const isInTime = Math.abs(second - 30 - iat) <= 1 && exp > second && exp - iat <= 20 * 60;
    if (!isFrom || claims.aud !== 'appstoreconnect-v1' || !isInTime) return refused;
    if (!apple.hasAgreement) return appleError(403, 'FORBIDDEN.REQUIRED_AGREEMENTS_MISSING_OR_EXPIRED');
    return key;
  }

  const toJson = ({ id, ...attributes }: FakeDevice) => ({ type: 'devices', id, attributes });

  function answerApple(request: IncomingMessage, url: URL, body: string): ProviderAnswer {
    const key = checkAppleToken(request.headers.authorization ?? '');
    if ('status' in key) return key;
    if (url.pathname === '/v1/apps') return { status: 200, body: { data: [{ type: 'apps', id: '1' }] } };
    if (url.pathname === '/v1/profiles') {
      const types = (url.searchParams.get('filter[profileType]') ?? '').split(',');
      const data = apple.profiles
        .filter(({ profileType }) => types.includes(profileType))
        .map(({ id, devices: _, ...attributes }) => ({ type: 'profiles', id, attributes }));
      return { status: 200, body: { data, links: {} } };
    }
    const [, profileId] = /^\/v1\/profiles\/(\w+)\/relationships\/devices$/.exec(url.pathname) ?? [];
    if (profileId !== undefined) {
      const ids = apple.profiles.find(({ id }) => id === profileId)?.devices ?? [];
      const begin = Number(url.searchParams.get('cursor') ?? 0);
      const end = begin + Math.min(apple.pageSize, Number(url.searchParams.get('limit') ?? 20));
      const links = end < ids.length ? { next: `${address()}${url.pathname}?limit=200&cursor=${end}` } : {};
      return { status: 200, body: { data: ids.slice(begin, end).map((id) => ({ type: 'devices', id })), links } };
    }
    if (url.pathname !== '/v1/devices') return appleError(404, 'PATH_ERROR');
    if (request.method === 'GET') {
      const wanted = url.searchParams.get('filter[udid]')?.toLowerCase();
      const found = apple.devices.filter(({ udid }) => wanted === undefined || udid.toLowerCase() === wanted);
      const begin = Number(url.searchParams.get('cursor') ?? 0);
      const end = begin + Math.min(apple.pageSize, Number(url.searchParams.get('limit') ?? 20));
      const links = end < found.length ? { next: `${address()}/v1/devices?limit=200&cursor=${end}` } : {};
      return { status: 200, body: { data: found.slice(begin, end).map(toJson), links } };
    }
    const { data } = JSON.parse(body) as { data: { attributes: { name: string; udid: string; platform: string } } };
    const { name, udid, platform } = data.attributes;
    if (!key.mayRegister) return appleError(403, 'FORBIDDEN_ERROR');
    if (name.length > 50 || platform !== 'IOS') return appleError(409, 'ENTITY_ERROR.ATTRIBUTE.INVALID');
    if (/^0+$/.test(udid)) return appleError(409, 'ENTITY_ERROR.ATTRIBUTE.INVALID');
    if (apple.devices.some((device) => device.udid.toLowerCase() === udid.toLowerCase())) {
      return appleError(409, 'ENTITY_ERROR');
    }
    const used = apple.devices.filter(({ deviceClass }) => deviceClass === apple.nextClass).length;
    if (used >= apple.quota) return appleError(403, 'FORBIDDEN_ERROR');
    serial += 1;
    const device = { id: `D${serial}`, udid, name, deviceClass: apple.nextClass, status: apple.nextStatus };
    apple.devices.push(device);
    return { status: 201, body: { data: toJson(device) } };
  }

  function exchange(body: string): ProviderAnswer {
    const form = new URLSearchParams(body);
    const { header, claims, signed, signature } = readToken(form.get('assertion') ?? '');
    const account = google.accounts.get(String(claims.iss));
    const key = account?.keys.get(header.kid);
    const second = Math.floor(now() / 1000);
    const isRight =
      form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer' &&
      header.alg === 'RS256' &&
      key !== undefined &&
      verify('RSA-SHA256', signed, key, signature) &&
      claims.aud === `${address()}/token` &&
      claims.scope === 'https://www.googleapis.com/auth/androidpublisher' &&
      claims.iat === second &&
      claims.exp === second + 3_600;
    if (!isRight) return { status: 400, body: { error: 'invalid_grant', error_description: 'never shown' } };
    serial += 1;
    google.tokens.set(`ya29.${serial}`, { email: String(claims.iss), until: second + 3_600 });
    return { status: 200, body: { access_token: `ya29.${serial}`, expires_in: 3_599, token_type: 'Bearer' } };
  }

  function answerGoogle(request: IncomingMessage, url: URL): ProviderAnswer {
    const held = google.tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (held === undefined || held.until <= now() / 1000) return googleError(401, 'UNAUTHENTICATED', 'authError');
    if (!google.isEnabled) return googleError(403, 'PERMISSION_DENIED', 'accessNotConfigured');
    const [, name = '', edit] =
      /^\/androidpublisher\/v3\/applications\/([^/]+)\/edits(?:\/(\w+))?$/.exec(url.pathname) ?? [];
    const owned = [...google.accounts.values()].flatMap(({ packages }) => packages);
    if (!owned.includes(name)) return googleError(404, 'NOT_FOUND', 'applicationNotFound');
    if (google.accounts.get(held.email)?.packages.includes(name) !== true) {
      return googleError(403, 'PERMISSION_DENIED', 'forbidden');
    }
    if (request.method === 'DELETE' && edit !== undefined) {
      google.edits.delete(edit);
      return { status: 204 };
    }
    serial += 1;
    google.edits.add(`e${serial}`);
    return { status: 200, body: { id: `e${serial}`, expiryTimeSeconds: '1' } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const url = new URL(request.url ?? '/', address());
    const bearer = (request.headers.authorization ?? '').replace('Bearer ', '');
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname + url.search,
      body,
      claims: bearer.split('.').length === 3 ? readToken(bearer).claims : undefined,
    };
    requests.push(seen);
    const isApple = url.pathname.startsWith('/v1/');
    const own = isApple
      ? answerApple(request, url, body)
      : url.pathname === '/token'
        ? exchange(body)
        : answerGoogle(request, url);
    const answer = (await change?.(seen, own)) ?? own;
    if (answer.cut === true) return void request.socket.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    if (answer.stall === true) return void response.write('{');
    response.end(answer.raw ?? (answer.body === undefined ? undefined : JSON.stringify(answer.body)));
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const address = () => `http://127.0.0.1:${port}`;

  return {
    apple,
    google,
    requests,
    /** The configuration of a server that asks these providers. */
    config: {
      stores: {
        app_store_connect: { base_url: address() },
        google_play: { base_url: address(), token_url: `${address()}/token` },
      },
    },
    /** Changes answers from now on; undefined ends it. */
    change(next: Change | undefined) {
      change = next;
    },
    /** A key as App Store Connect gives it. */
    appleKey({ isIndividual = false, mayRegister = true, keyId = '' } = {}) {
      serial += 1;
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key_id = keyId === '' ? `KEY${String(serial).padStart(7, '0')}` : keyId;
      apple.keys.set(key_id, { publicKey: pair.publicKey, isIndividual, mayRegister });
      const private_key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { key_id, private_key, ...(isIndividual ? {} : { issuer_id: apple.issuerId }) };
    },
    /** The JSON file of a service account. Its addresses lead elsewhere. */
    serviceAccount(packages = ['com.example.sample']) {
      serial += 1;
      const pair = takeAccountKey(serial);
      const client_email = `publisher-${serial}@sample.iam.gserviceaccount.com`;
      const private_key_id = `key${serial}`;
      google.accounts.set(client_email, { keys: new Map([[private_key_id, pair.publicKey]]), packages });
      return {
        type: 'service_account',
        private_key_id,
        private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        client_email,
        token_uri: 'http://169.254.169.254/token',
        auth_uri: 'http://169.254.169.254/auth',
        universe_domain: 'evil.example',
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export type Providers = Awaited<ReturnType<typeof startProviders>>;
export { appleError, googleError };
