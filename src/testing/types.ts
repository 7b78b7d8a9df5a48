// What `taxiway/testing` offers: stable types without anything from inside the server.
import type { Config, PartialConfig } from '../config.ts';
import type { MovableClock } from '../lib/clock.ts';

/** What every fixture starts with. */
export interface World {
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
export interface Fixture extends World {
  /** Where it listens, without a trailing slash. */
  url: string;
  /** The configuration in force. */
  config: Config;
  /** The server's time. It stands still until a test moves it. */
  clock: MovableClock;
  /** Emails that the server sent. None leaves the process unless `config` names an SMTP server. */
  mail: {
    /** All emails, oldest first. */
    readonly messages: FixtureMessage[];
    /** Returns the newest email to an address whose subject or text matches. Waits up to 5 s for it, then throws. */
    waitFor(address: string, pattern?: RegExp): Promise<FixtureMessage>;
  };
  /** Runs a cleanup job now. Returns how many rows or objects it deleted. Throws if there is none of that name. */
  sweep(name: string): Promise<number>;
  /** Waits until every queued job has run and every webhook delivery was tried. */
  drain(): Promise<void>;
  /** Stops the server and deletes its data folder. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
