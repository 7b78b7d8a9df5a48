// The confirmation of an action that can't easily be undone.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { isOutdated } from '../api/errors.ts';
import { focusHeadingIfLost } from '../shell/heading-focus.ts';
import { useTexts } from '../texts/locale.ts';
import { describeError, ErrorAlert } from './errors.tsx';
import { useIsShown } from './opened.ts';
import { SUBMIT_KEYS, SubmitKeys } from './submit-keys.tsx';
import { showFailure } from './toasts.ts';

interface ConfirmProps {
  isOpen: boolean;
  title: string;
  /** The effect of the action. */
  children: ReactNode;
  action: string;
  onConfirm(): Promise<unknown>;
  onClose(): void;
  /** A text that the user must type first, for actions that can't be undone. */
  typed?: string;
  isHarmless?: boolean;
  /** False until the effect is known. */
  isReady?: boolean;
}

/**
 * Renders the dialog. It closes when the action has succeeded, and shows its error otherwise. If it was closed before, or disappears
 * because what it is about was changed elsewhere, a toast shows the error.
 */
export function ConfirmDialog(props: ConfirmProps) {
  const attempt = useRef<Attempt>(undefined);
  function close(): void {
    if (attempt.current !== undefined) attempt.current.isLeft = true;
    props.onClose();
  }
  return (
    <Modal opened={props.isOpen} onClose={close} title={props.title} centered>
      {props.isOpen && <ConfirmBody {...props} attempt={attempt} onCancel={close} />}
    </Modal>
  );
}

/** Returns the text as it is displayed, without spaces at its ends or several in a row: nobody sees or types those. */
const asDisplayed = (text: string) => text.trim().replaceAll(/\s+/g, ' ');

/** An action that was started. */
interface Attempt {
  /** Whether the user has closed the dialog since, and may have opened another one. */
  isLeft: boolean;
}

function ConfirmBody({
  children,
  action,
  onConfirm,
  onClose,
  typed,
  isHarmless = false,
  isReady = true,
  attempt,
  onCancel,
}: ConfirmProps & { attempt: RefObject<Attempt | undefined>; onCancel(): void }) {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [text, setText] = useState('');
  const isDisabled = !isReady || (typed !== undefined && asDisplayed(text) !== asDisplayed(typed));
  const isShown = useIsShown();
  const queries = useQueryClient();
  const failure = useRef<{ of: Attempt; message: string }>(undefined);
  useEffect(
    () => () => {
      const { current } = failure;
      if (current !== undefined && !current.of.isLeft) showFailure(current.message);
    },
    [],
  );
  async function confirm(event: FormEvent): Promise<void> {
    event.preventDefault();
    // A dialog inside of a form would send that form, too.
    event.stopPropagation();
    if (isBusy || isDisabled) return;
    setBusy(true);
    setError(undefined);
    failure.current = undefined;
    const started: Attempt = { isLeft: false };
    attempt.current = started;
    try {
      await onConfirm();
      if (!started.isLeft) onClose();
      focusHeadingIfLost();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
      const message = `${action}: ${describeError(thrown, texts).title}`;
      if (isShown.current) failure.current = { of: started, message };
      else showFailure(message);
      if (isOutdated(thrown)) void queries.invalidateQueries();
    }
  }
  return (
    <Stack component="form" onSubmit={(event: FormEvent) => void confirm(event)}>
      <Text component="div">{children}</Text>
      {typed !== undefined && (
        <TextInput
          label={texts.common.typeToConfirm(typed)}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      {error !== undefined && <ErrorAlert error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel} data-autofocus>
          {texts.common.cancel}
        </Button>
        <Button
          type="submit"
          {...(isHarmless ? {} : { color: 'red' })}
          loading={isBusy}
          disabled={isDisabled}
          aria-keyshortcuts={SUBMIT_KEYS}
        >
          {action}
          <SubmitKeys />
        </Button>
      </Group>
    </Stack>
  );
}
