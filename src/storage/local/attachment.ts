// The Content-Disposition of a download (RFC 6266, RFC 8187): a name that cannot leave its header or its folder.

const MOST_CHARACTERS = 150;

/** `attachment` with the name in both forms that clients know. Any text is allowed; the answer is always one safe line of ASCII. */
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
      // Separators, controls, and marks that turn the direction of text would all show a name that is not the one saved.
      .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}/\\]/gu, '_')
      .trim()
      .replace(/^\.+/, '_'),
  ];
  if (characters.length <= MOST_CHARACTERS) return characters.join('');
  // The extension decides what a phone does with the file, so it is the middle that goes.
  return [...characters.slice(0, MOST_CHARACTERS - 20), ...characters.slice(-20)].join('');
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}
