// A relative time, with the exact time as its title.
import { useEffect, useState } from 'react';
import { useLocale } from '../texts/locale.ts';
import { formatExact, formatRelative } from './times.ts';

const RENEW_MS = 30_000;

/**
 * Renders a timestamp relative to now and keeps it current. Uses the browser's title instead of a tooltip, because
 * tables show hundreds of these.
 */
export function RelativeTime({ at }: { at: string }) {
  const { language } = useLocale();
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

/** Renders a text with a timestamp in place of `{time}`, because languages have it at different places. */
export function TimeInText({ text, at }: { text: string; at: string }) {
  const [before, after] = text.split('{time}');
  return (
    <>
      {before}
      <RelativeTime at={at} />
      {after}
    </>
  );
}
