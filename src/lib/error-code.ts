// Codes of errors.

/** Returns the code of an error of the system, Node.js or SQLite, such as `ENOENT` or `SQLITE_FULL`, or '' without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
