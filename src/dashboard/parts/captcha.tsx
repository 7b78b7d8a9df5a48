// The server's captcha page inside a form; it hands its token over by a message.
import { Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useFacts } from '../shell/facts.ts';
import { useTexts } from '../texts/languages.ts';

/** The frame. `onSolved` gets the token. */
export function Captcha({ onSolved }: { onSolved(token: string): void }) {
  const t = useTexts().entry.captcha;
  const { base } = useFacts();
  const frame = useRef<HTMLIFrameElement>(null);
  const [isSolved, setSolved] = useState(false);
  const told = useRef(onSolved);
  told.current = onSolved;
  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent<unknown>) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return;
      if (typeof data !== 'object' || data === null || !('captcha_token' in data)) return;
      setSolved(true);
      told.current(String(data.captcha_token));
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
