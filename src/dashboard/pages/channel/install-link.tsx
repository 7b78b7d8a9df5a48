// The link that phones open to install from a channel, as text and as a QR code to show or print.
import { ActionIcon, Button, Text } from '@mantine/core';
import { IconExternalLink, IconPrinter } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { LocalLinkHint } from '../../components/local-link.tsx';
import { PrintSheet } from '../../components/print-sheet.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { SiblingChannels } from './sibling-channels.tsx';

const QR_SIZE = 112;

/** On the page of a channel that isn't public, testers sign in, and other people can ask for access. */
export function InstallLink({ channel }: { channel: Channel }) {
  const t = useTexts().channels;
  const project = useProject();
  const [isPrinting, setPrinting] = useState(false);
  const stopPrinting = useCallback(() => setPrinting(false), []);
  const makePublic = useChange(
    (api) => api.send('PATCH', `/channels/${channel.identifier}`, { body: { public: true } }),
    ['/channels'],
  );
  const { public: isPublic } = channel;
  const link = channel.short_url ?? channel.install_url;
  const label = t.qrLabel(channel.name);
  return (
    <section className="tw-aside-part" aria-labelledby="install-link">
      <div className="tw-aside-head">
        <h2 id="install-link">{t.publicLink}</h2>
        <ActionIcon
          variant="subtle"
          color="gray"
          className="tw-no-print"
          aria-label={t.print}
          title={t.print}
          onClick={() => setPrinting(true)}
        >
          <IconPrinter size={16} stroke={1.75} />
        </ActionIcon>
      </div>
      {isPrinting && (
        <PrintSheet
          title={project.name}
          subtitle={channel.name}
          hint={isPublic ? t.qrHint : t.whoTesters}
          link={link}
          label={label}
          onDone={stopPrinting}
        />
      )}
      <div className="tw-install">
        <div className="tw-install-qr">
          <QrCode text={link} label={label} size={QR_SIZE} />
        </div>
        <div className="tw-install-words">
          <p>{isPublic ? t.whoAnyone : t.whoTesters}</p>
          <Button
            component="a"
            variant="default"
            href={link}
            target="_blank"
            rel="noreferrer"
            aria-label={t.openLink}
            leftSection={<IconExternalLink size={16} />}
          >
            {t.open}
          </Button>
        </div>
        <div className="tw-install-copy">
          <Copyable text={link} what={t.publicLink} shown={link.replace(/^https?:\/\//, '')} />
        </div>
      </div>
      <SiblingChannels channel={channel} />
      <LocalLinkHint link={link} />
      {!isPublic && mayInProject(project, 'channel.edit') && (
        <div className="tw-no-print">
          {makePublic.error !== null && <ErrorAlert error={makePublic.error} />}
          <Text size="sm" c="dimmed">
            <Button
              variant="subtle"
              size="compact-sm"
              ml={-10}
              loading={makePublic.isPending}
              onClick={() => makePublic.mutate(undefined)}
            >
              {t.makePublic}
            </Button>
          </Text>
        </div>
      )}
    </section>
  );
}
