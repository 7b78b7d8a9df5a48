// Requests to the payment provider: what is sent, and every way in which it can fail.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askPaddle, type Paddle, PaddleRefusal, paddleDeadline } from '../../src/billing/paddle.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type PaddleDouble, startPaddle } from '../support/paddle.ts';

let provider: PaddleDouble;
beforeAll(async () => {
  provider = await startPaddle();
});
afterAll(() => provider.stop());

const logged: unknown[] = [];
beforeEach(() => {
  logged.length = 0;
});

type Caller = Parameters<typeof askPaddle>[0];

function caller(paddle: Record<string, unknown> = {}): Caller {
  return {
    config: { billing: { paddle: { ...provider.settings, environment: 'sandbox', ...paddle } } },
    fetch,
    log: { error: (...line: unknown[]) => logged.push(line) },
  } as unknown as Caller;
}

const read = (paddle: Paddle) => paddle.transactions.get('txn_000');

async function failure(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  return error as AppError;
}

describe('a request to the provider', () => {
  it('carries the key and snake_case names, and leaves custom data as it is', async () => {
    const transaction = await askPaddle(caller(), (paddle) =>
      paddle.transactions.create({
        items: [
          {
            quantity: 1,
            price: {
              description: 'Plan',
              name: 'Plan',
              unitPrice: { amount: '4900', currencyCode: 'USD' },
              billingCycle: { interval: 'month', frequency: 1 },
              product: { name: 'Plan', taxCategory: 'standard' },
            },
          },
        ],
        currencyCode: 'USD',
        collectionMode: 'automatic',
        customData: { checkout_id: 'c', someKey: 'x' },
      }),
    );
    expect(transaction.status).toBe('draft');
    expect(provider.asked.at(-1)).toEqual({
      method: 'POST',
      path: '/transactions',
      body: {
        items: [
          {
            quantity: 1,
            price: {
              description: 'Plan',
              name: 'Plan',
              unit_price: { amount: '4900', currency_code: 'USD' },
              billing_cycle: { interval: 'month', frequency: 1 },
              product: { name: 'Plan', tax_category: 'standard' },
            },
          },
        ],
        currency_code: 'USD',
        collection_mode: 'automatic',
        custom_data: { checkout_id: 'c', someKey: 'x' },
      },
    });
  });

  it('reads lists', async () => {
    await askPaddle(caller(), (paddle) => paddle.customers.create({ email: 'ada@example.com' }));
    const found = await askPaddle(caller(), (paddle) => paddle.customers.list({ email: ['ADA@example.com'] }).next());
    expect(found.map(({ email }) => email)).toEqual(['ada@example.com']);
  });

  it('goes to the address of the environment unless another one is set', async () => {
    const asked: string[] = [];
    const app: Caller = {
      ...caller({ base_url: '' }),
      fetch: async (url) => {
        asked.push(String(url));
        return Response.json({ data: { id: 'ctm_1', custom_data: null } });
      },
    };
    await askPaddle(app, (paddle) => paddle.customers.get('ctm_1'));
    const live = { ...app, config: caller({ base_url: '', environment: 'production' }).config };
    await askPaddle(live, (paddle) => paddle.customers.get('ctm_1'));
    expect(asked.map((url) => new URL(url).origin)).toEqual([
      'https://sandbox-api.paddle.com',
      'https://api.paddle.com',
    ]);
  });

  it('reports what the provider rejects with its code', async () => {
    const code = askPaddle(caller(), (paddle) =>
      paddle.transactions.get('txn_none').then(
        () => undefined,
        (error: unknown) => (error instanceof PaddleRefusal ? error.code : undefined),
      ),
    );
    expect(await code).toBe('not_found');
  });
});

describe('a provider that fails', () => {
  const cases = {
    'an HTML page': { how: 'html' },
    'a status 429': { how: 'busy' },
    'a status 500': { how: 'broken' },
    'a rejected key': { how: 'refused_key' },
    'a connection that breaks': { how: 'cut' },
    'a response that is too large': { how: 'huge' },
    'a rejection that nobody handles': { how: { code: 'invalid_field' } },
  } as const;

  it.each(Object.entries(cases))('leads to 503: %s', async (_, trouble) => {
    provider.fail(trouble);
    const error = await failure(askPaddle(caller(), read));
    expect([error.code, error.status, error.headers, error.details]).toEqual([
      'payment_provider_unavailable',
      503,
      { 'retry-after': '5' },
      {},
    ]);
    expect(logged).toHaveLength(1);
  });

  it.each([
    ['7', '7'],
    ['86400', '3600'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', '5'],
    ['-1', '5'],
  ])('passes on Retry-After %s as %s', async (sent, expected) => {
    provider.fail({ how: 'busy', retryAfter: sent });
    expect((await failure(askPaddle(caller(), read))).headers).toEqual({ 'retry-after': expected });
  });

  it('responds with 503 when nobody listens', async () => {
    const error = await failure(askPaddle(caller({ base_url: 'http://127.0.0.1:1' }), read));
    expect(error.code).toBe('payment_provider_unavailable');
  });

  it('waits for a response until the deadline only', async () => {
    provider.fail({ how: 'hang' });
    const error = await failure(askPaddle(caller(), read, paddleDeadline(20)));
    expect(error.code).toBe('payment_provider_unavailable');
  });

  it('is not asked after the deadline', async () => {
    const asked = provider.asked.length;
    const error = await failure(askPaddle(caller(), read, AbortSignal.abort()));
    expect(error.code).toBe('payment_provider_unavailable');
    expect(provider.asked).toHaveLength(asked);
  });

  it('logs neither the key nor addresses of people', async () => {
    provider.fail({ how: 'broken' });
    await failure(askPaddle(caller(), (paddle) => paddle.customers.list({ email: ['ada@example.com'] }).next()));
    const text = logged.map((line) => (line as { err: Error }[])[0]?.err.stack).join('');
    expect(text).toContain('GET /customers: 500');
    expect(text).not.toContain('ada@');
    expect(text).not.toContain(provider.settings.api_key);
  });
});
