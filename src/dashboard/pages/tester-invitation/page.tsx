// An invitation to test a channel.

import { Button, Text } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ChannelInvitePreview } from '../../../testers/invitations/schema.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { Invitation } from '../../components/invitation.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const texts = useTexts();
  const emailText = useEmailText();
  const t = texts.invitation;
  const { myApps } = texts;
  const api = useApi();
  const { token } = useParams({ from: '/entry/testers/invites/$token' });
  const [isAccepted, setAccepted] = useState(false);
  const path = `/testers/invites/${encodeURIComponent(token)}/preview`;
  const preview = useRead<ChannelInvitePreview>(path, { isAnonymous: true, isEnabled: !isAccepted });
  const { data } = preview;
  if (isAccepted) {
    return (
      <>
        <Text fw={600} role="status">
          {t.accepted}
        </Text>
        <Text>{emailText(t.testerAccepted)}</Text>
        <Button component={Link} to="/my-apps">
          {myApps.open}
        </Button>
      </>
    );
  }
  return (
    <Invitation
      preview={preview}
      title={t.title(data?.project_name ?? '')}
      next={{ to: '/my-apps', text: myApps.open }}
      accept={async () => {
        await api.send('POST', '/testers/invites/accept', { body: { invite_token: token } });
        setAccepted(true);
      }}
    >
      {data !== undefined && (
        <>
          <Text>{t.toChannel(data.channel_name, data.project_name)}</Text>
          <dl className="tw-facts">
            <dt>{t.expires}</dt>
            <dd>
              <RelativeTime at={data.expires_at} />
            </dd>
          </dl>
        </>
      )}
    </Invitation>
  );
}
