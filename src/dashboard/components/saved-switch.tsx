// A switch whose changes are saved immediately, and undone if saving fails.
import { Switch } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from './errors.tsx';

interface SavedSwitchProps {
  label: string;
  /** The accessible name, for users who can't see the context. */
  name?: string;
  description?: string;
  isOn: boolean;
  /** Resolves once `isOn` has the new value. */
  save(isOn: boolean): Promise<unknown>;
}

export function SavedSwitch({ label, name = label, description, isOn, save }: SavedSwitchProps) {
  const [pending, setPending] = useState<boolean>();
  const [error, setError] = useState<unknown>();
  async function change(value: boolean): Promise<void> {
    if (pending !== undefined) return;
    setPending(value);
    setError(undefined);
    await save(value).catch(setError);
    setPending(undefined);
  }
  return (
    <>
      <Switch
        label={label}
        aria-label={name}
        {...(description === undefined ? {} : { description })}
        checked={pending ?? isOn}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      {error !== undefined && <ErrorAlert error={error} />}
    </>
  );
}
