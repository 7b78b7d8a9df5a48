// The declaration of an operation. Route, validation, authorization, OpenAPI entry and test-matrix row all come from it.
import type { z } from 'zod';
import type { App, Context, DeveloperContext, OrganizationContext, ProjectContext } from '../core/context.ts';
import type { AppError } from '../lib/errors.ts';
import type { OrganizationPermissionName, ProjectPermissionName } from '../permissions.ts';
import type { RateLimitClass } from '../runtime/rate-limits.ts';
import type { Reply } from './reply.ts';

/** Where something lies: the organization, and the project and channel if it is inside them. */
export interface Location {
  organizationId: string;
  projectId?: string;
  channelId?: string;
}

/** Finds where the thing named by a parameter lies; undefined when there is no such thing. */
export type Locator = (app: App, id: string) => Location | undefined;

/** How the tenant of a request is found. */
export type Tenant = { in: 'query' } | { in: 'path'; parameter: string; locate?: Locator };

export interface AnonymousAccess {
  kind: 'anonymous';
  /** Callers who are no developers, whose credential the operation's own service asks for before anything else. */
  credential?: 'sdk_app' | 'sdk_install';
  /** Refuses who lacks that credential; asked before what is wrong with the rest of the request is told. */
  check?(ctx: Context): void;
}

export interface DeveloperAccess {
  kind: 'developer';
  /**
   * Personal and project access tokens are refused whatever their scope (docs/specification/tokens.md#what-refuses-tokens).
   */
  isInteractive: boolean;
  /** Unverified accounts may do it although it changes state. */
  allowsUnverified?: boolean;
  /** A project access token may do it too, and gets what belongs to its project and organization. */
  admitsProjectToken?: boolean;
}

export interface OrganizationAccess {
  kind: 'organization';
  permission: OrganizationPermissionName;
  tenant: Tenant;
  isInteractive?: boolean;
}

export interface ProjectAccess {
  kind: 'project';
  permission: ProjectPermissionName;
  tenant: Tenant;
  isInteractive?: boolean;
  /** Hands out bytes: refused for unverified addresses and for organizations locked against downloads. */
  isDownload?: boolean;
}

export type Access = AnonymousAccess | DeveloperAccess | OrganizationAccess | ProjectAccess;

/** Nobody needs to sign in; a credential that is sent is not looked at. */
export const anonymous: AnonymousAccess = { kind: 'anonymous' };
/** An interactive sign-in only. */
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

/** A part of a multipart body: one file, its bytes bounded. */
export interface FileBody {
  kind: 'file';
  field: 'file';
  maximumBytes: (app: App) => number;
}

/**
 * Bytes of a media type of their own. What is too large, too slow, cut off or of another type arrives as no bytes at all, so
 * that the operation refuses it in the words it has for everything else that is wrong.
 */
export interface RawBody {
  kind: 'raw';
  type: string;
  maximumBytes: number;
}

export type BodyDeclaration = z.ZodType | FileBody | RawBody;
type ParsedBody<Body> = Body extends FileBody | RawBody ? Buffer : Parsed<Body>;

/** What an operation answers: a JSON shape, or something that is not JSON. */
export type Returns = z.ZodType | { kind: 'empty' } | { kind: 'redirect' } | { kind: 'media'; type: string };

export const empty = { kind: 'empty' } as const;
export const redirect = { kind: 'redirect' } as const;
export const media = <Type extends string>(type: Type) => ({ kind: 'media', type }) as const;

type Answer<R extends Returns> = R extends z.ZodType
  ? z.input<R> | Reply
  : R extends { kind: 'empty' }
    ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler without an answer is a function that returns nothing
      void | Reply
    : Reply;

/** What of a declaration needs no types of its own. */
interface OperationFacts {
  /** camelCase, unique; the OpenAPI operationId. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Full path with `{parameters}`. */
  path: string;
  /**
   * For the operator alone: served like any other, and left out of the description of the API
   * (docs/specification/operation.md#the-operators-own).
   */
  isInternal?: boolean;
  /** The body may also come as application/x-www-form-urlencoded. */
  acceptsForm?: boolean;
  /** Most bytes of a JSON or form body; without it 16 KiB for anonymous callers and 128 KiB for others. */
  maximumBodyBytes?: number;
  /** The body may be left out altogether. */
  isBodyOptional?: boolean;
  status: 200 | 201 | 202 | 204 | 301 | 302;
  /**
   * Statuses beyond what access and validation already imply; 409 and 429 are never declared
   * (docs/specification/conventions.md#versions).
   */
  errors?: readonly (400 | 401 | 402 | 403 | 404 | 413 | 503)[];
  /** Shows a refusal as a page to a person who sent a form without a script; otherwise forms get the envelope too. */
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
  /** The class whose requests are counted together; by the path when not given (rateLimitOf). */
  rateLimit?: RateLimitClass;
  params?: Params;
  query?: Query;
  body?: Body;
  returns: R;
  handle(
    ctx: ContextFor<A>,
    input: { params: Parsed<Params>; query: Parsed<Query>; body: ParsedBody<Body> },
  ): Answer<R> | Promise<Answer<R>>;
}

/** A refused form: the error, and what the person sent as far as it could be read. */
export interface FormRefusal {
  error: AppError;
  fields: Record<string, string>;
  /** Path of the request, where the form is sent again. */
  path: string;
}

/** An operation with its types folded away, as the kernel and the tests see it. */
export interface Operation extends OperationFacts {
  access: Access;
  rateLimit?: RateLimitClass;
  params?: z.ZodObject | undefined;
  query?: z.ZodObject | undefined;
  body?: BodyDeclaration | undefined;
  returns: Returns;
  /** Asks for a step-up before it runs. Set by stepUpOperation (second-factors/step-up-operation.ts), which enforces it. */
  asksStepUp?: true;
  run(ctx: Context, input: { params: unknown; query: unknown; body: unknown }): unknown;
}

/** Declares an operation. `access` is required: a handler cannot forget a check because it never makes one. */
export function operation<
  const A extends Access,
  R extends Returns,
  Params extends z.ZodObject | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Body extends BodyDeclaration | undefined = undefined,
>(declaration: OperationDeclaration<A, Params, Query, Body, R>): Operation {
  const { handle, ...rest } = declaration;
  // The kernel has checked access and parsed the input before it calls; only here are the two views of one call joined.
  return { ...rest, run: handle as unknown as Operation['run'] };
}

/** Whether a body is a file instead of JSON. */
export function isFileBody(body: BodyDeclaration): body is FileBody {
  return 'kind' in body && body.kind === 'file';
}

/** Whether a body is bytes as they come. */
export function isRawBody(body: BodyDeclaration): body is RawBody {
  return 'kind' in body && body.kind === 'raw';
}

/** Whether a declaration of an answer is a JSON shape. */
export function isJsonShape(returns: Returns): returns is z.ZodType {
  return !('kind' in returns);
}
