// The people of a world (world.ts), and what grows with them: members, groups, sign-ins, invitations, webhooks and other
// organizations. As SQL like that of world-rows.ts, but for what has to be encrypted.
import type { App } from '../src/core/context.ts';
import { outboxEvents, webhookSubscriptions } from '../src/data/tables/tables.ts';
import { DAY } from '../src/lib/clock.ts';
import { sealSubscription } from '../src/webhooks/service.ts';
import { idSql, numbers, SPAN, type WorldPlan, worldId } from './world-rows.ts';

/** Each has every member. */
const GROUPS = 20;
const SESSIONS_OF_A_MEMBER = 3;
/** As many members as there is another organization, a webhook, and an admin. */
const PEOPLE_OF_AN_ORGANIZATION = 10;
const PEOPLE_OF_A_WEBHOOK = 100;
const PEOPLE_OF_AN_ADMIN = 100;
/** A page of the list. */
const MIN_WEBHOOKS = 100;
/** Limits keep an organization below it. */
const MAX_WEBHOOKS = 400;
const DELIVERIES_OF_A_PERSON = 10;
/** The identity provider of an earlier time. */
const ENTITY_ID = 'https://idp.world.example.test';

/** Returns the statements of everything that grows with the people. */
export function listPeople({ size: { people }, ids, from, end }: WorldPlan): string[] {
  const org = `'${ids.organizationId}'`;
  const owner = `'${ids.developerId}'`;
  const android = `'${ids.androidProjectId}'`;
  const id = (kind: Parameters<typeof idSql>[0], n = 'n') => idSql(kind, String(from), n);
  const memberAt = (n: string) => `(${from} + (${n}) * ${SPAN} / ${people})`;
  const email = "'member-' || n || '@example.test'";
  const hash = (kind: string) => `printf('${kind}%062x', n)`;
  const others = Math.ceil(people / PEOPLE_OF_AN_ORGANIZATION);
  const sessions = people * SESSIONS_OF_A_MEMBER;
  const memberOf = (parts: number) => `(n - 1) / ${parts} + 1`;
  const grouped = people * GROUPS;
  const groupOf = `(n - 1) % ${GROUPS} + 1`;
  return [
    `INSERT INTO developers (id, email, email_verified_at, display_name, created_at)
      ${numbers(people)} SELECT ${id('member')}, ${email}, ${from}, 'Member ' || n, ${from} FROM numbers`,
    `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at)
      ${numbers(people)} SELECT ${org}, ${id('member')}, iif(n % ${PEOPLE_OF_AN_ADMIN} = 0, 'admin', 'member'), ${memberAt('n')} FROM numbers`,
    `INSERT INTO project_memberships (project_id, developer_id, role, created_at)
      ${numbers(people)} SELECT ${android}, ${id('member')}, 'read_download', ${memberAt('n')} FROM numbers WHERE n % 2 = 0`,
    `INSERT INTO organizations (id, name, tier, created_by, created_at, mfa_required_at, mfa_grace_period_days)
      ${numbers(others)} SELECT ${id('organization')}, 'Organization ' || n, 'team', ${id('member')}, ${from},
        iif(n % 2 = 0, ${end}, NULL), 90 FROM numbers`,
    `INSERT INTO organization_memberships (organization_id, developer_id, role, created_at)
      ${numbers(others)} SELECT ${id('organization')}, ${id('member')}, 'admin', ${from} FROM numbers`,
    `INSERT INTO projects (id, organization_id, name, platform, created_at)
      ${numbers(others)} SELECT ${id('otherProject')}, ${id('organization')}, 'App', 'android', ${from} FROM numbers`,
    `INSERT INTO tester_groups (id, organization_id, name, notify_on_release, created_at)
      ${numbers(GROUPS)} SELECT ${id('group')}, ${org}, 'Group ' || n, 0, ${from} FROM numbers`,
    `INSERT INTO tester_group_grants (id, group_id, organization_id, project_id, target_id, created_at)
      ${numbers(GROUPS)} SELECT ${id('groupGrant')}, ${id('group')}, ${org}, ${android}, ${android}, ${from} FROM numbers`,
    `INSERT INTO tester_group_members (id, group_id, email, developer_id, created_at, attached_at)
      ${numbers(grouped)} SELECT ${id('groupMember')}, ${id('group', groupOf)}, 'member-' || (${memberOf(GROUPS)}) || '@example.test',
        ${id('member', memberOf(GROUPS))}, ${from}, ${from} FROM numbers`,
    `INSERT INTO sessions (id, developer_id, user_agent, ip_address, created_at, last_used_at, expires_at, sign_in_method)
      ${numbers(sessions)} SELECT ${id('session')}, ${id('member', memberOf(SESSIONS_OF_A_MEMBER))}, 'Mozilla/5.0 (X11; Linux)',
        '192.0.2.7', ${end} - ${10 * DAY}, ${end}, ${end} + ${300 * DAY}, 'sso' FROM numbers`,
    `INSERT INTO refresh_tokens (token_hash, session_id, created_at, expires_at)
      ${numbers(sessions)} SELECT ${hash('a')}, ${id('session')}, ${end}, ${end} + ${300 * DAY} FROM numbers`,
    `INSERT INTO sso_identities (organization_id, entity_id, name_id, developer_id, created_at)
      ${numbers(people)} SELECT ${org}, '${ENTITY_ID}', ${email}, ${id('member')}, ${from} FROM numbers`,
    `INSERT INTO sso_sessions (session_id, organization_id, entity_id, name_id, created_at, authenticated_at)
      ${numbers(sessions)} SELECT ${id('session')}, ${org}, '${ENTITY_ID}', 'member-' || (${memberOf(SESSIONS_OF_A_MEMBER)}) || '@example.test',
        ${end} - ${10 * DAY}, ${end} - ${10 * DAY} FROM numbers`,
    `INSERT INTO personal_access_tokens (id, organization_id, developer_id, name, scopes, token_hash, created_at)
      ${numbers(people)} SELECT ${id('token')}, ${org}, ${id('member')}, 'CI', '1', ${hash('b')}, ${from} FROM numbers`,
    // Half of them are open.
    `INSERT INTO member_invitations (id, organization_id, email, role, token_hash, invited_by, backed_by, created_at, sent_at, expires_at)
      ${numbers(people)} SELECT ${id('invitation')}, ${org}, 'invited-' || n || '@example.test', 'member', ${hash('c')}, ${owner}, ${owner},
        ${from}, ${from}, ${end} + iif(n % 2 = 0, -${DAY}, ${300 * DAY}) FROM numbers`,
    `INSERT INTO access_requests (id, target_id, channel_id, organization_id, developer_id, created_at, notified_at)
      ${numbers(people)} SELECT ${id('request')}, channels.id, channels.id, ${org}, ${id('member')}, ${end}, ${end}
        FROM numbers, channels WHERE channels.id = (SELECT min(id) FROM channels WHERE project_id = ${android})`,
    // Most began long ago.
    `INSERT INTO totp_factors (developer_id, secret_encrypted, confirmed_at, created_at)
      ${numbers(people)} SELECT ${id('member')}, 'sealed', iif(n % 2 = 0, ${from}, NULL), ${from} + n FROM numbers`,
    `INSERT INTO data_exports (id, developer_id, state, created_at)
      ${numbers(people)} SELECT ${id('export')}, ${id('member')}, iif(n % 100 = 0, 'failed', 'expired'), ${from} FROM numbers`,
    `INSERT INTO known_networks (developer_id, network_hash, seen_at)
      ${numbers(people)} SELECT ${id('member')}, ${hash('d')}, ${end} FROM numbers`,
    `INSERT INTO outbox_mails (id, kind, recipient, subject, text, html, state, created_at, next_attempt_at, sent_at)
      ${numbers(people)} SELECT ${id('mail')}, 'tester_added', ${email}, 'You can test World', 'Text', '', 'sent', ${end}, ${end}, ${end} FROM numbers`,
  ];
}

