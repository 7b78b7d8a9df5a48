// What links to channels and removals of testers cost when there are many rows: each query reads a bounded number of them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  listAccessRequests,
  listRequestedChannels,
  listUnannouncedRequests,
} from '../../src/channels/access-requests.ts';
import type { Tx } from '../../src/core/context.ts';
import { FIRST_PAGE } from '../../src/core/paging.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  developers,
  devices,
  joinLinks,
  organizations,
  shareLinks,
  testerGrants,
  testerRemovals,
  waitingDevices,
} from '../../src/data/tables/tables.ts';
import { isFullForStrangers } from '../../src/devices/waiting.ts';
import { countOpenShareLinks } from '../../src/install/share-links.ts';
import { listInvitationsOf, listOpenInvitationsBy } from '../../src/invitations/store.ts';
import { listGroups } from '../../src/testers/groups/store.ts';
import { deleteEndedInvitations } from '../../src/testers/invitations/store.ts';
import { deleteOldRemovals, noteRemoval } from '../../src/testers/join-links/removals.ts';
import { countCurrentLinks } from '../../src/testers/join-links/store.ts';
import { api } from '../support/harness.ts';
import { type Plan, plansOf, stepsOn } from '../support/plans.ts';
import { countRowsInOneTurn, countTurns, stopRunners } from '../support/turns.ts';
import { startTesterScenario, type TesterScenario } from './scenario.ts';

let scenario: TesterScenario;
let channelId: string;
let now: number;
beforeEach(async () => {
  scenario = await startTesterScenario();
  channelId = (await scenario.makeChannel()).id;
  now = scenario.fixture.clock.now().getTime();
});
afterEach(() => scenario[Symbol.asyncDispose]());

const inTransaction = <T>(work: (tx: Tx) => T): T => {
  let result: T | undefined;
  systemContext(scenario.fixture.app).transact(
    (tx) => {
      result = work(tx);
    },
    { bookkeeping: true },
  );
  return result as T;
};

type Ending = { expiresAt?: number | null; revokedAt?: number | null };

function addJoinLink(createdAt: number, ending: Ending = {}, organizationId = scenario.fixture.organization_id): void {
  const { app, android_project_id: projectId } = scenario.fixture;
  const id = app.ids.next();
  const row = { id, organizationId, projectId, channelId, tokenHash: id, joined: 0, createdAt, ...ending };
  app.db.insert(joinLinks).values(row).run();
}

function addShareLink(ending: Ending = {}): void {
  const { app, organization_id: organizationId, android_project_id: projectId } = scenario.fixture;
  const id = app.ids.next();
  app.db
    .insert(shareLinks)
    .values({ id, organizationId, projectId, channelId, tokenHash: id, createdAt: now, ...ending })
    .run();
}

const plansIn = (work: (tx: Tx) => unknown): Promise<Plan[]> =>
  plansOf(scenario.fixture.app.db.$client, () => inTransaction(work));

describe('the limit of open links', () => {
  it.each<[string, (ending?: Ending) => void, (tx: Tx) => number, string]>([
    ['join links', (ending) => addJoinLink(now, ending), (tx) => countCurrentLinks(tx, channelId), 'join_links'],
    ['share links', addShareLink, (tx) => countOpenShareLinks(tx, { channelId }), 'share_links'],
  ])('counts %s without reading those that were revoked or have expired', async (_, add, count, table) => {
    add();
    add({ expiresAt: now + 10 });
    for (let number = 0; number < 20; number += 1) {
      add({ revokedAt: now });
      add({ expiresAt: now });
    }
    expect(inTransaction(count)).toBe(2);
    expect(stepsOn(table, await plansIn(count))).toEqual([
      expect.stringMatching(
        new RegExp(
          `^SEARCH ${table} USING (COVERING )?INDEX ${table}_channel_open \\(channel_id=\\? AND expires_at=\\?\\)$`,
        ),
      ),
      expect.stringMatching(
        new RegExp(
          `^SEARCH ${table} USING (COVERING )?INDEX ${table}_channel_open \\(channel_id=\\? AND expires_at>\\?\\)$`,
        ),
      ),
    ]);
  });
});

