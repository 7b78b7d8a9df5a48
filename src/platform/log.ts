// Logs: JSON lines by pino, or lines for people on a terminal. No line carries a secret, a token or a signed link:
// requests are named by their route.
import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';

/** Where lines go: 1 is standard output, where a server's belong; 2 is standard error, for commands whose output is data. */
type Descriptor = 1 | 2;

async function openStream(format: Config['log']['format'], fd: Descriptor): Promise<DestinationStream> {
  const { isTTY } = fd === 1 ? process.stdout : process.stderr;
  const isForPeople = format === 'pretty' || (format === 'auto' && isTTY);
  // Written at once: a line that waits in memory is lost in the crash it tells of.
  if (!isForPeople) return pino.destination({ fd, sync: true });
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: fd, sync: true, colorize: isTTY, translateTime: 'SYS:HH:MM:ss' });
}

/** The logger of one server or command. Format `auto` is pretty on a terminal and JSON elsewhere. */
export async function createLog({ level, format }: Config['log'], fd: Descriptor = 1): Promise<Logger> {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: pino.stdSerializers.err },
    },
    await openStream(format, fd),
  );
}
