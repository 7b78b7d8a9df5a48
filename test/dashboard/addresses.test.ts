// Addresses in pasted text, as the dialog that invites people reads it.
import { describe, expect, it } from 'vitest';
import { parseAddresses } from '../../src/dashboard/components/addresses.ts';
import { leastCpu } from '../support/cpu.ts';

const ab = { addresses: ['a@example.com', 'b@example.com'], invalid: [] };

describe('parsing addresses', () => {
  it.each([
    ['commas', 'a@example.com, b@example.com'],
    ['semicolons', 'a@example.com;b@example.com;'],
    ['lines', 'a@example.com\r\n\r\nb@example.com\n'],
    ['spaces', ' a@example.com  b@example.com '],
    ['names', 'Ann Able <a@example.com>, "Baker, Bob" <b@example.com>'],
    ['mailto links', 'mailto:a@example.com, <mailto:b@example.com>'],
    ['upper case, and each once', 'A@Example.com, b@example.com, a@example.COM'],
    ['CSV with commas', 'Name,Email\nAnn,a@example.com\n"Baker, Bob",b@example.com'],
    ['CSV with semicolons', 'E-Mail-Adresse;Name\na@example.com;Ann\nb@example.com;Bob\n'],
    ['CSV with tabs', 'Name\tE-mail\nAnn\ta@example.com\nBob\tb@example.com'],
    ['CSV with quotes', '"email","name"\n"a@example.com","Ann ""A"" Able"\n"b@example.com","Bob"'],
    [
      'CSV with line breaks in cells',
      'Note,Email\r\n"Ann\r\nAble",a@example.com\r\n"Bob, ""B""\r\n",b@example.com\r\n',
    ],
    ['CSV with a byte order mark', '\uFEFF"Email";"Name"\na@example.com;Ann\nb@example.com;Bob'],
    ['CSV with an empty first cell', 'Name\tEmail\n\ta@example.com\nBob\tb@example.com'],
    ['CSV with quotes inside of cells', 'Email,Size\na@example.com,5" phone\nb@example.com,6" phone'],
    ['lines of older Macs', 'Name,Email\rAnn,a@example.com\rBob,b@example.com'],
    ['a single column with a header', 'Email address\na@example.com\nb@example.com'],
  ])('reads %s', (_, text) => {
    expect(parseAddresses(text)).toEqual(ab);
  });

  it.each([
    ['a@example.com, nobody, b@example.com', ['nobody']],
    ['a@example.com, Bob b@example.com', ['Bob b@example.com']],
    ['a@example.com; <b@>; @example.com', ['<b@>', '@example.com']],
    ['Name,Email\nAnn,a@example.com\nBob,\nCy,c at example', ['Bob,', 'c at example']],
  ])('lists what is not an address in %j', (text, invalid) => {
    expect(parseAddresses(text).invalid).toEqual(invalid);
  });

  it('reads nothing from an empty text or a header alone', () => {
    expect(parseAddresses(' \n ')).toEqual({ addresses: [], invalid: [] });
    expect(parseAddresses('Email,Name\n')).toEqual({ addresses: [], invalid: [] });
  });

  it('reads a long text quickly', async () => {
    const text = `"${'x'.repeat(20_000)}\n`.repeat(20);
    const cost = await leastCpu(1_000, () => {
      parseAddresses(text);
      parseAddresses('a@example.com,'.repeat(20_000));
    });
    expect(cost).toBeLessThan(1_000);
  });
});
