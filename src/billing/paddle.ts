// The only code that talks to the payment provider. It uses the resources of the provider's SDK with a transport of its own: the
// SDK's has no deadline, no limit on responses and a log level for the whole process, and throws SyntaxError for HTML.
import type {
  AdjustmentsResource,
  CustomersResource,
  SubscriptionsResource,
  TransactionsResource,
} from '@paddle/paddle-node-sdk';
import type { App } from '../core/context.ts';
import { readBoundedText } from '../lib/bounded-text.ts';
import { SECOND } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { version } from '../lib/version.ts';

/** For everything that one request asks of the provider. */
const TIMEOUT_MS = 10 * SECOND;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Retry-After if the provider doesn't send one, and the maximum that is passed on. */
const RETRY_AFTER_SECONDS = 5;
const MAX_RETRY_AFTER_SECONDS = 3600;

/** Attempts of a job that asks the provider: for about two days. */
export const PADDLE_JOB_ATTEMPTS = 50;

const baseUrls = { production: 'https://api.paddle.com', sandbox: 'https://sandbox-api.paddle.com' } as const;

/** The resources of the provider that billing uses. */
export interface Paddle {
  customers: CustomersResource;
  transactions: TransactionsResource;
  subscriptions: SubscriptionsResource;
  adjustments: AdjustmentsResource;
}

/** A request that the provider understood and rejected, with its code. Nothing has changed there. */
export class PaddleRefusal extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`the provider rejected the request: ${code}`);
    this.code = code;
  }
}

/** What the provider says about subscriptions that it has canceled or doesn't know. */
const ENDED = new Set(['subscription_is_canceled_action_invalid', 'not_found', 'entity_not_found']);

/** Whether the provider rejected a request because the subscription has ended, which it may not have reported yet. */
export function isEnded(error: unknown): boolean {
  return error instanceof PaddleRefusal && ENDED.has(error.code);
}

/** The provider can't be used now: not reached, overloaded, broken, or it doesn't accept our key. */
class Unavailable extends Error {
  readonly retryAfter: number;

  constructor(reason: string, retryAfter = RETRY_AFTER_SECONDS) {
    super(reason);
    this.retryAfter = retryAfter;
  }
}

/** What the resources call; the SDK doesn't export its name. */
type Transport = ConstructorParameters<typeof TransactionsResource>[0];
type Caller = Pick<App, 'config' | 'fetch' | 'log'>;
/** What asking the provider needs. */
export type PaddleCaller = Pick<Caller, 'config' | 'fetch'>;

/** Whether payments go through the provider. */
export function usesPaddle({ config }: Pick<App, 'config'>): boolean {
  return config.billing.enabled && config.billing.provider === 'paddle';
}

/**
 * Starts the deadline for what a request asks of the provider. Includes waiting for other requests, so that they don't queue up
 * while the provider doesn't respond.
 */
export function paddleDeadline(timeoutMs = TIMEOUT_MS): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

/**
 * Asks the provider. Throws `payment_provider_unavailable` if it doesn't respond correctly before the deadline, or rejects
 * something that `work` doesn't handle itself (PaddleRefusal).
 */
export async function askPaddle<T>(
  app: Caller,
  work: (paddle: Paddle) => Promise<T>,
  deadline: AbortSignal = paddleDeadline(),
): Promise<T> {
  try {
    return await work(await openPaddle(app, deadline));
  } catch (error) {
    // The SDK throws TypeError for answers that lack a field.
    if (!(error instanceof Unavailable || error instanceof PaddleRefusal || error instanceof TypeError)) throw error;
    app.log.error({ err: error }, 'payment provider not usable');
    const seconds = error instanceof Unavailable ? error.retryAfter : RETRY_AFTER_SECONDS;
    throw new AppError('payment_provider_unavailable', undefined, {}, { 'retry-after': String(seconds) });
  }
}

/**
 * Waits for a request whose answer isn't needed. The SDK throws a TypeError if the answer lacks a field, although the request was
 * carried out.
 */
export async function carryOut(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error;
  });
}

/** A price that doesn't exist. */
const NO_PRICE = `pri_${'0'.repeat(26)}`;

