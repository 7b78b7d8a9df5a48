// The page of a webhook: details, actions and deliveries.

import { Badge, Button, Menu, Modal, Text } from '@mantine/core';
import { IconDots, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { hostOf } from '../../../lib/url-host.ts';
import type { Project } from '../../../projects/schema.ts';
import { isChatFormat } from '../../../webhook-events.ts';
import type { Webhook, WebhookWithSecret } from '../../../webhooks/schema.ts';
import { invalidate, useChange, useRead, useReadAll } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FactsSkeleton, PageHeader, QueryContent, RowsSkeleton } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { InOrganization } from '../../shell/in-organization.tsx';
import { useTexts } from '../../texts/locale.ts';
import { SecretDialog } from '../webhooks/secret-dialog.tsx';
import { WebhookForm } from '../webhooks/webhook-form.tsx';
import { Deliveries } from './deliveries.tsx';

export function Page() {
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' });
  const webhook = useRead<Webhook>(`/webhooks/${webhookId}`);
  return (
    <QueryContent
      read={webhook}
      loading={
        <>
          <FactsSkeleton rows={6} />
          <RowsSkeleton rows={8} picture={0} />
        </>
      }
    >
      {(data) => (
        <InOrganization id={data.organization_id}>
          <WebhookPage key={data.identifier} webhook={data} />
        </InOrganization>
      )}
    </QueryContent>
  );
}

type Dialog = 'edit' | 'rotate' | 'remove';

function WebhookPage({ webhook }: { webhook: Webhook }) {
  const texts = useTexts();
  const t = texts.webhooks;
  const path = `/webhooks/${webhook.identifier}`;
  const name = webhook.damaged ? t.unreadable : (hostOf(webhook.url) ?? webhook.url);
  const [dialog, setDialog] = useState<Dialog>();
  const [refreshKey, setRefreshKey] = useState(0);
  const test = useChange((api) => api.send('POST', `${path}/test`), [`${path}/deliveries`]);
  return (
    <>
      <nav aria-label={texts.common.breadcrumbs}>
        <ol className="tw-breadcrumbs">
          <li>
            <Link to="/webhooks" activeOptions={{ exact: true }}>
              {t.title}
            </Link>
          </li>
          <li>
            <span aria-current="page">{name}</span>
          </li>
        </ol>
      </nav>
      <PageHeader
        title={name}
        beside={
          <Badge variant="light" color={webhook.active ? 'green' : 'gray'}>
            {webhook.active ? t.active : t.paused}
          </Badge>
        }
        hint={webhook.description ?? undefined}
        actions={
          <>
            <Button
              leftSection={<IconSend size={16} />}
              disabled={!webhook.active}
              loading={test.isPending}
              onClick={() =>
                test.mutate(undefined, {
                  onSuccess: () => {
                    showSuccess(t.testQueued);
                    setRefreshKey((before) => before + 1);
                  },
                })
              }
            >
              {t.test}
            </Button>
            <Button variant="default" onClick={() => setDialog('edit')}>
              {t.edit}
            </Button>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" aria-label={texts.common.more}>
                  <IconDots size={16} />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {!isChatFormat(webhook.format) && (
                  <>
                    <Menu.Item onClick={() => setDialog('rotate')}>{t.rotate}</Menu.Item>
                    <Menu.Divider />
                  </>
                )}
                <Menu.Item color="red" onClick={() => setDialog('remove')}>
                  {t.remove}
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        }
      />
      {!webhook.active && <Text size="sm">{t.testPaused}</Text>}
      {test.error !== null && <ErrorAlert error={test.error} />}
      <Facts webhook={webhook} />
      <Deliveries webhook={webhook} refreshKey={refreshKey} />
      <Dialogs
        webhook={webhook}
        dialog={dialog}
        onClose={() => setDialog((open) => (open === dialog ? undefined : open))}
      />
    </>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const texts = useTexts();
  const t = texts.webhooks;
  const projects = useReadAll<Project>('/projects', { query: { organization_id: webhook.organization_id } });
  const project = projects.data?.find(({ identifier }) => identifier === webhook.project_id)?.name;
  return (
    <dl className="tw-fact-lines">
      <div>
        <dt>{t.url}</dt>
        <dd>
          <Copyable text={webhook.url} what={t.url} />
        </dd>
      </div>
      <div>
        <dt>{t.identifier}</dt>
        <dd>
          <Copyable text={webhook.identifier} what={t.identifier} />
        </dd>
      </div>
      <div>
        <dt>{t.format}</dt>
        <dd>{t.formats[webhook.format]}</dd>
      </div>
      <div>
        <dt>{t.events}</dt>
        <dd>{webhook.events.map((event) => t.eventNames[event]).join(', ')}</dd>
      </div>
      <div>
        <dt>{t.project}</dt>
        <dd>
          {webhook.project_id === null ? t.allProjects : (project ?? (projects.isPending ? '…' : t.unknownProject))}
        </dd>
      </div>
      <div>
        <dt>{webhook.secret_rotated_at === null ? t.createdLabel : t.rotated}</dt>
        <dd>
          <RelativeTime at={webhook.secret_rotated_at ?? webhook.created_at} />
        </dd>
      </div>
    </dl>
  );
}

interface DialogsProps {
  webhook: Webhook;
  dialog: Dialog | undefined;
  onClose(): void;
}

function Dialogs({ webhook, dialog, onClose }: DialogsProps) {
  const texts = useTexts();
  const t = texts.webhooks;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const path = `/webhooks/${webhook.identifier}`;
  const host = hostOf(webhook.url) ?? webhook.url;
  const rotate = useChange((api) => api.send<WebhookWithSecret>('POST', `${path}/rotate-secret`), ['/webhooks']);
  const remove = useChange((api) => api.send('DELETE', path), []);
  return (
    <>
      <Modal opened={dialog === 'edit'} onClose={onClose} title={t.editTitle} centered>
        {dialog === 'edit' && (
          <WebhookForm
            webhook={webhook}
            onDone={() => {
              showSuccess(texts.common.saved);
              onClose();
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'rotate'}
        title={t.rotateTitle}
        action={t.rotate}
        isHarmless
        onClose={onClose}
        onConfirm={async () => setSecret((await rotate.mutateAsync(undefined)).secret ?? undefined)}
      >
        {t.rotateText}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title={t.removeTitle(host)}
        action={t.remove}
        onClose={onClose}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.removed(host));
          await navigate({ to: '/webhooks', ignoreBlocker: true });
          // After navigating, because queries of the deleted webhook would fail.
          void invalidate(queries, '/webhooks');
        }}
      >
        {t.removeText}
      </ConfirmDialog>
      <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />
    </>
  );
}
