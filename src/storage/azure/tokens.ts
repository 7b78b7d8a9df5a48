// Access tokens of an application in a customer's tenant (OAuth 2.0 client credentials), kept until shortly before they expire.
import type { Clock } from '../../lib/clock.ts';
import type { RetryOptions } from '../s3/client.ts';
import type { Transport, WireAnswer } from '../s3/transport.ts';
import { AzureRefusal, repeat, tidy } from './retries.ts';

/** How the application proves itself: by a secret, or by an assertion that this server signs and the tenant trusts. */
export type AzureCredential =
  | { readonly kind: 'secret'; readonly secret: string }
  | { readonly kind: 'federation'; assert(audience: string): Promise<string> };

export type TokenSource = {
  /** Returns a valid token. Concurrent calls share one request. Throws AzureRefusal or a system error. */
  load(): Promise<string>;
  /** Forgets a token that the storage rejected. */
  reject(token: string): void;
};

const SCOPE = 'https://storage.azure.com/.default';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
/** The audience that Entra requires, by its host in each cloud. */
const AUDIENCES: Readonly<Record<string, string>> = {
  'login.microsoftonline.us': 'api://AzureADTokenExchangeUSGov',
  'login.partner.microsoftonline.cn': 'api://AzureADTokenExchangeChina',
  'login.chinacloudapi.cn': 'api://AzureADTokenExchangeChina',
};
const AUDIENCE = 'api://AzureADTokenExchange';
/** Renewed this long before the end, or after half of a short lifetime. */
const MARGIN_MS = 5 * 60_000;
const MAX_LIFETIME_S = 86_400;
const LIMITS = { silenceMs: 5_000, totalMs: 10_000, maxBytes: 256 * 1024 };

/** Returns the audience that an assertion for this host must have. */
export function audienceOf(tokenUrl: URL): string {
  return AUDIENCES[tokenUrl.hostname] ?? AUDIENCE;
}

/** Returns the source of tokens. Requests nothing until `load`. */
export function createTokenSource(options: {
  tokenUrl: URL;
  clientId: string;
  credential: AzureCredential;
  transport: Pick<Transport, 'send'>;
  clock: Pick<Clock, 'now'>;
  retries?: Partial<RetryOptions> | undefined;
}): TokenSource {
  const { tokenUrl, clientId, credential, transport, clock } = options;
  let current: { token: string; renewAt: number } | undefined;
  let loading: Promise<string> | undefined;

  async function request(note: (answer: WireAnswer) => void): Promise<string> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: clientId, scope: SCOPE });
    const proof = credential.kind === 'secret' ? credential.secret : await credential.assert(audienceOf(tokenUrl));
    if (credential.kind === 'secret') form.set('client_secret', proof);
    else {
      form.set('client_assertion_type', ASSERTION_TYPE);
      form.set('client_assertion', proof);
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const askedAt = clock.now().getTime();
    const body = Buffer.from(form.toString());
    const answer = await transport.send({ method: 'POST', url: tokenUrl, headers, body }, LIMITS);
    note(answer);
    const content = parse(answer.body);
    if (answer.status !== 200) throw refusalOf(answer.status, content, proof);
    const { access_token: token, expires_in: lifetime, token_type: type } = content;
    const seconds = Number(lifetime);
    // A token becomes part of a header.
    const isToken = typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token);
    if (!isToken || !/^bearer$/i.test(String(type)) || !(seconds > 0))
      throw new Error('the response has no usable token');
    const lifetimeMs = Math.min(seconds, MAX_LIFETIME_S) * 1000;
    current = { token, renewAt: askedAt + lifetimeMs - Math.min(MARGIN_MS, lifetimeMs / 2) };
    return token;
  }

  return {
    async load() {
      if (current !== undefined && clock.now().getTime() < current.renewAt) return current.token;
      loading ??= repeat(request, options.retries).finally(() => {
        loading = undefined;
      });
      return loading;
    },
    reject(token) {
      // Another request may have replaced it already.
      if (current?.token === token) current = undefined;
    },
  };
}

function parse(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns the failure with Entra's own code, such as `AADSTS7000215`. */
function refusalOf(
  status: number,
  { error, error_description: description }: Readonly<Record<string, unknown>>,
  proof: string,
): AzureRefusal {
  const text = typeof description === 'string' ? description : '';
  const [code] = /\bAADSTS\d{1,9}\b/.exec(text) ?? [];
  const plain = text.replace(/^AADSTS\d+:\s*/, '').replace(/\s*(?:Trace ID|Correlation ID|Timestamp):.*$/s, '');
  // No response should contain it; nothing that is shown or stored may.
  const safe = (given: string): string => given.replaceAll(proof, '\u2026');
  return new AzureRefusal(
    'entra',
    status,
    code ?? tidy(safe(typeof error === 'string' ? error : ''), 60),
    tidy(safe(plain)),
  );
}
