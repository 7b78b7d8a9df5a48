// Column kinds that every table shares, so that one meaning has one storage form.
import { integer, text } from 'drizzle-orm/sqlite-core';

/** A UUID in its canonical lower-case text form. */
export const uuid = (name: string) => text(name);

/** A moment as milliseconds since the Unix epoch, UTC. */
export const moment = (name: string) => integer(name);

/** A boolean stored as 0 or 1. */
export const flag = (name: string) => integer(name, { mode: 'boolean' });
