// A thread that sends requests to a server at a steady rate and measures their response times. A separate thread, so that
// other work of the benchmark isn't measured.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

interface Target {
  url: string;
  token: string;
  everyMs: number;
}

export interface Probe {
  /** Stops the thread. Returns the response times in milliseconds. */
  stop(): Promise<number[]>;
}

/** Starts requesting `url`, one request at a time, at intervals of `everyMs` or longer. */
export function startProbe(target: Target): Probe {
  const worker = new Worker(new URL(import.meta.url), { workerData: target });
  const ended = new Promise<number[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return {
    stop() {
      worker.postMessage('stop');
      return ended;
    },
  };
}

function timeRead(agent: Agent, { url, token }: Target): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.on('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - startedAt);
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
      response.resume();
    })
      .on('error', reject)
      .end();
  });
}

async function probe(target: Target): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  let isStopped = false;
  parentPort?.once('message', () => {
    isStopped = true;
  });
  while (!isStopped) {
    const ms = await timeRead(agent, target);
    times.push(ms);
    await sleep(Math.max(0, target.everyMs - ms));
  }
  agent.destroy();
  parentPort?.postMessage(times);
}

if (!isMainThread) await probe(workerData as Target);
