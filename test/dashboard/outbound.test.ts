// Reasons why requests to URLs failed, in the user's language.
import { describe, expect, it } from 'vitest';
import { describeFieldError } from '../../src/dashboard/components/form.tsx';
import { describeReason, outboundTexts } from '../../src/dashboard/texts/de/outbound.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import { refusalOf } from '../../src/outbound/addresses.ts';
import { type OutboundReason, outboundReasons, readReason, writeReason } from '../../src/outbound/reasons.ts';

const reasons = Object.keys(outboundReasons) as OutboundReason[];

describe('reasons', () => {
  it.each(reasons)('are read back from their sentence: %s', (reason) => {
    const names = [...outboundReasons[reason].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const values = Object.fromEntries(names.map((name) => [name, `<${name}>`]));
    const sentence = writeReason(reason, values);
    expect(readReason(sentence)).toEqual({ reason, values });
    expect(describeReason(sentence)).toBe(outboundTexts[reason](values));
    expect(describeReason(sentence)).not.toBe(sentence);
  });

  it.each([
    ['not reached', 'Not reached', 'Nicht erreicht'],
    ['responded with 500', 'Responded with 500', 'Antwort mit Status 500'],
    [
      "responded with 302; redirects aren't followed",
      "Responded with 302; redirects aren't followed",
      'Antwort mit Status 302; Weiterleitungen wird nicht gefolgt',
    ],
    ['no response within 10 s', 'No response within 10 s', 'Keine Antwort innerhalb von 10 s'],
    ['said by a newer server', 'Said by a newer server', 'said by a newer server'],
  ])('are shown in both languages: %s', (sentence, english, german) => {
    expect(en.errors.outbound(sentence)).toBe(english);
    expect(de.errors.outbound(sentence)).toBe(german);
  });

  it('are shown at the field of a URL that is not allowed', () => {
    const refusal = refusalOf('10.0.0.1', { allow_private_networks: false, allow_loopback: false });
    const error = { field: 'url', type: 'value_error', message: `Not allowed: ${refusal}` };
    expect(describeFieldError(error, en)).toBe(
      "Not allowed: webhooks can't be sent to private network addresses, unless webhooks.allow_private_networks is true in the server's configuration",
    );
    expect(describeFieldError(error, de)).toBe(
      'Nicht erlaubt: Adressen dieser Art lehnt der Server ohne webhooks.allow_private_networks = true ab: privates Netz',
    );
    expect(refusalOf('169.254.1.1', { allow_private_networks: true, allow_loopback: true })).toBe(
      "webhooks can't be sent to link-local addresses",
    );
  });
});
