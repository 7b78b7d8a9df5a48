// Credentials of the S3 backend: from the configuration, or from the usual sources of a cloud machine, renewed before they expire.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadGivenFile } from '../../lib/given-file.ts';
import * as z from '../../lib/zod.ts';
import type { Transport } from './transport.ts';
import { textOf } from './xml.ts';

export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Milliseconds since 1970; undefined if they don't expire. */
  readonly expiresAt?: number | undefined;
};

export type CredentialSource = {
  /** Returns valid credentials. Concurrent calls share one request. Throws Error with the reason if no source has any. */
  load(): Promise<Credentials>;
  /** Forgets credentials that the service rejected. Returns whether other ones can be expected from `load`. */
  reject(rejected: Credentials): boolean;
  /** The source of the last credentials, for checks: `configuration`, `environment`, `web identity`, … */
  describe(): string;
};

export type CredentialOptions = {
  /** From the configuration; both empty to use the sources of the machine. */
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** A file in the format of ~/.aws/credentials, read again when it's needed; '' for that of the environment. */
  credentialsFile: string;
  region: string;
  env: Readonly<Record<string, string | undefined>>;
  transport: Transport;
  now?: () => number;
  /** The address of the instance metadata, for tests. */
  metadataUrl?: string;
};

/** Replaced this long before they expire, so that signed URLs still work for a while. */
const MARGIN_MS = 15 * 60_000;
/** A failed renewal of credentials that are still valid is repeated after this time. */
const PAUSE_MS = 60_000;
/** Files may be replaced at any time. */
const FILE_LIFETIME_MS = 60_000;
const LIMITS = { silenceMs: 3_000, totalMs: 5_000, maxBytes: 64 * 1024 };

/** Returns the source of credentials. Reads and requests nothing until `load`. */
export function createCredentials(options: CredentialOptions): CredentialSource {
  const { now = Date.now } = options;
  let current: Credentials | undefined;
  let checkAgainAt = 0;
  let loading: Promise<Credentials> | undefined;
  let name = 'none';

  async function find(): Promise<Credentials> {
    for (const [source, read] of sourcesOf(options)) {
      const found = await read();
      if (found === undefined) continue;
      name = source;
      return found;
    }
    throw new Error(
      'no credentials: set access_key_id and secret_access_key of the bucket in the configuration, or give the machine a role',
    );
  }

  async function renew(): Promise<Credentials> {
    try {
      const found = await find();
      const isFile = name === 'credentials file';
      checkAgainAt =
        found.expiresAt === undefined ? (isFile ? now() + FILE_LIFETIME_MS : Infinity) : found.expiresAt - MARGIN_MS;
      // Some sources return credentials close to their end and replace them only then.
      checkAgainAt = Math.max(checkAgainAt, now() + (found.expiresAt === undefined ? 0 : PAUSE_MS));
      current = found;
      return found;
    } catch (error) {
      if (current === undefined || (current.expiresAt ?? Infinity) <= now()) throw error;
      checkAgainAt = now() + PAUSE_MS;
      return current;
    }
  }

  return {
    async load() {
      if (current !== undefined && now() < checkAgainAt) return current;
      loading ??= renew().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    reject(rejected) {
      // Another request may have replaced them already.
      if (current !== undefined && current.accessKeyId !== rejected.accessKeyId) return true;
      if (name === 'configuration' || name === 'environment') return false;
      current = undefined;
      return true;
    },
    describe: () => name,
  };
}

type Source = [name: string, read: () => Promise<Credentials | undefined>];

/** In the order of the SDKs. */
function sourcesOf(options: CredentialOptions): Source[] {
  const { accessKeyId, secretAccessKey, sessionToken, env } = options;
  if (accessKeyId !== '') {
    return [['configuration', async () => withToken(accessKeyId, secretAccessKey, sessionToken)]];
  }
  return [
    ...(options.credentialsFile === '' ? [] : ([['credentials file', () => readCredentialsFile(options)]] as Source[])),
    ['environment', async () => withToken(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN)],
    ['web identity', () => assumeWebIdentity(options)],
    ['credentials file', () => readCredentialsFile(options)],
    ['container', () => readContainerRole(options)],
    ['instance metadata', () => readInstanceRole(options)],
  ];
}

function withToken(accessKeyId = '', secretAccessKey = '', sessionToken = ''): Credentials | undefined {
  if (accessKeyId === '' || secretAccessKey === '') return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: sessionToken === '' ? undefined : sessionToken };
}

