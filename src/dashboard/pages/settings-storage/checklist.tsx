// The checklist of a request: what works, what doesn't, and whose turn it is.
import { Badge, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCircle, IconLoader2 } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { OnboardingRequest, ValidationReport } from '../../../byosa/schema.ts';
import { CommandBlock } from '../../components/copy.tsx';
import { shellQuote } from '../../components/shell-quote.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { checkSteps, stepOf } from './storage.ts';

type Result = 'passed' | 'failed' | 'waiting' | 'running';

const icons = { passed: IconCheck, failed: IconAlertTriangle, waiting: IconCircle, running: IconLoader2 };
const colors = { passed: 'var(--ok)', failed: 'var(--bad)', waiting: 'var(--text-3)', running: 'var(--text-3)' };

export function Checklist({ request }: { request: OnboardingRequest }) {
  const t = useTexts().storage;
  const { status, validation } = request;
  const failed = validation?.failure_stage == null ? undefined : stepOf(validation.failure_stage);
  const failedAt = failed === undefined ? checkSteps.length : checkSteps.indexOf(failed);
  return (
    <ol className="tw-list" aria-label={t.checks}>
      {checkSteps.map((step, index) => (
        <Step key={step} label={t.steps[step]} result={resultOf(index, failedAt, request)}>
          {step === failed && validation !== null && <Problem request={request} report={validation} />}
        </Step>
      ))}
      {request.browser_uploads !== null && (
        <Step label={t.steps.browser_uploads} result={request.browser_uploads === 'allowed' ? 'passed' : 'failed'}>
          {request.browser_uploads === 'blocked' && <BrowserUploads request={request} />}
        </Step>
      )}
      <Step
        label={t.steps.approval}
        result={status === 'approved' ? 'passed' : status === 'rejected' ? 'failed' : 'waiting'}
        badge={status === 'awaiting_approval' ? t.turnOperator : undefined}
      >
        <Approval request={request} />
      </Step>
    </ol>
  );
}

function resultOf(index: number, failedAt: number, { status, validation }: OnboardingRequest): Result {
  if (validation === null) return status === 'validating' ? 'running' : 'waiting';
  return index < failedAt ? 'passed' : index === failedAt ? 'failed' : 'waiting';
}

function Step({
  label,
  result,
  badge,
  children,
}: {
  label: string;
  result: Result;
  badge?: string | undefined;
  children?: ReactNode;
}) {
  const t = useTexts().storage;
  const Icon = icons[result];
  return (
    <li>
      <Icon size={18} stroke={1.75} color={colors[result]} aria-hidden />
      <div className="tw-grow">
        {label} <span className="tw-offscreen">{t.results[result]}</span>
      </div>
      {badge !== undefined && (
        <Badge variant="light" color="gray">
          {badge}
        </Badge>
      )}
      {children}
    </li>
  );
}

function Problem({ request, report }: { request: OnboardingRequest; report: ValidationReport }) {
  const t = useTexts().storage;
  const isOurs = report.responsibility === 'platform';
  return (
    <>
      <Badge variant="light" color={isOurs ? 'gray' : 'yellow'}>
        {isOurs ? t.turnOperator : t.turnCustomer}
      </Badge>
      <div className="tw-row-note">
        <Fixes place={request} report={report} />
      </div>
    </>
  );
}

/** A container, and how this server signs in to it if that is known. */
export type Place = Pick<OnboardingRequest, 'storage_account' | 'container'> &
  Partial<Pick<OnboardingRequest, 'authentication'>>;

/** What to do about a failure, and what the provider responded. */
export function Fixes({ place, report }: { place: Place; report: ValidationReport }) {
  const t = useTexts().storage;
  return (
    <>
      <ul className="tw-storage-fixes">
        {fixesOf(place, report, t).map((fix) => (
          <li key={fix}>{fix}</li>
        ))}
      </ul>
      {report.failure_detail !== null && (
        <Text size="sm" c="dimmed">
          {t.providerSays} <span lang="en">{report.failure_detail}</span>
        </Text>
      )}
    </>
  );
}

/** Uploads by the command line and by CI work without the rule. */
function BrowserUploads({ request: { cors_rule: rule, storage_account: account } }: { request: OnboardingRequest }) {
  const t = useTexts().storage;
  const command = [
    'az storage cors add --services b',
    `--methods ${rule.allowed_methods.join(' ')}`,
    `--origins ${rule.allowed_origins.map(shellQuote).join(' ')}`,
    `--allowed-headers ${rule.allowed_headers.join(',')}`,
    `--exposed-headers ${rule.exposed_headers.join(',')}`,
    `--max-age ${rule.max_age_seconds}`,
    `--account-name ${account}`,
  ];
  return (
    <>
      <Badge variant="light" color="yellow">
        {t.turnCustomer}
      </Badge>
      <div className="tw-row-note">
        <Text size="sm">{t.fixes.browserUploads}</Text>
        <CommandBlock text={command.join(' ')} />
      </div>
    </>
  );
}

/** What to do about a failure, in order. */
function fixesOf(
  { authentication, storage_account: account, container }: Place,
  { failure_stage: stage, responsibility }: ValidationReport,
  { fixes }: ReturnType<typeof useTexts>['storage'],
): readonly string[] {
  if (responsibility === 'platform') return [stage === 'token_exchange' ? fixes.tokenPlatform : fixes.busy];
  switch (stage) {
    case 'token_exchange':
      if (authentication === undefined) return [fixes.tokenCustomer];
      return [fixes.tokenCustomer, authentication === 'federation' ? fixes.tokenFederation : fixes.tokenSecret];
    case 'container_check':
      return [fixes.account(account), fixes.roles];
    case 'container_not_found':
      return [fixes.missing(account, container)];
    case 'put_marker':
    case 'delete_marker':
      return [fixes.roles, fixes.policy];
    case 'list_container':
      return [fixes.roles];
    case 'soft_delete_residue':
      return [fixes.softDelete];
    case null:
      return [];
  }
}

function Approval({ request: { identifier, status, rejection_reason: reason } }: { request: OnboardingRequest }) {
  const t = useTexts().storage;
  const { program } = useServerInfo();
  if (status === 'rejected') {
    return (
      <Text size="sm" className="tw-row-note">
        {t.rejectedBecause} {reason}
      </Text>
    );
  }
  if (status !== 'awaiting_approval') return null;
  return (
    <div className="tw-row-note">
      <Text size="sm">{t.waitApproval}</Text>
      <CommandBlock text={`${program} storage-request approve ${identifier}`} />
    </div>
  );
}
