// The people who ask for access to a channel from its install page.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { AccessRequest } from '../../../testers/requests/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { Initials } from '../../components/initials.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';

/** Renders the open requests, or nothing if there are none. */
export function AccessRequests({ channel }: { channel: Channel }) {
  const t = useTexts().testers.requests;
  const list = useReadPages<AccessRequest>(`/channels/${channel.identifier}/access-requests`);
  if (list.rows === undefined || list.rows.length === 0) return null;
  return (
    <section className="tw-aside-part tw-no-print" aria-labelledby="access-requests">
      <div className="tw-aside-head">
        <h2 id="access-requests">{t.title}</h2>
        {!list.hasNextPage && <span className="tw-of">{list.rows.length}</span>}
      </div>
      <ul className="tw-people">
        {list.rows.map((request) => (
          <Request key={request.identifier} request={request} />
        ))}
      </ul>
      <LoadMore list={list} />
    </section>
  );
}

type Verb = 'grant' | 'decline';

function Request({ request }: { request: AccessRequest }) {
  const t = useTexts().testers.requests;
  const { identifier, channel_id: channelId, display_name: name } = request;
  const [verb, setVerb] = useState<Verb>();
  const answer = useChange(
    (api, chosen: Verb) => api.send('POST', `/channel-access-requests/${identifier}/${chosen}`),
    [`/channels/${channelId}`],
  );
  const send = (chosen: Verb) => {
    setVerb(chosen);
    answer.mutate(chosen, { onSuccess: () => showSuccess(chosen === 'grant' ? t.granted(name) : t.declined(name)) });
  };
  return (
    <li className="tw-request" aria-label={t.person(name)}>
      <Initials id={request.developer_id} name={name} size={28} />
      <div className="tw-grow">
        <b>{name}</b>
        <small>
          {request.email} · <RelativeTime at={request.created_at} />
        </small>
        {answer.error !== null && <ErrorAlert error={answer.error} />}
        <div className="tw-request-actions">
          <Button size="compact-sm" loading={answer.isPending && verb === 'grant'} onClick={() => send('grant')}>
            {t.grant}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            loading={answer.isPending && verb === 'decline'}
            onClick={() => send('decline')}
          >
            {t.decline}
          </Button>
        </div>
      </div>
    </li>
  );
}
