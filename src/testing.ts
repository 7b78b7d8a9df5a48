// taxiway/testing: a complete server for tests of projects that use Taxiway. Our own tests use testing/fixture.ts.
import { startFixture as startOpenFixture } from './testing/fixture.ts';
import type { Fixture, FixtureOptions } from './testing/types.ts';

export type { Config, PartialConfig } from './config.ts';
export type { MovableClock } from './lib/clock.ts';
export type { Fixture, FixtureMessage, FixtureOptions, SampleData } from './testing/types.ts';

/** Starts a server on a free port with a temporary data folder. Several can run in one process. */
export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const { app: _, ...fixture } = await startOpenFixture(options);
  return fixture;
}
