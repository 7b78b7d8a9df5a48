// The headers that a download gets from its link: Content-Disposition (RFC 6266, RFC 8187), with a file name that can't break out of
// its header or folder, and Content-Type.

const MAX_CHARACTERS = 150;
const MEDIA_TYPE = /^[A-Za-z0-9!#$&^_.+-]{1,80}\/[A-Za-z0-9!#$&^_.+-]{1,80}(?:; ?charset=[A-Za-z0-9-]{1,20})?$/;

/** Returns a media type that is safe in a header: the given one, or that of any file. */
export function safeMediaType(contentType: string): string {
  return MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream';
}

/** Returns `attachment` with the name in both forms that clients support. Accepts any text and returns a safe line of ASCII. */
export function formatAttachment(fileName: string): string {
  const name = tidyName(fileName);
  if (name === '') return 'attachment';
  const plain = name.replace(/[^A-Za-z0-9 !#$&+.^_`~()[\]{}@,;='-]/gu, '_');
  const quoted = `attachment; filename="${plain}"`;
  return plain === name ? quoted : `${quoted}; filename*=UTF-8''${encodeExtended(name)}`;
}

function tidyName(fileName: string): string {
  const characters = [
    ...fileName
      .toWellFormed()
      // Separators, control characters and bidirectional controls would make the displayed name differ from the saved name.
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}/\\]/gu, '_')
      .trim()
      .replace(/^\.+/, '_'),
  ];
  if (characters.length <= MAX_CHARACTERS) return characters.join('');
  // The extension determines how a phone opens the file, so the middle of the name is removed.
  return [...characters.slice(0, MAX_CHARACTERS - 20), ...characters.slice(-20)].join('');
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
