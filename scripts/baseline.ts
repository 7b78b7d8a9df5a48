// Writes migrations/baseline.sql: the tables that all migrations create in an empty database.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { BASELINE_FILE, writeBaseline } from '../src/data/baseline.ts';
import { embeddedMigrations, migrateDatabase } from '../src/data/migrate.ts';
import { systemClock } from '../src/lib/clock.ts';
import { projectDir, say } from './lib/project.ts';

// Copies, because the migrations themselves would be replaced by the present baseline.
const migrations = embeddedMigrations().map(({ name, statements }) => ({ name, statements }));
const last = migrations.at(-1)?.name ?? '';
const client = new Sqlite(':memory:');
migrateDatabase(client, systemClock, migrations);
writeFileSync(join(projectDir, 'migrations', BASELINE_FILE), writeBaseline(client, last));
say(`migrations/${BASELINE_FILE} has the tables after ${last}`);
