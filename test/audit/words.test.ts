// The events and types of the audit trail: names in the API, labels, and the table in the documentation.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { labelOf } from '../../src/audit/labels.ts';
import { events } from '../../src/events.ts';

const recorded = [...new Set(Object.values(events).flatMap(({ audit }) => [audit.event, audit.type]))];

describe('a value', () => {
  it.each(recorded)('%s is in snake_case, and its label keeps every letter', (word) => {
    expect(word).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(labelOf(word)).toMatch(/^[A-Z]/);
    expect(labelOf(word).toLowerCase().replaceAll(' ', '_')).toBe(word);
  });

  it.each([
    ['created', 'Created'],
    ['mfa_enabled', 'MFA enabled'],
    ['org_sso_domain', 'Org SSO domain'],
    ['pat', 'PAT'],
    ['sdk_app', 'SDK app'],
    ['never_heard_of', 'Never heard of'],
    ['', ''],
  ])('%s has the label "%s"', (word, label) => {
    expect(labelOf(word)).toBe(label);
  });
});

describe('the table of docs/audit.md', () => {
  it('has a row for every event, with its webhook, and no others', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');
    const rows = [...text.matchAll(/^\| ([A-Z][^|]*?) \| ([A-Z][^|]*?) \| ([^|]*?) ?\| ([^|]*?) ?\|$/gm)]
      .map(([, event, type, , webhook]) => `${event} · ${type} · ${webhook}`)
      .filter((row) => row !== 'Event · Type · Webhook');
    const expected = new Map<string, string>();
    for (const definition of Object.values(events)) {
      const { event, type } = definition.audit;
      const webhook = 'webhook' in definition ? `\`${definition.webhook}\`` : '';
      const pair = `${labelOf(event)} · ${labelOf(type)}`;
      expected.set(pair, expected.get(pair) || webhook);
    }
    expect(rows.sort()).toEqual([...expected].map(([pair, webhook]) => `${pair} · ${webhook}`).sort());
  });
});
