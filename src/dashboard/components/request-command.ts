// API requests as curl commands.

/** Returns the command of a request without a body. GET is curl's default method. */
export function bodylessCommand(server: string, method: 'GET' | 'DELETE', path: string): string {
  const words = method === 'GET' ? 'curl' : `curl -X ${method}`;
  return [`${words} '${server}/api/v1${path}' \\`, `  -H "Authorization: Bearer $TAXIWAY_TOKEN"`].join('\n');
}

/** Returns the command of a request with a JSON body. `server` is the server's URL with its base path. */
export function requestCommand(server: string, method: string, path: string, body: object): string {
  const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X ${method} '${server}/api/v1${path}' \\`,
    `  -H "Authorization: Bearer $TAXIWAY_TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '${json}'`,
  ].join('\n');
}
