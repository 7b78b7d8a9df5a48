// The types of `taxiway/testing`: stable, without internals of the server.
import type { Config, PartialConfig } from '../config.ts';
import type { MovableClock } from '../lib/clock.ts';

/** The sample data of every fixture. */
export interface SampleData {
  /** A verified account: admin of the organization and operator of the server. */
  admin: {
    email: string;
    password: string;
    developer_id: string;
    access_token: string;
    refresh_token: string;
  };
  organization_id: string;
  ios_project_id: string;
  android_project_id: string;
  /** A public channel of the Android project. */
  channel_id: string;
  /** A token of the Android project with the maintainer role. */
  project_access_token: string;
}

export interface FixtureMessage {
  to: string;
  subject: string;
  text: string;
  html: string;
  created_at: string;
}

export interface FixtureOptions {
  /** Merged into the defaults. With `server.tls.mode` "internal", fetch in this process trusts the server's authority from then on. */
  config?: PartialConfig;
}

/** A running server with a temporary data folder and sample data. */
export interface Fixture extends SampleData {
  /** The URL of the server, without a trailing slash. */
  url: string;
  /** The effective configuration. */
  config: Config;
  /** The server's clock. It only changes when a test moves it. */
  clock: MovableClock;
  /** Emails of the server. They're only delivered if `config` has an SMTP server. */
  mail: {
    /** All emails, oldest first. */
    readonly messages: FixtureMessage[];
    /** Returns the newest email to an address whose subject or text matches. Waits up to 5 s for it, then throws. */
    waitFor(address: string, pattern?: RegExp): Promise<FixtureMessage>;
  };
  /** Runs a cleanup job now. Returns the number of deleted rows or objects. Throws for an unknown name. */
  sweep(name: string): Promise<number>;
  /** Waits until all queued jobs have run and all webhook deliveries have been attempted. */
  drain(): Promise<void>;
  /** Stops the server and deletes its data folder. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
