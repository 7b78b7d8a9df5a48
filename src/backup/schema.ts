// API schemas of the state of backups.
import { dateTime } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';

const count = () => z.number().int().min(0);

const backupRun = z
  .object({
    state: z.enum(['running', 'succeeded', 'failed']),
    started_at: dateTime(),
    finished_at: dateTime().nullable(),
    backup_id: z.string().nullable(),
    objects: count().nullable().meta({ description: 'Stored objects in the backup' }),
    added_bytes: count().nullable().meta({ description: 'Bytes that this backup wrote' }),
    total_bytes: count().nullable().meta({ description: 'Bytes that a restore of this backup reads' }),
    problem: z.string().nullable().meta({ description: 'Why it failed, or what is missing in it' }),
  })
  .meta({ id: 'BackupRun' });

export const backupState = z
  .object({
    place: z.string().meta({ description: 'Folder, file, or s3://bucket/prefix' }),
    schedule: z.string().meta({ description: 'Cron pattern, UTC; empty for none' }),
    is_encrypted: z.boolean(),
    is_running: z.boolean(),
    next_run_at: dateTime().nullable(),
    last_run: backupRun.nullable(),
    last_success: backupRun.nullable(),
  })
  .meta({ id: 'BackupState' });

export type BackupState = z.input<typeof backupState>;
