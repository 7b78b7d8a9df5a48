// Every operation of the program, in the order of the documentation.
import type { Operation } from './platform/operation.ts';
import { serviceRoutes } from './service/routes.ts';

export const operations: readonly Operation[] = [...serviceRoutes];
