// The open previews of pull requests in a project, below its channels.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Preview } from '../../../channels/preview-schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from './project-context.ts';

/** Renders the previews, or nothing if there are none. */
export function Previews({ previews }: { previews: readonly Preview[] }) {
  const t = useTexts().previews;
  if (previews.length === 0) return null;
  return (
    <section aria-labelledby="previews">
      <h2 id="previews">{t.title}</h2>
      <ul className="tw-people">
        {previews.map((preview) => (
          <PreviewRow key={preview.identifier} preview={preview} />
        ))}
      </ul>
    </section>
  );
}

function PreviewRow({ preview: { identifier, channel, opened_at, ends_at } }: { preview: Preview }) {
  const t = useTexts().previews;
  const project = useProject();
  const [isEnding, setEnding] = useState(false);
  const end = useChange((api) => api.send('DELETE', `/previews/${identifier}`), ['/previews', '/channels/overview']);
  const params = { projectId: project.identifier, channelId: channel.identifier };
  return (
    <li>
      <div className="tw-grow">
        <b>
          <Link to="/projects/$projectId/channels/$channelId" params={params}>
            {channel.name}
          </Link>
        </b>
        <small>
          <TimeInText text={t.opened} at={opened_at} /> · {t.ends} <RelativeTime at={ends_at} />
        </small>
      </div>
      {mayInProject(project, 'channel.edit') && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t.endNamed(channel.name)}
          onClick={() => setEnding(true)}
        >
          {t.end}
        </Button>
      )}
      <ConfirmDialog
        isOpen={isEnding}
        title={t.endNamed(channel.name)}
        action={t.end}
        onConfirm={() => end.mutateAsync(undefined)}
        onClose={() => setEnding(false)}
      >
        {t.endText}
      </ConfirmDialog>
    </li>
  );
}
