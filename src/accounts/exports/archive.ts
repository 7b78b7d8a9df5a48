// The archive of personal data: a ZIP file with one JSON file per subject, written as a stream.
import { Readable } from 'node:stream';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { PersonalSubject } from './personal-data.ts';

const README =
  'All data this service stores about your account, one file per subject.\n' +
  "Times are milliseconds since 1970-01-01 UTC. Passwords and token secrets are stored only as hashes and aren't included.\n";

/**
 * Yields the bytes of the archive in chunks. Only one page of rows is in memory at a time, and other requests run after
 * each page. All entries have the same time, so that the same data results in the same bytes. Fails when `stopping`
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
    // An archive reads one stream at a time, so each stream is opened only when it is needed.
    zip.addReadStreamLazy(`${subject.name}.json`, { mtime: now }, (callback) => {
      const source = Readable.from(writeJson(subject, stopping));
      // A failed stream doesn't end the stream it is piped into.
      source.on('error', fail);
      callback(null, source);
    });
  }
  zip.end();
  for await (const chunk of outputStream) yield Buffer.from(chunk);
}

/** Yields the same text as `JSON.stringify(rows, null, 2)`, and a line feed. */
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
