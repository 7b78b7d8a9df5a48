// Logs: JSON lines by pino, or lines for people on a terminal. No line carries a secret, a token or a signed link:
// requests are named by their route.
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { createLineWriter, openDescriptor } from './line-writer.ts';

/** Where lines go: 1 is standard output, where a server's belong; 2 is standard error, for commands whose output is data. */
type Descriptor = 1 | 2;

const WARNING = pino.levels.values.warn ?? 40;
const MOST_WAITING_CHARACTERS = 64 * 1024;

/** What pino writes lines to; it tells the level of the next one first. */
interface LineStream extends DestinationStream {
  lastLevel: number;
  flush(done?: () => void): void;
}

/** Makes a line of JSON readable for people. */
type Formatter = (line: string) => string;

/**
 * Gathers the lines of one turn of the event loop, because a system call for each would cost more than the line. What tells of
 * trouble is written at once: a line that waits in memory is lost in the crash it tells of.
 */
export function gatherLines(target: DestinationStream, format: Formatter = (line) => line): LineStream {
  let waiting = '';
  const stream: LineStream = {
    lastLevel: 0,
    write(line) {
      if (waiting === '') setImmediate(stream.flush);
      waiting += format(line);
      if (stream.lastLevel >= WARNING || waiting.length >= MOST_WAITING_CHARACTERS) stream.flush();
    },
    flush(done) {
      const lines = waiting;
      waiting = '';
      if (lines !== '') target.write(lines);
      if (typeof done === 'function') done();
    },
  };
  return Object.assign(stream, { [Symbol.for('pino.metadata')]: true });
}

async function chooseFormatter(format: Config['log']['format'], fd: Descriptor): Promise<Formatter | undefined> {
  const { isTTY } = fd === 1 ? process.stdout : process.stderr;
  const isForPeople = format === 'pretty' || (format === 'auto' && isTTY);
  if (!isForPeople) return undefined;
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({ colorize: isTTY, translateTime: 'SYS:HH:MM:ss' });
  return (line) => pretty(line) ?? '';
}

export interface OpenLog {
  log: Logger;
  /** Number of lines that could not be written since the start, because nobody read them or there was no room. */
  droppedLines(): number;
}

/**
 * Opens the logger of one server or command. Format `auto` is pretty on a terminal and JSON elsewhere. A log that can't be
 * written never blocks the process: lines are dropped and counted, and the count is logged once lines get through again.
 */
export async function openLog({ level, format }: Config['log'], fd: Descriptor = 1): Promise<OpenLog> {
  const formatLine = await chooseFormatter(format, fd);
  const writer = createLineWriter({
    writeSome: openDescriptor(fd),
    onRecovered: (dropped) => log.warn({ dropped }, 'log lines were dropped'),
  });
  const log = pino(
    {
      level,
      base: null,
      timestamp: createTimestamp(),
      serializers: { err: pino.stdSerializers.err },
    },
    gatherLines(writer, formatLine),
  );
  return { log, droppedLines: writer.dropped };
}

/** The time as the logger writes it, formed once for all lines of a millisecond. */
function createTimestamp(): () => string {
  let formed = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== formed) {
      formed = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
