// The ad hoc and development profiles of a team, with the current builds that were signed with them.
import { Badge, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Connection, Profiles as ProfileAnswer } from '../../../stores/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { RowsSkeleton } from '../../components/page.tsx';
import { connectionsPath, explainStoreError } from '../../components/stores.ts';
import { TableHead } from '../../components/table-head.tsx';
import { formatDay } from '../../components/times.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { AnswerHead } from './answer-head.tsx';

type Profile = ProfileAnswer['profiles'][number];

/** Renders the profiles on request, because Apple is asked about each of them. */
export function Profiles({ connection: { identifier, name } }: { connection: Connection }) {
  const t = useTexts().stores.profiles;
  const [isShown, setShown] = useState(false);
  if (isShown) return <ProfileList connectionId={identifier} connectionName={name} />;
  return (
    <div className="tw-store-part">
      <div>
        <Button variant="default" size="xs" aria-label={`${t.show}: ${name}`} onClick={() => setShown(true)}>
          {t.show}
        </Button>
      </div>
    </div>
  );
}

function ProfileList({ connectionId, connectionName }: { connectionId: string; connectionName: string }) {
  const texts = useTexts();
  const t = texts.stores.profiles;
  const profiles = useRead<ProfileAnswer>(`${connectionsPath}/${connectionId}/profiles`, { isRetried: false });
  const { data, error } = profiles;
  return (
    <section className="tw-store-part" aria-label={`${t.title}: ${connectionName}`}>
      <AnswerHead title={t.title} connectionName={connectionName} read={profiles} />
      {error !== null && <ErrorAlert error={explainStoreError(error, texts)} onRetry={() => void profiles.refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={2} picture={0} />}
      {data?.profiles.length === 0 && <Text size="sm">{t.none}</Text>}
      {data !== undefined && data.profiles.length > 0 && (
        <table className="tw-records" aria-label={t.title}>
          <TableHead titles={[t.name, t.devices, t.expires, t.builds]} />
          <tbody>
            {data.profiles.map((profile) => (
              <Row key={profile.profile_id} profile={profile} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ profile }: { profile: Profile }) {
  const t = useTexts().stores.profiles;
  const { language } = useLocale();
  const { name, type, state, device_count: devices, expires_at: expiresAt, builds } = profile;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) < Date.now();
  return (
    <tr>
      <td>
        <div>
          <span className="tw-strong">{name}</span>
          <div className="tw-small">{t.types[type]}</div>
        </div>
      </td>
      <td data-label={t.devices}>{devices}</td>
      <td data-label={t.expires}>
        <div>
          {expiresAt !== null && formatDay(Date.parse(expiresAt), language)}{' '}
          {isExpired ? (
            <Badge variant="light" color="red">
              {t.expired}
            </Badge>
          ) : (
            state === 'invalid' && (
              <Badge variant="light" color="yellow" title={t.invalidHint}>
                {t.invalid}
              </Badge>
            )
          )}
        </div>
      </td>
      <td data-label={t.builds}>
        {builds.length === 0 ? (
          <span className="tw-small">{t.noBuilds}</span>
        ) : (
          <ul className="tw-bare-list">
            {builds.map((build) => (
              <li key={build.build_id}>
                <Link
                  to="/projects/$projectId/builds/$buildId"
                  params={{ projectId: build.project_id, buildId: build.build_id }}
                  className="tw-link"
                >
                  {build.project_name} {formatBuild(build)}
                </Link>
                <div className="tw-small">{build.is_same ? t.same : t.changed(build.added_devices)}</div>
              </li>
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
}
