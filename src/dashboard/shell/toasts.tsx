// Shows toasts. They stay while the pointer or the focus is on them.
import { Button, CloseButton, Kbd } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { describeError } from '../components/errors.tsx';
import { closeToast, listToasts, replaceToast, subscribeToToasts, type Toast } from '../components/toasts.ts';
import { useTexts } from '../texts/locale.ts';
import { isTyping } from './typing.ts';

const SHOWN_MS = 5000;
/** Long enough to read the message, decide, and get to the button. */
const UNDOABLE_MS = 10_000;
const FAILURE_MS = 10_000;

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '\u2318' : 'Ctrl ';

export function Toasts() {
  const t = useTexts().common;
  const toasts = useSyncExternalStore(subscribeToToasts, listToasts);
  const list = useRef<HTMLElement>(null);
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isEmpty = toasts.length === 0;
  useEffect(() => {
    if (isEmpty) return;
    const listen = (event: KeyboardEvent) => {
      const isUndo = event.key.toLowerCase() === 'z' && (event.metaKey || event.ctrlKey) && !event.shiftKey;
      if (!isUndo || isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return;
      const buttons = list.current?.querySelectorAll<HTMLButtonElement>('.tw-toast-undo');
      const newest = buttons?.item(buttons.length - 1);
      if (newest == null) return;
      event.preventDefault();
      newest.click();
    };
    addEventListener('keydown', listen);
    return () => {
      removeEventListener('keydown', listen);
      // Elements that disappear don't report that the pointer or the focus left them.
      setPointed(false);
      setFocused(false);
    };
  }, [isEmpty]);
  return (
    <section
      ref={list}
      className="tw-toasts"
      aria-label={t.notifications}
      aria-live="polite"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} isPaused={isPointed || isFocused} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, message, undo, isFailure = false }, isPaused }: { toast: Toast; isPaused: boolean }) {
  const texts = useTexts();
  const t = texts.common;
  const [isUndoing, setUndoing] = useState(false);
  const [error, setError] = useState<unknown>();
  const isKept = isPaused || isUndoing;
  const lifetime = isFailure ? FAILURE_MS : undo === undefined ? SHOWN_MS : UNDOABLE_MS;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another message is shown for as long as the first
  useEffect(() => {
    if (isKept) return;
    const timer = setTimeout(() => closeToast(id), lifetime);
    return () => clearTimeout(timer);
  }, [id, isKept, lifetime, message, error]);
  async function run(): Promise<void> {
    if (undo === undefined || isUndoing) return;
    setUndoing(true);
    setError(undefined);
    try {
      await undo();
      replaceToast(id, t.undone);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setUndoing(false);
    }
  }
  return (
    <div className="tw-toast" data-failed={isFailure || error !== undefined || undefined}>
      <span className="tw-toast-text">{error === undefined ? message : describeError(error, texts).title}</span>
      {undo !== undefined && (
        <Button
          className="tw-toast-undo"
          size="compact-sm"
          variant="subtle"
          loading={isUndoing}
          aria-keyshortcuts={COMMAND === 'Ctrl ' ? 'Control+Z' : 'Meta+Z'}
          onClick={() => void run()}
        >
          {error === undefined ? t.undo : texts.errors.tryAgain}
          <Kbd className="tw-toast-keys" aria-hidden>{`${COMMAND}Z`}</Kbd>
        </Button>
      )}
      <CloseButton aria-label={t.close} onClick={() => closeToast(id)} />
    </div>
  );
}
