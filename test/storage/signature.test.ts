// Signatures over fields and URLs, and file names of downloads.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Keyring, signFields, verifyFields } from '../../src/runtime/signing.ts';
import { formatAttachment } from '../../src/storage/attachment.ts';
import { type StorageGrant, signStorageQuery, verifyStorageQuery } from '../../src/storage/signature.ts';
import { anyText } from '../support/any-text.ts';

const oldKey = { id: 'old', key: Buffer.alloc(32, 7) };
const newKey = { id: 'new', key: Buffer.alloc(32, 8) };
const ring: Keyring = { current: newKey, previous: [oldKey] };
const now = new Date('2026-01-31T12:00:00Z');

describe('signatures', () => {
  it('contain the id of their key and are valid', () => {
    const signature = signFields(ring, 'storage', ['a', 'b']);
    expect(signature).toMatch(/^new\.[A-Za-z0-9_-]{43}$/);
    expect(verifyFields(ring, 'storage', ['a', 'b'], signature)).toBe(true);
  });

  it('are valid with an earlier key until it is removed', () => {
    const signature = signFields({ current: oldKey, previous: [] }, 'storage', ['a']);
    expect(verifyFields(ring, 'storage', ['a'], signature)).toBe(true);
    expect(verifyFields({ current: newKey, previous: [] }, 'storage', ['a'], signature)).toBe(false);
  });

  it('are invalid for other purposes, other fields, and fields split elsewhere', () => {
    const signature = signFields(ring, 'storage', ['ab', 'c']);
    expect(verifyFields(ring, 'cursor', ['ab', 'c'], signature)).toBe(false);
    for (const fields of [['a', 'bc'], ['abc'], ['ab', 'c', ''], ['c', 'ab'], []]) {
      expect(verifyFields(ring, 'storage', fields, signature)).toBe(false);
    }
    expect(verifyFields(ring, 'storageab', ['c'], signature)).toBe(false);
  });

  it('contain the right key even if two keys are equal', () => {
    const twins: Keyring = { current: { id: 'a', key: oldKey.key }, previous: [{ id: 'b', key: oldKey.key }] };
    expect(verifyFields(twins, 'p', [], signFields(twins, 'p', []).replace('a.', 'b.'))).toBe(false);
  });

  it('have exactly one valid form', () => {
    const signature = signFields(ring, 'p', ['x']);
    fc.assert(
      fc.property(fc.nat(signature.length - 1), fc.string({ maxLength: 2 }), (at, other) => {
        const altered = signature.slice(0, at) + other + signature.slice(at + 1);
        expect(verifyFields(ring, 'p', ['x'], altered)).toBe(altered === signature);
      }),
    );
  });

  it('reject any text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(verifyFields(ring, 'p', [], text)).toBe(false);
        expect(verifyFields(ring, 'p', [], `new.${text}`)).toBe(false);
      }),
    );
  });

  it('differ for any two lists of fields', () => {
    const fields = fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        expect(verifyFields(ring, 'p', b, signFields(ring, 'p', a))).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it.each([
    ['a short key', { id: 'a', key: Buffer.alloc(31) }],
    ['an id with a dot', { id: 'a.b', key: Buffer.alloc(32) }],
    ['no id', { id: '', key: Buffer.alloc(32) }],
  ])('cannot have %s', (_, current) => {
    expect(() => signFields({ current, previous: [] }, 'p', [])).toThrow(RangeError);
  });
});

