// A request to the API as a command line, for what has no command of its own.

/** A request without a body; for GET curl needs no method. */
export function readCommand(server: string, method: 'GET' | 'DELETE', path: string): string {
  const words = method === 'GET' ? 'curl' : `curl -X ${method}`;
  return [`${words} '${server}/api/v1${path}' \\`, `  -H "Authorization: Bearer $TAXIWAY_TOKEN"`].join('\n');
}

/** The command; `server` is the address of the server with its path, the body is shown as JSON. */
export function requestCommand(server: string, method: string, path: string, body: object): string {
  const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X ${method} '${server}/api/v1${path}' \\`,
    `  -H "Authorization: Bearer $TAXIWAY_TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '${json}'`,
  ].join('\n');
}
