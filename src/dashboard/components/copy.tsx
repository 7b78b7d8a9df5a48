// Copy buttons, and texts with one.
import { ActionIcon, Button, Code } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/locale.ts';
import { copyText } from './clipboard.ts';
import { LazyTooltip } from './tooltip.tsx';

const SHOWN_MS = 1600;

interface CopyButtonProps {
  text: string;
  /** Names the text. */
  what: string;
  /** Shows the name on the button, not only to screen readers. */
  hasLabel?: boolean;
}

/** Renders a button that copies `text`. */
export function CopyButton({ text, what, hasLabel = false }: CopyButtonProps) {
  const t = useTexts().common;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const icon = isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />;
  const copy = () => void copyText(text).then(setCopied);
  const button = hasLabel ? (
    <Button variant="default" leftSection={icon} onClick={copy}>
      {t.copyNamed(what)}
    </Button>
  ) : undefined;
  return (
    <>
      {button ?? (
        <LazyTooltip label={isCopied ? t.copied : t.copy}>
          <ActionIcon
            variant="subtle"
            color={isCopied ? 'green' : 'gray'}
            aria-label={t.copyNamed(what)}
            onClick={copy}
          >
            {icon}
          </ActionIcon>
        </LazyTooltip>
      )}
      <span className="tw-offscreen" role="status">
        {isCopied ? t.copied : ''}
      </span>
    </>
  );
}

/** A short text, such as an id or a link, with a copy button. */
export function Copyable({ text, what, shown = text }: { text: string; what: string; shown?: string }) {
  return (
    <span className="tw-copyable">
      <Code className="tw-copyable-text">{shown}</Code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** One or more lines of commands with a copy button. */
export function CommandBlock({ text }: { text: string }) {
  const t = useTexts().common;
  return (
    <div className="tw-command">
      <pre>{text}</pre>
      <CopyButton text={text} what={t.commandLine} />
    </div>
  );
}
