// The organization's domains: adding, verifying by DNS record, and removing.
import { Badge, Button, Loader, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SsoDomain } from '../../../sso/schema.ts';
import { ApiError, ConnectionError } from '../../api/errors.ts';
import { invalidate, useApi, useChange } from '../../api/hooks.ts';
import { useFreshMembers } from '../../components/admins.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { CommandBlock, Copyable } from '../../components/copy.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { useForm } from '../../components/form.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { pollingInterval, pollingSchedules } from '../../components/polling.ts';
import { minuteMs } from '../../components/times.ts';
import { showSuccess } from '../../components/toasts.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { splitMembers } from './parse-input.ts';
import { explainPlan, useDomains, useSsoPath } from './sso.ts';

export function DomainsSection({ isEnabled }: { isEnabled: boolean }) {
  const t = useTexts().sso.domains;
  const domains = useDomains();
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={domains} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Text size="sm">{t.none}</Text>
          ) : (
            <ul className="tw-list" aria-label={t.title}>
              {rows.map((domain) => (
                <Row key={domain.identifier} domain={domain} isEnabled={isEnabled} />
              ))}
            </ul>
          )
        }
      </QueryContent>
      <AddDomainForm />
    </Section>
  );
}

function AddDomainForm() {
  const texts = useTexts();
  const t = texts.sso.domains;
  const path = `${useSsoPath()}/domains`;
  const claim = useChange((api, body: object) => api.send<SsoDomain>('POST', path, { body }), [path]);
  const form = useForm({
    values: { domain: '' },
    async submit({ domain }) {
      await claim.mutateAsync({ domain }).catch((error: unknown) => {
        throw explainPlan(error, texts);
      });
      // The next domain may be there already.
      form.setValues((current) => (current.domain === domain ? { domain: '' } : current));
    },
    fieldOfCode: { already_exists: 'domain' },
  });
  return (
    <form ref={form.element} className="tw-form" noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <div className="tw-add-line">
        <TextInput label={t.domain} placeholder="example.com" autoComplete="off" {...form.text('domain')} />
        <Button type="submit" variant="default" loading={form.isSending}>
          {t.add}
        </Button>
      </div>
      {form.formError !== undefined && <ErrorAlert error={form.formError} />}
    </form>
  );
}

function Row({ domain, isEnabled }: { domain: SsoDomain; isEnabled: boolean }) {
  const t = useTexts().sso.domains;
  const { identifier, domain: name, verified } = domain;
  const path = useSsoPath();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useChange((api) => api.send('DELETE', `${path}/domains/${identifier}`), [`${path}/domains`]);
  return (
    <li>
      <div className="tw-grow">
        <span className="tw-strong">{name}</span>{' '}
        <Badge variant="light" color={verified ? 'green' : 'yellow'}>
          {verified ? t.verified : t.unverified}
        </Badge>
      </div>
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={t.removeOf(name)}
        onClick={() => setConfirming(true)}
      >
        {t.remove}
      </Button>
      {!verified && <Verification domain={domain} />}
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.removeTitle(name)}
        action={t.remove}
        onClose={() => setConfirming(false)}
        onConfirm={() => remove.mutateAsync(undefined)}
      >
        {verified && isEnabled ? (
          <RemovalEffect domain={name} />
        ) : verified ? (
          t.removeEffect(0)
        ) : (
          t.removeUnverifiedEffect
        )}
      </ConfirmDialog>
    </li>
  );
}

function RemovalEffect({ domain }: { domain: string }) {
  const t = useTexts().sso.domains;
  return (
    <QueryContent read={useFreshMembers()} loading={<RowsSkeleton rows={1} picture={0} />}>
      {(members) => t.removeEffect(splitMembers(members, [domain]).inside.length)}
    </QueryContent>
  );
}

type CheckState = 'idle' | 'looking' | 'over';

