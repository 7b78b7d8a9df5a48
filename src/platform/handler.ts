// Handles one request of an operation in one pass, where generic middleware would be a stack: credential, validation,
// authorization, body, the operation itself, and the refusal where one of them throws.
import { authorize, checkCredential } from './access.ts';
import { answerError, createShow, logRequest, replyAnswer, toAnswer, withoutKnownContent } from './answers.ts';
import { parseBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import type { Actor, App, Context, RequestFacts } from './context.ts';
import { authenticate, presentedCredential, unauthorized } from './credentials.ts';
import { type AppError, toAppError } from './errors.ts';
import type { Answer, Exchange } from './exchange.ts';
import { isSentByForm } from './forms.ts';
import { createInputReader } from './input.ts';
import type { Operation } from './operation.ts';
import { rateLimitOf } from './rate-limits.ts';
import { checkSameOrigin } from './same-origin.ts';
import type { RawQuery } from './tenant.ts';
import { createContext } from './transact.ts';
import { type ValidationEntry, validationError } from './validation.ts';

export interface HandlerParts {
  app: App;
  clientAddress: ClientAddress;
}

export type Handler = (exchange: Exchange) => Promise<Answer>;

/** What is learnt about a request on the way, for its answer and its log line. */
interface Seen {
  actor?: Actor;
  form?: Record<string, string>;
}

/** What the rest of the program knows of a request. Each call gives it a new id. */
export function requestFacts({ app, clientAddress }: HandlerParts, exchange: Exchange): RequestFacts {
  return {
    id: app.ids.next(),
    method: exchange.method,
    ipAddress: clientAddress(exchange.peer, exchange.header('x-forwarded-for')),
    userAgent: exchange.header('user-agent')?.slice(0, 512) ?? null,
    acceptLanguage: exchange.header('accept-language')?.slice(0, 256) ?? null,
    header: exchange.header,
    rawQuery: exchange.rawQuery,
  };
}

/** The handler of one operation. What is thrown on the way becomes the answer that refuses. */
export function createHandler(parts: HandlerParts, operation: Operation): Handler {
  const { app } = parts;
  const { access, rateLimit = rateLimitOf(operation.path) } = operation;
  const params = createInputReader('path', operation.params);
  const query = createInputReader('query', operation.query);
  const show = createShow(app, operation);

  async function perform(exchange: Exchange, facts: RequestFacts, seen: Seen): Promise<Answer> {
    if (rateLimit !== undefined) app.rateLimits.admitAddress(rateLimit, facts.ipAddress);
    const identified = identify(parts, operation, exchange);
    const actor = identified instanceof Promise ? await identified : identified;
    seen.actor = actor;
    if (rateLimit !== undefined) app.rateLimits.admitActor(rateLimit, actor);
    let ctx: Context = createContext(app, actor, facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);

    const entries: ValidationEntry[] = [];
    const rawQuery = exchange.query;
    const input = {
      params: params.read(exchange.params, entries),
      query: query.read(rawQuery, entries),
      body: undefined as unknown,
    };
    if (entries.length > 0) throw validationError(entries);
    ctx = admit(operation, ctx, input.params, rawQuery);
    if (operation.body !== undefined) {
      input.body = await parseBody(app, operation, exchange, seen);
      // A body may take half a minute to come; whoever lost the right meanwhile has lost it.
      ctx = createContext(app, await identify(parts, operation, exchange), facts);
      ctx = admit(operation, ctx, input.params, rawQuery);
    }
    const running = operation.run(ctx, input);
    const answer = toAnswer(operation, running instanceof Promise ? await running : running, facts, show);
    return operation.method === 'get' ? withoutKnownContent(answer, exchange.header('if-none-match')) : answer;
  }

  return async (exchange) => {
    const startedAt = performance.now();
    const facts = requestFacts(parts, exchange);
    const seen: Seen = {};
    let answer: Answer;
    try {
      answer = await perform(exchange, facts, seen);
    } catch (error) {
      const page = operation.showRefusal && isSentByForm(facts) ? toAppError(error) : undefined;
      if (page === undefined || page.code === 'internal_error') {
        return answerError(app, facts, operation.path, error, seen, startedAt);
      }
      answer = showRefusal(app, operation, page, exchange, facts, seen);
    }
    logRequest(app, facts, operation.path, answer.status, seen.actor, startedAt);
    return answer;
  };
}

/** The context of an admitted caller: with organization and project where the operation has a tenant. */
function admit({ access }: Operation, ctx: Context, params: Record<string, unknown>, query: RawQuery): Context {
  if (access.kind === 'anonymous') return ctx;
  checkCredential(access, ctx);
  if (access.kind === 'developer') return ctx;
  return { ...ctx, ...authorize(access, ctx, params, query) };
}

/** Who is calling. At once where it can be, because every promise on the way costs part of a small request. */
function identify({ app }: HandlerParts, operation: Operation, exchange: Exchange): Actor | Promise<Actor> {
  if (operation.access.kind === 'anonymous') return { kind: 'anonymous' };
  const credential = presentedCredential(exchange.header('authorization'), exchange.header('cookie'));
  if (credential === undefined) throw unauthorized();
  const admitOrigin = (actor: Actor): Actor => {
    if (credential.isFromCookie && operation.method !== 'get') checkSameOrigin(app, exchange.header);
    return actor;
  };
  const actor = authenticate(app, credential.token);
  return actor instanceof Promise ? actor.then(admitOrigin) : admitOrigin(actor);
}

/** A refusal as the operation's own page, for a person whose browser sent a form. */
function showRefusal(
  app: App,
  operation: Operation,
  error: AppError,
  exchange: Exchange,
  facts: RequestFacts,
  seen: Seen,
): Answer {
  const page = operation.showRefusal?.(app, { error, fields: seen.form ?? {}, path: exchange.path });
  if (page === undefined) throw new TypeError('The operation shows no refusals');
  return replyAnswer({ ...page, headers: { ...error.headers, ...page.headers } }, error.status, facts);
}
