// States of releases.
import { expect } from 'vitest';
import { expectRefusal } from '../../support/harness.ts';
import { addPerson } from '../../support/people.ts';
import type { Channel, TesterFixture } from '../../testers/scenario.ts';
import type { Shows } from './move.ts';

const act = ({ admin }: TesterFixture, id: string, action: 'disable' | 'enable') =>
  admin.post(`/api/v1/releases/${id}/${action}`);
const rollBack = ({ admin }: TesterFixture, channel: Channel) =>
  admin.post('/api/v1/releases/rollback', undefined, channel.query);
const stateOf = async ({ admin }: TesterFixture, id: string) => {
  const { body } = await admin.get(`/api/v1/releases/${id}`);
  return [body.state, body.is_current];
};

async function twoReleases(stand: TesterFixture) {
  const channel = await stand.makeChannel();
  return { channel, first: await stand.release(channel), second: await stand.release(channel) };
}

async function rolledBackRelease(stand: TesterFixture) {
  const { channel, second } = await twoReleases(stand);
  expect((await rollBack(stand, channel)).status).toBe(200);
  return second;
}

export const releaseShows: Shows = {
  'Release: active, disable': {
    moves: {
      'to disabled, and the one before is served': async (stand) => {
        const { first, second } = await twoReleases(stand);
        expect((await act(stand, second, 'disable')).status).toBe(200);
        expect(await stateOf(stand, second)).toEqual(['disabled', false]);
        expect(await stateOf(stand, first)).toEqual(['active', true]);
      },
    },
    stays: {
      'when it was rolled back': async (stand) => {
        const id = await rolledBackRelease(stand);
        expectRefusal(await act(stand, id, 'disable'), 400, 'operation_not_allowed');
        expect(await stateOf(stand, id)).toEqual(['rolled_back', false]);
      },
      'for a member who only uploads': async (stand) => {
        const { channel, second } = await twoReleases(stand);
        const { organization_id, project_id } = channel.query;
        const { client } = await addPerson(stand.fixture, {
          organizations: { [organization_id]: 'member' },
          projects: { [project_id]: 'read_download_upload' },
        });
        expectRefusal(await client.post(`/api/v1/releases/${second}/disable`), 404, 'not_found');
        expect(await stateOf(stand, second)).toEqual(['active', true]);
      },
    },
  },

  'Release: disabled, enable': {
    moves: {
      'to active, and it is served again': async (stand) => {
        const { second } = await twoReleases(stand);
        await act(stand, second, 'disable');
        expect((await act(stand, second, 'enable')).status).toBe(200);
        expect(await stateOf(stand, second)).toEqual(['active', true]);
      },
    },
    stays: {
      'when it was rolled back': async (stand) => {
        const id = await rolledBackRelease(stand);
        expectRefusal(await act(stand, id, 'enable'), 400, 'operation_not_allowed');
        expect(await stateOf(stand, id)).toEqual(['rolled_back', false]);
      },
    },
  },

  'Release: active, roll back': {
    moves: {
      'to rolled back, and the one before is served': async (stand) => {
        const { channel, first, second } = await twoReleases(stand);
        expect((await rollBack(stand, channel)).status).toBe(200);
        expect(await stateOf(stand, second)).toEqual(['rolled_back', false]);
        expect(await stateOf(stand, first)).toEqual(['active', true]);
      },
    },
    stays: {
      'when nothing was served before': async (stand) => {
        const channel = await stand.makeChannel();
        const id = await stand.release(channel);
        expectRefusal(await rollBack(stand, channel), 400, 'operation_not_allowed');
        expect(await stateOf(stand, id)).toEqual(['active', true]);
      },
    },
  },
};
