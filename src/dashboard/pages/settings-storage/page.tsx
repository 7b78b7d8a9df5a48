// Where an organization's packages are stored, how much there is, and its own container.
import { Alert, Badge, Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OnboardingRequest, OrganizationStorage, ValidationReport } from '../../../byosa/schema.ts';
import { formatAlignedBytes } from '../../../lib/formats.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { FactsSkeleton, QueryContent, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDay, formatExact } from '../../components/times.ts';
import { showSuccess } from '../../components/toasts.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { Checklist, Fixes, type Place } from './checklist.tsx';
import { RequestForm } from './request-form.tsx';
import { stepOf, useByosaPath, useRequest, useStorage, useStoragePath } from './storage.ts';

const colors: Record<OnboardingRequest['status'], string> = {
  validating: 'gray',
  validation_failed: 'yellow',
  awaiting_approval: 'gray',
  approved: 'green',
  rejected: 'red',
};

export function Page() {
  const storage = useStorage();
  return (
    <QueryContent read={storage} loading={<FactsSkeleton rows={6} />}>
      {(data) => (
        <>
          <LocationSection storage={data} />
          <OwnSection storage={data} />
          <UsageSection usage={data.usage} />
        </>
      )}
    </QueryContent>
  );
}

function LocationSection({ storage: { container } }: { storage: OrganizationStorage }) {
  const t = useTexts().storage;
  const { language } = useLocale();
  return (
    <Section title={t.location}>
      {container?.unreachable_since != null && (
        <Alert
          color="red"
          icon={<IconAlertTriangle size={18} />}
          title={t.unreachable(formatExact(Date.parse(container.unreachable_since), language))}
        >
          {t.unreachableText}
          {container.unreachable_reason !== null && (
            <Text size="sm" lang="en">
              {container.unreachable_reason}
            </Text>
          )}
        </Alert>
      )}
      <dl className="tw-facts">
        <dt>{t.newPackages}</dt>
        <dd>{container === null ? t.hosted : t.container(container.storage_account, container.container)}</dd>
        {container !== null && (
          <>
            <dt>{t.since}</dt>
            <dd>{formatDay(Date.parse(container.activated_at), language)}</dd>
          </>
        )}
      </dl>
    </Section>
  );
}

function UsageSection({ usage }: { usage: OrganizationStorage['usage'] }) {
  const t = useTexts().storage;
  const { language } = useLocale();
  return (
    <Section title={t.usage} hint={t.usageHint}>
      <ul className="tw-list" aria-label={t.usage}>
        {usage.projects.map(({ project_id: projectId, name, builds, bytes }) => (
          <li key={projectId}>
            <Link to="/projects/$projectId" params={{ projectId }} className="tw-link tw-grow">
              {name}
            </Link>
            <span className="tw-small">{t.builds(builds)}</span>
            <span className="tw-storage-size">{formatAlignedBytes(bytes, language)}</span>
          </li>
        ))}
        <li>
          <span className="tw-strong tw-grow">{usage.projects.length === 0 ? t.noProjects : t.total}</span>
          <span className="tw-small">{t.builds(usage.builds)}</span>
          <span className="tw-storage-size">{formatAlignedBytes(usage.bytes, language)}</span>
        </li>
      </ul>
    </Section>
  );
}

function OwnSection({ storage }: { storage: OrganizationStorage }) {
  const t = useTexts().storage;
  const request = useRequest();
  const { byosa_enabled: isOffered, container } = storage;
  if (request.data === undefined && request.error === null) return <FactsSkeleton rows={4} />;
  if (!isOffered && container === null && (request.data ?? null) === null) {
    return (
      <Section title={t.own}>
        <Text size="sm">{t.off}</Text>
      </Section>
    );
  }
  return (
    <QueryContent read={{ ...request, data: request.data === undefined ? undefined : { request: request.data } }}>
      {({ request: found }) => <OwnContainer key={found?.identifier ?? ''} storage={storage} request={found} />}
    </QueryContent>
  );
}

function OwnContainer({ storage, request }: { storage: OrganizationStorage; request: OnboardingRequest | null }) {
  const t = useTexts().storage;
  const [isWriting, setWriting] = useState(false);
  const isOpen = request !== null && request.status !== 'approved' && request.status !== 'rejected';
  const needsTrust = request?.status === 'validation_failed' && request.authentication === 'federation';
  // A failed request can be replaced without withdrawing it.
  const mayRequest = storage.byosa_enabled && (!isOpen || request.status === 'validation_failed');
  return (
    <Section title={t.own} hint={t.ownHint}>
      {(request === null || isWriting || needsTrust) && <Preparation federation={storage.federation} />}
      {request !== null && <Request request={request} />}
      {isWriting ? (
        <>
          {storage.container !== null && <Text size="sm">{t.replaceHint}</Text>}
          <RequestForm request={request} onDone={() => setWriting(false)} />
        </>
      ) : (
        <div className="tw-row tw-wrap">
          {mayRequest && (
            <Button variant={request === null ? 'filled' : 'default'} onClick={() => setWriting(true)}>
              {request === null ? t.request : t.requestAgain}
            </Button>
          )}
          {(isOpen || storage.container !== null) && (
            <CheckButton
              isOpen={isOpen}
              container={isOpen || request?.status === 'approved' ? null : storage.container}
            />
          )}
          {request !== null && request.status !== 'approved' && <WithdrawButton />}
        </div>
      )}
    </Section>
  );
}

