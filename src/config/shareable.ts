// The configuration as it may be shown to others: without secrets.
import { redactUrl, withoutEmails } from '../lib/redact.ts';
import { type ConfigNode, describeConfig } from './shape.ts';
import type { Config } from './types.ts';

/** Stands for a secret that is set. */
const SET = '(set)';

/**
 * Returns a configuration with all its keys. Each secret that is set is `(set)`; user information, queries and random segments of URLs
 * are removed, and email addresses.
 */
export function withoutSecrets(config: Config): Record<string, unknown> {
  return strip(config, describeConfig()) as Record<string, unknown>;
}

function strip(value: unknown, node: ConfigNode | undefined): unknown {
  // A key that the schema doesn't describe could be a secret.
  if (node === undefined) return SET;
  if (node.kind === 'table') {
    const entries = Object.entries(value as Record<string, unknown>);
    return Object.fromEntries(entries.map(([key, inner]) => [key, strip(inner, node.keys.get(key))]));
  }
  if (node.isSecret) return value === '' ? '' : SET;
  return Array.isArray(value) ? value.map(stripText) : stripText(value);
}

function stripText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? redactUrl(value) : withoutEmails(value);
}
