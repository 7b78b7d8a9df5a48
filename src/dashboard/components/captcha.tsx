// The server's captcha page in a frame. It posts its token as a message.
import { Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';

/** Renders the captcha. `onSolved` receives the token, which works once: another `attempt` is another challenge. */
export function Captcha({ attempt, onSolved }: { attempt: number; onSolved(token: string): void }) {
  const t = useTexts().auth.captcha;
  const { base } = useServerInfo();
  const frame = useRef<HTMLIFrameElement>(null);
  const [solved, setSolved] = useState<number>();
  /** Altcha only shows a line of text; the others show pictures. */
  const [isLine, setLine] = useState(false);
  const current = useRef(attempt);
  current.current = attempt;
  const callback = useRef(onSolved);
  callback.current = onSolved;
  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return;
      if (typeof data !== 'object' || data === null || !('captcha_token' in data)) return;
      setSolved(current.current);
      callback.current(String(data.captcha_token));
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  return (
    <div>
      <iframe
        key={attempt}
        ref={frame}
        src={`${base}/api/v1/captcha`}
        title={t.title}
        className="tw-captcha"
        data-line={isLine || undefined}
        onLoad={() => setLine(frame.current?.contentDocument?.querySelector('[data-provider="altcha"]') != null)}
      />
      <Text size="sm" c="dimmed" role="status">
        {solved === attempt ? t.solved : t.waiting}
      </Text>
    </div>
  );
}
