// The owner domain of each kind of stored object.
import { exportArchives } from './accounts/exports/store.ts';
import { packages, pendingPackages } from './builds/objects.ts';
import type { ObjectOwner } from './core/context.ts';
import { feedbackPictureObjects } from './feedback/pictures.ts';
import { images } from './images/service.ts';

export const objectOwners: readonly ObjectOwner[] = [
  pendingPackages,
  packages,
  images,
  feedbackPictureObjects,
  exportArchives,
];
