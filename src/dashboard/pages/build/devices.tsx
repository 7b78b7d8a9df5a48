// The devices of the organization that can install an iOS build, and why others can't.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { BuildDevice } from '../../../builds/device-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import { useReadPages } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { Loading, Section } from '../../components/page.tsx';
import { explainVerdict, VerdictBadge } from '../../components/verdict.tsx';
import { useTexts } from '../../texts/locale.ts';

const PAGE = 100;

export function BuildDevices({ build }: { build: Build }) {
  const texts = useTexts();
  const t = texts.devices.build;
  const list = useReadPages<BuildDevice>(`/builds/${build.identifier}/devices`, { query: { limit: PAGE } });
  const { rows } = list;
  const able = rows?.filter(({ install }) => install.verdict === 'yes').length ?? 0;
  const count = list.hasNextPage ? t.installableCountSoFar : t.installableCount;
  return (
    <Section
      title={t.title}
      {...(rows === undefined || rows.length === 0 ? {} : { hint: count(able, rows.length) })}
      actions={
        <Link to="/devices" className="tw-link">
          {texts.devices.title}
        </Link>
      }
    >
      {rows === undefined && list.error === null && <Loading rows={2} height={40} />}
      {list.error !== null && <ErrorAlert error={list.error} onRetry={() => void list.refetch()} />}
      {rows?.length === 0 && (
        <Text size="sm">
          {t.none}{' '}
          <Link to="/devices" className="tw-link">
            {t.register}
          </Link>
        </Text>
      )}
      {rows !== undefined && rows.length > 0 && (
        <ul className="tw-list">
          {rows.map((row) => (
            <Row key={row.device.identifier} row={row} />
          ))}
        </ul>
      )}
      <LoadMore list={list} />
    </Section>
  );
}

function Row({ row: { device, install } }: { row: BuildDevice }) {
  const texts = useTexts();
  return (
    <li>
      <div className="tw-grow">
        <div className="tw-strong">{device.name}</div>
        <div className="tw-small">
          {device.model ?? texts.devices.unknownModel} · {explainVerdict(install, texts)}
        </div>
      </div>
      <VerdictBadge install={install} />
    </li>
  );
}
