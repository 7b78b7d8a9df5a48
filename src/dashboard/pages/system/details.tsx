// The server's details and usage, with a card for each area.
import { Text } from '@mantine/core';
import { formatBytes } from '../../../lib/formats.ts';
import type { SystemState } from '../../../system/schema.ts';
import { Copyable } from '../../components/copy.tsx';
import { Fact } from '../../components/fact.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDay, formatDuration, formatExact } from '../../components/times.ts';
import { replaceProgramName } from '../../shell/program-name.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { Backups } from './backups.tsx';
import { Replication } from './replication.tsx';
import { Status } from './status.tsx';

export function SystemDetails({ state }: { state: SystemState }) {
  return (
    <>
      <Usage state={state} />
      <div className="tw-system-facts">
        <Server state={state} />
        <Storage state={state} />
        <Containers containers={state.storage.containers} />
        <StorageProblems problems={state.storage.problems} />
        <Mail mail={state.mail} />
        <Jobs jobs={state.jobs} />
        <Webhooks deliveries={state.webhook_deliveries} />
        <Certificate certificate={state.certificate} />
        <Backups backup={state.backup} />
        {state.replication !== null && <Replication replication={state.replication} />}
      </div>
    </>
  );
}

/** Shows the last error, if there is one. */
function LastError({ error, at = null }: { error: string | null; at?: string | null }) {
  const t = useTexts().system;
  if (error === null) return null;
  return (
    <Fact label={t.lastError}>
      <span>
        <span lang="en">{error}</span>
        {at !== null && (
          <>
            {' \u00b7 '}
            <RelativeTime at={at} />
          </>
        )}
      </span>
    </Fact>
  );
}

const WEBHOOK_ERROR = /^webhook ([0-9a-f-]{36}): (.+)$/s;

/** The error in the user's language, with the webhook and the time below. */
function LastDeliveryError({ deliveries: { last_error: error, last_error_at: at } }: Pick<Deliveries, 'deliveries'>) {
  const texts = useTexts();
  const t = texts.system;
  if (error === null) return null;
  const [, webhookId, reason] = WEBHOOK_ERROR.exec(error) ?? [];
  if (webhookId === undefined || reason === undefined) return <LastError error={error} at={at} />;
  return (
    <Fact label={t.lastError}>
      <div>
        {texts.errors.outbound(reason)}
        {at !== null && (
          <>
            {' \u00b7 '}
            <RelativeTime at={at} />
          </>
        )}
        <div className="tw-small">
          <Copyable text={webhookId} what={texts.webhooks.identifier} />
        </div>
      </div>
    </Fact>
  );
}

