// A double of the payment provider: the part of its API that billing uses, its webhooks and their signatures. Nothing is sent by
// itself: every change adds an event to `events`, and a test delivers what it wants, in the order it wants.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from './harness.ts';

const API_KEY = 'pdl_sdbx_apikey_double';
const WEBHOOK_SECRET = 'pdl_ntfset_double';

/** An event as it travels in the body of a webhook. */
export interface ProviderEvent {
  event_id: string;
  event_type: string;
  occurred_at: string;
  data: Json;
}

/** What goes wrong with the next request that matches. */
interface Trouble {
  method?: string;
  /** Matches the path. */
  path?: RegExp;
  /** How often; once by default. */
  times?: number;
  /** `lost`: the work is done, but the connection breaks before the answer. `cut`: it breaks before the work. */
  how: 'html' | 'busy' | 'broken' | 'refused_key' | 'hang' | 'cut' | 'lost' | 'huge' | { code: string };
  retryAfter?: string;
}

interface Line {
  id: string;
  name: string;
  amount: number;
  isRecurring: boolean;
}

interface Transaction extends Json {
  id: string;
  status: string;
  origin: string;
  customer_id: string | null;
  subscription_id: string | null;
  custom_data: Json | null;
  currency_code: string;
  checkout: { url: string } | null;
}

interface Subscription extends Json {
  id: string;
  status: string;
  customer_id: string | null;
  custom_data: Json | null;
}

interface Adjustment extends Json {
  id: string;
  status: string;
  transaction_id: string;
}

interface Asked {
  method: string;
  path: string;
  body: Json;
}

class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export interface PaddleDouble {
  url: string;
  /** For `config.billing.paddle`. */
  settings: { api_key: string; webhook_secret: string; base_url: string };
  /** All requests so far, without failed ones. */
  asked: Asked[];
  /** Everything that happened, oldest first. */
  events: ProviderEvent[];
  /** Removes and returns the events so far. */
  takeEvents(): ProviderEvent[];
  fail(trouble: Trouble): void;
  /** Whether the next charge of a subscription is declined. */
  declinesCharges: boolean;
  /** Rate of the tax that is added to every price. */
  taxRate: number;
  hasPaymentLink: boolean;
  /** The account's default payment link; the double's own page by default. */
  paymentLink?: string;
  transaction(id: string): Transaction;
  transactions(): Transaction[];
  subscription(id: string): Subscription;
  subscriptions(): Subscription[];
  customers(): Json[];
  archive(customerId: string): void;
  /** The buyer pays, or their card is declined. Returns the transaction. */
  pay(transactionId: string, outcome?: 'paid' | 'declined'): Transaction;
  /** The monthly charge. */
  renew(subscriptionId: string, outcome?: 'paid' | 'declined'): Transaction;
  /** The provider ends a subscription, or the seller does. */
  end(subscriptionId: string, how: 'canceled' | 'paused'): void;
  settleRefund(adjustmentId: string, status: 'approved' | 'rejected' | 'reversed'): void;
  chargeBack(transactionId: string, action?: string): Adjustment;
  adjustments(): Adjustment[];
  /** Sends an event to a server, and returns the response. */
  deliver(server: string, event: ProviderEvent, signature?: Partial<SignatureOptions>): Promise<Response>;
  /** The value of the signature header. */
  sign(body: string, options?: Partial<SignatureOptions>): string;
  /** Where checkouts send their events by themselves, for a browser. */
  webhookUrl: string | undefined;
  stop(): Promise<void>;
}

interface SignatureOptions {
  /** Seconds since the epoch. */
  at: number;
  secrets: readonly string[];
  /** The whole header. */
  header: string;
  /** The bytes that are sent instead of those that were signed. */
  body: string;
}

