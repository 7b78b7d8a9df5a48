// Questions on a terminal, and passwords that arrive on stdin.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Refusal, UsageError } from '../lib/failure.ts';
import type { CommandHost } from './host.ts';

const MAX_PASSWORD_LENGTH = 4096;
/** A character has at most three bytes for each of its UTF-16 units. */
const MAX_PASSWORD_BYTES = 3 * (MAX_PASSWORD_LENGTH + 1);

/** Prompts on the terminal; `isHidden` hides the input. Throws UsageError with the message `otherwise` without a terminal. */
export async function ask(
  host: CommandHost,
  question: string,
  { isHidden = false, otherwise }: { isHidden?: boolean; otherwise: string },
): Promise<string> {
  const { keyboard } = host;
  if (keyboard === undefined) throw new UsageError(otherwise);
  let isMuted = false;
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) host.say(chunk.toString('utf8'));
      done();
    },
  });
  const reader = createInterface({ input: keyboard, output: screen, terminal: true });
  try {
    const closed = new Promise<never>((_, reject) => reader.once('close', () => reject(new Refusal('no input'))));
    const answer = reader.question(question);
    isMuted = isHidden;
    const text = await Promise.race([answer, closed]);
    if (isHidden) host.say('\n');
    return isHidden ? text : text.trim();
  } finally {
    reader.close();
  }
}

/** Reads the first line of stdin, without its line break and without the byte order mark that programs on Windows begin a file with. */
export async function readPassword(host: CommandHost): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of host.stdin) {
    bytes = Buffer.concat([bytes, Buffer.from(chunk)]);
    if (bytes.length > MAX_PASSWORD_BYTES) throw tooLong();
  }
  const text = decode(bytes);
  if (text.length > MAX_PASSWORD_LENGTH) throw tooLong();
  const line = text.split(/\r?\n/, 1)[0] ?? '';
  if (line === '') throw new UsageError('--password-stdin: stdin is empty');
  return line;
}

const tooLong = () => new UsageError('the password on stdin is too long');

/** Returns text in UTF-8 without its byte order mark. Throws UsageError for other bytes. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError("--password-stdin: stdin isn't text in UTF-8");
  }
}
