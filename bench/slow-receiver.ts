// An endpoint of webhooks that takes its time: node slow-receiver.ts PORT MILLISECONDS. It answers GET with how many came.
import { createServer } from 'node:http';

const [port, milliseconds] = process.argv.slice(2).map(Number);
let received = 0;

createServer({ keepAlive: false }, (request, response) => {
  request.resume();
  if (request.method === 'GET') {
    response.end(String(received));
    return;
  }
  received += 1;
  setTimeout(() => response.end(), milliseconds);
}).listen(port, '127.0.0.1');
