// The domains of the organization: claimed, shown to be its own by a DNS record, and given up.
import { Badge, Button, Loader, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SsoDomain } from '../../../sso/schema.ts';
import { readAgain, useApi, useChange } from '../../api/api-context.ts';
import { ApiError, LostConnection } from '../../api/errors.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Command, Copyable } from '../../parts/copy.tsx';
import { useForm } from '../../parts/form.tsx';
import { Loading, Section, Shown } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useFacts } from '../../shell/facts.ts';
import { useTexts } from '../../texts/languages.ts';
import { useMembersNow } from '../settings/members.ts';
import { splitMembers } from './parse-input.ts';
import { pollingInterval } from './polling.ts';
import { explainPlan, useDomains, useSsoPath } from './sso.ts';

export function DomainsSection({ isEnabled }: { isEnabled: boolean }) {
  const t = useTexts().sso.domains;
  const domains = useDomains();
  return (
    <Section title={t.title} hint={t.hint}>
      <Shown read={domains} loading={<Loading rows={1} height={48} />}>
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
      </Shown>
      <ClaimForm />
    </Section>
  );
}

function ClaimForm() {
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
      form.setValues({ domain: '' });
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
      {form.rest !== undefined && <Problem error={form.rest} />}
    </form>
  );
}

function Row({ domain, isEnabled }: { domain: SsoDomain; isEnabled: boolean }) {
  const t = useTexts().sso.domains;
  const { identifier, domain: name, verified } = domain;
  const path = useSsoPath();
  const [isAsking, setAsking] = useState(false);
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
        onClick={() => setAsking(true)}
      >
        {t.remove}
      </Button>
      {!verified && <Verification domain={domain} />}
      <Confirm
        isOpen={isAsking}
        title={t.removeTitle(name)}
        action={t.remove}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutateAsync(undefined)}
      >
        {verified && isEnabled ? (
          <RemovalEffect domain={name} />
        ) : verified ? (
          t.removeEffect(0)
        ) : (
          t.removeUnverifiedEffect
        )}
      </Confirm>
    </li>
  );
}

function RemovalEffect({ domain }: { domain: string }) {
  const t = useTexts().sso.domains;
  return (
    <Shown read={useMembersNow()} loading={<Loading rows={1} height={40} />}>
      {(members) => t.removeEffect(splitMembers(members, [domain]).inside.length)}
    </Shown>
  );
}

type Look = 'idle' | 'looking' | 'over';

/** The record, and the look-out for it. */
function Verification({ domain }: { domain: SsoDomain }) {
  const t = useTexts().sso.domains;
  const { program } = useFacts();
  const { name, value } = domain.dns_record;
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
            <Text size="sm">{t.checking}</Text>
          </>
        ) : (
          <Button size="xs" variant="default" onClick={start}>
            {t.check}
          </Button>
        )}
        {look === 'over' && <Text size="sm">{t.timedOut}</Text>}
        {look === 'looking' && finding !== undefined && <Text size="sm">{t[finding]}</Text>}
      </div>
      {error !== undefined && <Problem error={error} />}
      <details>
        <summary className="tw-small">{t.byOperator}</summary>
        <Command
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
  const [look, setLook] = useState<Look>('idle');
  const [finding, setFinding] = useState<'missing' | 'unanswered'>();
  const [error, setError] = useState<unknown>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words change with the language alone
  useEffect(() => {
    if (look !== 'looking') return;
    const since = Date.now();
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (atLeast = 0) => {
      const pause = pollingInterval(Date.now() - since);
      if (pause === undefined) setLook('over');
      else timer = setTimeout(() => void once(), Math.max(pause, atLeast));
    };
    const once = async () => {
      try {
        await api.send('POST', `${path}/domains/${identifier}/verify`, { signal: end.signal });
        sayDone(t.verifiedToast(domain));
        await readAgain(queries, `${path}/domains`);
      } catch (thrown) {
        if (end.signal.aborted) return;
        const reason = reasonToWait(thrown);
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

/** Why it is worth looking again; undefined for what no patience mends. */
function reasonToWait(error: unknown): 'missing' | 'unanswered' | 'lost' | undefined {
  if (error instanceof LostConnection) return 'lost';
  if (!(error instanceof ApiError)) return undefined;
  if (error.details.reason === 'dns_missing') return 'missing';
  if (error.details.reason === 'dns_unanswered') return 'unanswered';
  return error.status === 429 || error.status >= 500 ? 'lost' : undefined;
}
