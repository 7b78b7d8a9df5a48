// Text for XML documents.

/** Escapes markup for XML 1.0, including attributes in single or double quotes. For text without forbidden characters. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/**
 * Escapes untrusted text. Removes control characters, noncharacters and lone surrogates, because a parser would reject the whole
 * document for one of them.
 */
export function toXmlText(text: string): string {
  return escapeXml(text.toWellFormed().replace(/[\p{Cc}\u2028\u2029\ufffe\uffff]/gu, ''));
}
