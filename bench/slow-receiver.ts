// A webhook endpoint: node slow-receiver.ts PORT MILLISECONDS. Responds below /slow after a delay and elsewhere immediately. GET
// returns the number of requests below /slow.
import { createServer } from 'node:http';

const [port, milliseconds] = process.argv.slice(2).map(Number);
let received = 0;

createServer({ keepAlive: false }, (request, response) => {
  request.resume();
  if (request.method === 'GET') {
    response.end(String(received));
    return;
  }
  if (request.url?.startsWith('/slow') !== true) {
    response.end();
    return;
  }
  received += 1;
  setTimeout(() => response.end(), milliseconds);
}).listen(port, '127.0.0.1');
