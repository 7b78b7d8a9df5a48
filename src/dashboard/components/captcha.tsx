// The server's captcha page in a frame. It posts its token as a message.
import { Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';

/** Renders the captcha. `onSolved` receives the token. */
export function Captcha({ onSolved }: { onSolved(token: string): void }) {
  const t = useTexts().auth.captcha;
  const { base } = useServerInfo();
  const frame = useRef<HTMLIFrameElement>(null);
  const [isSolved, setSolved] = useState(false);
  const callback = useRef(onSolved);
  callback.current = onSolved;
  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return;
      if (typeof data !== 'object' || data === null || !('captcha_token' in data)) return;
      setSolved(true);
      callback.current(String(data.captcha_token));
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  return (
    <div>
      <iframe ref={frame} src={`${base}/api/v1/captcha`} title={t.title} className="tw-captcha" />
      <Text size="sm" c="dimmed" role="status">
        {isSolved ? t.solved : t.waiting}
      </Text>
    </div>
  );
}