/** Adds webhooks that are paused, so that nothing is sent, and what they sent before. */
export function addWebhooks(app: App, { size: { people }, ids, from, end }: WorldPlan): void {
  const { organizationId, androidProjectId: projectId, developerId } = ids;
  const webhooks = Math.min(MAX_WEBHOOKS, Math.max(MIN_WEBHOOKS, Math.ceil(people / PEOPLE_OF_A_WEBHOOK)));
  const eventId = worldId('event', end - DAY, 1);
  app.db.transaction((tx) => {
    for (let n = 1; n <= webhooks; n += 1) {
      const id = worldId('webhook', from, n);
      const sealed = sealSubscription(app, id, { url: 'https://hooks.example.com/hook', secret: 'svc_whsec_world' });
      const row = { events: '["release.created"]', format: 'svc', active: false } as const;
      tx.insert(webhookSubscriptions)
        .values({ ...row, ...sealed, id, organizationId, createdAt: from, createdBy: developerId })
        .run();
    }
    tx.insert(outboxEvents)
      .values({
        id: eventId,
        organizationId,
        projectId,
        type: 'release.created',
        data: '{}',
        details: '{}',
        createdAt: end - DAY,
        fannedOutAt: end - DAY,
      })
      .run();
  });
  app.db.$client.exec(`INSERT INTO webhook_deliveries (id, subscription_id, event_id, status, attempts, last_status_code, created_at, delivered_at)
    ${numbers(people * DELIVERIES_OF_A_PERSON)} SELECT ${idSql('delivery', String(end - DAY), 'n')},
      ${idSql('webhook', String(from), `n % ${webhooks} + 1`)}, '${eventId}', iif(n % 50 = 0, 'dead', 'delivered'), 1, 200,
      ${end - DAY}, ${end - DAY} FROM numbers`);
}
