// Daily statistics of a channel, and the adoption of its current release.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { downloads } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import type { ChannelDays } from '../../src/overviews/channel-day-schema.ts';
import { dayQueries } from '../../src/overviews/channel-day-store.ts';
import { installJournalOf } from '../../src/sdk/journal.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type SdkScenario, startSdkScenario } from '../sdk/scenario.ts';
import { ABSENT, type Answer, expectInvalid, expectRefusal, type Query } from '../support/harness.ts';
import { addPerson, join, type Person, projectTokenClient } from '../support/people.ts';

let fixture: Fixture;
let scenario: SdkScenario;
/** Noon of the day on which a test begins. */
let noon: number;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  const tomorrow = Math.ceil(fixture.clock.now().getTime() / DAY) * DAY;
  noon = tomorrow + 12 * HOUR;
  fixture.clock.set(new Date(noon));
  scenario = await startSdkScenario(fixture);
});

const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);
const later = (days: number) => fixture.clock.set(new Date(noon + days * DAY));

async function read(query: Query = {}): Promise<Answer<ChannelDays>> {
  return (await scenario.staff()).get<ChannelDays>(`/api/v1/channels/${scenario.channelId}/analytics/days`, query);
}

function download(releaseId: string | null, developerId: string | null, channelId = scenario.channelId): void {
  const { app, organization_id: organizationId } = fixture;
  const id = app.ids.next();
  const row = { id, organizationId, projectId: scenario.inProject.project_id, buildId: id, channelId, releaseId };
  app.db
    .insert(downloads)
    .values({ ...row, developerId, createdAt: app.clock.now().getTime() })
    .run();
}

async function run(releaseId: string, state: string): Promise<void> {
  await report((await scenario.enroll()).update_token, releaseId, state);
}

async function report(token: string, releaseId: string, state: string): Promise<void> {
  const answer = await scenario.tell(
    '/installs/report',
    { key: scenario.app.app_key, token },
    { release_id: releaseId, state },
  );
  expect(answer.status).toBe(202);
  installJournalOf(fixture.app).flush();
}

async function admit(): Promise<Person> {
  const person = await addPerson(fixture);
  const path = `/api/v1/projects/${scenario.inProject.project_id}/testers`;
  const answer = await (await scenario.staff()).post(path, { email: person.email });
  expect(answer.status, answer.text).toBe(201);
  return person;
}

