// The sections for leaving and deleting an organization.
import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project } from '../../../projects/schema.ts';
import { useApi, useReadAll } from '../../api/hooks.ts';
import { useAdmins } from '../../components/admins.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { organizationsPath, useCurrentUser, useOrganization } from '../../shell/current-user.ts';
import { clearSelectedOrganization } from '../../shell/selected-organization.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

/** All admins own the organization together, so transferring it means changing roles. */
export function LeavingSection() {
  const t = useTexts().settings.leave;
  const organization = useOrganization();
  const api = useApi();
  const { me } = useCurrentUser();
  const { base } = useServerInfo();
  const { members, admins } = useAdmins();
  const [isConfirming, setConfirming] = useState(false);
  const isLast = admins?.every(({ developer_id: id }) => id === me.identifier) !== false;
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={members} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(rows) => (
          <>
            {isLast && <Text size="sm">{rows.length === 1 ? t.onlyMember : t.onlyAdmin}</Text>}
            <div className="tw-row tw-wrap">
              <Button variant="default" component={Link} to="/members">
                {t.members}
              </Button>
              {!isLast && (
                <Button variant="default" className="tw-danger" onClick={() => setConfirming(true)}>
                  {t.action}
                </Button>
              )}
            </div>
          </>
        )}
      </QueryContent>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.confirmTitle(organization.name)}
        action={t.action}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await api.send('DELETE', `${organizationsPath}/${organization.identifier}/members/${me.identifier}`);
          // The data on the page is no longer accessible.
          clearSelectedOrganization();
          location.assign(`${base}/`);
        }}
      >
        {t.confirm(organization.name)}
      </ConfirmDialog>
    </Section>
  );
}

/** Deletes the organization. It must have no projects. */
export function DeletionSection() {
  const t = useTexts().settings.deletion;
  const organization = useOrganization();
  const api = useApi();
  const { base } = useServerInfo();
  const { members } = useAdmins();
  const projects = useReadAll<Project>('/projects', { query: { organization_id: organization.identifier } });
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={projects} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(rows) =>
          rows.length === 0 ? (
            <div>
              <Button variant="default" className="tw-danger" onClick={() => setConfirming(true)}>
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
      </QueryContent>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.confirmTitle(organization.name)}
        action={t.action}
        typed={organization.name}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await api.send('DELETE', `${organizationsPath}/${organization.identifier}`);
          clearSelectedOrganization();
          location.assign(`${base}/`);
        }}
      >
        {t.confirm(members.data?.length ?? 1)}
      </ConfirmDialog>
    </Section>
  );
}
