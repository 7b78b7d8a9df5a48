// Handles one request of an operation in one pass, where generic middleware would be a stack: credential, validation,
// authorization, body, the operation itself, and the refusal where one of them throws.

import type { Actor, RequestFacts } from '../core/actor.ts';
import { accountOf } from '../core/actor.ts';
import type { App, Context } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { createContext } from '../core/transact.ts';
import type { AppError } from '../lib/errors.ts';
import { type ValidationEntry, validationError } from '../lib/validation.ts';
import { rateLimitOf } from '../runtime/rate-limits.ts';
import { authorize, checkCredential } from './access.ts';
import { parseBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import { authenticate, presentedCredential } from './credentials.ts';
import type { Answer, Exchange } from './exchange.ts';
import { isSentByForm } from './forms.ts';
import type { Operation, Returns } from './operation.ts';
import { createInputReader } from './parameters.ts';
import type { Reply } from './reply.ts';
import { answerError, createShow, logRequest, replyAnswer, toAnswer, withoutKnownContent } from './responses.ts';
import { checkSameOrigin } from './same-origin.ts';
import type { RawQuery } from './tenant.ts';
import { toAppError } from './unexpected-errors.ts';

export interface HandlerParts {
  app: App;
  clientAddress: ClientAddress;
  /** How refusals look to people at a path, by what its operation returns; undefined where programs come alone. */
  refusalPageAt?(path: string, returns?: Returns): RefusalPage | undefined;
}

/** A refusal as a page; undefined for a program, which gets the envelope. */
export type RefusalPage = (facts: RequestFacts, error: AppError) => Reply | undefined;

export type Handler = (exchange: Exchange) => Answer | Promise<Answer>;

/** A request on its way, with what is learnt about it for its answer and its log line. */
interface Passage {
  startedAt: number;
  exchange: Exchange;
  facts: RequestFacts;
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

/**
 * The handler of one operation. What is thrown on the way becomes the answer that refuses. Where nothing has to be waited for
 * the answer is there at once: every promise on the way costs part of a small request.
 */
export function createHandler(parts: HandlerParts, operation: Operation): Handler {
  const { app } = parts;
  const { access, rateLimit = rateLimitOf(operation.path) } = operation;
  const params = createInputReader('path', operation.params);
  const query = createInputReader('query', operation.query);
  const show = createShow(app, operation);
  const refusalPage = parts.refusalPageAt?.(operation.path, operation.returns);

  function perform(passage: Passage): Answer | Promise<Answer> {
    if (rateLimit !== undefined) app.rateLimits.admitAddress(rateLimit, passage.facts.ipAddress);
    const actor = identify(parts, operation, passage.exchange);
    return actor instanceof Promise ? actor.then((late) => decide(passage, late)) : decide(passage, actor);
  }

  function decide(passage: Passage, actor: Actor): Answer | Promise<Answer> {
    const { exchange, facts } = passage;
    passage.actor = actor;
    if (rateLimit !== undefined) app.rateLimits.admitAccount(rateLimit, accountOf(actor));
    const ctx = createContext(app, actor, facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);

    const entries: ValidationEntry[] = [];
    const input = {
      params: params.read(exchange.params, entries),
      query: query.read(exchange.query, entries),
      body: undefined as unknown,
    };
    // Where everything is in order, the operation asks for the credential itself.
    const isRead = entries.length === 0 && operation.body === undefined;
    if (access.kind === 'anonymous' && !isRead) access.check?.(ctx);
    if (entries.length > 0) throw validationError(entries);
    const admitted = admit(operation, ctx, input.params, exchange.query);
    if (operation.body !== undefined) return performWithBody(passage, input);
    return finish(passage, operation.run(admitted, input));
  }

  async function performWithBody(
    passage: Passage,
    input: { params: Record<string, unknown>; query: unknown; body: unknown },
  ): Promise<Answer> {
    const { exchange, facts } = passage;
    input.body = await parseBody(app, operation, exchange, passage);
    // A body may take half a minute to come; whoever lost the right meanwhile has lost it.
    const ctx = createContext(app, await identify(parts, operation, exchange), facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);
    return finish(passage, operation.run(admit(operation, ctx, input.params, exchange.query), input));
  }

  function finish(passage: Passage, result: unknown): Answer | Promise<Answer> {
    if (result instanceof Promise) return result.then((late) => finish(passage, late));
    const answer = toAnswer(app, operation, result, passage.facts, show);
    return operation.method === 'get' ? withoutKnownContent(answer, passage.exchange.header('if-none-match')) : answer;
  }

  function close(passage: Passage, answer: Answer): Answer {
    logRequest(app, passage.facts, operation.path, answer.status, passage.actor, passage.startedAt);
    return answer;
  }

  function refuse(passage: Passage, error: unknown): Answer {
    const page = operation.showRefusal && isSentByForm(passage.facts) ? toAppError(error) : undefined;
    if (page === undefined || page.code === 'internal_error') {
      const { facts, startedAt } = passage;
      return answerError(app, facts, operation.path, error, passage, startedAt, (refusal) =>
        refusalPage?.(facts, refusal),
      );
    }
    return close(passage, showRefusal(app, operation, page, passage));
  }

  return (exchange) => {
    const passage: Passage = { startedAt: performance.now(), exchange, facts: requestFacts(parts, exchange) };
    try {
      const answer = perform(passage);
      if (!(answer instanceof Promise)) return close(passage, answer);
      return answer.then(
        (late) => close(passage, late),
        (error: unknown) => refuse(passage, error),
      );
    } catch (error) {
      return refuse(passage, error);
    }
  };
}

/** The context of an admitted caller: with organization and project where the operation has a tenant. */
function admit({ access }: Operation, ctx: Context, params: Record<string, unknown>, query: RawQuery): Context {
  if (access.kind === 'anonymous' || access.kind === 'developer') return ctx;
  return Object.assign(ctx, authorize(access, ctx, params, query));
}

/** Who is calling. */
function identify({ app }: HandlerParts, operation: Operation, exchange: Exchange): Actor | Promise<Actor> {
  if (operation.access.kind === 'anonymous') return { kind: 'anonymous' };
  const credential = presentedCredential(exchange.header('authorization'), exchange.header('cookie'));
  if (credential === undefined) throw unauthorized();
  const admitOrigin = (actor: Actor): Actor => {
    if (credential.isFromCookie && operation.method !== 'get') checkSameOrigin(app, exchange.header);
    return actor;
  };
  const actor = authenticate(app, credential);
  return actor instanceof Promise ? actor.then(admitOrigin) : admitOrigin(actor);
}

/** A refusal as the operation's own page, for a person whose browser sent a form. */
function showRefusal(app: App, operation: Operation, error: AppError, { exchange, facts, form = {} }: Passage): Answer {
  const page = operation.showRefusal?.(app, { error, fields: form, path: exchange.path });
  if (page === undefined) throw new TypeError('The operation shows no refusals');
  return replyAnswer(app, { ...page, headers: { ...error.headers, ...page.headers } }, error.status, facts);
}
