// The declaration of an operation: the source of its route, validation, authorization, OpenAPI entry and test-matrix row.
import type { App, Context, DeveloperContext, OrganizationContext, ProjectContext } from '../core/context.ts';
import type { AppError } from '../lib/errors.ts';
import type * as z from '../lib/zod.ts';
import type { OrganizationPermissionName, ProjectPermissionName } from '../permissions.ts';
import type { RateLimitClass } from '../runtime/rate-limits.ts';
import type { Reply } from './reply.ts';

/** The location of a resource: its organization, and its project and channel if it has them. */
export interface Location {
  organizationId: string;
  projectId?: string;
  channelId?: string;
}

/** Returns the location of the resource with this id, or undefined if there is none. */
export type Locator = (app: App, id: string) => Location | undefined;

/** How the tenant of a request is determined. */
export type Tenant = { in: 'query' } | { in: 'path'; parameter: string; locate?: Locator };

export interface AnonymousAccess {
  kind: 'anonymous';
  /** For callers that aren't developers: their credential, which the operation's service checks first. */
  credential?: 'sdk_app' | 'sdk_install';
  /**
   * Recognizes the session of a browser by its cookie, for pages that show more to people who are signed in. Everyone else is
   * anonymous, even if it has a credential. A write must come from our own pages.
   */
  recognizesSession?: true;
  /** Rejects callers without that credential, before errors in the rest of the request are reported. */
  check?(ctx: Context): void;
  /** Rejects callers whose credential in the body is incorrect, before errors in the rest of the body are reported. */
  checkBody?(ctx: Context, value: unknown): void;
}

export interface DeveloperAccess {
  kind: 'developer';
  /**
   * Rejects personal and project access tokens regardless of their scope (docs/specification/tokens.md#operations-that-reject-tokens).
   */
  isInteractive: boolean;
  /** Allows unverified accounts although the operation changes state. */
  allowsUnverified?: boolean;
  /** Also allows project access tokens, which only see data of their project and organization. */
  admitsProjectToken?: boolean;
}

export interface OrganizationAccess {
  kind: 'organization';
  permission: OrganizationPermissionName;
  tenant: Tenant;
  /** A path parameter that names a person. For their own id, callers need only this permission instead. */
  ofOneself?: { parameter: string; permission: OrganizationPermissionName };
  isInteractive?: boolean;
  /** Also works in locked organizations: it is a way out of the lock, or turns something off that must never stay on. */
  isLockExempt?: boolean;
}

export interface ProjectAccess {
  kind: 'project';
  permission: ProjectPermissionName;
  tenant: Tenant;
  isInteractive?: boolean;
  /** Delivers files: rejected for unverified addresses and for organizations locked against downloads. */
  isDownload?: boolean;
}

export type Access = AnonymousAccess | DeveloperAccess | OrganizationAccess | ProjectAccess;

/** No sign-in is required, and credentials are ignored. */
export const anonymous: AnonymousAccess = { kind: 'anonymous' };
/** No sign-in is required, but the session of a browser is recognized. */
export const visitor: AnonymousAccess = { kind: 'anonymous', recognizesSession: true };
/** Requires an interactive sign-in. */
export const interactive = { kind: 'developer', isInteractive: true } as const satisfies DeveloperAccess;
export const fromQuery: Tenant = { in: 'query' };
export const fromPath = (parameter: string, locate?: Locator): Tenant =>
  locate === undefined ? { in: 'path', parameter } : { in: 'path', parameter, locate };

type ContextFor<A extends Access> = A extends ProjectAccess
  ? ProjectContext
  : A extends OrganizationAccess
    ? OrganizationContext
    : A extends { isInteractive: true }
      ? DeveloperContext
      : Context;

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A multipart body with one file of limited size. */
export interface FileBody {
  kind: 'file';
  field: 'file';
  maximumBytes: (app: App) => number;
}

/**
 * A body of raw bytes with a media type of its own. A body that is too large, too slow, incomplete or of another type arrives
 * empty, so that the operation reports it like its other errors.
 */
export interface RawBody {
  kind: 'raw';
  type: string;
  maximumBytes: number;
}

/** A multipart body with fields and several files, each of limited size. Empty files, which browsers send for none, are ignored. */
export interface FormBody<Fields extends z.ZodObject = z.ZodObject> {
  kind: 'form';
  /** Every field arrives as text. */
  fields: Fields;
  /** `returnsExcess`: the operation itself answers a form with too many or too large files, because its page keeps what was written. */
  files: { field: string; maximumCount: number; maximumBytes: number; returnsExcess?: true };
}

/** A form as an operation gets it. `excess` is the error of files that weren't accepted; then there are none. */
export interface ReceivedForm<Fields> {
  fields: Fields;
  files: Buffer[];
  excess?: AppError;
}

export type BodyDeclaration = z.ZodType | FileBody | RawBody | FormBody;
type ParsedBody<Body> = Body extends FileBody | RawBody
  ? Buffer
  : Body extends FormBody<infer Fields>
    ? ReceivedForm<z.output<Fields>>
    : Parsed<Body>;

/** The response of an operation: a JSON shape or another kind. */
export type Returns =
  | z.ZodType
  | { kind: 'empty' }
  | { kind: 'redirect' }
  | { kind: 'media'; type: string }
  | { kind: 'choice'; shape: z.ZodType; type: string };

