// States of releases.
import { expect } from 'vitest';
import { expectRefusal } from '../../support/harness.ts';
import { addPerson } from '../../support/people.ts';
import type { Channel, TesterScenario } from '../../testers/scenario.ts';
import type { Shows } from './move.ts';

const act = ({ admin }: TesterScenario, id: string, action: 'disable' | 'enable') =>
  admin.post(`/api/v1/releases/${id}/${action}`);
const rollBack = ({ admin }: TesterScenario, channel: Channel) =>
  admin.post('/api/v1/releases/rollback', undefined, channel.query);
const stateOf = async ({ admin }: TesterScenario, id: string) => {
  const { body } = await admin.get(`/api/v1/releases/${id}`);
  return [body.state, body.is_current];
};

async function twoReleases(scenario: TesterScenario) {
  const channel = await scenario.makeChannel();
  return { channel, first: await scenario.release(channel), second: await scenario.release(channel) };
}

async function rolledBackRelease(scenario: TesterScenario) {
  const { channel, second } = await twoReleases(scenario);
  expect((await rollBack(scenario, channel)).status).toBe(200);
  return second;
}

export const releaseShows: Shows = {
  'Release: active, disable': {
    moves: {
      'to disabled, and the one before is served': async (scenario) => {
        const { first, second } = await twoReleases(scenario);
        expect((await act(scenario, second, 'disable')).status).toBe(200);
        expect(await stateOf(scenario, second)).toEqual(['disabled', false]);
        expect(await stateOf(scenario, first)).toEqual(['active', true]);
      },
    },
    stays: {
      'when it was rolled back': async (scenario) => {
        const id = await rolledBackRelease(scenario);
        expectRefusal(await act(scenario, id, 'disable'), 400, 'operation_not_allowed');
        expect(await stateOf(scenario, id)).toEqual(['rolled_back', false]);
      },
      'for a member who only uploads': async (scenario) => {
        const { channel, second } = await twoReleases(scenario);
        const { organization_id, project_id } = channel.query;
        const { client } = await addPerson(scenario.fixture, {
          organizations: { [organization_id]: 'member' },
          projects: { [project_id]: 'read_download_upload' },
        });
        expectRefusal(await client.post(`/api/v1/releases/${second}/disable`), 404, 'not_found');
        expect(await stateOf(scenario, second)).toEqual(['active', true]);
      },
    },
  },

  'Release: disabled, enable': {
    moves: {
      'to active, and it is served again': async (scenario) => {
        const { second } = await twoReleases(scenario);
        await act(scenario, second, 'disable');
        expect((await act(scenario, second, 'enable')).status).toBe(200);
        expect(await stateOf(scenario, second)).toEqual(['active', true]);
      },
    },
    stays: {
      'when it was rolled back': async (scenario) => {
        const id = await rolledBackRelease(scenario);
        expectRefusal(await act(scenario, id, 'enable'), 400, 'operation_not_allowed');
        expect(await stateOf(scenario, id)).toEqual(['rolled_back', false]);
      },
    },
  },

  'Release: active, roll back': {
    moves: {
      'to rolled back, and the one before is served': async (scenario) => {
        const { channel, first, second } = await twoReleases(scenario);
        expect((await rollBack(scenario, channel)).status).toBe(200);
        expect(await stateOf(scenario, second)).toEqual(['rolled_back', false]);
        expect(await stateOf(scenario, first)).toEqual(['active', true]);
      },
    },
    stays: {
      'when nothing was served before': async (scenario) => {
        const channel = await scenario.makeChannel();
        const id = await scenario.release(channel);
        expectRefusal(await rollBack(scenario, channel), 400, 'operation_not_allowed');
        expect(await stateOf(scenario, id)).toEqual(['active', true]);
      },
    },
  },
};