/** Starts the double. `now` is the clock of the server under test. */
export async function startPaddle(now: () => Date = () => new Date()): Promise<PaddleDouble> {
  const customers = new Map<string, Json & { id: string; email: string; status: string }>();
  const transactions = new Map<string, Transaction>();
  const lines = new Map<string, Line[]>();
  const subscriptions = new Map<string, Subscription>();
  const adjustments = new Map<string, Adjustment>();
  const troubles: (Trouble & { left: number })[] = [];
  const hanging = new Set<ServerResponse>();
  let counter = 0;
  // Two events never happen in the same millisecond, so that their order is certain.
  let last = 0;

  const nextId = (prefix: string) => {
    counter += 1;
    return `${prefix}_${'0'.repeat(10)}${String(counter).padStart(16, '0')}`;
  };
  const stamp = () => {
    last = Math.max(now().getTime(), last + 1);
    return new Date(last).toISOString().replace('Z', '000Z');
  };

  function emit(type: string, data: Json): ProviderEvent {
    const event = {
      event_id: nextId('evt'),
      event_type: type,
      occurred_at: stamp(),
      notification_id: nextId('ntf'),
      data: structuredClone(data),
    };
    double.events.push(event);
    return event;
  }

  function totalsOf(id: string, isFree = false) {
    const rows = (lines.get(id) ?? []).map((line) => {
      const subtotal = isFree ? 0 : line.amount;
      const tax = Math.round(subtotal * double.taxRate);
      return { line, subtotal, tax };
    });
    const sum = (pick: (row: (typeof rows)[number]) => number) => String(rows.reduce((all, row) => all + pick(row), 0));
    const totals = (subtotal: string, tax: string) => ({
      subtotal,
      discount: '0',
      tax,
      total: String(Number(subtotal) + Number(tax)),
    });
    const whole = totals(
      sum((row) => row.subtotal),
      sum((row) => row.tax),
    );
    const currency = transactions.get(id)?.currency_code ?? 'USD';
    return {
      tax_rates_used: [],
      totals: {
        ...whole,
        grand_total: whole.total,
        credit: '0',
        balance: whole.total,
        fee: null,
        earnings: null,
        currency_code: currency,
      },
      adjusted_totals: { ...whole, grand_total: whole.total, fee: '0', earnings: '0', currency_code: currency },
      payout_totals: null,
      adjusted_payout_totals: null,
      line_items: rows.map(({ line, subtotal, tax }) => ({
        id: line.id,
        price_id: nextId('pri'),
        quantity: 1,
        proration: null,
        tax_rate: String(double.taxRate),
        unit_totals: totals(String(subtotal), String(tax)),
        totals: totals(String(subtotal), String(tax)),
        product: {
          id: nextId('pro'),
          name: line.name,
          tax_category: 'standard',
          status: 'active',
          created_at: stamp(),
        },
      })),
    };
  }

  function addTransaction(wanted: {
    lines: Line[];
    origin: string;
    status: string;
    currency: string;
    customerId: string | null;
    customData: Json | null;
    subscriptionId?: string;
    isFree?: boolean;
    url?: string;
  }): Transaction {
    const id = nextId('txn');
    const transaction: Transaction = {
      id,
      status: wanted.status,
      customer_id: wanted.customerId,
      address_id: null,
      business_id: null,
      custom_data: wanted.customData,
      origin: wanted.origin,
      collection_mode: 'automatic',
      subscription_id: wanted.subscriptionId ?? null,
      invoice_id: null,
      invoice_number: null,
      currency_code: wanted.currency,
      created_at: stamp(),
      updated_at: stamp(),
      billed_at: null,
      items: [],
      payments: [],
      details: null,
      checkout: { url: `${wanted.url ?? double.paymentLink ?? `${double.url}/checkout`}?_ptxn=${id}` },
    };
    transactions.set(id, transaction);
    lines.set(id, wanted.lines);
    transaction.details = totalsOf(id, wanted.isFree);
    emit('transaction.created', transaction);
    return transaction;
  }

  function readLines(items: unknown): Line[] {
    if (!Array.isArray(items) || items.length === 0) throw new Refused(400, 'invalid_field');
    return items.map((item: Json) => {
      const price = item.price as Json & { unit_price: { amount: string; currency_code: string }; product: Json };
      const isWhole =
        price !== undefined && /^\d+$/.test(price.unit_price.amount) && typeof price.description === 'string';
      if (!isWhole || typeof price.product.name !== 'string' || typeof price.product.tax_category !== 'string') {
        throw new Refused(400, 'invalid_field');
      }
      return {
        id: nextId('txnitm'),
        name: price.product.name,
        amount: Number(price.unit_price.amount) * Number(item.quantity),
        isRecurring: price.billing_cycle !== undefined,
      };
    });
  }

  function setItems(subscription: Subscription, rows: Line[]): void {
    subscription.items = rows.map(({ name, amount }) => ({
      status: 'active',
      quantity: 1,
      recurring: true,
      created_at: stamp(),
      updated_at: stamp(),
      previously_billed_at: null,
      next_billed_at: null,
      trial_dates: null,
      price: {
        id: nextId('pri'),
        description: name,
        name,
        unit_price: { amount: String(amount), currency_code: subscription.currency_code },
        quantity: { minimum: 1, maximum: 1 },
        status: 'active',
      },
      product: { id: nextId('pro'), name, tax_category: 'standard', status: 'active', created_at: stamp() },
    }));
    lines.set(subscription.id, rows);
  }

  function addSubscription(transaction: Transaction): Subscription {
    const starts = stamp();
    const ends = new Date(Date.parse(starts) + 30 * 86_400_000).toISOString();
    const subscription: Subscription = {
      id: nextId('sub'),
      status: 'active',
      customer_id: transaction.customer_id,
      address_id: null,
      business_id: null,
      currency_code: transaction.currency_code,
      created_at: starts,
      updated_at: starts,
      started_at: starts,
      first_billed_at: starts,
      next_billed_at: ends,
      paused_at: null,
      canceled_at: null,
      collection_mode: 'automatic',
      current_billing_period: { starts_at: starts, ends_at: ends },
      billing_cycle: { interval: 'month', frequency: 1 },
      scheduled_change: null,
      items: [],
      custom_data: transaction.custom_data,
    };
    setItems(
      subscription,
      (lines.get(transaction.id) ?? []).filter((line) => line.isRecurring),
    );
    subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  const get = <T>(map: Map<string, T>, id: string): T => {
    const found = map.get(id);
    if (found === undefined) throw new Refused(404, 'not_found');
    return found;
  };

  function pay(id: string, outcome: 'paid' | 'declined' = 'paid'): Transaction {
    const transaction = get(transactions, id);
    if (['completed', 'canceled'].includes(transaction.status)) throw new Refused(400, 'transaction_immutable');
    if (transaction.customer_id === null) {
      transaction.customer_id = addCustomer({ email: `buyer-${randomUUID()}@example.com` }).id;
    }
    if (outcome === 'declined') {
      emit('transaction.payment_failed', transaction);
      return transaction;
    }
    const known = transaction.subscription_id === null ? undefined : subscriptions.get(transaction.subscription_id);
    if (known !== undefined) {
      if (known.status !== 'canceled') known.status = 'active';
      emit('subscription.updated', known);
    } else if (lines.get(id)?.some((line) => line.isRecurring)) {
      const subscription = addSubscription(transaction);
      transaction.subscription_id = subscription.id;
      emit('subscription.created', { ...subscription, transaction_id: id });
      emit('subscription.activated', subscription);
    }
    transaction.status = 'completed';
    emit('transaction.completed', transaction);
    return transaction;
  }

  function renew(subscriptionId: string, outcome: 'paid' | 'declined' = 'paid'): Transaction {
    const subscription = get(subscriptions, subscriptionId);
    const transaction = addTransaction({
      lines: lines.get(subscriptionId) ?? [],
      origin: 'subscription_recurring',
      status: 'billed',
      currency: String(subscription.currency_code),
      customerId: subscription.customer_id,
      customData: subscription.custom_data,
      subscriptionId,
    });
    if (outcome === 'paid') return pay(transaction.id);
    transaction.status = 'past_due';
    subscription.status = 'past_due';
    emit('transaction.payment_failed', transaction);
    emit('transaction.past_due', transaction);
    emit('subscription.past_due', subscription);
    return transaction;
  }

  function end(subscriptionId: string, how: 'canceled' | 'paused'): void {
    const subscription = get(subscriptions, subscriptionId);
    subscription.status = how;
    emit(`subscription.${how}`, subscription);
  }

  function addCustomer(body: Json) {
    const email = String(body.email);
    if (!/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(email)) throw new Refused(400, 'invalid_field');
    const isKnown = [...customers.values()].some((other) => other.email.toLowerCase() === email.toLowerCase());
    if (isKnown) throw new Refused(409, 'customer_already_exists');
    const customer = {
      id: nextId('ctm'),
      email,
      name: body.name ?? null,
      custom_data: body.custom_data ?? null,
      status: 'active',
      marketing_consent: false,
      locale: 'en',
      created_at: stamp(),
      updated_at: stamp(),
    };
    customers.set(customer.id, customer);
    emit('customer.created', customer);
    return customer;
  }

  function addAdjustment(
    transaction: Transaction,
    action: string,
    status: string,
    amount: number,
    reason = action,
  ): Adjustment {
    const tax = Math.round(amount * double.taxRate);
    const totals = {
      subtotal: String(amount),
      tax: String(tax),
      total: String(amount + tax),
      fee: '0',
      retained_fee: action === 'refund' ? '50' : '0',
      earnings: String(amount),
      currency_code: transaction.currency_code,
    };
    const adjustment: Adjustment = {
      id: nextId('adj'),
      action,
      type: 'partial',
      transaction_id: transaction.id,
      subscription_id: transaction.subscription_id,
      customer_id: transaction.customer_id,
      reason,
      credit_applied_to_balance: false,
      currency_code: transaction.currency_code,
      status,
      items: [],
      totals,
      payout_totals: {
        ...totals,
        chargeback_fee: { amount: action === 'chargeback' ? '1500' : '0', original: null },
      },
      tax_rates_used: [],
      created_at: stamp(),
      updated_at: stamp(),
    };
    adjustments.set(adjustment.id, adjustment);
    emit('adjustment.created', adjustment);
    return adjustment;
  }

  const lastPart = (path: string, from = 2) => path.split('/')[from] ?? '';

  function answer(method: string, path: string, query: URLSearchParams, body: Json): unknown {
    const asked = `${method} ${path.replace(/\/[a-z]+_[0-9a-z]+/, '/*')}`;
    switch (asked) {
      case 'POST /customers':
        return addCustomer(body);
      case 'GET /customers': {
        const emails = (query.get('email') ?? '').toLowerCase().split(',');
        const states = (query.get('status') ?? 'active').split(',');
        return [...customers.values()].filter(
          ({ email, status }) => emails.includes(email.toLowerCase()) && states.includes(status),
        );
      }
      case 'POST /transactions': {
        if (!double.hasPaymentLink) throw new Refused(400, 'transaction_default_checkout_url_not_set');
        const { customer_id, custom_data, currency_code, checkout } = body as {
          customer_id?: string | null;
          custom_data?: Json;
          currency_code: string;
          checkout?: { url?: string };
        };
        if (customer_id) get(customers, customer_id);
        return addTransaction({
          lines: readLines(body.items),
          origin: 'api',
          status: 'draft',
          currency: currency_code,
          customerId: customer_id ?? null,
          customData: custom_data ?? null,
          ...(checkout?.url === undefined ? {} : { url: checkout.url }),
        });
      }
      case 'GET /transactions': {
        const only = query.get('customer_id')?.split(',');
        const found = [...transactions.values()].filter(
          (row) => only === undefined || only.includes(String(row.customer_id)),
        );
        return found.reverse();
      }
      case 'GET /transactions/*':
        return get(transactions, lastPart(path));
      case 'PATCH /transactions/*': {
        const transaction = get(transactions, lastPart(path));
        Object.assign(transaction, body);
        emit(`transaction.${transaction.status === 'canceled' ? 'canceled' : 'updated'}`, transaction);
        return transaction;
      }
      case 'GET /subscriptions/*':
        return get(subscriptions, lastPart(path));
      case 'PATCH /subscriptions/*': {
        const subscription = get(subscriptions, lastPart(path));
        if (subscription.status === 'canceled') throw new Refused(400, 'subscription_is_canceled_action_invalid');
        if (subscription.status === 'past_due') throw new Refused(400, 'subscription_update_when_past_due');
        const rows = readLines(body.items);
        const worth = (some: readonly Line[] = []) => some.reduce((all, { amount }) => all + amount, 0);
        const isCharged = body.proration_billing_mode === 'prorated_immediately';
        if (isCharged && worth(rows) > worth(lines.get(subscription.id))) {
          if (double.declinesCharges) throw new Refused(400, 'subscription_payment_declined');
          const transaction = addTransaction({
            lines: rows,
            origin: 'subscription_update',
            status: 'billed',
            currency: String(subscription.currency_code),
            customerId: subscription.customer_id,
            customData: subscription.custom_data,
            subscriptionId: subscription.id,
          });
          transaction.status = 'completed';
          emit('transaction.completed', transaction);
        }
        setItems(subscription, rows);
        emit('subscription.updated', subscription);
        return subscription;
      }
      case 'POST /subscriptions/*/cancel': {
        const subscription = get(subscriptions, lastPart(path));
        if (subscription.status === 'canceled') throw new Refused(400, 'subscription_is_canceled_action_invalid');
        if (body.effective_from !== 'immediately') throw new Refused(400, 'invalid_field');
        end(subscription.id, 'canceled');
        return subscription;
      }
      case 'GET /subscriptions/*/update-payment-method-transaction': {
        const subscription = get(subscriptions, lastPart(path));
        if (subscription.status === 'canceled') throw new Refused(400, 'subscription_is_canceled_action_invalid');
        const owed = [...transactions.values()].findLast(
          (row) => row.subscription_id === subscription.id && row.status === 'past_due',
        );
        return (
          owed ??
          addTransaction({
            lines: lines.get(subscription.id) ?? [],
            origin: 'subscription_payment_method_change',
            status: 'ready',
            currency: String(subscription.currency_code),
            customerId: subscription.customer_id,
            customData: subscription.custom_data,
            subscriptionId: subscription.id,
            isFree: true,
          })
        );
      }
      case 'POST /adjustments': {
        const transaction = get(transactions, String(body.transaction_id));
        const items = body.items as { item_id: string; amount: string }[];
        if (transaction.status !== 'completed')
          throw new Refused(400, 'adjustment_transaction_invalid_status_for_refund');
        const isPending = [...adjustments.values()].some(
          (row) => row.transaction_id === transaction.id && row.status === 'pending_approval',
        );
        if (isPending) throw new Refused(400, 'adjustment_pending_refund_request');
        if (!items.every(({ item_id }) => lines.get(transaction.id)?.some(({ id }) => id === item_id))) {
          throw new Refused(400, 'adjustment_transaction_item_invalid');
        }
        const amount = items.reduce((all, item) => all + Number(item.amount), 0);
        const worth = (lines.get(transaction.id) ?? []).reduce((all, line) => all + line.amount, 0);
        if (amount > worth) throw new Refused(400, 'adjustment_amount_above_remaining_allowed');
        return addAdjustment(transaction, 'refund', 'pending_approval', amount, String(body.reason));
      }
      case 'GET /adjustments': {
        const only = query.get('transaction_id')?.split(',');
        return [...adjustments.values()]
          .filter((row) => only === undefined || only.includes(row.transaction_id))
          .reverse();
      }
      default:
        throw new Refused(404, 'invalid_url');
    }
  }

  function takeTrouble(method: string, path: string): Trouble | undefined {
    const found = troubles.find(
      (trouble) =>
        trouble.left > 0 &&
        (trouble.method === undefined || trouble.method === method) &&
        (trouble.path === undefined || trouble.path.test(path)),
    );
    if (found !== undefined) found.left -= 1;
    return found;
  }

  function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  }
  const sendError = (response: ServerResponse, { status, code }: Refused, headers: Record<string, string> = {}) =>
    send(
      response,
      status,
      { error: { type: 'request_error', code, detail: code, documentation_url: '' }, meta: { request_id: 'r' } },
      headers,
    );

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://double');
    const method = request.method ?? '';
    if (path === '/checkout') return showCheckout(searchParams.get('_ptxn') ?? '', method, text, response);
    const trouble = takeTrouble(method, path);
    if (trouble !== undefined && trouble.how !== 'lost') return misbehave(trouble, request, response);
    if (request.headers.authorization !== `Bearer ${API_KEY}`) {
      return sendError(response, new Refused(403, 'invalid_token'));
    }
    const body: Json = text === '' ? {} : JSON.parse(text);
    double.asked.push({ method, path: path + (searchParams.size === 0 ? '' : `?${searchParams}`), body });
    try {
      const data = answer(method, path, searchParams, body);
      if (trouble !== undefined) return void request.socket.destroy();
      const meta = Array.isArray(data)
        ? { request_id: 'r', pagination: { per_page: 50, next: `${double.url}${path}?after=x`, has_more: false } }
        : { request_id: 'r' };
      send(response, method === 'POST' ? 201 : 200, { data, meta });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      sendError(response, error);
    }
  }

  function misbehave({ how, retryAfter }: Trouble, request: IncomingMessage, response: ServerResponse): void {
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    if (typeof how === 'object') sendError(response, new Refused(400, how.code));
    else if (how === 'busy') sendError(response, new Refused(429, 'too_many_requests'), headers);
    else if (how === 'broken') sendError(response, new Refused(500, 'internal_error'), headers);
    else if (how === 'refused_key') sendError(response, new Refused(403, 'invalid_token'));
    else if (how === 'cut') request.socket.destroy();
    else if (how === 'hang') hanging.add(response);
    else {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(how === 'html' ? '<!doctype html><title>Maintenance</title>' : `{"data":"${'x'.repeat(2 ** 21)}"}`);
    }
  }

  /** The page behind a checkout link: one button to pay, and one for a declined card. */
  async function showCheckout(id: string, method: string, text: string, response: ServerResponse): Promise<void> {
    const transaction = transactions.get(id);
    if (transaction === undefined) return void response.writeHead(404).end();
    if (method === 'POST') {
      const before = double.events.length;
      pay(id, new URLSearchParams(text).get('outcome') === 'declined' ? 'declined' : 'paid');
      const { webhookUrl } = double;
      for (const event of webhookUrl === undefined ? [] : double.events.slice(before)) {
        await double.deliver(webhookUrl ?? '', event);
      }
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>Checkout</title><h1>${transaction.status}</h1><form method="post"><button name="outcome" value="paid">Pay</button><button name="outcome" value="declined">Decline</button></form>`,
    );
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500);
      response.end(String(error));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  const double: PaddleDouble = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get settings() {
      return { api_key: API_KEY, webhook_secret: WEBHOOK_SECRET, base_url: double.url };
    },
    asked: [],
    events: [],
    takeEvents: () => double.events.splice(0),
    fail: (trouble) => troubles.push({ ...trouble, left: trouble.times ?? 1 }),
    declinesCharges: false,
    taxRate: 0,
    hasPaymentLink: true,
    transaction: (id) => get(transactions, id),
    transactions: () => [...transactions.values()],
    subscription: (id) => get(subscriptions, id),
    subscriptions: () => [...subscriptions.values()],
    customers: () => [...customers.values()],
    archive(id) {
      get(customers, id).status = 'archived';
    },
    pay,
    renew,
    end,
    settleRefund(id, status) {
      const adjustment = get(adjustments, id);
      adjustment.status = status;
      emit('adjustment.updated', adjustment);
    },
    chargeBack(transactionId, action = 'chargeback') {
      const worth = (lines.get(transactionId) ?? []).reduce((all, { amount }) => all + amount, 0);
      return addAdjustment(get(transactions, transactionId), action, 'approved', worth);
    },
    adjustments: () => [...adjustments.values()],
    sign(body, { at = Math.floor(now().getTime() / 1000), secrets = [WEBHOOK_SECRET], header } = {}) {
      if (header !== undefined) return header;
      const hashes = secrets.map((secret) => createHmac('sha256', secret).update(`${at}:${body}`).digest('hex'));
      return [`ts=${at}`, ...hashes.map((hash) => `h1=${hash}`)].join(';');
    },
    deliver(target, event, options = {}) {
      const body = JSON.stringify(event);
      return fetch(new URL('/billing/v1/paddle', target), {
        method: 'POST',
        body: options.body ?? body,
        headers: { 'content-type': 'application/json', 'paddle-signature': double.sign(body, options) },
      });
    },
    webhookUrl: undefined,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return double;
}