function Usage({ state: { accounts, storage, webhook_deliveries: deliveries } }: { state: SystemState }) {
  const t = useTexts().system;
  const { language } = useLocale();
  const number = new Intl.NumberFormat(language);
  const rows: [string, string][] = [
    [t.organizations, number.format(accounts.organizations)],
    [t.projects, number.format(accounts.projects)],
    [t.developers, number.format(accounts.developers)],
    [t.builds, number.format(storage.builds)],
    [t.buildBytes, formatBytes(storage.build_bytes, language)],
    [t.deliveries, number.format(deliveries.pending + deliveries.retrying)],
  ];
  return (
    <Section title={t.usage}>
      <dl className="tw-numbers tw-system-numbers">
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Server({ state }: { state: SystemState }) {
  const t = useTexts().system;
  const { language } = useLocale();
  const seconds = (Date.parse(state.now) - Date.parse(state.started_at)) / 1000;
  return (
    <Section title={t.server}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.version}>
          {state.version}
          {state.built_at !== null && ` (${state.commit.slice(0, 12)})`}
        </Fact>
        <Fact label={t.uptime}>
          <span title={formatExact(Date.parse(state.started_at), language)}>{formatDuration(seconds, language)}</span>
        </Fact>
        <Fact label={t.address}>
          <Copyable text={state.base_url} what={t.address} />
        </Fact>
        <Fact label={t.dataFolder}>
          <Copyable text={state.data_dir} what={t.dataFolder} />
        </Fact>
        <Fact label={t.database}>{formatBytes(state.database.size_bytes, language)}</Fact>
      </dl>
    </Section>
  );
}

function Storage({ state: { storage, disk } }: { state: SystemState }) {
  const t = useTexts().system;
  const { language } = useLocale();
  const free =
    disk === null
      ? t.statuses.unknown
      : t.freeOfTotal(formatBytes(disk.free_bytes, language), formatBytes(disk.total_bytes, language));
  return (
    <Section title={t.storage}>
      <dl className="tw-fact-lines" data-narrow>
        {storage.backends.map((backend) => (
          <Backend key={backend.backend} backend={backend} isOnly={storage.backends.length === 1} />
        ))}
        {storage.backends.length > 1 && (
          <Fact label={t.newObjects}>{t.backends[storage.backend] ?? storage.backend}</Fact>
        )}
        {storage.move !== null && <Move move={storage.move} />}
        <Fact label={t.freeSpace}>{free}</Fact>
      </dl>
    </Section>
  );
}

/** The state of a backend, and its builds if there are several. */
function Backend({ backend, isOnly }: { backend: SystemState['storage']['backends'][number]; isOnly: boolean }) {
  const t = useTexts().system;
  const { language } = useLocale();
  const { ok, detail, location, unavailable_since: since } = backend;
  const name = t.backends[backend.backend] ?? backend.backend;
  return (
    <>
      {isOnly ? (
        <Fact label={t.backend}>{name}</Fact>
      ) : (
        <Fact label={name}>
          <span title={location}>{t.buildsOfSize(backend.builds, formatBytes(backend.build_bytes, language))}</span>
        </Fact>
      )}
      <Fact label={isOnly ? t.state : t.stateOf(name)}>
        <span>
          <Status severity={ok ? 'ok' : 'fail'}>{ok ? t.storageWorks : detail}</Status>
          {since !== null && (
            <>
              {' '}
              {t.unavailableSince} <RelativeTime at={since} />
            </>
          )}
        </span>
      </Fact>
    </>
  );
}

function Move({ move }: { move: NonNullable<SystemState['storage']['move']> }) {
  const t = useTexts().system;
  const { language } = useLocale();
  const number = new Intl.NumberFormat(language);
  const [done, all] = [number.format(move.done), number.format(Math.max(move.done, move.objects))];
  return (
    <Fact label={t.moveTo(t.backends[move.to] ?? move.to)}>
      <span>
        {t.moveStates[move.state]} {t.objectsOfTotal(done, all)}
        {move.failed > 0 && `, ${t.notMoved(move.failed)}`} <RelativeTime at={move.finished_at ?? move.started_at} />
      </span>
    </Fact>
  );
}

/** The containers of organizations, as far as the server knows without asking them. */
function Containers({ containers: { count, items } }: { containers: SystemState['storage']['containers'] }) {
  const t = useTexts().system;
  const { language } = useLocale();
  if (count === 0) return null;
  return (
    <Section title={t.ownContainers} hint={t.ownContainersHint}>
      <ul className="tw-system-problems">
        {items.map((container) => {
          const { storage_account: account, container: name, unavailable_since: since, last_error: error } = container;
          const state = since !== null ? t.containerUnusable : container.is_active ? t.containerUsed : t.containerLeft;
          return (
            <li key={`${container.organization_id} ${account} ${name}`}>
              <Status severity={since === null ? 'ok' : 'fail'}>
                {`${container.organization_name ?? t.deletedOrganization}: ${state}`}
              </Status>
              {since !== null && <RelativeTime at={since} />}
              <Text size="xs" c="dimmed">
                {account}/{name} {' \u00b7 '}
                {t.buildsOfSize(container.builds, formatBytes(container.build_bytes, language))}
                {error !== null && (
                  <>
                    {' \u00b7 '}
                    <span lang="en">{error}</span>
                  </>
                )}
              </Text>
            </li>
          );
        })}
      </ul>
      {count > items.length && <Text size="sm">{t.moreContainers(count - items.length)}</Text>}
    </Section>
  );
}

/** Objects that are missing or damaged, with the build that they belong to. */
function StorageProblems({ problems: { count, objects } }: { problems: SystemState['storage']['problems'] }) {
  const t = useTexts().system;
  if (count === 0) return null;
  return (
    <Section title={t.storageProblems} hint={t.storageProblemsHint}>
      <ul className="tw-system-problems">
        {objects.map(({ object, key, build_id: build, project_id: project, problem, found_at: at }) => (
          <li key={key}>
            <Status severity="fail">{t.objectProblem(t.objects[object] ?? object, t.objectProblems[problem])}</Status>
            <Text size="xs" c="dimmed">
              {build !== null && `${t.problemBuild} ${build} · `}
              {project !== null && `${t.problemProject} ${project} · `}
              <RelativeTime at={at} />
            </Text>
          </li>
        ))}
      </ul>
      {count > objects.length && <Text size="sm">{t.moreObjects(count - objects.length)}</Text>}
    </Section>
  );
}

function Mail({ mail }: { mail: SystemState['mail'] }) {
  const { program } = useServerInfo();
  const t = useTexts().system;
  const isSmtp = mail.transport === 'smtp';
  return (
    <Section title={t.mail} hint={t.lastMonth}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.transport}>{replaceProgramName(t.transports[mail.transport] ?? mail.transport, program)}</Fact>
        <Fact label={t.from}>{mail.from}</Fact>
        <Fact label={isSmtp ? t.sent : t.stored}>{isSmtp ? mail.sent : mail.kept}</Fact>
        <Fact label={t.pending}>{mail.pending}</Fact>
        <Fact label={t.failed}>{mail.failed}</Fact>
        <LastError error={mail.last_error} at={mail.last_error_at} />
      </dl>
    </Section>
  );
}

