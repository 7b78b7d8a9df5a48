// Tests of upload.ts against a real server: node --test
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Fixture, startFixture } from 'taxiway/testing';
import { type Target, uploadAndRelease } from './upload.ts';

const bytes = new TextEncoder().encode('not a real package');

function targetOf(fixture: Fixture): Target {
  return {
    server: fixture.url,
    token: fixture.project_access_token,
    organizationId: fixture.organization_id,
    projectId: fixture.android_project_id,
    channelId: fixture.channel_id,
  };
}

/** Sends a request of the admin to the API. */
async function post(fixture: Fixture, path: string, body: object): Promise<void> {
  const response = await fetch(`${fixture.url}/api/v1/${path}?organization_id=${fixture.organization_id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.admin.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, await response.text());
}

test('a release is announced to a webhook', async () => {
  await using fixture = await startFixture();
  const received: { type: string; data: { release_id: string } }[] = [];
  const receiver = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)));
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  try {
    await post(fixture, 'webhooks', { url: `http://127.0.0.1:${port}/`, events: ['release.created'] });
    const releaseId = await uploadAndRelease(targetOf(fixture), bytes, { name: '1.0', build: 1 });
    await fixture.drain();
    assert.deepEqual(
      received.map(({ type, data }) => [type, data.release_id]),
      [['release.created', releaseId]],
    );
  } finally {
    receiver.close();
  }
});

test('an expired token is rejected', async () => {
  await using fixture = await startFixture();
  const target = { ...targetOf(fixture), token: fixture.admin.access_token };
  await uploadAndRelease(target, bytes, { name: '1.0', build: 1 });
  fixture.clock.advance(11 * 60 * 1000);
  await assert.rejects(uploadAndRelease(target, bytes, { name: '1.0', build: 2 }), /returned 401/);
});

test('an invited person gets an email', async () => {
  await using fixture = await startFixture();
  const { organization_id: id } = fixture;
  await post(fixture, `organizations/${id}/invites`, { email: 'jo@example.com', role: 'member' });
  const { subject, text: body } = await fixture.mail.waitFor('jo@example.com');
  assert.match(subject, /Fixture Organization/);
  assert.match(body, /\/invite\/organization\//);
});
