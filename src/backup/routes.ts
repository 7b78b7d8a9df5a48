// Operations of backups, for operators.
import { interactive, type Operation, operation } from '../http/operation.ts';
import { backupState } from './schema.ts';
import { startBackup } from './service.ts';

export const backupRoutes: Operation[] = [
  operation({
    id: 'startBackup',
    tag: 'Operator',
    summary: 'Start a backup to the configured place, for operators',
    method: 'post',
    path: '/api/v1/system/backups',
    access: interactive,
    isInternal: true,
    returns: backupState,
    status: 202,
    handle: (ctx) => startBackup(ctx),
  }),
];
