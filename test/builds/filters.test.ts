// The filters and the order of the list of builds.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SKEWED_BETWEEN } from '../../src/builds/list-store.ts';
import { finishFills } from '../../src/data/background-fills.ts';
import { buildFacts, buildLabels, builds } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { versionKey } from '../../src/lib/version-key.ts';
import { lowestIdAt } from '../../src/runtime/ids.ts';
import { api, expectInvalid, type Page, type Query, walkPages } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { plansOf, stepsOn } from '../support/plans.ts';
import { type Build, type BuildScenario, startBuildScenario } from './scenario.ts';

const path = '/api/v1/builds';
/** Archive facts of an Android package that phones can install. */
const installableFacts = JSON.stringify({
  applicationName: 'Harbor',
  bundleIdentifier: 'com.example.harbor',
  versionName: '1.0',
  buildNumber: '1',
  isSimulatorBuild: false,
  isPartial: false,
  isTestOnly: false,
  isDebuggable: false,
  isUnsigned: false,
  families: [],
  abis: [],
  verifiedFromSdk: null,
  certificates: [],
  profile: null,
});

type Row = Partial<typeof builds.$inferInsert> & { labels?: string[]; isReadable?: boolean };

let scenario: BuildScenario;
let uploaderId: string;
beforeAll(async () => {
  scenario = await startBuildScenario();
  uploaderId = (await addPerson(scenario.fixture)).id;
});
afterAll(() => scenario?.fixture.stop());

let lastNumber = 0;

/** Adds builds as uploads would have made them, without the packages. Returns their ids. */
function addBuilds({ fixture, android }: BuildScenario, rows: readonly Row[]): string[] {
  const { app } = fixture;
  return rows.map(({ labels = [], isReadable = false, ...row }) => {
    const id = app.ids.next();
    lastNumber += 1;
    const versionName = row.versionName ?? '1.0';
    const buildNumber = row.buildNumber ?? lastNumber;
    app.db
      .insert(builds)
      .values({
        id,
        organizationId: android.organization_id,
        projectId: android.project_id,
        platform: 'android',
        versionName,
        buildNumber,
        versionKey: versionKey(versionName, buildNumber),
        sha256: '0'.repeat(64),
        sizeBytes: 1,
        uploadedAt: app.clock.now().getTime(),
        objectKey: `builds/${id}/package.apk`,
        inspectionStatus: isReadable ? 'ok' : 'unreadable',
        pendingUploadId: id,
        ...row,
      })
      .run();
    if (isReadable) app.db.insert(buildFacts).values({ buildId: id, content: installableFacts }).run();
    for (const label of labels) {
      app.db
        .insert(buildLabels)
        .values({ buildId: id, projectId: android.project_id, key: label.toLowerCase(), label })
        .run();
    }
    return id;
  });
}

async function walk({ ci, android }: BuildScenario, query: Query): Promise<string[]> {
  const pages = await walkPages<Build>(ci, path, { ...android, ...query });
  return pages.flat().map(({ identifier }) => identifier);
}

