// The color of an organization's icon.
import type { Context } from '../core/context.ts';
import { type ColoredIcon, findIconColor } from '../images/service.ts';
import { storeIconColor } from './store.ts';

/** Returns the color of an organization's icon as `#rrggbb`, or null without one. It is computed if it isn't stored. */
export function findOrganizationColor(ctx: Context, id: string, icon: ColoredIcon): Promise<string | null> {
  return findIconColor(ctx, icon, (tx, iconKey, iconColor) => storeIconColor(tx, id, iconKey, iconColor));
}
