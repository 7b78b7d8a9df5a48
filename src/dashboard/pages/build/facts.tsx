// The facts of a build: what identifies it, and what it requires.
import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Build, BuildInspection } from '../../../builds/schema.ts';
import { nameMinimumVersion } from '../../../compatibility/os-version.ts';
import { formatBytes } from '../../../lib/formats.ts';
import { CopyButton } from '../../components/copy.tsx';
import { useLocale } from '../../texts/locale.ts';

type Content = BuildInspection['content'];

/** A fact and its value; nothing if the value is empty. */
export function Fact({ name, children, copied }: { name: string; children: ReactNode; copied?: string }) {
  if (children === null || children === undefined || children === '' || children === false) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {copied === undefined ? (
          children
        ) : (
          <>
            <span className="tw-fact-id" title={copied}>
              {children}
            </span>
            <CopyButton text={copied} what={name} />
          </>
        )}
      </dd>
    </div>
  );
}

interface FactsProps {
  build: Build;
  /** Undefined while loading, null if the package can't be read. */
  content: Content | undefined;
  /** Whether the facts are in one column. */
  isNarrow?: boolean;
}

export function BuildFacts({ build, content, isNarrow = false }: FactsProps) {
  const { language, texts } = useLocale();
  const t = texts.builds;
  const i = t.inspection;
  const bundle = content?.bundle_identifier ?? build.bundle_identifier;
  return (
    <section aria-labelledby="build-facts">
      <h2 id="build-facts" className="tw-part-title">
        {t.details}
      </h2>
      <dl className="tw-fact-lines" data-narrow={isNarrow || undefined}>
        {bundle !== null && (
          <Fact name={t.bundleIdentifier} copied={bundle}>
            {bundle}
          </Fact>
        )}
        <Fact name={i.minimumOs}>
          {nameMinimumVersion(build.platform, content?.min_os_version ?? build.min_os_version)}
        </Fact>
        <Fact name={i.application}>{content?.application_name}</Fact>
        <Fact name={i.devices}>{content?.devices.map((family) => i.families[family] ?? family).join(', ')}</Fact>
        <Fact name={i.processors}>{content?.abis.join(', ')}</Fact>
        <Fact name={i.debuggable}>
          {content?.debuggable === true && (
            <Badge color="yellow" title={i.debuggableHint}>
              {texts.packages.yes}
            </Badge>
          )}
        </Fact>
        <Fact name={t.size}>{formatBytes(build.size_bytes, language)}</Fact>
        <Fact name={t.file}>{build.original_filename}</Fact>
        <Fact name={t.sha256} copied={build.sha256}>
          {build.sha256}
        </Fact>
        <Fact name={t.id} copied={build.identifier}>
          {build.identifier}
        </Fact>
      </dl>
    </section>
  );
}
