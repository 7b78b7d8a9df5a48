// A gateway in front of a bucket, which cuts off an upload of Litestream at a chosen moment.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type UploadKind = 'wal' | 'snapshots';

/** How much of the upload reaches the bucket: the head of the request, a part of its body, or all of it, without the response being sent on. */
export type Moment = 'begun' | 'partial' | 'stored';

export interface Cut {
  kind: UploadKind;
  /** Which upload of this kind, from 1. */
  number: number;
  moment: Moment;
}

export interface UploadGate extends AsyncDisposable {
  url: string;
  /** Calls `act` at the moment of an upload from now on, and cuts the upload off. Resolves after that. */
  cut(cut: Cut, act: () => void): Promise<void>;
}

/** Starts a gateway that passes everything on to the bucket's address until an upload is to be cut off. */
export async function startUploadGate(target: string): Promise<UploadGate> {
  const { hostname, port } = new URL(target);
  let armed: { cut: Cut; left: number; act: () => void; done: () => void } | undefined;

  const open = (incoming: IncomingMessage) =>
    request({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers, agent: false });

  const pass = (incoming: IncomingMessage, response: ServerResponse) => {
    const outgoing = open(incoming);
    outgoing.on('error', () => response.destroy());
    outgoing.on('response', (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    });
    incoming.pipe(outgoing);
  };

  const cutOff = async (incoming: IncomingMessage, moment: Moment): Promise<void> => {
    const body = await buffer(incoming);
    const outgoing = open(incoming);
    outgoing.on('error', () => undefined);
    if (moment === 'stored') {
      const stored = new Promise<IncomingMessage>((done) => outgoing.once('response', done));
      outgoing.end(body);
      const { statusCode } = await stored;
      if (statusCode !== 200) throw new Error(`the bucket responded ${statusCode}`);
      return;
    }
    const sent = body.subarray(0, moment === 'begun' ? 0 : Math.ceil(body.length / 2));
    outgoing.flushHeaders();
    if (sent.length > 0) await new Promise((done) => outgoing.write(sent, done));
    outgoing.destroy();
  };

  const server = createServer((incoming, response) => {
    const isChosen =
      armed !== undefined && incoming.method === 'PUT' && incoming.url?.includes(`/${armed.cut.kind}/`) === true;
    if (!isChosen || armed === undefined || --armed.left > 0) {
      pass(incoming, response);
      return;
    }
    const { cut, act, done } = armed;
    armed = undefined;
    void cutOff(incoming, cut.moment).then(() => {
      act();
      response.destroy();
      done();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: (cut, act) =>
      new Promise((done) => {
        armed = { cut, left: cut.number, act, done };
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
