// Buttons that copy, and texts that have one.
import { ActionIcon, Code } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/languages.ts';
import { copyText } from './clipboard.ts';
import { Tip } from './tooltip.tsx';

const SHOWN_MS = 1600;

/** Copies `text`; `what` names it for who cannot see the icon. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const t = useTexts().common;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return (
    <>
      <Tip label={isCopied ? t.copied : t.copy}>
        <ActionIcon
          variant="subtle"
          color={isCopied ? 'green' : 'gray'}
          aria-label={t.copyNamed(what)}
          onClick={() => void copyText(text).then(setCopied)}
        >
          {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tip>
      <span className="tw-offscreen" role="status">
        {isCopied ? t.copied : ''}
      </span>
    </>
  );
}

/** A short text such as an id or a link, with its button. */
export function Copyable({ text, what, shown = text }: { text: string; what: string; shown?: string }) {
  return (
    <span className="tw-copyable">
      <Code className="tw-copyable-text">{shown}</Code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** A command line of one or more lines, with its button. */
export function Command({ text }: { text: string }) {
  const t = useTexts().common;
  return (
    <div className="tw-command">
      <pre>{text}</pre>
      <CopyButton text={text} what={t.commandLine} />
    </div>
  );
}
