// Validation failures: one entry per field, the type names of docs/specification/conventions.md#validation-errors, never the value sent.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createInputReader } from '../../src/http/parameters.ts';
import { parseJson } from '../../src/lib/json-text.ts';
import { id, line, nameLine, pageQuery, plainLine, prose } from '../../src/lib/shapes.ts';
import { entriesOf, type ValidationEntry } from '../../src/lib/validation.ts';
import { leastCpu } from '../support/cpu.ts';

const shape = z.object({
  name: line(5),
  text: prose(20),
  number: z.int().min(0).max(10),
  big: z.int().min(0),
  flag: z.boolean(),
  owner: id(),
  at: z.iso.datetime(),
  color: z.enum(['red', 'green']),
  nested: z.object({ inner: z.string() }),
});
const right = {
  name: 'abc',
  text: 'two\nlines \u{1f600}',
  number: 1,
  big: 1,
  flag: true,
  owner: '01890a5d-ac96-774b-bcce-b302099a8057',
  at: '2026-01-31T12:00:00.000Z',
  color: 'red',
  nested: { inner: '' },
};

function entries(input: unknown): ValidationEntry[] {
  const result = shape.safeParse(input);
  return result.success ? [] : entriesOf('body', result.error, input);
}

describe('validation entries', () => {
  const cases: [field: string, value: unknown, type: string][] = [
    ['name', undefined, 'missing'],
    ['name', 5, 'string_type'],
    ['name', null, 'string_type'],
    ['name', '', 'string_too_short'],
    ['name', '   ', 'string_too_short'],
    ['name', 'abcdef', 'string_too_long'],
    ['name', 'a\nb', 'string_pattern_mismatch'],
    ['name', 'a\ud800', 'string_pattern_mismatch'],
    ['name', '\u3164', 'value_error'],
    ['name', '\u200b\u202e \u00ad', 'value_error'],
    ['name', '\u2800\ufe0f', 'value_error'],
    ['text', 'a\0', 'string_pattern_mismatch'],
    ['text', '\udc00\ud800', 'string_pattern_mismatch'],
    ['number', '5', 'int_type'],
    ['number', 1.5, 'int_type'],
    ['number', -1, 'greater_than_equal'],
    ['number', 11, 'less_than_equal'],
    ['big', '#9007199254740992', 'less_than_equal'],
    ['big', '#99999999999999999999999', 'less_than_equal'],
    ['big', '#-9007199254740993', 'greater_than_equal'],
    ['flag', 'true', 'bool_type'],
    ['owner', 'not-a-uuid', 'uuid_parsing'],
    ['at', 'yesterday', 'datetime_parsing'],
    ['color', 'blue', 'enum'],
    ['color', undefined, 'missing'],
    ['nested', 'x', 'dict_type'],
    ['nested', undefined, 'missing'],
  ];
  // `#` marks a number as JSON writes it: the digits are what matters.
  it.each(cases)('%s = %j is %s', (field, written, type) => {
    const value = typeof written === 'string' && written.startsWith('#') ? parseJson(written.slice(1)) : written;
    const found = entries({ ...right, [field]: value });
    expect(found.map((entry) => [entry.loc, entry.type])).toEqual([[['body', field], type]]);
    expect(Object.keys(found[0] ?? {})).toEqual(['type', 'loc', 'msg']);
  });

  it('accepts valid input and ignores unknown fields', () => {
    expect(entries({ ...right, extra: { deep: [1] } })).toEqual([]);
  });

  it('accepts a line with invisible characters beside visible ones', () => {
    for (const name of ['\u05d0\u200f', '\u2764\ufe0f', 'a\u200bb'] as const)
      expect(entries({ ...right, name })).toEqual([]);
  });

  it('composes names, but no texts of packages and repositories', () => {
    const decomposed = 'Cafe\u0301';
    expect(nameLine(5).parse(` ${decomposed} `)).toBe('Caf\u00e9');
    expect([line(5).parse(decomposed), plainLine(5).parse(decomposed)]).toEqual([decomposed, decomposed]);
  });
  it('contains the path of a nested field', () => {
    expect(entries({ ...right, nested: {} })).toEqual([
      { type: 'missing', loc: ['body', 'nested', 'inner'], msg: 'Field required' },
    ]);
  });

  it.each([
    ['missing', 'Field required', {}],
    ['enum', "Input should be 'one' or 'two'", { kind: 'secret' }],
    ['enum', "Input should be 'one' or 'two'", { kind: null }],
  ])('name the field that decides between shapes: %s', (type, msg, input) => {
    const either = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('one'), text: z.string() }),
      z.object({ kind: z.literal('two') }),
    ]);
    const { error } = either.safeParse(input);
    expect(error && entriesOf('body', error, input)).toEqual([{ type, loc: ['body', 'kind'], msg }]);
  });

  it.each([
    ['text', undefined, 'missing', 'Field required'],
    ['text', 5, 'string_type', 'Input should be a valid string'],
    ['text', ['secret'], 'string_type', 'Input should be a valid string'],
    ['flag', 'secret', 'bool_type', 'Input should be a valid boolean'],
  ])('of a field with two kinds of values describe the first: %s = %j', (field, value, type, msg) => {
    const either = z.object({
      text: line(5).or(z.literal('')),
      flag: z.union([z.boolean(), z.literal('true')]),
    });
    const input = { text: 'abc', flag: true, [field]: value };
    const { error } = either.safeParse(input);
    expect(error && entriesOf('body', error, input)).toEqual([{ type, loc: ['body', field], msg }]);
  });

  it('contains one entry per field and never the value', () => {
    const found = entries({ ...right, name: 'secret\nvalue', number: 999_123 });
    expect(found).toHaveLength(2);
    expect(JSON.stringify(found)).not.toMatch(/secret|999123|input|ctx/);
  });
});

