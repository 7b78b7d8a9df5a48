// Asks before something that cannot simply be taken back: names the thing and the effect, and says what is wrong in place.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/languages.ts';
import { Problem } from './problem.tsx';

interface ConfirmProps {
  isOpen: boolean;
  title: string;
  /** What will happen. */
  children: ReactNode;
  action: string;
  onConfirm(): Promise<unknown>;
  onClose(): void;
  /** Must be typed first, for what cannot be undone at all. */
  typed?: string;
  isHarmless?: boolean;
  /** False while the effect isn't known yet. */
  isReady?: boolean;
}

/** The dialog. It closes when the work is done. */
export function Confirm(props: ConfirmProps) {
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
  async function confirm(): Promise<void> {
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
    <Stack>
      <Text component="div">{children}</Text>
      {typed !== undefined && (
        <TextInput
          label={texts.common.typeToConfirm(typed)}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      {error !== undefined && <Problem error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {texts.common.cancel}
        </Button>
        <Button
          {...(isHarmless ? {} : { color: 'red' })}
          loading={isBusy}
          disabled={!isReady || (typed !== undefined && text !== typed)}
          onClick={() => void confirm()}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  );
}
