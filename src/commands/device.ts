// taxiway device: lists the devices of an organization, and registers them with Apple.

import { Command, Option } from 'commander';
import { type AppleRegistrationState, appleRegistrationStates } from '../lib/apple-registration-states.ts';
import { countOf } from '../lib/count.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { type Api, ApiRefusal } from './client/api.ts';
import { connect } from './client/connection.ts';
import { findDevices, findOrganization, findStoreConnection, listAll } from './client/lookup.ts';
import { Device, DeviceQuota, type StoreConnection } from './client/shapes.ts';
import { type CommandHost, plainText } from './host.ts';
import { readLimit } from './limit-option.ts';
import { ask } from './prompt.ts';
import { formatTable } from './table.ts';

interface ListOptions {
  organization?: string;
  state?: AppleRegistrationState | 'none';
  limit: number;
  json?: boolean;
}

interface RegisterOptions {
  connection?: string;
  organization?: string;
  all?: boolean;
  yes?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway device list --state none
  taxiway device register 00008030-001A35E40212802E
  taxiway device register --all --connection "Our Apple team"

A device takes a place of its class in the Apple developer account until the membership is renewed. Registering a device
again changes nothing. Existing builds don't include it: add it to a provisioning profile and rebuild.
`;

export function buildDeviceCommand(host: CommandHost): Command {
  const states = [...appleRegistrationStates, 'none'];
  const list = new Command('list')
    .description('Lists the devices of an organization, newest first, with their states at Apple.')
    .option('--organization <id|name>', 'organization; not needed if there is only one')
    .addOption(new Option('--state <state>', 'only devices in this state at Apple').choices(states))
    .option('--limit <number>', 'maximum number of results', readLimit, 100)
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((options: ListOptions) => listDevices(host, options));
  const register = new Command('register')
    .description('Registers devices with Apple, one after the other. Requires the role manager.')
    .argument('[devices...]', 'IDs or UDIDs of devices, from "taxiway device list"')
    .option('--all', 'register all devices that Apple does not have yet')
    .option('--connection <id|name>', 'connection to App Store Connect; not needed if there is only one')
    .option('--organization <id|name>', 'organization to look for the connection in')
    .option('--yes', 'with --all, register them without asking')
    .option('--json', 'print the results as a JSON array')
    .addHelpText('after', EXAMPLES)
    .action((devices: string[], options: RegisterOptions) => registerDevices(host, devices, options));
  return new Command('device')
    .description('Lists devices, and registers them with Apple.')
    .addCommand(list)
    .addCommand(register)
    .addHelpText('after', EXAMPLES);
}

async function listDevices(host: CommandHost, options: ListOptions): Promise<void> {
  const api = connect(host);
  const organization = await findOrganization(api, options.organization);
  const devices: Device[] = [];
  for await (const device of listAll(api, '/devices', { organization_id: organization.identifier }, Device)) {
    if (!isInState(device, options.state)) continue;
    devices.push(device);
    if (devices.length === options.limit) break;
  }
  if (options.json === true) {
    host.print(`${JSON.stringify(devices, null, 2)}\n`);
    return;
  }
  if (devices.length === 0) host.say(`${plainText(organization.name)} has no matching devices.\n`);
  const rows = devices.map((device) => [
    device.identifier,
    plainText(device.udid),
    statesOf(device).join(', ') || '-',
    plainText(device.model ?? device.product ?? '-'),
    plainText(device.name),
  ]);
  host.print(formatTable(rows));
}

const statesOf = (device: Device) => [...new Set((device.apple_registrations ?? []).map(({ state }) => state))];

/** Whether a device has a state at Apple. Throws Refusal if the caller may not see states. */
function isInState(device: Device, wanted: ListOptions['state']): boolean {
  if (wanted === undefined) return true;
  if (device.apple_registrations === undefined)
    throw new Refusal('Only managers can see the states of devices at Apple');
  const states = statesOf(device);
  return wanted === 'none' ? states.length === 0 : states.includes(wanted);
}

/** The result for one device. `state` is null if it wasn't registered. */
interface Result {
  device_id: string;
  udid: string;
  name: string;
  state: AppleRegistrationState | null;
  device_class: string | null;
  /** Error code of the API. */
  error: string | null;
  message: string | null;
}

async function registerDevices(host: CommandHost, wanted: string[], options: RegisterOptions): Promise<void> {
  if (options.all !== true && wanted.length === 0) throw new UsageError('name at least one device, or add --all');
  if (options.all === true && wanted.length > 0) throw new UsageError('name devices or add --all, not both');
  const api = connect(host);
  const connection = await findAppleConnection(api, options);
  const devices =
    options.all === true
      ? await chooseMissingDevices(host, api, connection, options.yes === true)
      : await findDevices(api, connection.organization_id, wanted);
  const results: Result[] = [];
  for await (const result of registerOneByOne(api, connection, devices)) {
    results.push(result);
    if (options.json !== true) host.print(describe(result));
  }
  if (options.json === true) host.print(`${JSON.stringify(results, null, 2)}\n`);
  if (results.length === 0) host.say('Apple already has all devices.\n');
  const failed = results.filter(({ error }) => error !== null).length;
  if (failed > 0) throw new Refusal(`${failed} of ${countOf(results.length, 'device')} not registered`);
}

async function findAppleConnection(api: Api, options: RegisterOptions): Promise<StoreConnection> {
  const { connection: wanted, organization } = options;
  const provider = 'app_store_connect';
  const connection = await findStoreConnection(api, {
    provider,
    ...(wanted === undefined ? {} : { connection: wanted }),
    ...(organization === undefined ? {} : { organization }),
  });
  if (connection.provider === provider) return connection;
  throw new Refusal(`${plainText(connection.name)} isn't a connection to App Store Connect`);
}

