// The confirmation of an action that can't easily be undone.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert } from './errors.tsx';
import { SUBMIT_KEYS, SubmitKeys } from './submit-keys.tsx';

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

/** Renders the dialog. It closes when the action has succeeded, and shows its error otherwise. */
export function ConfirmDialog(props: ConfirmProps) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title} centered>
      {props.isOpen && <ConfirmBody {...props} />}
    </Modal>
  );
}

function ConfirmBody({
  children,
  action,
  onConfirm,
  onClose,
  typed,
  isHarmless = false,
  isReady = true,
}: ConfirmProps) {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [text, setText] = useState('');
  const isDisabled = !isReady || (typed !== undefined && text !== typed);
  async function confirm(event: FormEvent): Promise<void> {
    event.preventDefault();
    // A dialog inside of a form would send that form, too.
    event.stopPropagation();
    if (isBusy || isDisabled) return;
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
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
        <Button variant="default" onClick={onClose} data-autofocus>
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
