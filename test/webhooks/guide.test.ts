// docs/webhooks.md is correct: its code accepts a real delivery, and its tables list all events, formats and statuses.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formats, subscribableEvents } from '../../src/webhook-events.ts';
import { deliveryStatuses } from '../../src/webhooks/schema.ts';
import { signBody } from '../../src/webhooks/signature.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The blocks of code in a language. */
function codeIn(language: string): string[] {
  return [...guide.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map((match) => match[1] ?? '');
}

const secret = 'svc_whsec_of-a-test';
const body = Buffer.from('{"id":"1","name":"Ünïcode"}');
const timestamp = '1795225121';
const signature = signBody(secret, timestamp, body);
const now = Number(timestamp) + 200;

/** What must be accepted, and what must not. */
const cases: [name: string, signature: string, timestamp: string, body: Buffer, now: number, isGenuine: boolean][] = [
  ['an unchanged request', signature, timestamp, body, now, true],
  ['another body', signature, timestamp, Buffer.concat([body, Buffer.from(' ')]), now, false],
  ['another timestamp', signature, '1795225122', body, now, false],
  ['no signature', '', timestamp, body, now, false],
  ['no timestamp', signature, '', body, now, false],
  ['a late request', signature, timestamp, body, now + 101, false],
];

describe('the guide to webhooks', () => {
  it.each(cases)('has code for Node.js that verifies %s correctly', (_name, given, at, sent, when, isGenuine) => {
    const call = `
      const body = Buffer.from('${sent.toString('base64')}', 'base64');
      const headers = { 'x-svc-signature': '${given}', 'x-svc-timestamp': '${at}' };
      process.stdout.write(String(isGenuine('${secret}', headers, body, ${when * 1_000})));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', `${codeIn('js')[0]}${call}`]);
    expect(printed.toString()).toBe(String(isGenuine));
  });

  it.runIf(hasPython).each(cases)(
    'has code for Python that verifies %s correctly',
    (_name, given, at, sent, when, isGenuine) => {
      const call = `
import base64
headers = {"x-svc-signature": "${given}", "x-svc-timestamp": "${at}"}
print(is_genuine("${secret}", headers, base64.b64decode("${sent.toString('base64')}"), ${when}))`;
      const printed = execFileSync('python3', ['-c', `${codeIn('python')[0]}${call}`]);
      expect(printed.toString().trim()).toBe(isGenuine ? 'True' : 'False');
    },
  );

  it('contains a body of every event', () => {
    const bodies = (codeIn('json')[0] ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(bodies.map(({ type }) => type).sort()).toEqual([...subscribableEvents, 'webhook.test'].sort());
    for (const { data, type } of bodies) {
      const row = guide.split('\n').find((line) => line.startsWith(`| \`${type}\``)) ?? '';
      const [, , , fields = ''] = row.split('|');
      expect([...fields.matchAll(/`(\w+)`/g)].map((match) => match[1])).toEqual(Object.keys(data));
    }
  });

  it('contains every format and every status', () => {
    for (const word of [...formats, ...deliveryStatuses]) expect(guide).toContain(`\`${word}\``);
  });
});