function Jobs({ jobs }: { jobs: SystemState['jobs'] }) {
  const t = useTexts().system;
  return (
    <Section title={t.jobs}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.pending}>{jobs.waiting}</Fact>
        <Fact label={t.failedJobs}>{jobs.dead}</Fact>
        <Fact label={t.oldestDue}>{jobs.oldest_due_at === null ? '–' : <RelativeTime at={jobs.oldest_due_at} />}</Fact>
        <LastError error={jobs.last_error} />
      </dl>
    </Section>
  );
}

interface Deliveries {
  deliveries: SystemState['webhook_deliveries'];
}

function Webhooks({ deliveries }: Deliveries) {
  const t = useTexts().system;
  return (
    <Section title={t.webhooks} hint={t.webhooksHint}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.pending}>{deliveries.pending}</Fact>
        <Fact label={t.retrying}>{deliveries.retrying}</Fact>
        <Fact label={t.failedDeliveries}>{deliveries.dead}</Fact>
        <LastDeliveryError deliveries={deliveries} />
      </dl>
    </Section>
  );
}

function Certificate({ certificate }: { certificate: SystemState['certificate'] }) {
  const t = useTexts().system;
  const { language } = useLocale();
  const { mode, is_https: isHttps, names, expires_at: endsAt } = certificate;
  const until = endsAt === null ? t.providedByProxy : formatDay(Date.parse(endsAt), language);
  return (
    <Section title={t.certificate}>
      <dl className="tw-fact-lines" data-narrow>
        <Fact label={t.mode}>{t.modes[mode] ?? mode}</Fact>
        {names.length > 0 && <Fact label={t.names}>{names.join(', ')}</Fact>}
        <Fact label={t.validUntil}>{isHttps ? until : t.noHttps}</Fact>
      </dl>
    </Section>
  );
}