describe('removals by the team', () => {
  const remove = (organizationId = scenario.fixture.organization_id) => {
    const developerId = scenario.fixture.app.ids.next();
    scenario.fixture.app.db
      .insert(developers)
      .values({ id: developerId, email: `${developerId}@people.example`, displayName: 'A', createdAt: now })
      .run();
    return { targetId: channelId, organizationId, developerId };
  };
  const stored = () => scenario.fixture.app.db.select().from(testerRemovals).all().length;

  it('are remembered without reading links that were revoked', async () => {
    for (let number = 0; number < 50; number += 1) addJoinLink(now - 100 + number, { revokedAt: now });
    addJoinLink(now);
    const removal = remove();
    const plans = await plansIn((tx) => noteRemoval(tx, removal));
    expect(stored()).toBe(1);
    expect(stepsOn('join_links', plans)).toEqual([
      'SEARCH join_links USING COVERING INDEX join_links_organization (organization_id=? AND revoked_at=?)',
    ]);
  });

  it('are remembered if the oldest of more than 1,000 links that have expired is not known', async () => {
    const { app } = scenario.fixture;
    app.db.$client.transaction(() => {
      for (let number = 0; number < 999; number += 1) addJoinLink(now - 2_000 + number, { expiresAt: now - 500 });
    })();
    const removal = remove();
    inTransaction((tx) => noteRemoval(tx, removal));
    expect(stored()).toBe(0);
    addJoinLink(now - 1_001, { expiresAt: now - 500 });
    inTransaction((tx) => noteRemoval(tx, removal));
    expect(stored()).toBe(1);
    const rows = await countRowsInOneTurn(app.db.$client, () => inTransaction((tx) => noteRemoval(tx, removal)));
    // One of the rows is the version of the database, which each transaction asks for.
    expect(rows).toBeLessThanOrEqual(1_002);
    // The removal is later than the last of these links, so it may still be needed.
    expect(await deleteOldRemovals(systemContext(app), 10)).toBe(0);
    app.db
      .update(joinLinks)
      .set({ createdAt: now + 1 })
      .run();
    expect(await deleteOldRemovals(systemContext(app), 10)).toBe(1);
  });

  it('are deleted one organization after the other, with a turn for others in between', async () => {
    const { app } = scenario.fixture;
    const ids = Array.from({ length: 30 }, () => app.ids.next());
    for (const id of ids) {
      app.db.insert(organizations).values({ id, name: id, tier: 'team', createdAt: now }).run();
      for (let number = 0; number < 3; number += 1) {
        app.db
          .insert(testerRemovals)
          .values({ ...remove(id), removedAt: now })
          .run();
      }
    }
    // A link of the last one still needs its removals.
    addJoinLink(now, {}, ids.at(-1));
    const ctx = systemContext(app);
    await stopRunners(app);
    const plans = await plansOf(app.db.$client, () => deleteOldRemovals(ctx, 0));
    expect(stepsOn('tester_removals', plans)).toEqual([
      'SEARCH tester_removals USING COVERING INDEX tester_removals_organization (organization_id>?)',
    ]);
    expect(await countRowsInOneTurn(app.db.$client, () => deleteOldRemovals(ctx, 2))).toBeLessThanOrEqual(4);
    expect(stored()).toBe(88);
    expect(await countTurns(() => deleteOldRemovals(ctx, 1_000))).toBeGreaterThanOrEqual(30);
    expect(stored()).toBe(3);
  });
});

describe('phones without an owner that wait on a channel', () => {
  it('are counted without reading those with an owner, also after the owner changed', async () => {
    const { app, organization_id: organizationId, admin } = scenario.fixture;
    const developerId = admin.developer_id;
    const added = Array.from({ length: 100 }, (_, number) => {
      const id = app.ids.next();
      app.db.insert(devices).values({ id, organizationId, udid: id, name: 'Phone', registeredAt: number }).run();
      app.db.insert(waitingDevices).values({ id, organizationId, channelId, deviceId: id, createdAt: now }).run();
      return id;
    });
    expect(isFullForStrangers(app, channelId)).toBe(true);
    const path = `/api/v1/devices/${added[0]}`;
    expect((await api(scenario.fixture).patch(path, { developer_id: developerId })).status).toBe(200);
    expect(isFullForStrangers(app, channelId)).toBe(false);
    expect((await api(scenario.fixture).patch(path, { developer_id: null })).status).toBe(200);
    expect(isFullForStrangers(app, channelId)).toBe(true);
    const owned = app.ids.next();
    app.db
      .insert(devices)
      .values({ id: owned, organizationId, udid: owned, name: 'Phone', registeredAt: 0, developerId })
      .run();
    app.db
      .insert(waitingDevices)
      .values({ id: owned, organizationId, channelId, deviceId: owned, createdAt: now })
      .run();
    app.db.delete(waitingDevices).run();
    const plans = await plansIn((tx) => isFullForStrangers(tx, channelId));
    expect(stepsOn('waiting_devices', plans)).toEqual([
      'SEARCH waiting_devices USING COVERING INDEX waiting_devices_unowned (channel_id=?)',
    ]);
  });
});

