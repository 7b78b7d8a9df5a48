// Email notifications: releases of each channel that the user tests.

import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { platformFacts } from '../../../platforms.ts';
import type { TesterChannel, TesterOrganization, TesterProject } from '../../../testers/view/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { ReleaseEmailSwitch } from '../../components/release-email-switch.tsx';
import { useTexts } from '../../texts/locale.ts';

export function NotificationsSection() {
  const t = useTexts().account.notifications;
  const emailText = useEmailText();
  const organizations = useReadAll<TesterOrganization>('/testers/me/organizations');
  const [isOpen, setOpen] = useState(false);
  return (
    <Section id="notifications" title={t.title} hint={emailText(t.hint)}>
      <QueryContent read={organizations} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : isOpen ? (
            rows.map((organization) => <OrganizationMails key={organization.identifier} organization={organization} />)
          ) : (
            <div>
              <Button variant="default" onClick={() => setOpen(true)}>
                {t.show}
              </Button>
            </div>
          )
        }
      </QueryContent>
    </Section>
  );
}

function OrganizationMails({ organization }: { organization: TesterOrganization }) {
  const query = { organization_id: organization.identifier };
  const projects = useReadAll<TesterProject>('/testers/me/projects', { query });
  return (
    <QueryContent read={projects} loading={<RowsSkeleton rows={1} picture={0} />}>
      {(rows) => (
        <ul className="tw-list" aria-label={organization.name}>
          {rows.map((project) => (
            <ProjectMails key={project.identifier} project={project} organizationName={organization.name} />
          ))}
        </ul>
      )}
    </QueryContent>
  );
}

function ProjectMails({ project, organizationName }: { project: TesterProject; organizationName: string }) {
  const texts = useTexts();
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const channels = useReadAll<TesterChannel>('/testers/me/channels', { query });
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{project.name}</div>
        <div className="tw-small">
          {organizationName} · {platformFacts[project.platform].name}
        </div>
      </div>
      <QueryContent read={channels} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(rows) => (
          <div className="tw-form">
            {rows.map((channel) => (
              <ReleaseEmailSwitch
                key={channel.identifier}
                channel={channel}
                label={channel.name}
                name={texts.myApps.releaseEmailsOf(`${project.name} · ${channel.name}`)}
              />
            ))}
          </div>
        )}
      </QueryContent>
    </li>
  );
}