/** Shows the DNS record and checks for it. */
function Verification({ domain }: { domain: SsoDomain }) {
  const t = useTexts().sso.domains;
  const { program } = useServerInfo();
  const { name, value } = domain.dns_record;
  const minutes = pollingSchedules.singleSignOn.timeoutMs / minuteMs;
  const { look, finding, error, start } = useVerification(domain);
  return (
    <div className="tw-row-note tw-form">
      <Text size="sm">{t.record}</Text>
      <dl className="tw-facts">
        <dt>{t.recordName}</dt>
        <dd>
          <Copyable text={name} what={t.recordName} />
        </dd>
        <dt>{t.recordValue}</dt>
        <dd>
          <Copyable text={value} what={t.recordValue} />
        </dd>
      </dl>
      <div className="tw-row tw-wrap" role="status">
        {look === 'looking' ? (
          <>
            <Loader size={16} aria-hidden />
            <Text size="sm">{t.checking(minutes)}</Text>
          </>
        ) : (
          <Button size="xs" variant="default" onClick={start}>
            {t.check}
          </Button>
        )}
        {look === 'over' && <Text size="sm">{t.timedOut(minutes)}</Text>}
        {look === 'looking' && finding !== undefined && <Text size="sm">{t[finding]}</Text>}
      </div>
      {error !== undefined && <ErrorAlert error={error} />}
      <details>
        <summary className="tw-small">{t.byOperator}</summary>
        <CommandBlock
          text={`${program} sso-domain verify --organization ${domain.organization_id} --domain ${domain.domain}`}
        />
      </details>
    </div>
  );
}

function useVerification({ identifier, domain }: SsoDomain) {
  const texts = useTexts();
  const t = texts.sso.domains;
  const api = useApi();
  const queries = useQueryClient();
  const path = useSsoPath();
  const [look, setLook] = useState<CheckState>('idle');
  const [finding, setFinding] = useState<'missing' | 'unanswered'>();
  const [error, setError] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts change only with the language
  useEffect(() => {
    if (look !== 'looking') return;
    const since = Date.now();
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (atLeast = 0) => {
      const pause = pollingInterval(Date.now() - since, pollingSchedules.singleSignOn);
      if (pause === undefined) setLook('over');
      else timer = setTimeout(() => void once(), Math.max(pause, atLeast));
    };
    const once = async () => {
      try {
        await api.send('POST', `${path}/domains/${identifier}/verify`, { signal: end.signal });
        showSuccess(t.verifiedToast(domain));
        await invalidate(queries, `${path}/domains`);
      } catch (thrown) {
        if (end.signal.aborted) return;
        const reason = retryReason(thrown);
        if (reason !== undefined) {
          setFinding(reason === 'lost' ? undefined : reason);
          again(thrown instanceof ApiError ? (thrown.retryAfter ?? 0) * 1000 : 0);
          return;
        }
        setError(explain(thrown));
        setLook('idle');
      }
    };
    void once();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [look, api, queries, path, identifier, domain]);

  function explain(thrown: unknown): unknown {
    if (!(thrown instanceof ApiError) || thrown.code !== 'already_exists') return explainPlan(thrown, texts);
    const headers = new Headers(thrown.requestId === null ? {} : { 'x-request-id': thrown.requestId });
    return new ApiError(409, { error: 'conflict', message: t.claimedElsewhere, details: {} }, headers);
  }
  return {
    look,
    finding,
    error,
    start() {
      setError(undefined);
      setFinding(undefined);
      setLook('looking');
    },
  };
}

/** Returns why another check may succeed; undefined for permanent errors. */
function retryReason(error: unknown): 'missing' | 'unanswered' | 'lost' | undefined {
  if (error instanceof ConnectionError) return 'lost';
  if (!(error instanceof ApiError)) return undefined;
  if (error.details.reason === 'dns_missing') return 'missing';
  if (error.details.reason === 'dns_unanswered') return 'unanswered';
  return error.status === 429 || error.status >= 500 ? 'lost' : undefined;
}
