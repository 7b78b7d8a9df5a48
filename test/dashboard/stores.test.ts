// Stores in the web app: places, states and errors in words.
import { describe, expect, it } from 'vitest';
import type { BuildDevice } from '../../src/builds/device-schema.ts';
import { ApiError } from '../../src/dashboard/api/errors.ts';
import { appleStateOf, registrationOf, takesPlace } from '../../src/dashboard/components/apple-state.tsx';
import { describeError } from '../../src/dashboard/components/errors.tsx';
import {
  describeFailure,
  explainRegistrationError,
  explainStoreError,
  isNearlyFull,
} from '../../src/dashboard/components/stores.ts';
import { groupDevices, needsProfile } from '../../src/dashboard/pages/build/device-groups.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import type { Device } from '../../src/devices/schema.ts';
import { classOfProduct } from '../../src/lib/apple-device-classes.ts';
import { AppError } from '../../src/lib/errors.ts';
import { failureOf } from '../../src/stores/failures.ts';

type State = NonNullable<Device['apple_registrations']>[number]['state'];

const registration = (store_connection_id: string, state: State) => ({
  store_connection_id,
  state,
  device_class: null,
  registered_at: null,
  checked_at: '2026-01-02T03:04:05Z',
  message: null,
});
const device = (...states: [string, State][]) =>
  ({
    registered_at: '2026-01-01T00:00:00Z',
    apple_registrations: states.map(([id, state]) => registration(id, state)),
  }) as Device;

describe('the places of a class', () => {
  it.each([
    [89, 100, false],
    [90, 100, true],
    [100, 100, true],
    [179, 200, false],
    [180, 200, true],
  ])('with %i of %i used are nearly full: %s', (used, limit, isFull) => {
    expect(isNearlyFull({ device_class: 'IPHONE', used, limit, left: limit - used })).toBe(isFull);
  });

  it.each([
    ['iPhone14,2', 'IPHONE'],
    ['iPad7,5', 'IPAD'],
    ['Watch6,1', 'APPLE_WATCH'],
    ['AppleTV5,3', 'APPLE_TV'],
    ['RealityDevice14,1', 'APPLE_VISION_PRO'],
    ['Mac14,2', 'MAC'],
    ['MacBookPro18,3', 'MAC'],
    ['iMac21,1', 'MAC'],
    ['HomePod1,1', undefined],
    [null, undefined],
  ])('for the product %s are those of %s', (product, deviceClass) => {
    expect(classOfProduct(product)).toBe(deviceClass);
  });
});

