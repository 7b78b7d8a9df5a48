// Handles a request of an operation in one pass, instead of a stack of middleware: credential, validation, authorization, body,
// the operation itself, and the error response if one of them throws.

import type { Actor, RequestFacts } from '../core/actor.ts';
import { accountOf } from '../core/actor.ts';
import type { App, Context } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { createContext } from '../core/transact.ts';
import { AppError } from '../lib/errors.ts';
import { type ValidationEntry, validationError } from '../lib/validation.ts';
import { rateLimitOf } from '../runtime/rate-limits.ts';
import type { Tracing } from '../runtime/tracing.ts';
import { authorize, checkCredential } from './access.ts';
import { formGateOf, parseBody } from './body.ts';
import type { ClientAddress } from './client-address.ts';
import { authenticate, authenticateAgain, presentedCredential } from './credentials.ts';
import type { Answer, Exchange } from './exchange.ts';
import { isSentByForm } from './forms.ts';
import { isFormBody, type Operation, type Returns } from './operation.ts';
import { createInputReader, createQueryReader } from './parameters.ts';
import type { Reply } from './reply.ts';
import {
  type AnsweredRequest,
  answerError,
  createJsonWriter,
  logRequest,
  replyAnswer,
  toAnswer,
  withoutKnownContent,
} from './responses.ts';
import { checkSameOrigin } from './same-origin.ts';
import { toAppError } from './unexpected-errors.ts';

export interface HandlerParts {
  app: App;
  clientAddress: ClientAddress;
  /** Returns the error page for a path, depending on its operation's response; undefined for paths used only by programs. */
  refusalPageAt?(path: string, returns?: Returns): RefusalPage | undefined;
}

/** Renders an error page. Returns undefined for programs, which get the error envelope. */
export type RefusalPage = (facts: RequestFacts, error: AppError) => Reply | undefined;

export type Handler = (exchange: Exchange) => Answer | Promise<Answer>;

/** A request in progress, with the facts collected for its response and log line. */
interface RequestState extends AnsweredRequest {
  /** The number of writes before it. */
  writesBefore: number;
  exchange: Exchange;
  form?: Record<string, string>;
}

/** Returns the facts of a request for the rest of the program. Each call assigns a new request id. */
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
 * Creates the handler of an operation. Errors become error responses. The handler is synchronous unless something must be
 * awaited, because each promise adds noticeable cost to a small request.
 */
export function createHandler(parts: HandlerParts, operation: Operation): Handler {
  const { app } = parts;
  const { access, rateLimit = rateLimitOf(operation.path) } = operation;
  const params = createInputReader('path', operation.params);
  const readQuery = createQueryReader(operation.query);
  const writeJson = createJsonWriter(app, operation);
  const refusalPage = parts.refusalPageAt?.(operation.path, operation.returns);

  function perform(state: RequestState): Answer | Promise<Answer> {
    if (rateLimit !== undefined) app.rateLimits.admitAddress(rateLimit, state.facts.ipAddress);
    const actor = identify(parts, operation, state.exchange);
    return actor instanceof Promise ? actor.then((late) => decide(state, late)) : decide(state, actor);
  }

  function decide(state: RequestState, actor: Actor): Answer | Promise<Answer> {
    const { exchange, facts } = state;
    state.actor = actor;
    if (rateLimit !== undefined) app.rateLimits.admitAccount(rateLimit, accountOf(actor));
    const ctx = createContext(app, actor, facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);

    const entries: ValidationEntry[] = [];
    const input = {
      params: params.read(exchange.params, entries),
      query: readQuery(exchange, entries),
      body: undefined as unknown,
    };
    // For other requests, the operation itself checks the credential.
    const isRead = entries.length === 0 && operation.body === undefined;
    if (access.kind === 'anonymous' && !isRead) access.check?.(ctx);
    if (entries.length > 0) throw validationError(entries);
    const admitted = admit(app, operation, ctx, input.params, exchange);
    if (operation.body !== undefined) {
      const work = () => performWithBody(state, input, ctx);
      return isFormBody(operation.body) ? formGateOf(app)(state.facts.ipAddress, work) : work();
    }
    return finish(state, operation.run(admitted, input));
  }

  async function performWithBody(
    state: RequestState,
    input: { params: Record<string, unknown>; query: unknown; body: unknown },
    before: Context,
  ): Promise<Answer> {
    const { exchange, facts } = state;
    input.body = await parseBody(app, operation, state, (value) => {
      if (access.kind === 'anonymous') access.checkBody?.(before, value);
    });
    // The body may take half a minute to arrive, so the caller's access is checked again.
    const ctx = createContext(app, await identify(parts, operation, exchange), facts);
    if (access.kind !== 'anonymous') checkCredential(access, ctx);
    return finish(state, operation.run(admit(app, operation, ctx, input.params, exchange), input));
  }

  function finish(state: RequestState, result: unknown): Answer | Promise<Answer> {
    if (result instanceof Promise) return result.then((late) => finish(state, late));
    const answer = toAnswer(app, operation, result, state.facts, writeJson);
    return operation.isConditional === true
      ? withoutKnownContent(answer, state.exchange.header('if-none-match'))
      : answer;
  }

  function close(state: RequestState, answer: Answer): Answer {
    logRequest(app, state, answer.status);
    return answer;
  }

  function refuse(state: RequestState, error: unknown): Answer {
    const page = operation.showRefusal && isSentByForm(state.facts) ? toAppError(error) : undefined;
    if (page === undefined || page.code === 'internal_error') {
      return answerError(app, state, error, (refusal) => refusalPage?.(state.facts, refusal));
    }
    return close(state, showRefusal(app, operation, page, state));
  }

  /**
   * Answers when what the answer may acknowledge is on disk: for a change everything committed so far, because it may repeat an
   * earlier request, and for a read nothing, unless something was written since it began.
   */
  function afterCommits(state: RequestState, answer: () => Answer): Answer | Promise<Answer> {
    const { durability, writes } = app.db;
    if (operation.method === 'get' && writes.count === state.writesBefore) return answer();
    const settled = durability.settle();
    return settled === undefined ? answer() : settled.then(answer, (error: unknown) => refuse(state, error));
  }

  const handle: Handler = (exchange) => {
    const state: RequestState = {
      startedAt: performance.now(),
      route: operation.path,
      writesBefore: app.db.writes.count,
      exchange,
      facts: requestFacts(parts, exchange),
    };
    try {
      const answer = perform(state);
      if (!(answer instanceof Promise)) return afterCommits(state, () => close(state, answer));
      return answer.then(
        (late) => afterCommits(state, () => close(state, late)),
        (error: unknown) => afterCommits(state, () => refuse(state, error)),
      );
    } catch (error) {
      return afterCommits(state, () => refuse(state, error));
    }
  };
  return app.tracing === undefined ? handle : traced(app.tracing, operation, handle);
}

