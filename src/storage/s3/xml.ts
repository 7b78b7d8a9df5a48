// The XML of S3 responses, which is flat enough to be read without a parser, and of requests.
import { escapeXml } from '../../lib/xml-text.ts';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the content of each element with this name, without entering other elements of the same name. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const open = `<${name}>`;
  const close = `</${name}>`;
  for (let start = xml.indexOf(open); start >= 0; start = xml.indexOf(open, start)) {
    const end = xml.indexOf(close, start);
    if (end < 0) break;
    found.push(xml.slice(start + open.length, end));
    start = end + close.length;
  }
  return found;
}

/** Returns the text of the first element with this name, or undefined. */
export function textOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name);
  return content === undefined ? undefined : decode(content);
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, named) => {
    if (named !== undefined) return NAMED[String(named).toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** The body of a request that deletes objects. */
export function deleteBody(keys: readonly string[]): Buffer {
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
  return Buffer.from(`<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`);
}

/** The body of a request that completes a multipart upload. ETags are in the order of the parts. */
export function partsBody(etags: readonly string[]): Buffer {
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
  );
}
