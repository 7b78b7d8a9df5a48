// A switch for emails about new releases of a channel. Each change is saved immediately.
import type { TesterChannel } from '../../testers/view/schema.ts';
import { useChange } from '../api/hooks.ts';
import { SavedSwitch } from './saved-switch.tsx';

interface ReleaseMailsProps {
  channel: TesterChannel;
  label: string;
  /** The accessible name, for users who can't see the context. */
  name: string;
}

export function ReleaseEmailSwitch({ channel, label, name }: ReleaseMailsProps) {
  const mute = useChange(
    (api, muted: boolean) =>
      api.send('PUT', `/testers/me/channels/${channel.identifier}/notification-preference`, { body: { muted } }),
    ['/testers/me/channels'],
  );
  return <SavedSwitch label={label} name={name} isOn={!channel.muted} save={(isOn) => mute.mutateAsync(!isOn)} />;
}