describe('query parameters', () => {
  const reader = createInputReader(
    'query',
    z.object({ ...pageQuery, number: z.int().optional(), force: z.boolean().default(false) }),
  );
  const read = (raw: Record<string, string>) => {
    const found: ValidationEntry[] = [];
    return { value: reader.read(raw, found), types: found.map((entry) => `${entry.loc.join('.')}: ${entry.type}`) };
  };
  it('are converted to numbers and booleans by the schema', () => {
    expect(read({ limit: '7', force: 'true', cursor: '12' }).value).toEqual({ limit: 7, force: true, cursor: '12' });
  });
  it('accept any large limit, which is clamped', () => {
    expect(read({ limit: '99999999999999999999' })).toEqual({ value: { limit: 1e20, force: false }, types: [] });
    for (const digits of [300, 301, 309, 5_000]) expect(read({ limit: '9'.repeat(digits) }).types).toEqual([]);
  });
  it.each([
    [{ limit: 'abc' }, ['query.limit: int_type']],
    [{ limit: '1e3' }, ['query.limit: int_type']],
    [{ limit: '0' }, ['query.limit: greater_than_equal']],
    [{ limit: '-99999999999999999999' }, ['query.limit: greater_than_equal']],
    [{ number: '9007199254740993' }, ['query.number: less_than_equal']],
    [{ number: '9'.repeat(500) }, ['query.number: less_than_equal']],
    [{ limit: `-${'9'.repeat(500)}` }, ['query.limit: greater_than_equal']],
    [{ force: 'yes' }, ['query.force: bool_type']],
    [{ unknown: 'x' }, []],
  ])('are validated: %j', (raw, types) => {
    expect(read(raw as Record<string, string>).types).toEqual(types);
  });
});

