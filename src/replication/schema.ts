// API schema of the state of replication.
import * as z from '../lib/zod.ts';

export const replicationState = z
  .object({
    target: z.string().meta({ description: 'Folder, or s3://bucket/prefix' }),
    is_running: z.boolean().meta({ description: 'Whether Litestream responds on this machine' }),
    lag_seconds: z.number().min(0).meta({
      description:
        'How old the newest changes are that the replica is known to have. At least, after a start of the server',
    }),
    log_bytes: z.number().int().min(0).meta({ description: 'Write-ahead log in use, which grows without Litestream' }),
  })
  .meta({ id: 'ReplicationState' });

export type ReplicationState = z.input<typeof replicationState>;
