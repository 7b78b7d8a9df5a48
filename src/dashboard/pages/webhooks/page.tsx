// The webhooks of the organization.

import { Badge, Button, Modal } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hostOf } from '../../../lib/url-host.ts';
import type { Project } from '../../../projects/schema.ts';
import type { Webhook } from '../../../webhooks/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { EmptyState, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { requestCommand } from '../../components/request-command.ts';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function Page() {
  const organization = useOrganization();
  if (!mayInOrganization(organization, 'webhook.manage')) return <RoleErrorPage />;
  return <WebhooksPage key={organization.identifier} organizationId={organization.identifier} />;
}

function WebhooksPage({ organizationId }: { organizationId: string }) {
  const t = useTexts().webhooks;
  const { base } = useServerInfo();
  const navigate = useNavigate();
  const query = { organization_id: organizationId };
  const webhooks = useReadAll<Webhook>('/webhooks', { query });
  const projects = useReadAll<Project>('/projects', { query });
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<{ identifier: string; secret: string | undefined }>();
  const names = new Map(projects.data?.map(({ identifier, name }) => [identifier, name]));
  const createButton = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  const example = { url: 'https://ci.example.com/hooks/taxiway', events: ['build.uploaded', 'release.created'] };
  return (
    <>
      <PageHeader title={t.title} actions={webhooks.data !== undefined && webhooks.data.length > 0 && createButton} />
      <QueryContent read={webhooks} loading={<RowsSkeleton rows={3} picture={28} hasCaption />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              drawing="webhook"
              title={t.emptyTitle}
              text={t.emptyText}
              action={createButton}
              command={requestCommand(
                `${location.origin}${base}`,
                'POST',
                `/webhooks?organization_id=${organizationId}`,
                example,
              )}
            />
          ) : (
            <ul className="tw-list" aria-label={t.title}>
              {rows.map((webhook) => (
                <Row
                  key={webhook.identifier}
                  webhook={webhook}
                  project={
                    webhook.project_id === null ? t.allProjects : (names.get(webhook.project_id) ?? t.unknownProject)
                  }
                />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <Modal opened={isCreating} onClose={() => setCreating(false)} title={t.create} centered>
        {isCreating && (
          <WebhookForm
            onDone={({ identifier, secret }) => {
              setCreating(false);
              // A chat verifies no signature, so there is nothing to copy.
              if (secret === null) void navigate({ to: '/webhooks/$webhookId', params: { webhookId: identifier } });
              else setCreated({ identifier, secret });
            }}
          />
        )}
      </Modal>
      <SecretDialog
        secret={created?.secret}
        onClose={() => {
          if (created === undefined) return;
          setCreated(undefined);
          void navigate({ to: '/webhooks/$webhookId', params: { webhookId: created.identifier } });
        }}
      />
    </>
  );
}

function Row({ webhook, project }: { webhook: Webhook; project: string }) {
  const texts = useTexts();
  const t = texts.webhooks;
  return (
    <li>
      <span className="tw-tone">
        <IconWebhook size={16} stroke={1.75} aria-hidden />
      </span>
      <div className="tw-grow">
        <div>
          <Link to="/webhooks/$webhookId" params={{ webhookId: webhook.identifier }} className="tw-link tw-strong">
            {webhook.damaged ? t.unreadable : (hostOf(webhook.url) ?? webhook.url)}
          </Link>{' '}
          {webhook.damaged && <Badge color="red">{t.damaged}</Badge>}{' '}
          {webhook.description !== null && <span className="tw-small">{webhook.description}</span>}
        </div>
        <div className="tw-small">
          {t.formats[webhook.format]} · {project} · {webhook.events.map((event) => t.eventNames[event]).join(', ')}
          {' · '}
          {t.created} <RelativeTime at={webhook.created_at} />
        </div>
      </div>
      <Badge variant="light" color={webhook.active ? 'green' : 'gray'}>
        {webhook.active ? t.active : t.paused}
      </Badge>
    </li>
  );
}
