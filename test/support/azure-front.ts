// What Azurite lacks, before it, in the test process: Entra ID's tokens, roles, soft delete, slow copies, and failures on demand.
import { createPublicKey, type JsonWebKey, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { AZURITE_ACCOUNT, type Azurite } from './azurite.ts';

interface Fault {
  /** All by default. */
  method?: string;
  /** Compared with path and query. */
  path?: RegExp;
  /** How often it happens; always by default. */
  times?: number;
  /** The response; without a status, the connection is closed. */
  status?: number;
  code?: string;
  /** The response repeats the token of the request, and this. */
  repeats?: string;
  /** The whole response, for hostile ones. */
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** The service does the work first. */
  isAfter?: boolean;
  /** Called when the request arrives, which then waits for the result and passes. */
  until?: () => Promise<unknown>;
  /** Runs instead of the request, or with `isAfter` between the work and the response, and the connection is closed. */
  run?(): Promise<void>;
}

/** What a role lets an application do: Read, Write, Delete, request a delegation Key. */
const roles = { contributor: 'rwdk', reader: 'rk', 'no delete': 'rwk', 'container only': 'rwd', none: '' } as const;

export interface AzureFront {
  /** Both endpoints of the configuration. */
  url: string;
  account: string;
  tenantId: string;
  clientId: string;
  /** May be changed by tests at any time. */
  state: {
    secret: string;
    /** The issuer and subject that the application trusts. */
    trust: { issuer: string; subject: string } | undefined;
    /** The public keys of the issuer, if they aren't to be fetched. */
    issuerKeys: (() => Promise<readonly unknown[]>) | undefined;
    /** What the token endpoint responds instead: a status with Entra's code and text; 0 closes the connection, -1 never responds. */
    tokenFault: { status: number; code: string; text: string } | undefined;
    /** Whether the token endpoint rejects everything and repeats what it was sent. */
    repeatsForm: boolean;
    tokenLifetimeS: number;
    role: keyof typeof roles;
    /** The start (skt) of the last delegation key that was revoked, if any was. Signed URLs of later keys work. */
    revokedKey: string | undefined;
    keepsDeleted: boolean;
    /** How many times a copy is reported as pending after its start. */
    pendingPolls: number;
    faults: Fault[];
  };
  /** Requests since the last `reset`, with signatures cut: `PUT /account/container/blob?comp=block 201`. */
  log: string[];
  tokensMade(): number;
  /** Creates an empty container and returns its name. */
  createContainer(): Promise<string>;
  /** Lets browsers upload from an origin, in the CORS rules of the storage account. */
  allowUploads(origin: string): Promise<void>;
  /** The names of the blobs of a container. */
  listNames(container: string): Promise<string[]>;
  /** Back to the initial state. Containers stay. */
  reset(): void;
  stop(): Promise<void>;
}

const initial = (): AzureFront['state'] => ({
  secret: 'entra-secret-value',
  trust: undefined,
  issuerKeys: undefined,
  tokenFault: undefined,
  repeatsForm: false,
  tokenLifetimeS: 3599,
  role: 'contributor',
  revokedKey: undefined,
  keepsDeleted: false,
  pendingPolls: 0,
  faults: [],
});

class TokenRefusal extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, text: string) {
    super(text);
    this.status = status;
    this.code = code;
  }
}

