// What the inspection of a build's package found: problems, permissions, entitlements and signing.

import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { BuildInspection } from '../../../builds/schema.ts';
import { CopyButton } from '../../components/copy.tsx';
import { describePermission, formatEntitlement, nameEntitlement } from '../../components/package-words.ts';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { useTexts } from '../../texts/locale.ts';
import { Fact } from './facts.tsx';

type InspectionContent = NonNullable<BuildInspection['content']>;
type Signing<Platform> = Extract<InspectionContent['signing'], { platform: Platform }>;

/** Everything that is wrong with the package. */
export function Findings({ inspection }: { inspection: BuildInspection }) {
  const t = useTexts().builds.inspection;
  const { content, mismatches, warnings, reason } = inspection;
  const icon = <IconAlertTriangle size={18} />;
  return (
    <>
      {content === null && (
        <Alert color="yellow" icon={icon} title={t.unreadable}>
          {reason ?? t.unreadableText}
        </Alert>
      )}
      {mismatches.map(({ field, declared, found }) => (
        <Alert key={field} color="yellow" icon={icon} title={t.mismatch}>
          {t.mismatchText(t.mismatchFields[field] ?? field, declared, found)}
        </Alert>
      ))}
      {warnings.map(({ code, message }) => (
        <Alert key={code} color="yellow" icon={icon}>
          {message}
        </Alert>
      ))}
    </>
  );
}

interface FoldProps {
  title: string;
  /** A number or name beside the title. */
  note?: ReactNode;
  isOpen?: boolean;
  children: ReactNode;
}

function Fold({ title, note, isOpen = false, children }: FoldProps) {
  return (
    <details className="tw-fold" open={isOpen}>
      <summary>
        <IconChevronRight size={16} stroke={1.75} aria-hidden />
        <h2>{title}</h2>
        <span>{note}</span>
      </summary>
      <div>{children}</div>
    </details>
  );
}

/** The content of the package, in parts that fold. */
export function InspectionParts({ content }: { content: InspectionContent }) {
  const t = useTexts().builds.inspection;
  const { permissions, platform, signing } = content;
  const entitlements = signing?.platform === 'ios' ? Object.entries(signing.entitlements) : [];
  const parts = [
    permissions.length > 0 && (
      <Fold key="permissions" title={t.permissions} note={permissions.length} isOpen>
        <Permissions names={permissions} platform={platform} />
      </Fold>
    ),
    entitlements.length > 0 && (
      <Fold key="entitlements" title={t.entitlements} note={entitlements.length}>
        <Entitlements entries={entitlements} />
      </Fold>
    ),
    signing?.platform === 'ios' && (
      <Fold key="ios" title={t.profileAndCertificate} note={signing.profile_name}>
        <IosFacts signing={signing} />
      </Fold>
    ),
    signing?.platform === 'android' && (
      <Fold key="android" title={t.signature} note={signing.verified ? t.verified : null} isOpen={!signing.verified}>
        <AndroidFacts signing={signing} />
      </Fold>
    ),
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : <div className="tw-folds">{parts}</div>;
}

function Permissions({ names, platform }: { names: readonly string[]; platform: InspectionContent['platform'] }) {
  const texts = useTexts();
  return (
    <ul className="tw-part-lines">
      {names.map((raw) => {
        const { name, meaning } = describePermission(raw, platform, texts);
        return (
          <li key={raw}>
            <span className="tw-two-lines">
              <b>{name}</b>
              {meaning !== undefined && <small>{meaning}</small>}
            </span>
            <code>{raw}</code>
          </li>
        );
      })}
    </ul>
  );
}

function Entitlements({ entries }: { entries: readonly (readonly [string, unknown])[] }) {
  const texts = useTexts();
  return (
    <ul className="tw-part-lines">
      {entries.map(([key, value]) => {
        const name = nameEntitlement(key, texts);
        return (
          <li key={key}>
            <span className="tw-two-lines">
              <b>{name ?? key}</b>
              <small>{formatEntitlement(value, texts)}</small>
            </span>
            {name !== undefined && <code>{key}</code>}
          </li>
        );
      })}
    </ul>
  );
}

function IosFacts({ signing }: { signing: Signing<'ios'> }) {
  const t = useTexts().builds.inspection;
  return (
    <dl className="tw-fact-lines">
      <Fact name={t.signing}>{t.kinds[signing.kind]}</Fact>
      <Fact name={t.team}>
        {[signing.team_name, signing.team_id && `(${signing.team_id})`].filter(Boolean).join(' ')}
      </Fact>
      <Fact name={t.profile}>{signing.profile_name}</Fact>
      <Fact name={t.expires}>{signing.expires_at && <RelativeTime at={signing.expires_at} />}</Fact>
      <Fact name={t.provisioned}>
        {signing.provisions_all_devices ? t.allDevices : t.deviceCount(signing.provisioned_devices.length)}
      </Fact>
      <Fact name={t.certificateExpires}>
        {signing.certificate_expires_at && <RelativeTime at={signing.certificate_expires_at} />}
      </Fact>
    </dl>
  );
}

function AndroidFacts({ signing }: { signing: Signing<'android'> }) {
  const t = useTexts().builds.inspection;
  const schemes = Object.entries(signing.schemes).flatMap(([name, isThere]) => (isThere ? [name] : []));
  return (
    <>
      {!signing.verified && <p className="tw-bad-text">{t.notVerified}</p>}
      <ul className="tw-part-lines">
        {schemes.length > 0 && (
          <li>
            <span className="tw-two-lines">
              <b>{t.schemes}</b>
              <small>{schemes.join(', ')}</small>
            </span>
          </li>
        )}
        {signing.certificates.map(({ sha256, subject, not_after: end }) => (
          <li key={sha256}>
            <span className="tw-two-lines">
              <b>{subject ?? t.certificate}</b>
              <small className="tw-fact-id">{sha256}</small>
              {end !== null && (
                <small>
                  <TimeInText text={t.expiresAt} at={end} />
                </small>
              )}
            </span>
            <CopyButton text={sha256} what={t.certificate} />
          </li>
        ))}
      </ul>
    </>
  );
}