describe('the list of testers of a channel', () => {
  const TESTERS = 30;
  it.each(['json', 'csv'])(
    'reads no devices of others, and lets other requests run between its testers, as %s',
    async (format) => {
      const { app, organization_id: organizationId } = scenario.fixture;
      const now = app.clock.time();
      app.db.$client.transaction(() => {
        for (let number = 0; number < TESTERS; number += 1) {
          const person = { id: app.ids.next(), email: `tester-${number}@people.example` };
          const grant = { targetId: channelId, channelId, email: person.email, createdAt: now, notifiedAt: now };
          app.db
            .insert(developers)
            .values({ ...person, displayName: 'A', createdAt: now })
            .run();
          app.db
            .insert(testerGrants)
            .values({ ...grant, id: app.ids.next(), organizationId, developerId: person.id, attachedAt: now })
            .run();
        }
      })();
      await stopRunners(app);
      const list = () => scenario.admin.get(`/api/v1/channels/${channelId}/testers`, { format });
      const answer = await list();
      expect(answer.text.match(/@people\.example/g)).toHaveLength(TESTERS);
      const plans = await plansOf(app.db.$client, list);
      const ofDevices = plans.filter(({ source }) => source.includes('from "devices"'));
      expect(ofDevices).toHaveLength(format === 'csv' ? 0 : TESTERS);
      for (const { steps } of ofDevices) {
        expect(steps[0]).toBe('SEARCH devices USING INDEX devices_developer (developer_id=?)');
      }
      // The page itself, and what the request reads before it.
      expect(await countRowsInOneTurn(app.db.$client, list)).toBeLessThan(2 * TESTERS);
    },
  );
});

describe('lists and cleanup jobs', () => {
  const page = { before: FIRST_PAGE, limit: 10 };
  it.each<[string, string, (tx: Tx) => unknown, string[]]>([
    [
      'open requests for access to a channel, without declined ones',
      'access_requests',
      (tx) => listAccessRequests(tx, channelId, page),
      ['INDEX access_requests_channel_open (channel_id=? AND id<?)'],
    ],
    [
      'requests about which the team was not emailed, without others',
      'access_requests',
      (tx) => listUnannouncedRequests(tx, channelId, 10),
      ['INDEX access_requests_unannounced (channel_id=?)'],
    ],
    [
      'open requests of an organization, without declined ones',
      'access_requests',
      (tx) => listRequestedChannels(tx, scenario.fixture.organization_id),
      ['INDEX access_requests_organization_open (organization_id=?)'],
    ],
    [
      'invitations of an address, in the order of the index',
      'member_invitations',
      (tx) => listInvitationsOf(tx, { email: 'jo@example.com', now, ...page }),
      ['INDEX member_invitations_email (email=? AND id<?)'],
    ],
    [
      'invitations that a person backs, without those of others',
      'member_invitations',
      (tx) =>
        listOpenInvitationsBy(tx, {
          developerId: scenario.fixture.admin.developer_id,
          organizationId: scenario.fixture.organization_id,
          after: '',
          limit: 10,
        }),
      ['INDEX member_invitations_backed_by (backed_by=? AND organization_id=? AND id>?)'],
    ],
    [
      'tester groups with their number of members, without the members',
      'group_totals',
      (tx) => listGroups(tx, scenario.fixture.organization_id, FIRST_PAGE, 10),
      ['PRIMARY KEY (group_id=?)'],
    ],
    [
      'ended invitations to channels, without accepted ones that are kept',
      'channel_invitations',
      (tx) => deleteEndedInvitations(tx, now, 10),
      [
        'INDEX sqlite_autoindex_channel_invitations_1 (id=?)',
        'INDEX channel_invitations_expires_at (expires_at<?)',
        'INDEX sqlite_autoindex_channel_invitations_1 (id=?)',
        'INDEX channel_invitations_accepted_at (accepted_at>? AND accepted_at<?)',
      ],
    ],
  ])('read %s', async (_what, table, work, expected) => {
    const steps = stepsOn(table, await plansIn(work)).filter((step) => step.includes(table));
    expect(steps.map((step) => step.replace(/^SEARCH \w+ USING /, '').replace('COVERING ', ''))).toEqual(expected);
    const sorts = (await plansIn(work)).filter(({ source }) => source.includes(table) && !source.includes('GROUP BY'));
    expect(sorts.flatMap((plan) => plan.steps).filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });
});
