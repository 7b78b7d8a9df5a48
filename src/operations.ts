// Every operation of the program, in the order of the documentation.

import { buildRoutes } from './builds/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import type { Operation } from './platform/operation.ts';
import { projectRoutes } from './projects/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';

export const operations: readonly Operation[] = [
  ...serviceRoutes,
  ...organizationRoutes,
  ...projectRoutes,
  ...tokenRoutes,
  ...buildRoutes,
];
