// The signature of the payment provider's webhooks.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedByPaddle } from '../../src/billing/paddle-signature.ts';

const SECRET = 'pdl_ntfset_x';
const now = Date.UTC(2026, 0, 1);
const AT = now / 1000;
const body = Buffer.from('{"event_id":"evt_1"}');
const hash = (secret = SECRET, at: number | string = AT, bytes = body) =>
  createHmac('sha256', secret).update(`${at}:`).update(bytes).digest('hex');

const check = (header: string | undefined, facts: Partial<Parameters<typeof isSignedByPaddle>[0]> = {}) =>
  isSignedByPaddle({ header, body, secret: SECRET, now, toleranceSeconds: 300, ...facts });

describe('a signature of the provider', () => {
  it.each([
    ['one signature', `ts=${AT};h1=${hash()}`],
    ['the new secret first', `ts=${AT};h1=${hash()};h1=${hash('old')}`],
    ['the old secret first', `ts=${AT};h1=${hash('old')};h1=${hash()}`],
    ['upper case', `ts=${AT};h1=${hash().toUpperCase()}`],
    ['an unknown part', `ts=${AT};h2=abc;h1=${hash()}`],
    ['spaces after the separator', `ts=${AT}; h1=${hash()}`],
    ['the oldest time', `ts=${AT - 300};h1=${hash(SECRET, AT - 300)}`],
    ['the latest time', `ts=${AT + 300};h1=${hash(SECRET, AT + 300)}`],
  ])('is accepted with %s', (_, header) => {
    expect(check(header)).toBe(true);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no time', `h1=${hash()}`],
    ['no signature', `ts=${AT}`],
    ['another secret', `ts=${AT};h1=${hash('other')}`],
    ['another time', `ts=${AT + 1};h1=${hash()}`],
    ['two times', `ts=${AT};ts=${AT};h1=${hash()}`],
    ['a time that is too old', `ts=${AT - 301};h1=${hash(SECRET, AT - 301)}`],
    ['a time that is too far ahead', `ts=${AT + 301};h1=${hash(SECRET, AT + 301)}`],
    ['a time in another notation', `ts=1e9;h1=${hash(SECRET, '1e9')}`],
    ['a negative time', `ts=-1;h1=${hash(SECRET, -1)}`],
    ['a part of the signature', `ts=${AT};h1=${hash().slice(0, 32)}`],
    ['a longer signature', `ts=${AT};h1=${hash()}00`],
    ['a signature that is not hexadecimal', `ts=${AT};h1=${'z'.repeat(64)}`],
    ['an empty signature', `ts=${AT};h1=`],
    ['too many signatures', `ts=${AT};${'h1=00;'.repeat(16)}h1=${hash()}`],
  ])('is rejected with %s', (_, header) => {
    expect(check(header)).toBe(false);
  });

  it('covers every byte of the body', () => {
    expect(check(`ts=${AT};h1=${hash()}`, { body: Buffer.from('{"event_id":"evt_2"}') })).toBe(false);
    expect(check(`ts=${AT};h1=${hash()}`, { body: Buffer.concat([body, Buffer.from('\n')]) })).toBe(false);
  });

  it('is never valid without a secret', () => {
    expect(check(`ts=${AT};h1=${hash('')}`, { secret: '' })).toBe(false);
  });
});