describe('the list of builds', () => {
  it('can be filtered by everything that describes a build, alone and combined', async () => {
    await using other = await startBuildScenario();
    const { fixture } = other;
    const { clock } = fixture;
    const uploader = (await addPerson(fixture)).id;
    const oldest = clock.now().getTime();
    const [first = '', second = ''] = addBuilds(other, [
      { sourceCommit: 'abcdef0123456789', sourceBranch: 'main', labels: ['Nightly'], isReadable: true },
      { sourceCommit: 'abcdffff23456789', sourceBranch: 'main', sourcePullRequest: 7, uploadedByDeveloperId: uploader },
    ]);
    clock.advance(3 * DAY);
    const middle = new Date(clock.now().getTime()).toISOString();
    const inParis = new Date(Date.parse(middle) + 2 * HOUR).toISOString().replace('Z', '+02:00');
    const [third = '', fourth = ''] = addBuilds(other, [
      {
        sourceCommit: 'abcdef0123456789',
        sourceBranch: 'Main',
        bundleIdentifier: 'com.example.other',
        releaseNotes: 'Für Zoë',
      },
      {
        sourceTag: 'v9',
        labels: ['nightly', '100%'],
        versionName: '9.0-beta',
        originalFilename: 'Harbor.apk',
        revokedAt: 1,
      },
    ]);
    const cases: [Query, string[]][] = [
      [{ branch: 'main' }, [second, first]],
      [{ branch: 'mai' }, []],
      [{ commit: 'ABCD' }, [third, second, first]],
      [{ commit: 'abcdef' }, [third, first]],
      [{ commit: 'abcdef0123456789' }, [third, first]],
      [{ commit: 'abcdef01234567890' }, []],
      [{ pull_request: 7 }, [second]],
      [{ label: 'NIGHTLY' }, [first]],
      [{ label: 'nightly', status: 'all' }, [fourth, first]],
      [{ label: 'night', status: 'all' }, []],
      [{ bundle_identifier: 'com.example.other' }, [third]],
      [{ uploaded_by: uploader }, [second]],
      [{ installable: true }, [first]],
      [{ installable: false, status: 'all' }, [fourth, third, second]],
      [{ uploaded_from: middle, status: 'all' }, [fourth, third]],
      [{ uploaded_until: middle, status: 'all' }, [second, first]],
      [{ uploaded_from: middle.replace('Z', '+00:00'), status: 'all' }, [fourth, third]],
      [{ uploaded_until: inParis, status: 'all' }, [second, first]],
      [{ uploaded_from: new Date(oldest).toISOString(), uploaded_until: middle, branch: 'main' }, [second, first]],
      [{ uploaded_from: middle, branch: 'main' }, []],
      [{ text: 'zoË' }, [third]],
      [{ text: '9.0-BETA', status: 'all' }, [fourth]],
      [{ text: 'harbor.', status: 'revoked' }, [fourth]],
      [{ text: '100%', status: 'all' }, [fourth]],
      [{ text: '%', status: 'active' }, []],
      [{ text: '#7' }, [second]],
      [{ text: 'other' }, [third]],
      [{ branch: 'main', commit: 'abcdef', label: 'nightly', installable: true, text: '1.0' }, [first]],
      [{ branch: 'Main', label: 'nightly' }, []],
      [{ sort: 'version', status: 'all' }, [fourth, third, second, first]],
    ];
    for (const [query, expected] of cases) {
      expect(await walk(other, query), JSON.stringify(query)).toEqual(expected);
      expect(await walk(other, { ...query, limit: 1 }), JSON.stringify(query)).toEqual(expected);
      const isSame = new Set(await walk(other, { ...query, sort: 'version', limit: 1 }));
      expect([...isSame].toSorted(), JSON.stringify(query)).toEqual(expected.toSorted());
    }
  });

  it('can be filtered by date while the clock of ids differs from the clock, because that was wrong', async () => {
    await using other = await startBuildScenario();
    const { clock } = other.fixture;
    const now = clock.now().getTime();
    const at = (hours: number) => new Date(now + hours * HOUR).toISOString();
    // Ids are behind after the clock jumped forward.
    const [first = ''] = addBuilds(other, [{ uploadedAt: now + 12 * HOUR, sourceBranch: 'main' }]);
    clock.advance(30 * HOUR);
    const [second = ''] = addBuilds(other, [{ sourceBranch: 'main' }]);
    // Ids don't go back with the clock.
    clock.advance(-10 * HOUR);
    const [third = ''] = addBuilds(other, [{ sourceBranch: 'main' }]);
    const expectDates = async (from: number, until: number, expected: string[]) => {
      for (const query of [{}, { branch: 'main' }, { sort: 'version' }]) {
        const dates = { uploaded_from: at(from), uploaded_until: at(until) };
        expect(await walk(other, { ...dates, ...query, limit: 1 }), JSON.stringify(query)).toEqual(expected);
      }
    };
    await expectDates(11, 13, [first]);
    await expectDates(19, 21, [third]);
    await expectDates(29, 31, [second]);
    // A clock that was wrong by years keeps ids ahead until then.
    clock.advance(1_000 * DAY);
    addBuilds(other, [{}]);
    clock.advance(-1_000 * DAY);
    const [fifth = ''] = addBuilds(other, [{ sourceBranch: 'main' }]);
    await expectDates(19, 21, [fifth, third]);
  });

  it('can be filtered by date where thousands of builds were uploaded in the day before or after', async () => {
    await using other = await startBuildScenario();
    const { clock } = other.fixture;
    const { $client: client } = other.fixture.app.db;
    const now = clock.now().getTime();
    const at = (hours: number) => new Date(now + hours * HOUR).toISOString();
    const addMany = (count: number, ahead = 0) => {
      const uploadedAt = clock.now().getTime() + ahead;
      client
        .prepare(
          `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, version_key, sha256, size_bytes,
              uploaded_at, object_key, inspection_status, pending_upload_id)
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < @count)
            SELECT @prefix || printf('%012x', n), @organization_id, @project_id, 'android', '2.0', @uploadedAt + n, '2', '', 1,
              @uploadedAt, @prefix || n, 'unreadable', @prefix || n FROM numbers`,
        )
        .run({ ...other.android, count, uploadedAt, prefix: lowestIdAt(uploadedAt - ahead).slice(0, -12) });
    };
    const [first = ''] = addBuilds(other, [{}]);
    clock.advance(2 * HOUR);
    addMany(2_500);
    clock.advance(2 * HOUR);
    const [last = ''] = addBuilds(other, [{}]);
    const list = async (query: Query) => {
      const { body } = await other.ci.get<Page<Build>>(path, { ...other.android, ...query });
      return [body.items.map(({ identifier }) => identifier), body.next_cursor];
    };
    // One page is everything, although it reads at most 2,000 builds.
    expect(await list({ uploaded_until: at(1) })).toEqual([[first], null]);
    expect(await list({ uploaded_from: at(3) })).toEqual([[last], null]);
    expect(await list({ uploaded_from: at(-1), uploaded_until: at(1) })).toEqual([[first], null]);
    // Where many ids have other times, pages read all builds.
    addMany(5_100, 2 * DAY);
    expect(await list({ uploaded_until: at(1) })).toEqual([[first], null]);
    expect(await walk(other, { uploaded_from: at(51), uploaded_until: at(53), limit: 1_000 })).toHaveLength(5_100);
    const plan = client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${SKEWED_BETWEEN}`)
      .all({ projectId: '', from: 0, until: 1, max: 1 });
    expect(plan.map(({ detail }) => detail)).toContain(
      'SEARCH builds USING COVERING INDEX builds_skewed (project_id=? AND uploaded_at>? AND uploaded_at<?)',
    );
  });

  it('can be sorted by version, highest first, with any filter', async () => {
    await using other = await startBuildScenario();
    const versions = ['1.9', '1.10', '1.10-rc.1', '1.2', '1.10'];
    const ids = addBuilds(
      other,
      versions.map((versionName, index) => ({ versionName, sourceBranch: index === 3 ? 'old' : 'main' })),
    );
    const sorted = [4, 1, 2, 0, 3].map((index) => ids[index]);
    for (const limit of [1, 2, 100]) {
      expect(await walk(other, { sort: 'version', limit })).toEqual(sorted);
      expect(await walk(other, { sort: 'version', branch: 'main', limit })).toEqual(sorted.slice(0, 4));
    }
    expect(await walk(other, { sort: 'uploaded_at' })).toEqual(ids.toReversed());
    const bad = await other.admin.get<Page<Build>>(path, { ...other.android, sort: 'version', cursor: 'bm8K' });
    expect(bad.body.items).toHaveLength(5);
  });

  it('after an upgrade, gives the newest 10,000 builds of a project the keys of their order within a request', async () => {
    await using other = await startBuildScenario();
    const { $client: client } = other.fixture.app.db;
    const [highest = ''] = addBuilds(other, [{ versionName: '3.0' }]);
    const [newest = ''] = addBuilds(other, [{ versionName: '2.0' }]);
    client
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
          INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
            uploaded_at, object_key, inspection_status, pending_upload_id)
          SELECT printf('ffffffff-ffff-7000-8000-%012x', n), organization_id, project_id, 'android', '1.0', n, '', 1,
            uploaded_at, 'o' || n, 'ok', 'p' || n FROM builds, numbers WHERE id = ?`,
      )
      .run(newest);
    // As the upgrade leaves them.
    client.exec(`UPDATE builds SET version_key = '';
      INSERT INTO background_fills VALUES ('version_keys', '', '', 0, 10002)`);
    const versions = async () => {
      const query = { ...other.android, sort: 'version', limit: 3 };
      const { status, body } = await other.admin.get<Page<Build>>(path, query);
      expect(status).toBe(200);
      return body.items.map(({ version_name, build_number }) => `${version_name} (${build_number})`);
    };
    const left = () => client.prepare("SELECT id FROM builds WHERE version_key = '' ORDER BY id").pluck().all();
    expect(await versions()).toEqual(['1.0 (10000)', '1.0 (9999)', '1.0 (9998)']);
    expect(left()).toEqual([highest, newest]);
    // Each request would wait for the next 10,000 otherwise.
    expect(await versions()).toEqual(['1.0 (10000)', '1.0 (9999)', '1.0 (9998)']);
    expect(left()).toEqual([highest, newest]);
    finishFills(client);
    const [first, second, third] = await versions();
    expect([first?.slice(0, 3), second?.slice(0, 3), third]).toEqual(['3.0', '2.0', '1.0 (10000)']);
    expect(left()).toEqual([]);
  });

  it('reads a limited number of builds for a page, and continues after them', async () => {
    await using other = await startBuildScenario();
    const [wanted = ''] = addBuilds(other, [
      { versionName: '0.1', sourceBranch: 'main', originalFilename: 'needle.apk' },
    ]);
    addBuilds(
      other,
      Array.from({ length: 2_300 }, () => ({ sourceBranch: 'main', versionName: '2.0' })),
    );
    for (const query of [
      { text: 'needle' },
      { text: 'needle', branch: 'main' },
      { text: 'needle', sort: 'version' },
      { text: 'needle', sort: 'version', branch: 'main' },
    ]) {
      const first = await other.admin.get<Page<Build>>(path, { ...other.android, ...query });
      expect([first.body.items, typeof first.body.next_cursor]).toEqual([[], 'string']);
      expect(await walk(other, query)).toEqual([wanted]);
    }
  });

  it('reads only the index of a filter', async () => {
    const { fixture, admin, android } = scenario;
    addBuilds(scenario, [
      { sourceCommit: 'abcdef0', sourceBranch: 'main', labels: ['x'], uploadedByDeveloperId: uploaderId },
    ]);
    const first = await admin.get<Page<Build>>(path, { ...android, sort: 'version', limit: 1 });
    const cases: [Query, string[]][] = [
      [
        { branch: 'main' },
        ['SEARCH builds USING INDEX builds_project_branch (project_id=? AND source_branch=? AND id<?)'],
      ],
      [
        { commit: 'abcd' },
        [
          'SEARCH builds USING COVERING INDEX builds_project_commit (project_id=? AND source_commit>? AND source_commit<?)',
          'SEARCH builds USING COVERING INDEX builds_project_commit (project_id=? AND source_commit>? AND source_commit<?)',
          'SEARCH builds USING INDEX builds_project_commit (project_id=? AND source_commit=? AND id<?)',
        ],
      ],
      [
        { pull_request: 4 },
        ['SEARCH builds USING INDEX builds_project_pull_request (project_id=? AND source_pull_request=? AND id<?)'],
      ],
      [
        { bundle_identifier: 'a' },
        ['SEARCH builds USING INDEX builds_project_bundle (project_id=? AND bundle_identifier=? AND id<?)'],
      ],
      [
        { uploaded_by: uploaderId },
        ['SEARCH builds USING INDEX builds_project_uploader (project_id=? AND uploaded_by_developer_id=? AND id<?)'],
      ],
      [{ text: 'a' }, ['SEARCH builds USING INDEX builds_project_active (project_id=? AND id<?)']],
      [{ installable: true }, ['SEARCH builds USING INDEX builds_project_active (project_id=? AND id<?)']],
      [
        { uploaded_from: '2020-01-01T00:00:00Z', status: 'revoked' },
        ['SEARCH builds USING INDEX builds_project_revoked (project_id=? AND id<?)'],
      ],
      [
        { sort: 'version', cursor: first.body.next_cursor ?? '' },
        ['SEARCH builds USING INDEX builds_project_version (project_id=? AND (version_key,id)<(?,?))'],
      ],
    ];
    const { $client } = fixture.app.db;
    for (const [query, expected] of cases) {
      const plans = await plansOf($client, () => admin.get(path, { ...android, ...query }));
      const listing = plans.filter(({ source }) => source.includes('"project_id"'));
      expect(stepsOn('builds', listing), JSON.stringify(query)).toEqual(expected);
    }
    const labeled = await plansOf($client, () => admin.get(path, { ...android, label: 'x' }));
    const steps = labeled.filter(({ source }) => source.includes('inner join "builds"')).flatMap((plan) => plan.steps);
    expect(steps).toEqual([
      'SEARCH build_labels USING COVERING INDEX build_labels_project (project_id=? AND key=? AND build_id<?)',
      'SEARCH builds USING INDEX sqlite_autoindex_builds_1 (id=?)',
    ]);
  });

  it('reads by the filter that leaves the fewest builds, whichever it is', async () => {
    const { fixture, admin, android } = scenario;
    addBuilds(scenario, [
      ...Array.from({ length: 30 }, () => ({ sourceBranch: 'common', labels: ['rare-too'] })),
      ...Array.from({ length: 40 }, () => ({ sourceBranch: 'common', labels: ['common'] })),
      { sourceBranch: 'rare', labels: ['common'] },
    ]);
    const { $client } = fixture.app.db;
    const cases: [Query, string[], string][] = [
      [
        { branch: 'rare', label: 'common' },
        [
          'SEARCH build_labels USING COVERING INDEX build_labels_project (project_id=? AND key=?)',
          'SEARCH builds USING COVERING INDEX builds_project_branch (project_id=? AND source_branch=?)',
        ],
        'SEARCH builds USING INDEX builds_project_branch (project_id=? AND source_branch=? AND id<?)',
      ],
      [
        { branch: 'common', label: 'rare-too' },
        [
          'SEARCH build_labels USING COVERING INDEX build_labels_project (project_id=? AND key=?)',
          'SEARCH builds USING COVERING INDEX builds_project_branch (project_id=? AND source_branch=?)',
        ],
        'SEARCH build_labels USING COVERING INDEX build_labels_project (project_id=? AND key=? AND build_id<?)',
      ],
    ];
    for (const [query, counted, listed] of cases) {
      const plans = await plansOf($client, () => admin.get(path, { ...android, ...query }));
      const steps = plans.filter(({ source }) => source.includes('count(*)')).flatMap((plan) => plan.steps);
      expect(steps.filter((step) => step.startsWith('SEARCH'))).toEqual(counted);
      expect(plans.flatMap((plan) => plan.steps)).toContain(listed);
    }
    const dated = { sort: 'version', uploaded_from: '2020-01-01T00:00:00Z' };
    const plans = await plansOf($client, () => admin.get(path, { ...android, ...dated }));
    const [range] = plans
      .filter(({ source }) => source.includes('count(*)') && !source.includes('FILTER'))
      .flatMap((plan) => plan.steps)
      .slice(-2);
    expect(range).toMatch(
      /^(?:CO-ROUTINE|SEARCH builds USING COVERING INDEX .* \(project_id=\? AND id>\? AND id<\?\))/,
    );
  });

  it.each<[string, Record<string, string>, string]>([
    ['a commit of three digits', { commit: 'abc' }, 'query.commit: string_pattern_mismatch'],
    ['a commit with other letters', { commit: 'main' }, 'query.commit: string_pattern_mismatch'],
    ['an empty branch', { branch: '' }, 'query.branch: string_too_short'],
    ['a long branch', { branch: 'b'.repeat(256) }, 'query.branch: string_too_long'],
    ['a long text', { text: 't'.repeat(101) }, 'query.text: string_too_long'],
    ['a control character', { text: 'a\u0000b' }, 'query.text: string_pattern_mismatch'],
    ['a pull request that is a word', { pull_request: 'seven' }, 'query.pull_request: int_type'],
    ['a date without time', { uploaded_from: '2026-01-01' }, 'query.uploaded_from: datetime_parsing'],
    ['another order', { sort: 'size' }, 'query.sort: enum'],
    ['an uploader by name', { uploaded_by: 'Ada' }, 'query.uploaded_by: uuid_parsing'],
    ['a long label', { label: 'l'.repeat(51) }, 'query.label: string_too_long'],
  ])('rejects %s', async (_name, query, expected) => {
    expectInvalid(await scenario.admin.get(path, { ...scenario.android, ...query }), expected);
  });

  it('does not show builds of other projects', async () => {
    const { fixture, ios } = scenario;
    addBuilds(scenario, [{ sourceBranch: 'only-android', labels: ['only-android'] }]);
    for (const filter of [
      { branch: 'only-android' },
      { label: 'only-android' },
      { text: 'only-android' },
      { sort: 'version' },
    ]) {
      const { body } = await api(fixture).get<Page<Build>>(path, { ...ios, ...filter });
      expect(body).toEqual({ items: [], next_cursor: null });
    }
  });
});
