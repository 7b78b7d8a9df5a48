// Where drizzle-kit finds the tables and writes migrations (scripts/new-migration).
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './src/data/tables/tables.ts', out: './migrations' });
