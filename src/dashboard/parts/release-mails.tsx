// Whether somebody gets mails about new releases of a channel: saved as it is moved.
import type { TesterChannel } from '../../testers/view/schema.ts';
import { useChange } from '../api/api-context.ts';
import { SavedSwitch } from './saved-switch.tsx';

interface ReleaseMailsProps {
  channel: TesterChannel;
  label: string;
  /** The label for who does not see what it stands beside. */
  name: string;
}

export function ReleaseMails({ channel, label, name }: ReleaseMailsProps) {
  const mute = useChange(
    (api, muted: boolean) =>
      api.send('PUT', `/testers/me/channels/${channel.identifier}/notification-preference`, { body: { muted } }),
    ['/testers/me/channels'],
  );
  return <SavedSwitch label={label} name={name} isOn={!channel.muted} save={(isOn) => mute.mutateAsync(!isOn)} />;
}
