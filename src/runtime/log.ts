// Logs: JSON lines by pino, or readable lines on a terminal. Lines never contain secrets, tokens or signed links, so
// requests are logged with their route instead of their URL.
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { showsColors } from '../lib/terminal-colors.ts';
import { createLineWriter, openDescriptor } from './line-writer.ts';

/** Output of the log: 1 is standard output, for servers; 2 is standard error, for commands whose output is data. */
type Descriptor = 1 | 2;

const WARNING = pino.levels.values.warn ?? 40;
const MAX_WAITING_CHARACTERS = 64 * 1024;

/** The target of pino, which sets the level before it writes a line. */
interface LineStream extends DestinationStream {
  lastLevel: number;
  flush(done?: () => void): void;
}

/** Converts a JSON line to readable text. */
type Formatter = (line: string) => string;

/**
 * Buffers the lines of one turn of the event loop, because a system call per line would cost more than the line itself.
 * Warnings and errors are written immediately, because a crash would lose buffered lines.
 */
export function bufferLines(target: DestinationStream, format: Formatter = (line) => line): LineStream {
  let waiting = '';
  const stream: LineStream = {
    lastLevel: 0,
    write(line) {
      if (waiting === '') setImmediate(stream.flush);
      waiting += format(line);
      if (stream.lastLevel >= WARNING || waiting.length >= MAX_WAITING_CHARACTERS) stream.flush();
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
  return openPrettyFormatter(isTTY);
}

/** Returns the formatter for people: one line for each event, and the stack of an error below it. */
export async function openPrettyFormatter(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Formatter> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: showsColors(isTerminal, env),
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return (line) => pretty(describeRequest(line)) ?? '';
}

/** Writes method, route, status and time of a request into the text of its line. */
function describeRequest(line: string): string | object {
  if (!line.includes('"msg":"request"')) return line;
  const { method, route, status, ms, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  if (msg !== 'request') return line;
  return { ...rest, msg: `${method} ${route} ${status} in ${ms} ms` };
}

export interface OpenLog {
  log: Logger;
  /** Number of lines dropped since the start, because the reader or the disk didn't accept them. */
  droppedLines(): number;
}

/**
 * Opens the logger of one server or command. The format `auto` is pretty on a terminal and JSON elsewhere. Logging never blocks
 * the process: lines that can't be written are dropped, and their number is logged when writing works again.
 */
export async function openLog({ level, format }: Config['log'], fd: Descriptor = 1): Promise<OpenLog> {
  const formatLine = await chooseFormatter(format, fd);
  const writer = createLineWriter({
    writeSome: openDescriptor(fd),
    onRecovered: (dropped) => log.warn({ dropped }, 'log lines dropped'),
  });
  const log = pino(
    {
      level,
      base: null,
      timestamp: createTimestamp(),
      serializers: { err: pino.stdSerializers.err },
    },
    bufferLines(writer, formatLine),
  );
  return { log, droppedLines: writer.dropped };
}

/** Returns a function that formats the time for pino. The text is cached per millisecond. */
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
