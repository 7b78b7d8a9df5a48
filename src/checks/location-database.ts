// Health check of the location database.

import { type Config, ConfigError } from '../config.ts';
import { openLocationDatabase } from '../sessions/location-database.ts';
import { type Finding, fail, ok } from './finding.ts';

/** Returns no finding if none is configured, because none is required. */
export async function checkLocationDatabase({ accounts }: Config): Promise<Finding[]> {
  const { location_database: path } = accounts;
  if (path === '') return [];
  try {
    await openLocationDatabase(path);
    return [ok('locations', `${path} shows the locations of sessions`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [fail('locations', error.message)];
  }
}
