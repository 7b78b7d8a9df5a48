// The cleanup job of data exports.
import type { Sweep } from '../../core/context.ts';
import { expireExports, failStaleExports } from './service.ts';

export const exportsSweep: Sweep = {
  name: 'exports',
  deletesByAge: true,
  schedule: '17 * * * *',
  run: (ctx) => expireExports(ctx) + failStaleExports(ctx),
};
