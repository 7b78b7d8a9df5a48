// Text for a place between the tags of an XML document.

/**
 * Escapes text for XML 1.0, attributes in double or single quotes included. Controls, noncharacters and lone surrogates have
 * no place in it and vanish; a parser would refuse the whole document for one of them.
 */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
