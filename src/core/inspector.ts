// What the application knows of package inspection: one function over ranged reads.
import type { createInspector } from '../inspection/run.ts';

export type Inspector = ReturnType<typeof createInspector>;
