// Logs: JSON lines by pino to stdout. No line carries a secret, a token or a signed link: requests are named by their route.
import pino, { type Logger } from 'pino';
import type { Config } from '../config.ts';

/** The logger of one server; pretty on a terminal when the format asks for it. */
export function createLog(
  config: Config['log'],
  destination: pino.DestinationStream = pino.destination({ fd: 2, sync: true }),
): Logger {
  return pino(
    {
      level: config.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: pino.stdSerializers.err },
    },
    destination,
  );
}
