// The server's messages about fields.

export const fieldErrors = {
  unusable: (reason: string) => `The provider can't be used: ${reason}`,
  /** Returns the text of a message of the server; undefined if it's only known in English. */
  ofMessage: (message: string): string | undefined => message,
};
