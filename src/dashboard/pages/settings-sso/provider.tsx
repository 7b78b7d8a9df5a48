// The identity provider: its form, and its details with the expiry of certificates.

import { Badge, Button, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import type { SsoConfiguration } from '../../../sso/schema.ts';
import { Copyable } from '../../components/copy.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { dayMs } from '../../components/times.ts';
import { useTexts } from '../../texts/locale.ts';
import { OidcForm } from './oidc-form.tsx';
import { ProviderForm } from './provider-form.tsx';
import type { SsoKind } from './sso.ts';

const SOON_MS = 60 * dayMs;

interface ProviderSectionProps {
  kind: SsoKind;
  connection: SsoConfiguration | undefined;
}

export function ProviderSection({ kind, connection: any }: ProviderSectionProps) {
  // The form for another protocol starts empty.
  const connection = any?.kind === kind ? any : undefined;
  const Form = kind === 'saml' ? ProviderForm : OidcForm;
  const texts = useTexts();
  const t = texts.sso.identityProvider;
  const [isReplacing, setReplacing] = useState(false);
  return (
    <Section
      title={t.title}
      hint={kind === 'saml' ? t.hint : t.oidcHint}
      actions={
        connection !== undefined &&
        (isReplacing ? (
          <Button variant="default" onClick={() => setReplacing(false)}>
            {texts.common.cancel}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setReplacing(true)}>
            {t.replace}
          </Button>
        ))
      }
    >
      {any !== undefined && any.kind !== kind && <Text size="sm">{t.replaces(texts.sso.protocols[any.kind])}</Text>}
      {connection === undefined || isReplacing ? (
        <Form connection={connection} onDone={() => setReplacing(false)} />
      ) : kind === 'saml' ? (
        <Facts connection={connection} />
      ) : (
        <OidcFacts connection={connection} />
      )}
    </Section>
  );
}

function Facts({ connection }: { connection: SsoConfiguration }) {
  const t = useTexts().sso.identityProvider;
  const addresses = [
    [t.entityId, connection.entity_id],
    [t.ssoUrl, connection.sso_url],
    [t.sloUrl, connection.slo_url],
  ] as const;
  const isEnding = connection.certificate_details.some(({ expires_at: end }) => stateOf(end) !== 'good');
  return (
    <>
      <dl className="tw-facts tw-whole">
        {addresses.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? '–' : <Copyable text={value} what={name} />}</dd>
          </Fragment>
        ))}

        <dt>{t.changed}</dt>
        <dd>
          <RelativeTime at={connection.updated_at} />
        </dd>
      </dl>
      <ul className="tw-list" aria-label={t.certificates}>
        {connection.certificate_details.map((certificate) => (
          <Certificate key={certificate.sha256} {...certificate} />
        ))}
      </ul>
      {isEnding && <p className="tw-bare tw-small">{t.expiryHint}</p>}
    </>
  );
}

function OidcFacts({ connection: { oidc, updated_at: changedAt } }: { connection: SsoConfiguration }) {
  const t = useTexts().sso.identityProvider;
  const { yes, no } = useTexts().sso;
  if (oidc === null) return null;
  return (
    <dl className="tw-facts tw-whole">
      <dt>{t.issuer}</dt>
      <dd>
        <Copyable text={oidc.issuer} what={t.issuer} />
      </dd>
      <dt>{t.clientId}</dt>
      <dd>
        <Copyable text={oidc.client_id} what={t.clientId} />
      </dd>
      <dt>{t.scopes}</dt>
      <dd>{oidc.scopes.join(' ')}</dd>
      <dt>{t.emailClaim}</dt>
      <dd>{oidc.email_claim}</dd>
      <dt>{t.nameClaim}</dt>
      <dd>{oidc.name_claim}</dd>
      <dt>{t.acceptUnverified}</dt>
      <dd>{oidc.accept_unverified_email ? yes : no}</dd>
      <dt>{t.changed}</dt>
      <dd>
        <RelativeTime at={changedAt} />
      </dd>
    </dl>
  );
}

/** Returns the state of a certificate. One without an expiry is valid. */
function stateOf(end: string | null): 'ended' | 'soon' | 'good' {
  const left = end === null ? Number.POSITIVE_INFINITY : Date.parse(end) - Date.now();
  if (left <= 0) return 'ended';
  return left < SOON_MS ? 'soon' : 'good';
}

const colors = { ended: 'red', soon: 'yellow', good: 'green' } as const;

function Certificate({ subject, expires_at: end, sha256 }: SsoConfiguration['certificate_details'][number]) {
  const t = useTexts().sso.identityProvider;
  const state = stateOf(end);
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{subject === '' ? t.certificate : subject}</div>
        <div className="tw-small">
          {t.fingerprint} <Copyable text={sha256} what={t.fingerprint} shown={`${sha256.slice(0, 16)}…`} />
        </div>
      </div>
      {end !== null && (
        <Badge variant="light" color={colors[state]}>
          <TimeInText text={state === 'ended' ? t.expired : t.expires} at={end} />
        </Badge>
      )}
    </li>
  );
}
