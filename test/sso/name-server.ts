// A name server that answers TXT questions (RFC 1035), as small as it can be.
import { createSocket } from 'node:dgram';

export interface NameServer {
  /** Address and port, as the configuration takes it. */
  address: string;
  /** TXT records by name, each in chunks; a name that is not there does not exist. */
  records: Map<string, string[][]>;
  /** Answers nothing while it is true. */
  isSilent: boolean;
  stop(): Promise<void>;
}

/** Starts it on a free port of this machine. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const server: NameServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    isSilent: false,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on('message', (question, sender) => {
    if (!server.isSilent) socket.send(answer(question, server.records), sender.port, sender.address);
  });
  return server;
}

function answer(question: Buffer, records: NameServer['records']): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.subarray(at + 1, at + 1 + length).toString());
    at += length + 1;
  }
  const asked = question.subarray(12, at + 5);
  const found = records.get(labels.join('.').toLowerCase());
  const header = Buffer.alloc(12);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found?.length ?? 0, 6);
  const texts = (found ?? []).map((chunks) => {
    const data = Buffer.concat(chunks.map((chunk) => Buffer.from([chunk.length, ...Buffer.from(chunk)])));
    // The name points at the question; type TXT, class IN, a time to live of nothing.
    const start = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, data.length >> 8, data.length & 255]);
    return Buffer.concat([start, data]);
  });
  return Buffer.concat([header, asked, ...texts]);
}