async function readCredentialsFile({ credentialsFile, env }: CredentialOptions): Promise<Credentials | undefined> {
  const fallback = env.AWS_SHARED_CREDENTIALS_FILE ?? join(env.HOME ?? homedir(), '.aws', 'credentials');
  const file = credentialsFile === '' ? fallback : credentialsFile;
  let text: string;
  try {
    text = await readText(file);
  } catch (error) {
    if (credentialsFile === '') return undefined;
    throw error;
  }
  const wanted = env.AWS_PROFILE ?? 'default';
  const values = new Map<string, string>();
  let profile = '';
  for (const line of text.split(/\r?\n/)) {
    profile = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1] ?? profile;
    const [, key, value] = /^\s*(aws_\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (profile === wanted && key !== undefined && value !== undefined) values.set(key, value);
  }
  return withToken(
    values.get('aws_access_key_id'),
    values.get('aws_secret_access_key'),
    values.get('aws_session_token'),
  );
}

/** Reads a file with credentials or a token. Throws Error with its path and the reason. */
async function readText(file: string): Promise<string> {
  try {
    return (await loadGivenFile(file)).toString('utf8');
  } catch (error) {
    throw new Error(`the credentials file ${file} can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

async function assumeWebIdentity({ env, region, transport }: CredentialOptions): Promise<Credentials | undefined> {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: role } = env;
  if (!file || !role) return undefined;
  const usual = `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`;
  const endpoint = env.AWS_ENDPOINT_URL_STS ?? usual;
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: env.AWS_ROLE_SESSION_NAME ?? 'taxiway',
    WebIdentityToken: (await readText(file)).trim(),
  });
  const answer = await transport.send(
    {
      method: 'POST',
      url: new URL(endpoint),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(body.toString()),
    },
    LIMITS,
  );
  const xml = answer.body.toString();
  if (answer.status !== 200) throw new Error(`the web identity was rejected: ${textOf(xml, 'Code') ?? answer.status}`);
  return fromParts(
    textOf(xml, 'AccessKeyId'),
    textOf(xml, 'SecretAccessKey'),
    textOf(xml, 'SessionToken'),
    textOf(xml, 'Expiration'),
  );
}

async function readContainerRole({ env, transport }: CredentialOptions): Promise<Credentials | undefined> {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env;
  if (!relative && !full) return undefined;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? (await readText(file)).trim() : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  const url = new URL(relative ? `http://169.254.170.2${relative}` : (full ?? ''));
  const answer = await transport.send({ method: 'GET', url, headers: token ? { authorization: token } : {} }, LIMITS);
  return fromJson(answer.status, answer.body);
}

async function readInstanceRole({
  env,
  transport,
  metadataUrl = 'http://169.254.169.254',
}: CredentialOptions): Promise<Credentials | undefined> {
  if (env.AWS_EC2_METADATA_DISABLED === 'true') return undefined;
  const base = `${metadataUrl}/latest`;
  // On other machines nothing has this address.
  const limits = { ...LIMITS, silenceMs: 1_000, totalMs: 2_000 };
  const token = await transport
    .send(
      { method: 'PUT', url: new URL(`${base}/api/token`), headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '300' } },
      limits,
    )
    .catch(() => undefined);
  if (token?.status !== 200) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': token.body.toString() };
  const path = `${base}/meta-data/iam/security-credentials/`;
  const roles = await transport.send({ method: 'GET', url: new URL(path), headers }, LIMITS);
  if (roles.status !== 200) return undefined;
  const role = roles.body.toString().trim().split('\n')[0] ?? '';
  const answer = await transport.send(
    { method: 'GET', url: new URL(path + encodeURIComponent(role)), headers },
    LIMITS,
  );
  return fromJson(answer.status, answer.body);
}

const roleCredentials = z.object({
  AccessKeyId: z.string().optional(),
  SecretAccessKey: z.string().optional(),
  Token: z.string().nullish(),
  Expiration: z.string().nullish(),
});

function fromJson(status: number, body: Buffer): Credentials {
  if (status !== 200) throw new Error(`the credentials of the machine's role can't be read: status ${status}`);
  let found: z.infer<typeof roleCredentials>;
  try {
    found = roleCredentials.parse(JSON.parse(body.toString()));
  } catch {
    // The message of the parser would contain a part of the credentials.
    throw new Error("the credentials of the machine's role can't be read: not the expected JSON");
  }
  return fromParts(found.AccessKeyId, found.SecretAccessKey, found.Token, found.Expiration);
}

function fromParts(id?: string, secret?: string, token?: string | null, expiration?: string | null): Credentials {
  const found = withToken(id, secret, token ?? undefined);
  const expiresAt = Date.parse(expiration ?? '');
  if (found === undefined) throw new Error("the credentials of the machine's role are incomplete");
  return Number.isNaN(expiresAt) ? found : { ...found, expiresAt };
}
