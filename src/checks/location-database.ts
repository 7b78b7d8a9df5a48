// Check of the location database: whether the server could start with it.

import { type Config, ConfigError } from '../config.ts';
import { openLocationDatabase } from '../sessions/location-database.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Nothing where none is configured, because none is needed. */
export async function checkLocationDatabase({ accounts }: Config): Promise<Finding[]> {
  const { location_database: path } = accounts;
  if (path === '') return [];
  try {
    await openLocationDatabase(path);
    return [ok('locations', `${path} tells where sessions come from`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [fail('locations', error.message)];
  }
}
