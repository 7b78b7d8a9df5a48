// A request to the API as a command line, for what has no command of its own.

/** The command; `server` is the address of the server with its path, the body is shown as JSON. */
export function requestCommand(server: string, method: string, path: string, body: object): string {
  const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X ${method} '${server}/api/v1${path}' \\`,
    `  -H "Authorization: Bearer $TAXIWAY_TOKEN" \\`,
    `  -H 'Content-Type: application/json' -d '${json}'`,
  ].join('\n');
}
