// The screenshots of an app on its install pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildApk, buildIpa, buildPng } from '../support/fixtures.ts';
import { expectRefusal } from '../support/harness.ts';
import { type InstallScenario, startInstallScenario } from './scenario.ts';

let scenario: InstallScenario;
let projectPath: string;
beforeAll(async () => {
  scenario = await startInstallScenario();
  projectPath = `/api/v1/projects/${scenario.fixture.android_project_id}`;
});
afterAll(() => scenario?.fixture.stop());

async function add(width: number, height: number): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(buildPng(width, height))]), 'screen.png');
  const client = await scenario.staff();
  const { status, body } = await client.send<{ identifier: string }>('POST', `${projectPath}/screenshots`, {
    rawBody: form,
  });
  expect(status).toBe(201);
  return body.identifier;
}

const page = async (channelId: string) =>
  (await scenario.follow(`${scenario.base}/install/channels/${channelId}`)).text();
const picturesIn = (html: string) => [...html.matchAll(/<img src="([^"]*screenshots[^"]*)"([^>]*)>/g)];

describe('the screenshots of an app', () => {
  it('are shown on its pages in their order, with their sides, and load without an account', async () => {
    const { channelId, build } = await scenario.publish(scenario.android, buildApk({}));
    expect(await page(channelId)).not.toContain('Screenshots');
    const first = await add(60, 130);
    const second = await add(80, 40);
    const shown = picturesIn(await page(channelId));
    expect(shown.map(([, src, rest]) => [src, rest])).toEqual([
      [
        `/public/v1/builds/${build.identifier}/screenshots/${first}`,
        ' width="60" height="130" loading="lazy" alt="Screenshot 1 of 2" class="portrait"',
      ],
      [
        `/public/v1/builds/${build.identifier}/screenshots/${second}`,
        ' width="80" height="40" loading="lazy" alt="Screenshot 2 of 2" class="landscape"',
      ],
    ]);
    const image = await scenario.follow(scenario.base + (shown[0]?.[1] ?? ''));
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(image.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(image.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('load for a build that is not public with a capability for it only', async () => {
    const { channelId, releaseId, build } = await scenario.publish(scenario.android, buildApk({}));
    const other = await scenario.publish(scenario.ios, buildIpa({}));
    const [, url = ''] = picturesIn(await page(channelId))[0] ?? [];
    const link = await scenario.anyone.post<{ capability: string }>(
      `/public/v1/channels/${channelId}/releases/${releaseId}/install-link`,
      {},
    );
    await hide(channelId);
    expectRefusal(await scenario.anyone.get(url), 404, 'not_found');
    const proven = `${url}?capability=${link.body.capability}`;
    const image = await scenario.follow(scenario.base + proven);
    expect([image.status, image.headers.get('cache-control')]).toEqual([200, 'private, max-age=3600']);
    expectRefusal(await scenario.anyone.get(`${url}?capability=nonsense`), 404, 'not_found');
    // The build of another project, which is public.
    expectRefusal(await scenario.anyone.get(url.replace(build.identifier, other.build.identifier)), 404, 'not_found');
  });
});

async function hide(channelId: string): Promise<void> {
  const { organization_id, android_project_id: project_id } = scenario.fixture;
  const client = await scenario.staff();
  const answer = await client.patch(
    `/api/v1/channels/${channelId}`,
    { public: false },
    { organization_id, project_id },
  );
  expect(answer.status).toBe(200);
}
