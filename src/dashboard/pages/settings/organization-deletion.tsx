// Handing an organization over, leaving it, and deleting it.
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../projects/schema.ts';
import { useApi, useReadAll } from '../../api/api-context.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { clearChosenOrganization } from '../../shell/chosen-organization.ts';
import { useFacts } from '../../shell/facts.ts';
import { organizationsPath, useOrganization, useVisit } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';
import { useAdmins } from './members.ts';

/** Nobody owns an organization but its administrators together, so handing over is a matter of roles. */
export function LeavingSection() {
  const t = useTexts().settings.leave;
  const organization = useOrganization();
  const api = useApi();
  const { me } = useVisit();
  const { base } = useFacts();
  const { members, admins } = useAdmins();
  const [isAsking, setAsking] = useState(false);
  const isLast = admins?.every(({ developer_id: id }) => id === me.identifier) !== false;
  return (
    <Section title={t.title} hint={t.hint}>
      <Shown read={members} loading={<Loading rows={1} height={36} />}>
        {(rows) => (
          <>
            {isLast && <Text size="sm">{rows.length === 1 ? t.onlyMember : t.onlyAdmin}</Text>}
            <div className="tw-row tw-wrap">
              <Button variant="default" component={Link} to="/members">
                {t.members}
              </Button>
              {!isLast && (
                <Button color="red" variant="outline" onClick={() => setAsking(true)}>
                  {t.action}
                </Button>
              )}
            </div>
          </>
        )}
      </Shown>
      <Confirm
        isOpen={isAsking}
        title={t.confirmTitle(organization.name)}
        action={t.action}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await api.send('DELETE', `${organizationsPath}/${organization.identifier}/members/${me.identifier}`);
          // Nothing that is on the screen can be read any more.
          clearChosenOrganization();
          location.assign(`${base}/`);
        }}
      >
        {t.confirm(organization.name)}
      </Confirm>
    </Section>
  );
}

/** Deletes the organization once it is empty. */
export function DeletionSection() {
  const t = useTexts().settings.deletion;
  const organization = useOrganization();
  const api = useApi();
  const { base } = useFacts();
  const { members } = useAdmins();
  const projects = useReadAll<Project>('/projects', { query: { organization_id: organization.identifier } });
  const [isAsking, setAsking] = useState(false);
  return (
    <Section title={t.title} hint={t.hint}>
      <Shown read={projects} loading={<Loading rows={1} height={36} />}>
        {(rows) =>
          rows.length === 0 ? (
            <div>
              <Button color="red" variant="outline" onClick={() => setAsking(true)}>
                {t.action}
              </Button>
            </div>
          ) : (
            <div>
              <Text size="sm">{t.projects(rows.length)}</Text>
              <ul className="tw-plain-list">
                {rows.map(({ identifier, name }) => (
                  <li key={identifier}>
                    <Link to="/projects/$projectId/settings" params={{ projectId: identifier }} className="tw-link">
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        }
      </Shown>
      <Confirm
        isOpen={isAsking}
        title={t.confirmTitle(organization.name)}
        action={t.action}
        typed={organization.name}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await api.send('DELETE', `${organizationsPath}/${organization.identifier}`);
          clearChosenOrganization();
          location.assign(`${base}/`);
        }}
      >
        {t.confirm(members.data?.length ?? 1)}
      </Confirm>
    </Section>
  );
}
