// Hides secrets in responses that the reference shows, because screens are shared and photographed.

const secretField = /(?:^|_)(?:token|secret|password|passphrase|recovery_codes|private_key)$/;
const HIDDEN = '••••••••';

/** Returns the text of a response for a screen: JSON is indented, and the values of fields that contain secrets are hidden. */
export function hideSecrets(text: string): { shown: string; isHidden: boolean } {
  let isHidden = false;
  try {
    const shown = JSON.stringify(
      JSON.parse(text),
      (name, value) => {
        if (!secretField.test(name) || value === null || typeof value === 'boolean') return value;
        isHidden = true;
        return HIDDEN;
      },
      2,
    );
    return { shown, isHidden };
  } catch {
    return { shown: text, isHidden: false };
  }
}
