// The JSON of results that a service keeps and returns again is written once.
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createJsonWriter } from '../../src/http/responses.ts';
import { type Build, startBuildScenario, uploadBuild } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';

const returns = z.object({ name: z.string() });
const operation = { id: 'example', returns, isResultKept: true } as const;

describe.each([true, false])('with recording enforced: %s, the JSON of a kept result', (isRecordingEnforced) => {
  const write = createJsonWriter({ isRecordingEnforced }, operation);

  it('is written once for each result, with the declared fields', () => {
    const [one, other] = [
      { name: 'one', secret: 1 },
      { name: 'other', secret: 2 },
    ];
    expect([write?.(one), write?.(other)]).toEqual(['{"name":"one"}', '{"name":"other"}']);
    // A kept result doesn't change. This one does, to show what was written before.
    one.name = 'changed';
    expect([write?.(one), write?.({ ...one })]).toEqual(['{"name":"one"}', '{"name":"changed"}']);
  });

  it('has the fields that the operation declares, if another one returns the same result', () => {
    const result = { name: 'one', size: 1 };
    const other = createJsonWriter(
      { isRecordingEnforced },
      { ...operation, returns: returns.extend({ size: z.number() }) },
    );
    expect([write?.(result), other?.(result)]).toEqual(['{"name":"one"}', '{"name":"one","size":1}']);
  });

  it('is not kept if it is long', () => {
    const result = { name: 'x'.repeat(2_000) };
    expect(write?.(result)).toHaveLength(2_011);
    result.name = 'changed';
    expect(write?.(result)).toBe('{"name":"changed"}');
  });

  it('is written each time if the operation does not say that its results are kept', () => {
    const result = { name: 'one' };
    const writeEach = createJsonWriter({ isRecordingEnforced }, { id: 'example', returns });
    writeEach?.(result);
    result.name = 'changed';
    expect(writeEach?.(result)).toBe('{"name":"changed"}');
  });
});

it('a result that violates its declaration is rejected where recording is enforced', () => {
  const write = createJsonWriter({ isRecordingEnforced: true }, operation);
  expect(() => write?.({ name: 1 })).toThrow(/^the result of example violates its declaration/);
});

it('a build that is read again is as it was, until it changes', async () => {
  const scenario = await startBuildScenario();
  onTestFinished(() => scenario.fixture.stop());
  const { admin: client, android } = scenario;
  const build = await uploadBuild(client, android, buildApk());
  const path = `/api/v1/builds/${build.identifier}`;
  const read = async () => (await client.get<Build>(path)).text;
  expect([await read(), await read()]).toEqual([JSON.stringify(build), JSON.stringify(build)]);

  const edited = await client.patch<Build>(path, { release_notes: 'Fixes the sign-in.' });
  expect(edited.status).toBe(200);
  expect([await read(), await read()]).toEqual([edited.text, edited.text]);
  expect(edited.body.release_notes).toBe('Fixes the sign-in.');

  const revoked = await client.post<Build>(`${path}/revoke`);
  expect(revoked.status).toBe(200);
  expect([await read(), await read()]).toEqual([revoked.text, revoked.text]);
});
