// Text for XML documents.

/** Escapes text for XML 1.0, in content or in a quoted attribute. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/**
 * Escapes text of any origin. Control characters, noncharacters and lone surrogates are removed, because a parser refuses a
 * whole document for one of them.
 */
export function toXmlText(text: string): string {
  return escapeXml(text.toWellFormed().replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, ''));
}
