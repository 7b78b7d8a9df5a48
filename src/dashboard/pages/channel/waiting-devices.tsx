// The phones that wait for a build of a channel, with what the team does next.
import { ActionIcon, Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Device } from '../../../devices/schema.ts';
import type { WaitingDevice } from '../../../testers/waiting-devices/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { RegisterDialog } from '../../components/apple-register.tsx';
import { AppleStateBadge, appleStateOf, takesPlace } from '../../components/apple-state.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { ExportButton } from '../../components/device-export.tsx';
import { Initials } from '../../components/initials.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { useAppleConnections } from '../../components/stores.ts';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInOrganization, mayInProject, useOrganization } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

const SHOWN_FIRST = 5;

/** Renders the waiting devices, or nothing if there are none. */
export function WaitingDevices({ channel }: { channel: Channel }) {
  const t = useTexts().devices.waiting;
  const organization = useOrganization();
  const mayRemove = mayInProject(useProject(), 'channel_tester.manage');
  const [isAllShown, setAllShown] = useState(false);
  const list = useReadPages<WaitingDevice>(`/channels/${channel.identifier}/waiting-devices`);
  const { rows = [], hasNextPage } = list;
  if (rows.length === 0) return null;
  const mayExport = mayInOrganization(organization, 'device.export');
  return (
    <section className="tw-aside-part tw-no-print" aria-labelledby="waiting-devices">
      <div className="tw-aside-head">
        <h2 id="waiting-devices">{t.title(rows.length, hasNextPage)}</h2>
      </div>
      <ul className="tw-people">
        {rows.slice(0, isAllShown ? rows.length : SHOWN_FIRST).map((row) => (
          <Waiting key={row.device.identifier} row={row} channel={channel} mayRemove={mayRemove} />
        ))}
      </ul>
      {isAllShown ? (
        <LoadMore list={list} />
      ) : (
        rows.length > SHOWN_FIRST && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setAllShown(true)}>
            {t.showAll}
          </Button>
        )
      )}
      <p className="tw-quiet">{mayExport ? t.next : t.askManager}</p>
      {mayExport && (
        <div className="tw-row tw-wrap">
          <RegisterWaiting devices={rows.map(({ device }) => device)} />
          <ExportButton size="compact-sm" />
        </div>
      )}
    </section>
  );
}

/** Registers the waiting devices with Apple that aren't yet; nothing without any, and without an account. */
function RegisterWaiting({ devices }: { devices: readonly Device[] }) {
  const t = useTexts().stores.devices;
  const connections = useAppleConnections();
  const [isOpen, setOpen] = useState(false);
  const [first] = connections;
  if (first === undefined) return null;
  const wanted = devices.filter((device) => takesPlace(device, first.identifier));
  if (wanted.length === 0 && !isOpen) return null;
  return (
    <>
      <Button size="compact-sm" onClick={() => setOpen(true)}>
        {t.register}
      </Button>
      <RegisterDialog
        devices={wanted}
        connections={connections}
        connectionId={first.identifier}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </>
  );
}

interface WaitingProps {
  row: WaitingDevice;
  channel: Channel;
  mayRemove: boolean;
}

function Waiting({ row: { device, owner_name: owner, since }, channel, mayRemove }: WaitingProps) {
  const texts = useTexts();
  const t = texts.devices.waiting;
  const [isAsking, setAsking] = useState(false);
  const path = `/channels/${channel.identifier}/waiting-devices`;
  const remove = useChange((api) => api.send('DELETE', `${path}/${device.identifier}`), [path, '/organizations']);
  const connections = useAppleConnections();
  const facts = [device.model, owner ?? t.noOwner].filter((fact) => fact !== null);
  return (
    <li aria-label={device.name}>
      <Initials id={device.identifier} name={device.name} size={28} />
      <div className="tw-grow">
        <b>{device.name}</b>
        <small>
          {facts.join(' · ')} · <RelativeTime at={since} />
        </small>
      </div>
      {connections.length > 0 && <AppleStateBadge state={appleStateOf(device)} />}
      {mayRemove && (
        <ActionIcon variant="subtle" color="gray" aria-label={t.remove(device.name)} onClick={() => setAsking(true)}>
          <IconX size={16} />
        </ActionIcon>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={t.removeTitle(device.name)}
        action={texts.common.remove}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.removed(device.name));
        }}
      >
        {t.removeEffect}
      </ConfirmDialog>
    </li>
  );
}