describe('the state of a device with Apple', () => {
  it('is that in one account, or the best one', () => {
    const one = device(['a', 'refused'], ['b', 'processing']);
    expect(appleStateOf(one)).toBe('processing');
    expect(appleStateOf(one, 'a')).toBe('refused');
    expect(appleStateOf(one, 'c')).toBe('none');
    expect(appleStateOf({} as Device)).toBe('none');
    expect(registrationOf(one, 'b')).toEqual(registration('b', 'processing'));
  });

  it.each([
    ['registered', false],
    ['processing', false],
    ['disabled', false],
    ['refused', true],
  ] as const)('%s takes another place: %s', (state, isTaking) => {
    expect(takesPlace(device(['a', state]), 'a')).toBe(isTaking);
    expect(takesPlace(device(['a', state]), 'b')).toBe(true);
  });

  it('divides the devices that the profile of a build lacks', () => {
    const row = (verdict: 'yes' | 'no', reason: string, ...states: [string, State][]) =>
      ({ device: device(...states), install: { verdict, reason } }) as BuildDevice;
    const rows = [
      row('no', 'os_too_old', ['a', 'registered']),
      row('no', 'not_provisioned', ['a', 'disabled']),
      row('no', 'not_provisioned', ['a', 'refused']),
      row('no', 'not_provisioned'),
      row('no', 'not_provisioned', ['a', 'processing']),
      row('no', 'not_provisioned', ['a', 'refused'], ['b', 'registered']),
      row('yes', 'provisioned', ['a', 'registered']),
    ];
    const groups = (isConnected: boolean) => {
      const divided = groupDevices(rows, '2025-12-31T00:00:00Z', isConnected);
      return [divided.able.length, ...divided.groups.map(({ name, rows: members }) => [name, members.length])];
    };
    expect(groups(true)).toEqual([
      1,
      ['apple_registered', 1],
      ['apple_missing', 2],
      ['apple_processing', 1],
      ['apple_disabled', 1],
      ['os_too_old', 1],
    ]);
    expect(groups(false)).toEqual([1, ['waiting', 5], ['os_too_old', 1]]);
    expect(['apple_missing', 'waiting', 'not_provisioned', 'os_too_old'].map(needsProfile)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('the reason why a device was refused', () => {
  const { refusal } = de.stores.devices;
  it.each([
    "Apple doesn't accept the identifier of this device",
    'The Apple developer account has no place left for this class of devices (IPHONE)',
    'Not registered automatically: 3 places for IPAD are left, and 10 are reserved',
    'Not registered automatically: 0 places for devices of an unknown class are left, and 10 are reserved',
    new AppError('store_connection_unavailable').message,
    failureOf('credentials_refused', 'NOT_AUTHORIZED').message,
    failureOf('permission_missing', 'FORBIDDEN_ERROR').message,
    failureOf('agreement_missing').message,
  ])('is shown in both languages: %s', (message) => {
    expect(en.stores.devices.refusal(message)).toBe(message);
    expect(refusal(message)).not.toBe(message);
    expect(refusal(message)).not.toMatch(/IPHONE|IPAD|undefined/);
  });

  it('stays as the server sends it if the catalog does not have it', () => {
    expect(refusal('Something new')).toBe('Something new');
    expect(refusal('Not registered automatically: 3 places for IPAD are left, and 10 are reserved')).toBe(
      'Nicht automatisch registriert: 3 Plätze für iPads sind frei, und 10 sind reserviert',
    );
  });
});

describe('an error of a store', () => {
  const error = (status: number, code: string, details: object, message = 'Message', headers = {}) =>
    new ApiError(status, { error: code, message, details }, new Headers(headers));
  const words = (thrown: unknown, texts = en) => describeError(explainStoreError(thrown, texts), texts);

  it('has a title and the next step for each code, in both languages, with the code of the store', () => {
    for (const texts of [en, de]) {
      for (const code of [
        'credentials_refused',
        'permission_missing',
        'agreement_missing',
        'api_disabled',
        'package_unknown',
      ]) {
        const { failures } = texts.stores;
        const known = failures[code as keyof typeof failures];
        expect(words(error(400, 'invalid_input', { code }), texts)).toEqual({ ...known, message: null });
      }
    }
    expect(describeFailure('credentials_refused', 'Any sentence (NOT_AUTHORIZED)', en).text).toBe(
      `${en.stores.failures.credentials_refused.text} Code: NOT_AUTHORIZED.`,
    );
    expect(describeFailure('api_disabled', 'Any sentence (not a code!)', en)).toEqual(en.stores.failures.api_disabled);
  });

  it('keeps the time after which to try again', () => {
    const thrown = error(503, 'store_connection_unavailable', {}, 'Message', { 'retry-after': '45' });
    expect(words(thrown)).toEqual({
      title: "The store doesn't respond",
      text: 'Nothing was changed. Try again in 45 seconds.',
      message: null,
    });
  });

  it('names the class without places, and leaves other errors alone', () => {
    const full = error(400, 'quota_exceeded', { device_class: 'IPAD', limit: 100 });
    expect(words(full).title).toBe('No place left: all 100 places for iPads are used');
    expect(words(full, de).title).toBe('Kein Platz frei: alle 100 Plätze für iPads sind belegt');
    for (const other of [
      error(400, 'quota_exceeded', { limit: 50 }),
      error(404, 'not_found', {}),
      new TypeError('x'),
    ]) {
      expect(explainStoreError(other, en)).toBe(other);
    }
  });

  it('about a registration without a code is about the identifier', () => {
    const explained = explainRegistrationError(error(400, 'invalid_input', {}), en);
    expect(describeError(explained, en).title).toBe(en.stores.identifierRefused.title);
    const refused = explainRegistrationError(error(400, 'operation_not_allowed', { code: 'permission_missing' }), en);
    expect(describeError(refused, en).title).toBe(en.stores.failures.permission_missing.title);
  });
});
