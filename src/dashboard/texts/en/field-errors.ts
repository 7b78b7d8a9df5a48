// The texts of errors at fields, by what the server says about them.

export const fieldErrors = {
  notAllowed: (reason: string) => `Not allowed: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
  emailAddress: 'Enter a valid email address',
  fieldCodes: {
    already_exists: 'Already taken',
  } as Record<string, string>,
  fields: {
    missing: 'Required',
    uuid_parsing: 'Not a valid ID',
    string_too_short: 'Required',
    permission_denied: 'Incorrect. Try again.',
  } as Record<string, string>,
  unusable: (reason: string) => `The provider can't be used: ${reason}`,
  /** Returns the text of a message of the server; undefined if it's only known in English. */
  ofMessage: (message: string): string | undefined => message,
};
