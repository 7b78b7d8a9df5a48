// The channels of the app's other platforms that the link of a channel also serves.
import { IconLock, IconWorld } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Channel } from '../../../channels/schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { useRead } from '../../api/hooks.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

export function SiblingChannels({ channel }: { channel: Channel }) {
  const texts = useTexts();
  const t = texts.siblings;
  const project = useProject();
  const isLinked = project.siblings.length > 0;
  const read = useRead<Channel[]>(`/channels/${channel.identifier}/siblings`, { isEnabled: isLinked });
  if (!isLinked || read.data === undefined) return null;
  if (read.data.length === 0) {
    return <p className="tw-small tw-bare tw-no-print">{t.noChannel(channel.sibling_name ?? channel.name)}</p>;
  }
  return (
    <ul className="tw-sibling-channels">
      {read.data.map((sibling) => {
        const platform = project.siblings.find(({ identifier }) => identifier === sibling.project_id)?.platform;
        const Icon = sibling.public ? IconWorld : IconLock;
        return (
          <li key={sibling.identifier}>
            {platform !== undefined && t.alsoServes(platformFacts[platform].name)}{' '}
            <Link
              to="/projects/$projectId/channels/$channelId"
              params={{ projectId: sibling.project_id, channelId: sibling.identifier }}
              className="tw-link"
            >
              {sibling.name}
            </Link>{' '}
            <span className="tw-sibling-access">
              <Icon size={12} stroke={1.75} aria-hidden />{' '}
              {sibling.public ? texts.channels.isPublic : texts.channels.isPrivate}
            </span>
            {sibling.public !== channel.public && <small>{sibling.public ? t.publicSibling : t.privateSibling}</small>}
          </li>
        );
      })}
    </ul>
  );
}
