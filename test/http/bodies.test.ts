// Forms and files: accepted and rejected bodies, and the cost of reading.
import { describe, expect, it } from 'vitest';
import { charsetsOf, parseForm } from '../../src/http/forms.ts';
import { readFilePart } from '../../src/http/multipart.ts';
import { leastCpu } from '../support/cpu.ts';

const TYPE = 'multipart/form-data; boundary=edge';
const part = (headers: string, content = 'x') => `--edge\r\n${headers}\r\n\r\n${content}\r\n`;
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.png"';
const END = '--edge--\r\n';
const read = (text: string, type = TYPE) => readFilePart(Buffer.from(text, 'latin1'), type, 'file');

describe('a body with a file', () => {
  it('is read unchanged', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256));
    const tricky = Buffer.concat([bytes, Buffer.from('\r\n--edg\r\n--\r\n\r\n'), bytes]);
    const form = new FormData();
    form.append('other', 'text');
    form.append('file', new Blob([tricky], { type: 'image/png' }), 'ä "quoted".png');
    const sent = new Response(form);
    const type = sent.headers.get('content-type') ?? '';
    expect(readFilePart(Buffer.from(await sent.arrayBuffer()), type, 'file').equals(tricky)).toBe(true);
  });

  it.each([
    ['a boundary in quotes', TYPE.replace('edge', '"edge"'), part(FILE) + END],
    ['other headers', TYPE, part(`Content-Type: image/png\r\n${FILE}\r\nX-More: y`) + END],
    ['a name without quotes', TYPE, part(FILE.replace('"file"', 'file')) + END],
    ['other parts', TYPE, part('content-disposition: form-data; name="a"') + part(FILE) + END],
    ['a file name in another charset', TYPE, part(FILE.replace('filename=', "filename*=UTF-8''")) + END],
    ['text after the end', TYPE, `${part(FILE)}${END}more`],
  ])('can have %s', (_name, type, text) => {
    expect(read(text, type).toString()).toBe('x');
  });

  it.each([
    ['no boundary', 'multipart/form-data', part(FILE) + END],
    ['a long boundary', `multipart/form-data; boundary=${'b'.repeat(71)}`, part(FILE) + END],
    ['another boundary', 'multipart/form-data; boundary=other', part(FILE) + END],
    ['no end', TYPE, part(FILE)],
    ['a part without a disposition', TYPE, part('Content-Type: image/png') + END],
    ['another disposition', TYPE, part('Content-Disposition: attachment; name="file"') + END],
    ['a part without content', TYPE, `--edge\r\n${FILE}\r\n${END}`],
    ['text before the first part', TYPE, `x\r\n${part(FILE)}${END}`],
    ['headers without measure', TYPE, part(`${FILE}\r\nX: ${'x'.repeat(5_000)}`) + END],
    ['17 parts', TYPE, part('Content-Disposition: form-data; name="a"').repeat(16) + part(FILE) + END],
    ['nothing', TYPE, ''],
  ])('with %s is rejected', (_name, type, text) => {
    expect(() => read(text, type)).toThrow('The body is not valid multipart/form-data');
  });

  it('must contain the file exactly once', () => {
    const text = FILE.replace('; filename="a.png"', '');
    expect(() => read(END)).toThrow('Field required');
    expect(() => read(part(text) + END)).toThrow('Field required');
    expect(() => read(part(FILE) + part(FILE) + END)).toThrow('Send the file once');
    expect(() => read(part(FILE) + part(text) + END)).toThrow('Send the file once');
  });

  const size = 4 * 1024 * 1024;
  it.each([
    ['a large file', part(FILE, 'x'.repeat(size)) + END],
    ['many parts', part('Content-Disposition: form-data; name="a"').repeat(size / 60)],
    ['many headers', `--edge\r\n${'a: b\r\n'.repeat(size / 6)}\r\nx\r\n${END}`],
    ['many boundaries', '--edge\r\n'.repeat(size / 8)],
    ['almost boundaries', part(FILE, '\r\n--edg'.repeat(size / 7)) + END],
    ['line ends', part(FILE, '\r\n'.repeat(size / 2)) + END],
  ])('of 4 MiB with %s is read quickly', async (_name, text) => {
    const body = Buffer.from(text, 'latin1');
    const cost = await leastCpu(50, () => {
      try {
        readFilePart(body, TYPE, 'file');
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_input' });
      }
    });
    expect(cost).toBeLessThan(50);
  });
});

describe('a form', () => {
  it('is decoded as browsers encode it', () => {
    expect(parseForm('a=1&b=%C3%A4+x&a=2&c')).toEqual({ a: '2', b: 'ä x', c: '' });
    expect(parseForm('')).toEqual({});
  });
  it('can have 100 fields', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=x`).join('&');
    expect(Object.keys(parseForm(fields(100)))).toHaveLength(100);
    expect(() => parseForm(fields(101))).toThrow('The form can have at most 100 fields');
    expect(() => parseForm('&'.repeat(200_000))).toThrow('The form can have at most 100 fields');
  });
});

describe('a charset', () => {
  it.each([
    ['application/json', []],
    ['application/json; charset=utf-8', ['utf-8']],
    ['application/json;charset="UTF-8"', ['utf-8']],
    ['application/json; x=y; Charset = latin1 ; charset=utf-8', ['latin1', 'utf-8']],
    ['application/json; charset=', ['']],
  ])('of %j is %j', (contentType, charsets) => {
    expect(charsetsOf(contentType)).toEqual(charsets);
  });
});
