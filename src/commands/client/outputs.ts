// The results of an upload for the next steps of a CI job: lines such as build_id=…, and the QR code as an image.
import { appendFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BodyTooLarge, readBoundedBytes } from '../../lib/bounded-text.ts';
import { describeFailure, Refusal } from '../../lib/failure.ts';
import { type CommandHost, plainText } from '../host.ts';
import type { Api } from './api.ts';
import { type Attempt, readRetryAfter, tryRepeatedly } from './retry.ts';
import type { Build, Channel, Release } from './shapes.ts';

const TIMEOUT_MS = 60_000;
const LARGEST_IMAGE_BYTES = 1024 * 1024;

export interface OutputOptions {
  /** File that the lines are appended to. */
  outputs?: string | undefined;
  /** File for the QR code of the install page as PNG. */
  qrImage?: string | undefined;
}

export interface UploadOutputs {
  build: Build;
  release: Release | undefined;
  channel: Channel | undefined;
}

/** Returns the addresses of a build: its page in the web app, its install page and the QR code of that. */
function addressesOf({ url }: Api, { build, channel }: Pick<UploadOutputs, 'build' | 'channel'>) {
  const page = `${url}/projects/${build.project_id}/builds/${build.identifier}`;
  return channel === undefined
    ? {
        page,
        install: `${url}/install/builds/${build.identifier}`,
        qr: `${url}/public/v1/builds/${build.identifier}/qr.png`,
      }
    : {
        page,
        install: channel.install_url ?? `${url}/install/channels/${channel.identifier}`,
        qr: qrAddressOf({ url }, channel),
      };
}

/** Returns the address of the QR code of a channel's install page. */
export function qrAddressOf({ url }: Pick<Api, 'url'>, { identifier }: Pick<Channel, 'identifier'>): string {
  return `${url}/public/v1/channels/${identifier}/qr.png`;
}

/** Writes what the options ask for. Throws Refusal if a file can't be written or the server has no QR code. */
export async function writeOutputs(
  host: CommandHost,
  api: Api,
  { build, release, channel }: UploadOutputs,
  { outputs, qrImage }: OutputOptions,
): Promise<void> {
  const addresses = addressesOf(api, { build, channel });
  if (qrImage !== undefined) await saveQrCode(host, addresses.qr, resolve(host.cwd, qrImage));
  if (outputs === undefined) return;
  const lines = {
    build_id: build.identifier,
    build_url: addresses.page,
    install_url: addresses.install,
    qr_url: addresses.qr,
    release_id: release?.identifier ?? '',
    qr_image: qrImage ?? '',
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${plainText(value)}\n`);
  try {
    appendFileSync(resolve(host.cwd, outputs), text.join(''));
  } catch (error) {
    throw new Refusal(`cannot write ${outputs}: ${describeFailure(error)}`);
  }
}

async function saveQrCode(host: CommandHost, address: string, file: string): Promise<void> {
  try {
    const outcome = await tryRepeatedly(host, () => loadQrCode(host, address));
    if ('trouble' in outcome) throw new Refusal(outcome.trouble);
    writeFileSync(file, outcome.done);
  } catch (error) {
    throw new Refusal(`cannot save the QR code ${address} as ${file}: ${describeFailure(error)}`);
  }
}

async function loadQrCode(host: CommandHost, address: string): Promise<Attempt<Buffer>> {
  let answer: Response;
  let bytes: Buffer;
  try {
    answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    bytes = await readBoundedBytes(answer, LARGEST_IMAGE_BYTES);
  } catch (error) {
    if (error instanceof BodyTooLarge) throw new Refusal('the image is too large');
    return { trouble: 'the connection to the server was lost' };
  }
  const trouble = `the server returned ${answer.status}`;
  if (answer.status === 429 || answer.status >= 500)
    return { trouble, retryAfterMs: readRetryAfter(answer.headers.get('retry-after'), host.now()) };
  if (!answer.ok) throw new Refusal(trouble);
  return { done: bytes };
}
