// What the tests record of an exchange with an operation (test/support/record-examples.ts).

/** The environment variable that names the folder for what tests record. Without it, they record nothing. */
export const examplesFolderVariable = 'TAXIWAY_EXAMPLES';

/** Longer bodies aren't recorded. */
export const MOST_RECORDED_BYTES = 60_000;

export interface Recorded {
  operation: string;
  status: number;
  /** The port of the server, which its addresses contain. */
  port: string;
  /** When the process began to record, in milliseconds: around the time at which the clocks of its servers start. */
  at: number;
  /** The test file, such as `test/builds/builds.test.ts`. */
  test: string;
  request: {
    params: Record<string, string>;
    query: Record<string, string>;
    /** The media type, if there's a body. */
    type?: string;
    /** A JSON or form body. */
    body?: unknown;
  };
  response: { type: string | null; location: string | null; body?: unknown };
}