describe('signed URLs', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 });
  const grants: fc.Arbitrary<StorageGrant> = fc.record({
    method: fc.constantFrom('PUT', 'GET'),
    key: fc.constantFrom('pending/1', 'builds/1/package.ipa'),
    expires: fc.integer({ min: now.getTime() / 1000 + 1, max: 10 ** 11 }).map(String),
    subject: text,
    fileName: text,
    contentType: text,
  });

  it('are valid as signed', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        const query = signStorageQuery(ring, grant);
        expect(query).not.toMatch(/[^A-Za-z0-9%=&._*-]/);
        expect(verifyStorageQuery(ring, { method: grant.method, key: grant.key, query, now })).toEqual(grant);
      }),
    );
  });

  it('are rejected with any field altered', () => {
    const field = fc.constantFrom('op', 'exp', 'sub', 'name', 'type', 'sig');
    const value = fc.oneof(text, fc.constantFrom('put', 'get', '99999999999', '0', ''));
    fc.assert(
      fc.property(grants, field, value, (grant, name, other) => {
        const altered = new URLSearchParams(signStorageQuery(ring, grant));
        if ((altered.get(name) ?? '') === other) return;
        altered.set(name, other);
        const request = { method: grant.method, key: grant.key, query: altered.toString(), now };
        expect(['refused', 'unknown_operation']).toContain(verifyStorageQuery(ring, request));
      }),
      { numRuns: 1_000 },
    );
  });

  it('are rejected with another key and another method', () => {
    fc.assert(
      fc.property(grants, (grant) => {
        const query = signStorageQuery(ring, grant);
        const other = grant.method === 'PUT' ? 'GET' : 'PUT';
        expect(verifyStorageQuery(ring, { method: grant.method, key: 'pending/2', query, now })).toBe('refused');
        expect(verifyStorageQuery(ring, { method: other, key: grant.key, query, now })).toBe('refused');
        const asOther = query.replace(/op=\w+/, `op=${other.toLowerCase()}`);
        expect(verifyStorageQuery(ring, { method: other, key: grant.key, query: asOther, now })).toBe('refused');
      }),
    );
  });

  it('are rejected with a repeated value, and if they are very long', () => {
    const grant = { method: 'GET', key: 'pending/1', expires: '99999999999', subject: 's' } as const;
    const request = { method: 'GET', key: grant.key, now };
    const query = signStorageQuery(ring, { ...grant, fileName: 'a.ipa', contentType: 'text/plain' });
    expect(verifyStorageQuery(ring, { ...request, query })).toMatchObject(grant);
    for (const part of query.split('&')) {
      expect([part, verifyStorageQuery(ring, { ...request, query: `${query}&${part}` })]).toEqual([part, 'refused']);
    }
    const long = signStorageQuery(ring, { ...grant, fileName: 'x'.repeat(8_192), contentType: '' });
    expect(verifyStorageQuery(ring, { ...request, query: long })).toBe('refused');
  });

  it.each(['', ' 1', '1e9', '0x10', '-1', 'never', '9999999999999', '1769860800'])(
    'with the expiry %j have expired',
    (expires) => {
      const grant = { method: 'GET', key: 'pending/1', expires, subject: '', fileName: '', contentType: '' } as const;
      const query = signStorageQuery(ring, grant);
      expect(verifyStorageQuery(ring, { method: 'GET', key: 'pending/1', query, now })).toBe('refused');
    },
  );
});

describe('the names of attachments', () => {
  it.each([
    ['App 1.0 (2).ipa', 'attachment; filename="App 1.0 (2).ipa"'],
    ['', 'attachment'],
    ['Übung.apk', `attachment; filename="_bung.apk"; filename*=UTF-8''%C3%9Cbung.apk`],
    ['a"b\\c/d.ipa', `attachment; filename="a_b_c_d.ipa"; filename*=UTF-8''a%22b_c_d.ipa`],
    ['a\r\nSet-Cookie: x=1', `attachment; filename="a__Set-Cookie_ x=1"; filename*=UTF-8''a__Set-Cookie%3A%20x%3D1`],
    ['50%.ipa', `attachment; filename="50_.ipa"; filename*=UTF-8''50%25.ipa`],
    ['..', 'attachment; filename="_"'],
    ['a\u202Eipa.exe', 'attachment; filename="a_ipa.exe"'],
    [`${'x'.repeat(300)}.ipa`, `attachment; filename="${'x'.repeat(146)}.ipa"`],
  ])('are sent in a safe form: %j', (name, expected) => expect(formatAttachment(name)).toBe(expected));

  it('never break out of their header, their quotes or their folder', () => {
    const nasty = fc.constantFrom(
      '"',
      '\\',
      '\r\n',
      '\0',
      '/',
      '..',
      ';',
      '%',
      "'",
      '*',
      '=',
      '\u2028',
      '\ud800',
      '😀',
      'a',
    );
    const name = fc.oneof(
      anyText({ maxLength: 400 }),
      fc.array(nasty).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(name, (fileName) => {
        const header = formatAttachment(fileName);
        expect(header.length).toBeLessThan(2_500);
        const match =
          /^attachment(?:; filename="([^"\\/%\p{Cc}\u0080-\u{10ffff}]+)"(?:; filename\*=UTF-8''((?:[A-Za-z0-9!~._-]|%[0-9A-F]{2})+))?)?$/u.exec(
            header,
          );
        expect(match).not.toBeNull();
        const shown = decodeURIComponent(match?.[2] ?? match?.[1] ?? '');
        expect(shown).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}]|^\./u);
      }),
      { numRuns: 2_000 },
    );
  });
});