export async function startAzureFront(azurite: Pick<Azurite, 'port'>): Promise<AzureFront> {
  const tenantId = randomUUID();
  const clientId = randomUUID();
  const tokens = new Set<string>();
  const deleted = new Map<string, string>();
  const pending = new Map<string, { left: number; id: string }>();
  const log: string[] = [];
  const state = initial();

  function makeToken(): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      aud: 'https://storage.azure.com',
      iss: `https://sts.windows.net/${tenantId}/`,
      ...{ iat: now, nbf: now - 60, exp: now + 86_400, oid: randomUUID(), tid: tenantId, jti: randomUUID() },
    };
    return `${encode({ typ: 'JWT', alg: 'RS256' })}.${encode(claims)}.${Buffer.from('none').toString('base64url')}`;
  }

  async function answerToken(request: IncomingMessage, response: ServerResponse, tenant: string): Promise<void> {
    try {
      const form = new URLSearchParams(String(await bodyOf(request)));
      if (state.repeatsForm) throw new TokenRefusal(401, 'AADSTS7000215', [...form.values()].join(' '));
      const fault = state.tokenFault;
      if (fault?.status === 0) return void request.socket.destroy();
      if (fault?.status === -1) return;
      if (fault !== undefined) throw new TokenRefusal(fault.status, fault.code, fault.text);
      if (tenant !== tenantId) throw new TokenRefusal(400, 'AADSTS90002', `Tenant '${tenant}' not found.`);
      if (form.get('client_id') !== clientId) throw new TokenRefusal(400, 'AADSTS700016', 'Application not found.');
      const isRight =
        form.get('grant_type') === 'client_credentials' && form.get('scope') === 'https://storage.azure.com/.default';
      if (!isRight) throw new TokenRefusal(400, 'AADSTS70011', 'The scope is not valid.');
      const assertion = form.get('client_assertion');
      if (assertion !== null) await checkAssertion(assertion, form.get('client_assertion_type'));
      else if (form.get('client_secret') !== state.secret) {
        throw new TokenRefusal(401, 'AADSTS7000215', 'Invalid client secret provided.');
      }
      const token = makeToken();
      tokens.add(token);
      const content = { token_type: 'Bearer', expires_in: state.tokenLifetimeS, access_token: token };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      const text = `${error.code}: ${error.message} Trace ID: ${randomUUID()} Correlation ID: ${randomUUID()}`;
      const content = { error: 'invalid_client', error_description: text };
      response.writeHead(error.status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    }
  }

  async function checkAssertion(assertion: string, type: string | null): Promise<void> {
    if (type !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer') {
      throw new TokenRefusal(400, 'AADSTS900144', 'The type of the assertion is missing.');
    }
    const [head = '', body = '', signature = ''] = assertion.split('.');
    const read = (part: string) => JSON.parse(String(Buffer.from(part, 'base64url')));
    const [header, claims] = [read(head), read(body)];
    if (claims.iss !== state.trust?.issuer) {
      throw new TokenRefusal(400, 'AADSTS700211', 'No matching federated identity record for the issuer.');
    }
    if (claims.sub !== state.trust?.subject) {
      throw new TokenRefusal(400, 'AADSTS700213', 'No matching federated identity record for the subject.');
    }
    if (claims.aud !== 'api://AzureADTokenExchange') {
      throw new TokenRefusal(400, 'AADSTS700212', 'No matching federated identity record for the audience.');
    }
    const keys = (await (state.issuerKeys ?? (() => fetchKeys(claims.iss)))().catch(() => [])) as JsonWebKey[];
    const found = keys.find((one) => one.kid === header.kid);
    if (found === undefined) throw new TokenRefusal(400, 'AADSTS50166', 'Request to External OIDC endpoint failed.');
    const key = createPublicKey({ key: found, format: 'jwk' });
    const isValid = verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'));
    if (header.alg !== 'RS256' || !isValid) throw new TokenRefusal(401, 'AADSTS700027', 'Invalid signature.');
  }

  /** Returns why the request isn't allowed. Signed URLs have the role of the application. */
  function refuses(request: IncomingMessage, url: URL): [status: number, code: string] | undefined {
    const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    // A browser asks without credentials before it uploads.
    if (request.method === 'OPTIONS') return undefined;
    if (bearer === undefined && !url.searchParams.has('skoid')) return undefined;
    if (bearer !== undefined && !tokens.has(bearer)) return [401, 'InvalidAuthenticationInfo'];
    const isRevoked = state.revokedKey !== undefined && (url.searchParams.get('skt') ?? '9') <= state.revokedKey;
    if (bearer === undefined && isRevoked) return [403, 'AuthenticationFailed'];
    const rights = { GET: 'r', HEAD: 'r', PUT: 'w', POST: 'w', DELETE: 'd' }[request.method ?? ''] ?? '-';
    const need = url.searchParams.get('comp') === 'userdelegationkey' ? 'k' : rights;
    return roles[state.role].includes(need) ? undefined : [403, 'AuthorizationPermissionMismatch'];
  }

  async function answerBlob(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    const url = new URL(path, 'http://front');
    response.on('finish', () => {
      log.push(`${incoming.method} ${path.replace(/\?.*\bsig=.*/, '?sig=…')} ${response.statusCode}`);
    });
    const fault = state.faults.find(
      (one) => one.times !== 0 && (one.method ?? incoming.method) === incoming.method && (one.path?.test(path) ?? true),
    );
    if (fault?.times !== undefined) fault.times -= 1;
    await fault?.until?.();
    if (fault !== undefined && fault.isAfter !== true) await fault.run?.();
    if (fault !== undefined && !fault.isAfter && fault.until === undefined) return fail(incoming, response, fault);
    const refusal = refuses(incoming, url);
    if (refusal !== undefined) return fail(incoming, response, { status: refusal[0], code: refusal[1] });
    await pass(incoming, response, url, fault?.isAfter ? fault : undefined);
  }

  function pass(
    incoming: IncomingMessage,
    response: ServerResponse,
    url: URL,
    fault: Fault | undefined,
  ): Promise<void> {
    return new Promise((resolve) => {
      const { method, headers } = incoming;
      const options = { host: '127.0.0.1', port: azurite.port, method, path: incoming.url, headers };
      const onward = httpsRequest({ ...options, rejectUnauthorized: false }, async (answer) => {
        resolve();
        if (fault !== undefined) {
          answer.resume();
          await fault.run?.();
          return fail(incoming, response, fault);
        }
        const changed = change(incoming, url, answer);
        const isList = method === 'GET' && (url.searchParams.get('include') ?? '').includes('deleted');
        if (!isList) {
          response.writeHead(answer.statusCode ?? 500, changed);
          return void answer.pipe(response);
        }
        const text = addDeleted(String(await bodyOf(answer)), url);
        delete changed['transfer-encoding'];
        response
          .writeHead(answer.statusCode ?? 500, { ...changed, 'content-length': Buffer.byteLength(text) })
          .end(text);
      });
      onward.on('error', () => {
        resolve();
        response.destroy();
      });
      response.on('close', () => onward.destroy());
      incoming.pipe(onward);
    });
  }

  /** Returns the headers of a response, with soft delete and slow copies. */
  function change(incoming: IncomingMessage, { pathname, searchParams }: URL, answer: IncomingMessage) {
    const headers: NodeJS.Dict<string | string[]> = { ...answer.headers };
    if (incoming.method === 'DELETE' && answer.statusCode === 202) {
      headers['x-ms-delete-type-permanent'] = String(!state.keepsDeleted);
      if (state.keepsDeleted) deleted.set(pathname, new Date().toUTCString());
    }
    const id = String(headers['x-ms-copy-id'] ?? '');
    if (incoming.method === 'PUT' && incoming.headers['x-ms-copy-source'] !== undefined && state.pendingPolls > 0) {
      pending.set(pathname, { left: state.pendingPolls, id });
      headers['x-ms-copy-status'] = 'pending';
    }
    const copy = pending.get(pathname);
    if (incoming.method === 'HEAD' && copy?.id === id && copy.left > 0 && !searchParams.has('comp')) {
      copy.left -= 1;
      headers['x-ms-copy-status'] = 'pending';
    }
    return headers;
  }

  function addDeleted(xml: string, { pathname, searchParams }: URL): string {
    const prefix = `${pathname}/${searchParams.get('prefix') ?? ''}`;
    const entries = [...deleted].filter(([path]) => path.startsWith(prefix));
    const extra = entries.map(
      ([path, time]) =>
        `<Blob><Name>${path.slice(pathname.length + 1)}</Name><Deleted>true</Deleted>` +
        `<Properties><Last-Modified>${time}</Last-Modified><Content-Length>0</Content-Length></Properties></Blob>`,
    );
    return xml.replace('<Blobs/>', '<Blobs></Blobs>').replace('</Blobs>', `${extra.join('')}</Blobs>`);
  }

  const server = createServer((request, response) => {
    const [, tenant = '', ...rest] = new URL(request.url ?? '/', 'http://front').pathname.split('/');
    const isToken = request.method === 'POST' && rest.join('/') === 'oauth2/v2.0/token';
    void (isToken ? answerToken(request, response, tenant) : answerBlob(request, response)).catch(() => {
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Asks Azurite itself, whatever the state. */
  function ask(method: string, path: string, body = ''): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${makeToken()}`, 'x-ms-version': '2025-11-05' };
      const options = { host: '127.0.0.1', port: azurite.port, method, path, headers, rejectUnauthorized: false };
      httpsRequest(options, async (answer) => {
        resolve({ status: answer.statusCode ?? 0, text: String(await bodyOf(answer)) });
      })
        .on('error', reject)
        .end(body);
    });
  }

  return {
    url,
    account: AZURITE_ACCOUNT,
    tenantId,
    clientId,
    state,
    log,
    tokensMade: () => tokens.size,
    async createContainer() {
      const name = `test-${randomUUID()}`;
      const { status, text } = await ask('PUT', `/${AZURITE_ACCOUNT}/${name}?restype=container`);
      if (status !== 201) throw new Error(`no container: ${status} ${text}`);
      return name;
    },
    async allowUploads(origin) {
      const rule =
        `<CorsRule><AllowedOrigins>${origin}</AllowedOrigins><AllowedMethods>PUT</AllowedMethods>` +
        '<AllowedHeaders>content-type,x-ms-blob-type</AllowedHeaders><ExposedHeaders>ETag</ExposedHeaders>' +
        '<MaxAgeInSeconds>3600</MaxAgeInSeconds></CorsRule>';
      const body = `<?xml version="1.0"?><StorageServiceProperties><Cors>${rule}</Cors></StorageServiceProperties>`;
      const { status, text } = await ask('PUT', `/${AZURITE_ACCOUNT}/?restype=service&comp=properties`, body);
      if (status !== 202) throw new Error(`no CORS rule: ${status} ${text}`);
    },
    async listNames(container) {
      const { text } = await ask('GET', `/${AZURITE_ACCOUNT}/${container}?restype=container&comp=list`);
      return [...text.matchAll(/<Name>([^<]*)<\/Name>/g)].map(([, name = '']) => name);
    },
    reset() {
      Object.assign(state, initial());
      log.length = 0;
      deleted.clear();
      pending.clear();
      tokens.clear();
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function fail(
  incoming: IncomingMessage,
  response: ServerResponse,
  { status, code = 'InternalError', ...rest }: Fault,
): void {
  if (status === undefined) return void incoming.socket.destroy();
  incoming.resume();
  const said = rest.repeats === undefined ? '' : ` ${incoming.headers.authorization ?? ''} ${rest.repeats}`;
  const plain = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>Made to fail.${said}\nRequestId:${randomUUID()}</Message></Error>`;
  const headers = { 'content-type': 'application/xml', 'x-ms-error-code': code };
  response.writeHead(status, rest.headers ?? headers).end(rest.body ?? plain);
}

async function bodyOf(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function fetchKeys(issuer: string): Promise<readonly unknown[]> {
  const discovery = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<
    string,
    string
  >;
  if (discovery.issuer !== issuer) throw new Error('another issuer');
  return ((await (await fetch(discovery.jwks_uri ?? '')).json()) as { keys: unknown[] }).keys;
}
