// The inspection of a build's package, and mismatches with the build's own data.

import { Alert, Badge, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Build, BuildInspection } from '../../../builds/schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { useRead } from '../../api/hooks.ts';
import { Copyable } from '../../components/copy.tsx';
import { QueryContent, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';

type InspectionContent = NonNullable<BuildInspection['content']>;
type Signing<Platform> = Extract<InspectionContent['signing'], { platform: Platform }>;

export function InspectionSection({ build }: { build: Build }) {
  const t = useTexts().builds.inspection;
  const read = useRead<BuildInspection>(`/builds/${build.identifier}/inspection`);
  return (
    <Section title={t.title}>
      <QueryContent read={read}>{(data) => <Found inspection={data} />}</QueryContent>
    </Section>
  );
}

function Found({ inspection }: { inspection: BuildInspection }) {
  const t = useTexts().builds.inspection;
  const { content, mismatches, warnings, reason } = inspection;
  return (
    <>
      {content === null && (
        <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title={t.unreadable}>
          {reason ?? t.unreadableText}
        </Alert>
      )}
      {mismatches.map(({ field, declared, found }) => (
        <Alert key={field} color="yellow" icon={<IconAlertTriangle size={18} />} title={t.mismatch}>
          {t.mismatchText(t.mismatchFields[field] ?? field, declared, found)}
        </Alert>
      ))}
      {warnings.map(({ code, message }) => (
        <Alert key={code} color="yellow" icon={<IconAlertTriangle size={18} />}>
          {message}
        </Alert>
      ))}
      {content !== null && <Content content={content} />}
    </>
  );
}

/** Renders a row, or nothing if its value is empty. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === '' || children === false) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Content({ content }: { content: InspectionContent }) {
  const texts = useTexts();
  const t = texts.builds.inspection;
  const { signing } = content;
  return (
    <>
      <dl className="tw-facts">
        <Fact name={t.application}>{content.application_name}</Fact>
        <Fact name={texts.builds.bundleIdentifier}>{content.bundle_identifier}</Fact>
        <Fact name={texts.builds.version}>
          {content.version_name} ({content.build_number})
        </Fact>
        <Fact name={t.minimumOs}>
          {content.min_os_version && `${platformFacts[content.platform].minimumLabel} ${content.min_os_version}`}
        </Fact>
        <Fact name={t.devices}>{content.devices.join(', ')}</Fact>
        <Fact name={t.processors}>{content.abis.join(', ')}</Fact>
        <Fact name={t.debuggable}>{content.debuggable === true && <Badge color="yellow">{t.yes}</Badge>}</Fact>
        {signing?.platform === 'ios' && <IosFacts signing={signing} />}
        {signing?.platform === 'android' && <AndroidFacts signing={signing} />}
      </dl>
      {content.permissions.length > 0 && (
        <details>
          <summary>{t.permissions(content.permissions.length)}</summary>
          <ul className="tw-plain-list">
            {content.permissions.map((permission) => (
              <li key={permission}>{permission}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function IosFacts({ signing }: { signing: Signing<'ios'> }) {
  const t = useTexts().builds.inspection;
  return (
    <>
      <Fact name={t.signing}>{t.kinds[signing.kind]}</Fact>
      <Fact name={t.team}>
        {signing.team_name} {signing.team_id && `(${signing.team_id})`}
      </Fact>
      <Fact name={t.profile}>{signing.profile_name}</Fact>
      <Fact name={t.expires}>{signing.expires_at && <RelativeTime at={signing.expires_at} />}</Fact>
      <Fact name={t.provisioned}>
        {signing.provisions_all_devices ? t.allDevices : t.deviceCount(signing.provisioned_devices.length)}
      </Fact>
    </>
  );
}

function AndroidFacts({ signing }: { signing: Signing<'android'> }) {
  const t = useTexts().builds.inspection;
  const schemes = Object.entries(signing.schemes).flatMap(([name, isThere]) => (isThere ? [name] : []));
  return (
    <>
      <Fact name={t.signing}>
        {signing.verified ? `${t.verified} (${schemes.join(', ')})` : <Text c="red">{t.notVerified}</Text>}
      </Fact>
      {signing.certificates.map(({ sha256, subject }) => (
        <Fact key={sha256} name={t.certificate}>
          {subject} <Copyable text={sha256} what={t.certificate} />
        </Fact>
      ))}
    </>
  );
}
