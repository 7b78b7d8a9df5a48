// All testers of a channel and its invitations.
import { useParams } from '@tanstack/react-router';
import type { Channel } from '../../../channels/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { QueryContent } from '../../components/page.tsx';
import { ChannelTesters } from '../channel/testers.tsx';

export function Page() {
  const { channelId } = useParams({ from: '/shell/projects/$projectId/channels/$channelId/testers' });
  const channel = useRead<Channel>(`/channels/${channelId}`);
  return <QueryContent read={channel}>{(data) => <ChannelTesters channel={data} />}</QueryContent>;
}