/** Returns the handler with each request in a span. */
function traced(tracing: Tracing, { method, path }: Operation, handle: Handler): Handler {
  const verb = method.toUpperCase();
  const attributes = { 'http.request.method': verb, 'http.route': path };
  return (exchange) => {
    const parent = exchange.header('traceparent');
    return tracing.run({ name: `${verb} ${path}`, kind: 'server', attributes, parent }, () => handle(exchange));
  };
}

/** Adds organization and project to the context of an authorized caller, if the operation has a tenant. */
function admit(
  app: App,
  operation: Operation,
  ctx: Context,
  params: Record<string, unknown>,
  exchange: Exchange,
): Context {
  const { access } = operation;
  if (access.kind === 'anonymous') {
    if (access.check !== undefined) ctx.confirmAccess = () => access.check?.(ctx);
    return ctx;
  }
  ctx.confirmAccess = () => admitAgain(app, operation, ctx, params, exchange);
  return access.kind === 'developer' ? ctx : Object.assign(ctx, authorize(access, ctx, params, exchange.query()));
}

/** Throws if the caller wouldn't be admitted now. */
function admitAgain(
  app: App,
  operation: Operation,
  { actor, request }: Context,
  params: Record<string, unknown>,
  exchange: Exchange,
): void {
  const { access } = operation;
  const credential = presentedCredential(exchange.header('authorization'), exchange.header('cookie'));
  if (access.kind === 'anonymous' || credential === undefined) return;
  const ctx = createContext(app, authenticateAgain(app, actor, credential), request);
  checkCredential(access, ctx);
  admit(app, operation, ctx, params, exchange);
}

const anonymousActor: Actor = { kind: 'anonymous' };

/** Returns the actor of the request. */
function identify({ app }: HandlerParts, operation: Operation, exchange: Exchange): Actor | Promise<Actor> {
  if (operation.access.kind === 'anonymous') {
    return operation.access.recognizesSession === true ? identifyVisitor(app, operation, exchange) : anonymousActor;
  }
  const credential = presentedCredential(exchange.header('authorization'), exchange.header('cookie'));
  if (credential === undefined) throw unauthorized();
  const admitOrigin = (actor: Actor): Actor => {
    if (credential.isFromCookie && operation.method !== 'get') checkSameOrigin(app, exchange.header);
    return actor;
  };
  const actor = authenticate(app, credential);
  return actor instanceof Promise ? actor.then(admitOrigin) : admitOrigin(actor);
}

/** Returns the developer whose session the browser has, or an anonymous actor. Throws for a write from a foreign page. */
function identifyVisitor(app: App, operation: Operation, exchange: Exchange): Actor | Promise<Actor> {
  if (operation.method !== 'get') checkSameOrigin(app, exchange.header);
  const asAnonymous = (error: unknown): Actor => {
    if (error instanceof AppError) return anonymousActor;
    throw error;
  };
  try {
    const credential = presentedCredential(undefined, exchange.header('cookie'));
    if (credential === undefined) return anonymousActor;
    const actor = authenticate(app, credential);
    return actor instanceof Promise ? actor.catch(asAnonymous) : actor;
  } catch (error) {
    return asAnonymous(error);
  }
}

/** Renders an error with the operation's own page, for a person who submitted a form. */
function showRefusal(
  app: App,
  operation: Operation,
  error: AppError,
  { exchange, facts, form = {} }: RequestState,
): Answer {
  const page = operation.showRefusal?.(app, {
    error,
    fields: form,
    path: exchange.path,
    acceptLanguage: facts.acceptLanguage,
  });
  if (page === undefined) throw new TypeError('The operation has no error page');
  return replyAnswer(app, { ...page, headers: { ...error.headers, ...page.headers } }, error.status, facts);
}
