// What the application knows of package inspection: one function over ranged reads.
import type { createInspector } from '../builds/inspection/run.ts';

export type Inspector = ReturnType<typeof createInspector>;
