// The values for the identity provider. They are available before anything else is set up.
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useRead } from '../../api/hooks.ts';
import { Copyable, CopyButton } from '../../components/copy.tsx';
import { saveText } from '../../components/download.ts';
import { FactsSkeleton, QueryContent, Section } from '../../components/page.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { type SsoKind, useSsoPath } from './sso.ts';

export function ServiceProviderSection({ kind }: { kind: SsoKind }) {
  return kind === 'saml' ? <SamlSection /> : <OidcSection />;
}

/** Shows the URLs that an OpenID Connect provider must know. */
function OidcSection() {
  const t = useTexts().sso.serviceProvider;
  const { origin, base } = useServerInfo();
  const path = useSsoPath();
  const addresses = [
    [t.redirectUri, `${origin}${base}/api/v1${path}/callback`],
    [t.postLogoutRedirectUri, `${origin}${base}/`],
    [t.backchannelLogoutUri, `${origin}${base}/api/v1${path}/backchannel-logout`],
  ] as const;
  return (
    <Section title={t.title} hint={t.oidcHint}>
      <dl className="tw-facts tw-whole">
        <Addresses addresses={addresses} />
      </dl>
    </Section>
  );
}

/** The rows of a list of facts. */
function Addresses({ addresses }: { addresses: readonly (readonly [name: string, value: string])[] }) {
  return (
    <>
      {addresses.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>
            <Copyable text={value} what={name} />
          </dd>
        </Fragment>
      ))}
    </>
  );
}

function SamlSection() {
  const t = useTexts().sso.serviceProvider;
  const metadata = useRead<string>(`${useSsoPath()}/metadata`);
  const { data: xml } = metadata;
  return (
    <Section
      title={t.title}
      hint={t.hint}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          disabled={xml === undefined}
          onClick={() => xml !== undefined && saveText(xml, 'taxiway-metadata.xml', 'application/samlmetadata+xml')}
        >
          {t.download}
        </Button>
      }
    >
      <QueryContent read={metadata} loading={<FactsSkeleton rows={4} />}>
        {(text) => <Facts xml={text} />}
      </QueryContent>
    </Section>
  );
}

function Facts({ xml }: { xml: string }) {
  const t = useTexts().sso.serviceProvider;
  const { entityId, acsUrl, sloUrl, certificate } = readMetadata(xml);
  const addresses = [
    [t.entityId, entityId],
    [t.acsUrl, acsUrl],
    [t.sloUrl, sloUrl],
  ] as const;
  return (
    <dl className="tw-facts tw-whole">
      <Addresses addresses={addresses} />

      <dt>{t.certificate}</dt>
      <dd>
        <span className="tw-copyable">
          {t.certificateFormat}
          <CopyButton text={certificate} what={t.certificate} />
        </span>
      </dd>
    </dl>
  );
}

/** Returns the values in our metadata that admins enter manually. */
function readMetadata(xml: string) {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  const find = (name: string) => document.getElementsByTagNameNS('*', name)[0];
  return {
    entityId: find('EntityDescriptor')?.getAttribute('entityID') ?? '',
    acsUrl: find('AssertionConsumerService')?.getAttribute('Location') ?? '',
    sloUrl: find('SingleLogoutService')?.getAttribute('Location') ?? '',
    certificate: find('X509Certificate')?.textContent ?? '',
  };
}
