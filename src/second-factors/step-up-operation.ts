// Operations that require a step-up. The check is part of the declaration, so no handler can forget it.
import type { DeveloperContext, SteppedUpContext } from '../core/context.ts';
import {
  type DeveloperAccess,
  interactive,
  type Operation,
  type OperationDeclaration,
  operation,
  type Returns,
} from '../http/operation.ts';
import type * as z from '../lib/zod.ts';
import type { StepUpFields } from './schema.ts';
import { requireStepUp } from './step-up.ts';

type Access = DeveloperAccess & { isInteractive: true };
type Shape = z.ZodObject | undefined;
type Declaration<Params extends Shape, Query extends Shape, Body extends z.ZodObject, R extends Returns> = Omit<
  OperationDeclaration<Access, Params, Query, Body, R>,
  'access' | 'body' | 'handle'
> & {
  access?: Access;
  /** Contains the fields of a step-up (`stepUpFields`). */
  body: Body;
  handle(
    ctx: SteppedUpContext,
    input: Parameters<OperationDeclaration<Access, Params, Query, Body, R>['handle']>[1],
  ): ReturnType<OperationDeclaration<Access, Params, Query, Body, R>['handle']>;
  /** Rejects invalid requests before a code is used up. */
  precheck?(
    ctx: DeveloperContext,
    input: Parameters<OperationDeclaration<Access, Params, Query, Body, R>['handle']>[1],
  ): void;
};

/**
 * Declares an operation that requires a step-up with the fields of its body. The handler's context
 * proves it.
 */
export function stepUpOperation<
  Body extends z.ZodObject,
  R extends Returns,
  Params extends Shape = undefined,
  Query extends Shape = undefined,
>(declaration: Declaration<Params, Query, Body, R>): Operation {
  const { precheck, handle, access = interactive, ...rest } = declaration;
  const declared = operation<Access, R, Params, Query, Body>({
    ...rest,
    access,
    handle: async (ctx, input) => {
      precheck?.(ctx, input);
      return handle(await requireStepUp(ctx, input.body as StepUpFields), input);
    },
  } as OperationDeclaration<Access, Params, Query, Body, R>);
  return { ...declared, requiresStepUp: true };
}
