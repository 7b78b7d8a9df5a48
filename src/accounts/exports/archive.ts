// The archive of personal data: a ZIP of one JSON file per subject, written as it is read.
import { Readable } from 'node:stream';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { PersonalSubject } from './personal-data.ts';

const README =
  'Everything this service keeps about your account, one file per subject.\n' +
  'Times are milliseconds since 1970-01-01 UTC. Passwords and the secrets of tokens are kept as hashes only and are not included.\n';

/**
 * The bytes of the archive, chunk by chunk: however much there is, a page of rows is in memory at a time, and others have
 * their turn after each. Every entry carries the same time, so that the same data makes the same bytes. Fails when `stopping`
 * aborts.
 */
export async function* streamArchive(
  subjects: readonly PersonalSubject[],
  now: Date,
  stopping: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const { outputStream } = zip;
  const fail = (error: unknown) => {
    if ('destroy' in outputStream && typeof outputStream.destroy === 'function') outputStream.destroy(error);
  };
  zip.on('error', fail);
  zip.addBuffer(Buffer.from(README), 'README.txt', { mtime: now });
  for (const subject of subjects) {
    // An archive reads one stream at a time, so each is opened when its turn has come.
    zip.addReadStreamLazy(`${subject.name}.json`, { mtime: now }, (callback) => {
      const source = Readable.from(writeJson(subject, stopping));
      // A stream that fails doesn't end what it is piped into.
      source.on('error', fail);
      callback(null, source);
    });
  }
  zip.end();
  for await (const chunk of outputStream) yield Buffer.from(chunk);
}

/** What `JSON.stringify(rows, null, 2)` makes, and a line feed. */
async function* writeJson(subject: PersonalSubject, stopping: AbortSignal): AsyncGenerator<string> {
  if ('value' in subject) {
    yield `${JSON.stringify(subject.value, null, 2)}\n`;
    return;
  }
  let isFirst = true;
  for (const rows of subject.pages()) {
    stopping.throwIfAborted();
    let text = '';
    for (const row of rows) {
      text += `${isFirst ? '[' : ','}\n  ${JSON.stringify(row, null, 2).replaceAll('\n', '\n  ')}`;
      isFirst = false;
    }
    yield text;
    await yieldToOthers();
  }
  yield isFirst ? '[]\n' : '\n]\n';
}
