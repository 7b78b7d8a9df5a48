// The baseline of sign-ins: a server that only hashes one password per request. Argument: port.
import { createServer } from 'node:http';
import { createPasswords } from '../src/developers/password.ts';

const passwords = createPasswords();
const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/health/live') {
    response.end();
    return;
  }
  passwords.verify('correct horse battery staple', null).then(
    () => response.end('{}'),
    () => response.destroy(),
  );
});
server.listen(Number(process.argv[2]), '127.0.0.1');