/** Returns the devices that Apple doesn't have, after a confirmation. The used places are read first, which updates all states. */
async function chooseMissingDevices(
  host: CommandHost,
  api: Api,
  connection: StoreConnection,
  isConfirmed: boolean,
): Promise<Device[]> {
  const path = `/store-connections/${encodeURIComponent(connection.identifier)}/device-quota`;
  const places = await api.send({ method: 'GET', path, query: { fresh: 'true' } }, DeviceQuota);
  const devices = await listMissingDevices(api, connection);
  if (devices.length > 0 && !isConfirmed) await confirmAll(host, connection, devices.length, places);
  return devices;
}

/** Returns the devices that Apple doesn't have through a connection. Those that were added here first come first. */
async function listMissingDevices(api: Api, connection: StoreConnection): Promise<Device[]> {
  const devices: Device[] = [];
  const query = { organization_id: connection.organization_id };
  for await (const device of listAll(api, '/devices', query, Device)) {
    const state = registrationOf(device, connection)?.state ?? 'refused';
    if (state === 'refused') devices.push(device);
  }
  return devices.reverse();
}

function registrationOf(device: Device, { identifier }: StoreConnection) {
  return device.apple_registrations?.find((one) => one.store_connection_id === identifier);
}

/** Asks before registering all devices, with the used places. Throws Refusal if the answer is no. */
async function confirmAll(
  host: CommandHost,
  connection: StoreConnection,
  total: number,
  { classes }: DeviceQuota,
): Promise<void> {
  const count = countOf(total, 'device');
  if (host.keyboard === undefined) throw new Refusal(`Add --yes to register ${count} with Apple.`);
  const places = classes
    .filter(({ used }) => used > 0)
    .map(({ device_class: name, used, limit }) => `${plainText(name)}: ${used} of ${limit} places used\n`);
  host.say(places.join(''));
  const question = `Register ${count} through ${plainText(connection.name)}? Each takes a place until the membership is renewed. [y/N] `;
  const answer = await ask(host, question, { otherwise: question });
  if (!/^y(es)?$/i.test(answer)) throw new Refusal('not registered');
}

/**
 * Registers devices in their order. Continues after an identifier that Apple rejects, and for other classes after a full one. Any
 * other failure stops it; the remaining devices get it as the reason.
 */
async function* registerOneByOne(api: Api, connection: StoreConnection, devices: Device[]): AsyncGenerator<Result> {
  const fullProducts = new Map<string, Failure>();
  let stopped: Failure | undefined;
  for (const device of devices) {
    const before = stopped ?? fullProducts.get(familyOf(device));
    if (before !== undefined) {
      yield toResult(device, null, { ...before, message: NOT_ATTEMPTED });
      continue;
    }
    const answer = await register(api, connection, device);
    if ('identifier' in answer) {
      yield toResult(device, registrationOf(answer, connection) ?? null, undefined);
      continue;
    }
    if (answer.code === 'quota_exceeded') fullProducts.set(familyOf(device), answer);
    else if (answer.code !== 'invalid_input') stopped = answer;
    yield toResult(device, null, answer);
  }
}

interface Failure {
  code: string;
  message: string;
}

/** Returns the beginning of the product identifier, which all products of a class have, or an empty text if it's unknown. */
const familyOf = ({ product }: Device) => /^[A-Za-z]*/.exec(product ?? '')?.[0] ?? '';

async function register(api: Api, connection: StoreConnection, device: Device): Promise<Device | Failure> {
  const path = `/devices/${encodeURIComponent(device.identifier)}/register`;
  const body = { store_connection_id: connection.identifier };
  try {
    return await api.send({ method: 'POST', path, body, isRepeatable: true }, Device);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error instanceof ApiRefusal ? error.code : 'store_connection_unavailable', message: error.message };
  }
}

function toResult(
  { identifier, udid, name }: Device,
  registration: { state: AppleRegistrationState; device_class?: string | null | undefined } | null,
  failure: Failure | undefined,
): Result {
  return {
    device_id: identifier,
    udid,
    name,
    state: registration?.state ?? null,
    device_class: registration?.device_class ?? null,
    error: failure?.code ?? null,
    message: failure?.message ?? null,
  };
}

const NOT_ATTEMPTED = 'not attempted';

const hints: Partial<Record<AppleRegistrationState, string>> = {
  processing: 'Apple takes up to three days',
  disabled: "it works in no profile until it's enabled on Apple's website",
};

function describe({ device_id: id, name, state, message }: Result): string {
  const word = state ?? (message === NOT_ATTEMPTED ? 'skipped' : 'failed');
  const hint = state === null ? message?.split('\n', 1)[0] : hints[state];
  const line = [id, word.padEnd('registered'.length), plainText(name)].join('  ');
  return `${line}${hint === undefined ? '' : `: ${hint}`}\n`;
}
