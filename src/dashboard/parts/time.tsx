// A moment as people say it, with the exact one behind it.
import { useEffect, useState } from 'react';
import { useSpeech } from '../texts/languages.ts';
import { formatExact, formatRelative } from './formats.ts';

const RENEW_MS = 30_000;

/** A moment of the wire, in relation to now; it keeps itself true. The browser's own hint: tables show hundreds of these. */
export function Time({ at }: { at: string }) {
  const { language } = useSpeech();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), RENEW_MS);
    return () => clearInterval(timer);
  }, []);
  const moment = Date.parse(at);
  return (
    <time dateTime={at} title={formatExact(moment, language)}>
      {formatRelative(moment, Math.max(now, Date.now()), language)}
    </time>
  );
}
