// Conditional requests (RFC 9110, section 13) against an object's ETag and time.
import type { IncomingHttpHeaders } from 'node:http';
import type { ObjectHead } from '../../core/storage.ts';

/** Formats the object's time for HTTP, to the second. */
export function formatModified(head: ObjectHead): string {
  return head.modifiedAt.toUTCString();
}

/** Evaluates the conditions of a GET or HEAD, in the order of RFC 9110, section 13.2.2. */
export function evaluateConditions(headers: IncomingHttpHeaders, head: ObjectHead): 'send' | 'not_modified' | 'failed' {
  const modified = toSecond(head.modifiedAt.getTime());
  if (headers['if-match'] !== undefined) {
    if (!matchesTag(headers['if-match'], head.etag, { isWeak: false })) return 'failed';
  } else {
    const limit = parseDate(headers['if-unmodified-since']);
    if (limit !== undefined && modified > limit) return 'failed';
  }
  if (headers['if-none-match'] !== undefined) {
    return matchesTag(headers['if-none-match'], head.etag, { isWeak: true }) ? 'not_modified' : 'send';
  }
  const since = parseDate(headers['if-modified-since']);
  return since !== undefined && modified <= since ? 'not_modified' : 'send';
}

/** Whether a Range header may be applied: there is no If-Range, or it identifies exactly this object (section 13.1.5). */
export function isRangeValid(ifRange: string | undefined, head: ObjectHead): boolean {
  if (ifRange === undefined) return true;
  const validator = ifRange.trim();
  return validator === head.etag || validator === formatModified(head);
}

/** Whether a list of entity tags contains this one; `*` matches every object. */
export function matchesTag(list: string, etag: string, { isWeak }: { isWeak: boolean }): boolean {
  if (list.trim() === '*') return true;
  return list.split(',').some((candidate) => {
    const tag = candidate.trim();
    return tag === etag || (isWeak && tag === `W/${etag}`);
  });
}

function parseDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : toSecond(time);
}

function toSecond(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
