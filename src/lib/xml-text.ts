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

/** The beginning of Apple's property lists, up to the first value. `</plist>` ends them. */
export const PLIST_BEGIN = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">`;

/** Returns an untrusted text as an entry of a dictionary in a property list. */
export function plistEntry(key: string, value: string): string {
  return `<key>${key}</key><string>${toXmlText(value)}</string>`;
}
