// A switch that is saved as soon as it is moved, and goes back where that was refused.
import { Switch } from '@mantine/core';
import { useState } from 'react';
import { Problem } from './problem.tsx';

interface SavedSwitchProps {
  label: string;
  /** What it is called for who does not see what it stands beside. */
  name?: string;
  description?: string;
  isOn: boolean;
  /** Settles once `isOn` says the same. */
  save(isOn: boolean): Promise<unknown>;
}

export function SavedSwitch({ label, name = label, description, isOn, save }: SavedSwitchProps) {
  const [wanted, setWanted] = useState<boolean>();
  const [error, setError] = useState<unknown>();
  async function move(isWanted: boolean): Promise<void> {
    if (wanted !== undefined) return;
    setWanted(isWanted);
    setError(undefined);
    await save(isWanted).catch(setError);
    setWanted(undefined);
  }
  return (
    <>
      <Switch
        label={label}
        aria-label={name}
        {...(description === undefined ? {} : { description })}
        checked={wanted ?? isOn}
        onChange={(event) => void move(event.currentTarget.checked)}
      />
      {error !== undefined && <Problem error={error} />}
    </>
  );
}
