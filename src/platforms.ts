// The supported platforms.
import { z } from 'zod';

export const platforms = ['ios', 'android'] as const;

export type Platform = (typeof platforms)[number];

export const platform = z.enum(platforms).meta({ id: 'Platform' });