describe('the days of a channel', () => {
  it('are all returned without downloads, and today is the last of thirty', async () => {
    const { body } = await read();
    expect(body).toMatchObject({ channel_id: scenario.channelId, release_id: null, installs: 0 });
    expect(body.days).toHaveLength(30);
    expect([body.days[0]?.day, body.days[29]?.day]).toEqual([dayOf(noon - 29 * DAY), dayOf(noon)]);
    const quiet = { downloads: 0, installs: 0, testers_on_current: 0, installs_on_current: 0 };
    expect(body.days.every(({ day, ...rest }) => JSON.stringify(rest) === JSON.stringify(quiet))).toBe(true);
    expect((await read({ days: 1 })).body.days).toEqual([{ day: dayOf(noon), ...quiet }]);
    expect((await read({ days: 365 })).body.days).toHaveLength(365);
  });

  it("count the channel's downloads by UTC day", async () => {
    const other = await scenario.addChannel();
    const releaseId = await scenario.release(`1.${scenario.channelId}`, 1);
    download(releaseId, null);
    download(null, fixture.admin.developer_id);
    download(releaseId, null, other);
    fixture.clock.set(new Date(noon + 12 * HOUR - 1));
    download(releaseId, null);
    fixture.clock.set(new Date(noon + 12 * HOUR));
    download(releaseId, null);
    const { days } = (await read({ days: 3 })).body;
    expect(days.map(({ downloads: count }) => count)).toEqual([0, 3, 1]);
  });

  it('count an install on the day on which it first reports a release', async () => {
    const releaseId = await scenario.release(`1.${scenario.channelId}`, 1);
    await run(releaseId, 'installed');
    await run(releaseId, 'downloaded');
    await run(releaseId, 'failed');
    later(2);
    await run(releaseId, 'launched');
    const { installs, days } = (await read({ days: 3 })).body;
    expect(installs).toBe(4);
    expect(days.map((day) => day.installs)).toEqual([1, 0, 1]);
    expect(days.map((day) => day.installs_on_current)).toEqual([1, 1, 2]);
  });

  it('count an install that runs a release later on the day of its first report about it', async () => {
    const releaseId = await scenario.release(`1.${scenario.channelId}`, 1);
    const { update_token: token } = await scenario.enroll();
    await report(token, releaseId, 'downloaded');
    expect((await read({ days: 1 })).body.days).toMatchObject([{ installs: 0, installs_on_current: 0 }]);
    later(2);
    await report(token, releaseId, 'launched');
    const { days } = (await read({ days: 3 })).body;
    expect(days.map((day) => day.installs)).toEqual([1, 0, 0]);
    expect(days.map((day) => day.installs_on_current)).toEqual([1, 1, 1]);
    await report(token, releaseId, 'failed');
    expect((await read({ days: 3 })).body.days.map((day) => day.installs)).toEqual([0, 0, 0]);
  });

  it('do not contain what a clock that was ahead recorded for later days', async () => {
    const tester = await admit();
    const releaseId = await scenario.release(`1.${scenario.channelId}`, 1);
    await run(releaseId, 'launched');
    later(1);
    await run(releaseId, 'launched');
    download(releaseId, tester.id);
    later(0);
    const counts = async (days: number) =>
      (await read({ days })).body.days.map((day) => [day.downloads, day.testers_on_current, day.installs_on_current]);
    expect(await counts(2)).toEqual([
      [0, 0, 0],
      [0, 0, 1],
    ]);
    later(1);
    expect(await counts(2)).toEqual([
      [0, 0, 1],
      [1, 1, 2],
    ]);
  });

  it('contain how many testers and installs had the current release', async () => {
    const { testers: before } = (await read()).body;
    const [early, late, idle] = [await admit(), await admit(), await admit()];
    const stranger = await addPerson(fixture);
    const older = await scenario.release(`1.${scenario.channelId}`, 1);
    download(older, idle.id);
    await run(older, 'launched');
    const releaseId = await scenario.release(`2.${scenario.channelId}`, 2);
    download(releaseId, early.id);
    download(releaseId, stranger.id);
    later(1);
    download(releaseId, early.id);
    download(releaseId, late.id);
    await run(releaseId, 'launched');
    const { body } = await read({ days: 3 });
    expect(body).toMatchObject({ release_id: releaseId, testers: before + 3, installs: 2 });
    expect(body.days.map((day) => day.testers_on_current)).toEqual([0, 1, 2]);
    expect(body.days.map((day) => day.installs_on_current)).toEqual([0, 0, 1]);
    // What lies before the span belongs to its first day.
    expect((await read({ days: 1 })).body.days).toMatchObject([{ testers_on_current: 2, installs_on_current: 1 }]);
    await (await scenario.staff()).post('/api/v1/releases/rollback', undefined, {
      ...scenario.inProject,
      channel_id: scenario.channelId,
    });
    expect((await read({ days: 2 })).body).toMatchObject({
      release_id: older,
      days: [
        { testers_on_current: 1, installs_on_current: 1, installs: 1 },
        { testers_on_current: 1, installs_on_current: 1, installs: 1 },
      ],
    });
  });
});

describe('reading the days of a channel', () => {
  it('requires access to the channel', async () => {
    const { organization_id: organizationId, project_id: projectId } = scenario.inProject;
    const path = `/api/v1/channels/${scenario.channelId}/analytics/days`;
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'read' });
    expect((await token.get(path)).status).toBe(200);
    const person = await addPerson(fixture);
    expectRefusal(await person.client.get(path), 404, 'not_found');
    join(fixture, person.id, { organizations: { [organizationId]: 'member' } });
    expectRefusal(await person.client.get(path), 404, 'not_found');
    expectRefusal(await token.get(`/api/v1/channels/${ABSENT}/analytics/days`), 404, 'not_found');
  });

  it.each([
    ['0', 'query.days: greater_than_equal'],
    ['366', 'query.days: less_than_equal'],
    ['many', 'query.days: int_type'],
  ])('rejects %s days', async (days, problem) => {
    expectInvalid(await read({ days }), problem);
  });
});

describe('the queries of the days', () => {
  it.each(dayQueries)('use indexes and scan no table', (sql) => {
    const steps = fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all({ channelId: 'c', releaseId: 'r', subjectId: 's', from: 0 });
    expect(steps.filter(({ detail }) => detail.startsWith('SCAN'))).toEqual([]);
  });
});