describe('JSON bodies', () => {
  it('keeps every digit of whole numbers beyond 2^53', () => {
    expect(parseJson('{"scopes":9223372036854775807,"small":5,"text":"9223372036854775807"}')).toEqual({
      scopes: 9223372036854775807n,
      small: 5,
      text: '9223372036854775807',
    });
  });
  it('keeps fractions and safe numbers', () => {
    expect(parseJson('[1234567890123456, 0.1234567890123456]')).toEqual([1234567890123456, 0.1234567890123456]);
  });
  it.each(['{', '[1,]', '', 'undefined', '{"a":01}', '{"long":1111111111111111111'])('rejects %j', (text) => {
    expect(() => parseJson(text)).toThrow('The body is not valid JSON');
  });
  it.each([
    ['1.00000000000000000001', 'a fraction'],
    ['0.99999999999999999999', 'a fraction'],
    ['1e-400', 'a fraction'],
    ['-1234567890123456.7', 'a fraction'],
    ['9007199254740993.5', 'a fraction'],
    ['1.5', 'a fraction that stays one'],
    ['1e400', 'too large'],
    ['9'.repeat(500), 'too large'],
  ])('rejects %s as a whole number: %s', (numeral) => {
    const value = parseJson(`{"n":${numeral}}`);
    const result = z.object({ n: z.int() }).safeParse(value);
    expect(result.success ? result.data : entriesOf('body', result.error, value).map(({ type }) => type)).toEqual([
      'int_type',
    ]);
  });
  it.each([
    ['1.0', 1],
    ['1.50e1', 15],
    ['1E2', 100],
    ['-0.0', -0],
    ['0e99999999999', 0],
    ['9007199254740991.000', Number.MAX_SAFE_INTEGER],
    ['12345678901234560000e-4', 1234567890123456],
  ])('accepts %s as the whole number %d', (numeral, value) => {
    expect(parseJson(numeral)).toBe(value);
  });
  it('keeps texts that look like numbers', () => {
    const text = '{"a\\"12345678901234567890":"12345678901234567890 \\\\","b":["\\\\\\"",12345678901234567890]}';
    expect(parseJson(text)).toEqual({
      'a"12345678901234567890': '12345678901234567890 \\',
      b: ['\\"', 12345678901234567890n],
    });
    expect(parseJson('{"__proto__":12345678901234567890}')).toEqual(
      JSON.parse('{"__proto__":"x"}', (key, value) => (key === '__proto__' ? 12345678901234567890n : value)),
    );
  });
  it('returns the same as a reviver, or rejects the input', () => {
    const numeral = fc
      .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 30n }))
      .map(([sign, digits]) => `${sign}${digits}`);
    const leaf = fc.oneof(
      numeral,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
      fc.string().map((value) => JSON.stringify(value)),
      fc.constantFrom('true', 'null'),
    );
    const list = fc.array(leaf).map((items) => `[${items.join(' , ')}]`);
    const object = fc
      .array(fc.tuple(fc.string(), fc.oneof(leaf, list)))
      .map((fields) => `{${fields.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(',')}}`);
    fc.assert(
      fc.property(object, (text) => {
        const expected = JSON.parse(text, (_key, value, context?: { source?: string }) => {
          const source = context?.source ?? '';
          const isUnsafe = typeof value === 'number' && !Number.isSafeInteger(value);
          return isUnsafe && /^-?\d+$/.test(source) ? BigInt(source) : value;
        });
        expect(parseJson(text)).toEqual(expected);
      }),
    );
  });
  it('can have 32 levels', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(() => parseJson(nested(32))).not.toThrow();
    expect(() => parseJson(`{"a":"[[[${'['.repeat(100)}"}`)).not.toThrow();
    expect(() => parseJson(nested(33))).toThrow('The body can have at most 32 levels');
    expect(() => parseJson(nested(200_000))).toThrow('The body can have at most 32 levels');
  });
  it('can have 5,000 values', () => {
    expect(() => parseJson(`[${'1,'.repeat(5_000)}1]`)).not.toThrow();
    expect(() => parseJson(`[${'1,'.repeat(5_001)}1]`)).toThrow('The body can have at most 5000 values');
  });

  const size = 512 * 1024;
  it.each([
    ['numerals', `[${'1234567890123456789,'.repeat(size / 20)}1]`],
    ['as many numerals as may be', `[${'1234567890123456789,'.repeat(4_990)}1]`],
    ['one numeral', '1'.repeat(size)],
    ['fractions', `[${`1.${'0'.repeat(90)}1,`.repeat(4_990)}1]`],
    ['one fraction of zeros', `1.${'0'.repeat(size)}1`],
    ['a numeral and a long text', `[12345678901234567890,"${'a'.repeat(size)}"]`],
    ['a numeral and escapes', `[12345678901234567890,"${'\\"'.repeat(size / 2)}"]`],
    ['backslashes', `["${'\\'.repeat(size)}`],
    ['quotes', '"'.repeat(size)],
    ['minus signs', '-'.repeat(size)],
    ['lists', '[],'.repeat(size / 3)],
    ['keys', `{${Array.from({ length: 4_000 }, (_, at) => `"${at}":{}`).join(',')}}`],
  ])('of half a megabyte with %s is parsed quickly', async (_name, text) => {
    const cost = await leastCpu(50, () => {
      try {
        parseJson(text);
      } catch (error) {
        expect(error).toMatchObject({ code: 'validation_error' });
      }
    });
    // A reviver took 150 ms for the first.
    expect(cost).toBeLessThan(50);
  });
});