export const empty = { kind: 'empty' } as const;
export const redirect = { kind: 'redirect' } as const;
/** JSON of a shape or a file of another media type, as the request asks for. */
export const choice = <Shape extends z.ZodType>(shape: Shape, type: string) =>
  ({ kind: 'choice', shape, type }) as const;
export const media = <Type extends string>(type: Type) => ({ kind: 'media', type }) as const;

type Answer<R extends Returns> = R extends z.ZodType
  ? z.input<R> | Reply
  : R extends { kind: 'choice'; shape: infer Shape extends z.ZodType }
    ? z.input<Shape> | Reply
    : R extends { kind: 'empty' }
      ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer is a function that returns nothing
        void | Reply
      : Reply;

/** The untyped part of a declaration. */
interface OperationFacts {
  /** camelCase, unique; the OpenAPI operationId. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Full path with `{parameters}`. */
  path: string;
  /** For the operator only: served like other operations, but excluded from the API description. */
  isInternal?: boolean;
  /** Whether the body may also be application/x-www-form-urlencoded. */
  acceptsForm?: boolean;
  /** Maximum number of bytes of a JSON or form body; by default 16 KiB for anonymous callers and 128 KiB for others. */
  maximumBodyBytes?: number;
  /** Whether the body may be omitted. */
  isBodyOptional?: boolean;
  status: 200 | 201 | 202 | 204 | 301 | 302;
  /**
   * Statuses beyond those implied by access and validation; 409 and 429 are never declared
   * (docs/specification/conventions.md#versions).
   */
  errors?: readonly (400 | 401 | 402 | 403 | 404 | 413 | 503)[];
  /** Shapes of errors that also come without the envelope, by status, for the API description. */
  ownErrors?: Partial<Record<404 | 503, z.ZodType>>;
  /** Answers 304 to clients that send its ETag in If-None-Match, and declares it. */
  isConditional?: true;
  /** A header that its successful response can have, for the API description. */
  header?: { name: string; description: string };
  /** Whether it costs something: it is also rejected with 402 if the credit doesn't suffice or the spend cap is reached. */
  hasCost?: true;
  /** Renders an error page for a form submitted without scripts; without it, forms get the error envelope. */
  showRefusal?(app: App, refusal: FormRefusal): Reply;
}

export interface OperationDeclaration<
  A extends Access,
  Params extends z.ZodObject | undefined,
  Query extends z.ZodObject | undefined,
  Body extends BodyDeclaration | undefined,
  R extends Returns,
> extends OperationFacts {
  access: A;
  /** The rate limit class; by default determined by the path (rateLimitOf). */
  rateLimit?: RateLimitClass;
  params?: Params;
  query?: Query;
  body?: Body;
  returns: R;
  /** Whether the service usually returns an object again that it keeps and never changes, so that its JSON is kept with it. */
  isResultKept?: true;
  handle(
    ctx: ContextFor<A>,
    input: { params: Parsed<Params>; query: Parsed<Query>; body: ParsedBody<Body> },
  ): Answer<R> | Promise<Answer<R>>;
}

/** A rejected form: the error, and the submitted fields as far as they could be parsed. */
export interface FormRefusal {
  error: AppError;
  fields: Record<string, string>;
  /** Path of the request, to submit the form again. */
  path: string;
  acceptLanguage: string | null;
}

/** An operation without its type parameters, for the framework and the tests. */
export interface Operation extends OperationFacts {
  access: Access;
  rateLimit?: RateLimitClass;
  params?: z.ZodObject | undefined;
  query?: z.ZodObject | undefined;
  body?: BodyDeclaration | undefined;
  returns: Returns;
  isResultKept?: true;
  /** Requires a step-up. Set by stepUpOperation (second-factors/step-up-operation.ts), which enforces it. */
  requiresStepUp?: true;
  run(ctx: Context, input: { params: unknown; query: unknown; body: unknown }): unknown;
}

/** Declares an operation. `access` is required, so that no handler can forget its access check. */
export function operation<
  const A extends Access,
  R extends Returns,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends BodyDeclaration | undefined = undefined,
>(declaration: OperationDeclaration<A, Params, Query, Body, R>): Operation {
  const { handle, ...rest } = declaration;
  // Access was checked and the input parsed before the call, so the cast is safe.
  return { ...rest, run: handle as unknown as Operation['run'] };
}

/** Whether a body is a file and not JSON. */
export function isFileBody(body: BodyDeclaration): body is FileBody {
  return 'kind' in body && body.kind === 'file';
}

/** Whether a body is a form with files. */
export function isFormBody(body: BodyDeclaration): body is FormBody {
  return 'kind' in body && body.kind === 'form';
}

/** Whether a body is raw bytes. */
export function isRawBody(body: BodyDeclaration): body is RawBody {
  return 'kind' in body && body.kind === 'raw';
}

/** Returns the shape of JSON that an operation can return, or undefined if it returns none. */
export function jsonShapeOf(returns: Returns): z.ZodType | undefined {
  if (isJsonShape(returns)) return returns;
  return returns.kind === 'choice' ? returns.shape : undefined;
}

/** Whether a response is a JSON shape. */
export function isJsonShape(returns: Returns): returns is z.ZodType {
  return !('kind' in returns);
}