/**
 * Asks the provider for a payment that it must reject. Returns its code, or the reason why the provider can't be used. Without a
 * payment link of the account, the code is `transaction_default_checkout_url_not_set`.
 */
export async function probePaddle(caller: PaddleCaller): Promise<{ code?: string; reason?: string }> {
  const { currency, paddle } = caller.config.billing;
  try {
    const { transactions } = await openPaddle(caller, paddleDeadline());
    await carryOut(
      transactions.create({
        items: [{ quantity: 1, priceId: NO_PRICE }],
        currencyCode: currency as 'USD',
        collectionMode: 'automatic',
        ...(paddle.checkout_url === '' ? {} : { checkout: { url: paddle.checkout_url } }),
      }),
    );
    return {};
  } catch (error) {
    if (error instanceof PaddleRefusal) return { code: error.code };
    if (error instanceof Unavailable) return { reason: error.message };
    throw error;
  }
}

/** Loads the SDK and creates the resources. The SDK is only loaded here, because most servers never need it. */
async function openPaddle(app: PaddleCaller, deadline: AbortSignal): Promise<Paddle> {
  const sdk = await import('@paddle/paddle-node-sdk');
  const client = createTransport(app, deadline) as unknown as Transport;
  return {
    customers: new sdk.CustomersResource(client),
    transactions: new sdk.TransactionsResource(client),
    subscriptions: new sdk.SubscriptionsResource(client),
    adjustments: new sdk.AdjustmentsResource(client),
  };
}

/** What the resources of the SDK call. */
function createTransport(
  { config, fetch }: PaddleCaller,
  deadline: AbortSignal,
): Pick<Transport, 'get' | 'post' | 'patch'> {
  const { api_key: apiKey, base_url, environment } = config.billing.paddle;
  const baseUrl = (base_url === '' ? baseUrls[environment] : base_url).replace(/\/+$/, '');

  async function send<R>(method: string, path: string, body?: unknown): Promise<R> {
    // The links to further pages are whole URLs.
    const url = path.startsWith(`${baseUrl}/`) ? path : `${baseUrl}${path}`;
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'paddle-version': '1',
        'user-agent': `Taxiway/${version.version}`,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(toSnakeCase(body)) }),
      redirect: 'error',
      signal: deadline,
    }).catch((error: unknown) => {
      const reason = deadline.aborted ? 'no complete response in time' : describe(error);
      throw new Unavailable(`${method} ${withoutQuery(path)}: ${reason}`);
    });
    return readAnswer<R>(response, `${method} ${withoutQuery(path)}`);
  }

  return {
    get: (url, query) => send('GET', query === undefined || url.includes('?') ? url : url + query.toQueryString()),
    post: (url, body) => send('POST', url, body),
    patch: (url, body) => send('PATCH', url, body),
  };
}

/** Queries can contain email addresses. */
function withoutQuery(path: string): string {
  return path.split('?')[0] ?? path;
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'failed';
  return 'code' in cause ? String(cause.code) : cause.message;
}

async function readAnswer<R>(response: Response, what: string): Promise<R> {
  const text = await readBoundedText(response, MAX_ANSWER_BYTES).catch((error: unknown) => {
    throw new Unavailable(`${what}: ${describe(error)}`);
  });
  const { status } = response;
  if (status === 429 || status >= 500) throw new Unavailable(`${what}: ${status}`, retryAfterOf(response));
  let answer: { data?: unknown; error?: { code?: unknown } };
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Unavailable(`${what}: ${status} without JSON`);
  }
  if (response.ok && typeof answer === 'object' && answer !== null && answer.data !== undefined) return answer as R;
  const code = typeof answer?.error?.code === 'string' ? answer.error.code.slice(0, 100) : undefined;
  if (code === undefined || status === 401 || status === 403) throw new Unavailable(`${what}: ${status} ${code ?? ''}`);
  throw new PaddleRefusal(code);
}

function retryAfterOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : RETRY_AFTER_SECONDS;
}

/** Converts the names of fields for the wire. Custom data is ours and stays as it is. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      name === 'customData' ? inner : toSnakeCase(inner),
    ]),
  );
}
