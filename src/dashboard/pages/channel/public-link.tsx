// The install link of a channel, as text and as a QR code to show or print.
import { Anchor, Button, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { LocalLinkHint } from '../../components/local-link.tsx';
import { Section } from '../../components/page.tsx';
import { PrintSheet } from '../../components/print-sheet.tsx';
import { QrCode } from '../../components/qr-code.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

export function PublicLink({ channel }: { channel: Channel }) {
  const t = useTexts().channels;
  const project = useProject();
  const [isPrinting, setPrinting] = useState(false);
  const stopPrinting = useCallback(() => setPrinting(false), []);
  const makePublic = useChange(
    (api) => api.send('PATCH', `/channels/${channel.identifier}`, { body: { public: true } }),
    ['/channels'],
  );
  if (channel.install_url === null) {
    return (
      <Section title={t.publicLink} hint={t.notPublic}>
        {makePublic.error !== null && <ErrorAlert error={makePublic.error} />}
        {mayInProject(project, 'channel.edit') && (
          <div>
            <Button variant="default" loading={makePublic.isPending} onClick={() => makePublic.mutate(undefined)}>
              {t.makePublic}
            </Button>
          </div>
        )}
      </Section>
    );
  }
  return (
    <Section
      title={t.publicLink}
      hint={t.publicHint}
      actions={
        <Button
          variant="subtle"
          size="compact-sm"
          className="tw-no-print"
          leftSection={<IconPrinter size={16} />}
          onClick={() => setPrinting(true)}
        >
          {t.print}
        </Button>
      }
    >
      {isPrinting && (
        <PrintSheet
          title={project.name}
          subtitle={channel.name}
          hint={t.qrHint}
          link={channel.install_url}
          label={t.qrLabel(channel.name)}
          onDone={stopPrinting}
        />
      )}
      <div className="tw-row tw-wrap">
        <QrCode text={channel.install_url} label={t.qrLabel(channel.name)} />
        <div className="tw-grow tw-link-words">
          <Text size="sm">{t.qrHint}</Text>
          <Copyable text={channel.install_url} what={t.publicLink} />
          <LocalLinkHint link={channel.install_url} />
          <Anchor href={channel.install_url} target="_blank" rel="noreferrer" size="sm" className="tw-link">
            {t.openLink}
          </Anchor>
        </div>
      </div>
    </Section>
  );
}
