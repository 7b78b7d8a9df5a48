// The strict reader: what it accepts and rejects, and that hostile input neither slows it down nor causes other errors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeXml } from '../../src/lib/xml-text.ts';
import { normalizeDomain } from '../../src/saml/domain-name.ts';
import { attributeOf, MESSAGE_LIMITS, METADATA_LIMITS, parseXml, XmlError } from '../../src/saml/xml.ts';
import { leastCpu } from '../support/cpu.ts';

const read = (text: string) => parseXml(text, METADATA_LIMITS);
const range = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join(' ');
const readMessage = (text: string) => parseXml(text, MESSAGE_LIMITS);

describe('the XML reader', () => {
  it('reads names with their namespaces, attributes, and text without comments', () => {
    const root = read(
      '<?xml version="1.0" encoding="UTF-8"?>\r\n<a:b xmlns:a="u" xmlns="d" x=\'1\' a:x="2">t<!-- c -->u&amp;&#x41;&#66;<c xmlns=""/><d/></a:b>\n',
    );
    expect(root).toMatchObject({
      namespace: 'u',
      name: 'b',
      attributes: [
        { namespace: '', name: 'x', value: '1' },
        { namespace: 'u', name: 'x', value: '2' },
      ],
      text: 'tu&AB',
      children: [
        { namespace: '', name: 'c', attributes: [], children: [], text: '' },
        { namespace: 'd', name: 'd', attributes: [], children: [], text: '' },
      ],
    });
  });

  it.each([
    '',
    'text',
    '<a',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<a/>text',
    '<a><b></a></b>',
    '<!DOCTYPE a><a/>',
    '<a><!ENTITY x "y"></a>',
    '<a><![CDATA[x]]></a>',
    '<a><?p x?></a>',
    '<?xml version="1.1"?><a/>',
    '<?xml version="1.0" encoding="UTF-16"?><a/>',
    '<a x="1" x="2"/>',
    '<a xmlns:b="u" xmlns:c="u" b:x="" c:x=""/>',
    '<a x=1/>',
    '<a x/>',
    '<a x="<"/>',
    '<b:a/>',
    '<a b:x=""/>',
    '<a xmlns:xml="u"/>',
    '<a xmlns:b=""/>',
    '<a>&x;</a>',
    '<a>&valueOf;</a>',
    '<a>&</a>',
    '<a>&#0;</a>',
    '<a>&#xD800;</a>',
    '<a>&#x110000;</a>',
    '<a>\u0000</a>',
    '<a>\ud800</a>',
    '<a><!-- x -- y --></a>',
    '<a><!-- x</a>',
    '<a><!-- x --->/a>',
    '<a><!--></a>',
    '<a><!-- x -- y --></a>',
    `${'<a>'.repeat(25)}${'</a>'.repeat(25)}`,
    `<a>${'<b/>'.repeat(2_000)}</a>`,
    `<a ${Array.from({ length: 33 }, (_, index) => `x${index}=""`).join(' ')}/>`,
    `<a>${'x'.repeat(256 * 1024)}</a>`,
  ])('rejects %j', (text) => {
    expect(() => read(text)).toThrow(XmlError);
  });

  it('returns the positions of elements in the text', () => {
    const text = '<?xml version="1.0"?>\n<a><b x=">">t<c/></b></a>';
    const [b] = read(text).children;
    expect([text.slice(b?.start, b?.end), text.slice(b?.contentStart, b?.end)]).toEqual([
      '<b x=">">t<c/></b>',
      't<c/></b>',
    ]);
  });

  it.each([
    ['a comment', '<a><!-- x --></a>'],
    ['a comment before the root', '<!-- x --><a/>'],
    ['a comment after the root', '<a/><!-- x -->'],
    ['an empty comment', '<a><!----></a>'],
    ['more than 500 elements', `<a>${'<b/>'.repeat(500)}</a>`],
    ['more than 1,500 attributes', `<a>${`<b ${range(31, (at) => `x${at}=""`)}/>`.repeat(49)}</a>`],
    [
      'more than 32 prefixes',
      `<a ${range(20, (at) => `xmlns:x${at}="u"`)}><b ${range(13, (at) => `xmlns:y${at}="u"`)}/></a>`,
    ],
    ['more than 128 Ki characters', `<a>${'x'.repeat(128 * 1024)}</a>`],
  ])('rejects %s in a message', (_name, text) => {
    expect(() => readMessage(text)).toThrow(XmlError);
  });

  it('accepts the documented limits in a message', () => {
    expect(readMessage(`<a>${'<b/>'.repeat(499)}</a>`).children).toHaveLength(499);
    expect(readMessage(`<a>${`<b ${range(30, (at) => `x${at}=""`)}/>`.repeat(50)}</a>`).children).toHaveLength(50);
  });

  it('accepts the documented limits', () => {
    expect(read(`${'<a>'.repeat(24)}${'</a>'.repeat(24)}`).name).toBe('a');
    expect(read(`<a>${'<b/>'.repeat(1_999)}</a>`).children).toHaveLength(1_999);
  });

  it.each([
    ['spaces in a tag', `<a${' '.repeat(200_000)}`],
    ['names', `<${'a'.repeat(200_000)}`],
    ['comments that do not end', `<a>${'<!--'.repeat(50_000)}`],
    ['ampersands', `<a>${'&'.repeat(200_000)}</a>`],
    ['attributes that are none', `<a ${'x '.repeat(100_000)}>`],
    ['quotes', `<a x="${"'".repeat(200_000)}`],
  ])('rejects %s immediately', async (_name, text) => {
    expect(await leastCpu(500, () => expect(() => read(text)).toThrow(XmlError))).toBeLessThan(500);
  });

  it('decodes everything that was escaped', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !/[\p{Cc}\ufffe\uffff]/u.test(one));
    fc.assert(
      fc.property(text, (value) => {
        const root = read(`<a x="${escapeXml(value)}">${escapeXml(value)}</a>`);
        expect([attributeOf(root, 'x'), root.text]).toEqual([value, value]);
      }),
    );
  });

  it('returns a result or rejects the input, and throws nothing else', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      'a',
      'b:',
      ' ',
      '="',
      '"',
      "'",
      '&',
      ';',
      '#',
      '<!--',
      '-->',
      '<!',
      '<?',
      '?>',
      'xmlns',
      '=',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        try {
          read(pieces.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(XmlError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a domain name', () => {
  it.each([
    ['Example.COM', 'example.com'],
    [' example.com. ', 'example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['EXAMPLE．com', undefined],
    ['example.com?x', undefined],
    ['example.com#.evil.test', undefined],
    ['example.com\\.evil.test', undefined],
    ['localhost', undefined],
    ['1.2.3.4', undefined],
    ['a..b', undefined],
    ['a b.example', undefined],
    ['example.com/path', undefined],
    ['user@example.com', undefined],
    ['example.com:80', undefined],
    ['', undefined],
  ])('%j is stored as %j', (text, kept) => {
    expect(normalizeDomain(text)).toBe(kept);
  });
});
