// Column types shared by all tables, so that each kind of value has one storage format.
import { integer, text } from 'drizzle-orm/sqlite-core';

/** A UUID in its canonical lower-case text form. */
export const uuid = (name: string) => text(name);

/** A time in milliseconds since the Unix epoch, UTC. */
export const moment = (name: string) => integer(name);

/** A boolean stored as 0 or 1. */
export const flag = (name: string) => integer(name, { mode: 'boolean' });
