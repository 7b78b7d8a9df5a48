// Long-lived parts of domains, such as pools of worker threads: declared by the domain, opened and closed with the app.
import type { Closers } from '../lib/closers.ts';
import type { App, Context, Part } from './context.ts';

/**
 * Declares a part. Calling the result with a context returns the part of that app. Throws an Error if the app has no such part.
 */
export function definePart<Value>(life: Pick<Part<Value>, 'open' | 'start' | 'close'>): Part<Value> {
  const part = ({ parts }: Pick<App, 'parts'>): Value => {
    if (!parts.has(part)) throw new Error('The part is missing from the list of parts');
    return parts.get(part) as Value;
  };
  return Object.assign(part, life);
}

/** Opens parts in order, and adds what closes each of them. */
export async function openParts(app: App, list: readonly Part<unknown>[], closers: Closers): Promise<void> {
  for (const part of list) {
    app.parts.set(part, await part.open(app));
    closers.add(() => part.close?.(part(app)));
  }
}

/** Starts parts with background work. `newContext` creates the context of each task. */
export function startParts(app: App, list: readonly Part<unknown>[], newContext: () => Context): void {
  for (const part of list) part.start?.(part(app), newContext);
}