function Request({ request }: { request: OnboardingRequest }) {
  const t = useTexts().storage;
  return (
    <>
      <div role="status">
        <Badge variant="light" color={colors[request.status]}>
          {t.statuses[request.status]}
        </Badge>
      </div>
      <dl className="tw-facts">
        <dt>{t.account}</dt>
        <dd>{request.storage_account}</dd>
        <dt>{t.containerName}</dt>
        <dd>{request.container}</dd>
        <dt>{t.tenantId}</dt>
        <dd>{request.tenant_id}</dd>
        <dt>{t.clientId}</dt>
        <dd>{request.client_id}</dd>
        <dt>{t.authentication}</dt>
        <dd>{t.authentications[request.authentication]}</dd>
        <dt>{t.requested}</dt>
        <dd>
          <RelativeTime at={request.requested_at} />
        </dd>
        {request.validated_at !== null && (
          <>
            <dt>{t.checked}</dt>
            <dd>
              <RelativeTime at={request.validated_at} />
            </dd>
          </>
        )}
      </dl>
      <Checklist request={request} />
    </>
  );
}

function Preparation({ federation: { issuer, subject, audience } }: Pick<OrganizationStorage, 'federation'>) {
  const t = useTexts().storage;
  const { base } = useServerInfo();
  return (
    <div className="tw-part">
      <div className="tw-strong">{t.prepare}</div>
      <Text size="sm">
        {t.prepareText}{' '}
        <a href={`${base}/docs/storage.html#own-azure-containers`} className="tw-link">
          {t.guide}
        </a>
      </Text>
      {!issuer.startsWith('https:') && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />}>
          {t.needsHttps}
        </Alert>
      )}
      <dl className="tw-facts tw-whole">
        <dt>{t.issuer}</dt>
        <dd>
          <Copyable text={issuer} what={t.issuer} />
        </dd>
        <dt>{t.subject}</dt>
        <dd>
          <Copyable text={subject} what={t.subject} />
        </dd>
        <dt>{t.audience}</dt>
        <dd>
          <Copyable text={audience} what={t.audience} />
        </dd>
      </dl>
    </div>
  );
}

interface CheckProps {
  isOpen: boolean;
  /** The container that is checked, if no request shows the result. */
  container: OrganizationStorage['container'];
}

function CheckButton({ isOpen, container }: CheckProps) {
  const t = useTexts().storage;
  const [path, storagePath] = [useByosaPath(), useStoragePath()];
  const check = useChange((api) => api.send<ValidationReport>('POST', `${path}/diagnostics`), [path, storagePath]);
  return (
    <>
      <Button
        variant="default"
        loading={check.isPending}
        onClick={() =>
          check.mutate(undefined, {
            onSuccess: ({ success }) => {
              if (success) showSuccess(t.works);
            },
          })
        }
      >
        {isOpen ? t.check : t.checkContainer}
      </Button>
      {check.error !== null && <ErrorAlert error={check.error} />}
      {check.data !== undefined && container !== null && <CheckResult container={container} report={check.data} />}
    </>
  );
}

function CheckResult({ container, report }: { container: Place; report: ValidationReport }) {
  const t = useTexts().storage;
  if (report.failure_stage === null) return null;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} />}
      title={t.failedStep(t.steps[stepOf(report.failure_stage)])}
    >
      <Fixes place={container} report={report} />
    </Alert>
  );
}

function WithdrawButton() {
  const t = useTexts().storage;
  const path = useByosaPath();
  const [isConfirming, setConfirming] = useState(false);
  const withdraw = useChange((api) => api.send('DELETE', `${path}/onboarding-request`), [path]);
  return (
    <>
      <Button variant="default" className="tw-danger" onClick={() => setConfirming(true)}>
        {t.withdraw}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.withdrawTitle}
        action={t.withdraw}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await withdraw.mutateAsync(undefined);
          showSuccess(t.withdrawn);
        }}
      >
        {t.withdrawText}
      </ConfirmDialog>
    </>
  );
}
