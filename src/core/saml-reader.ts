// What the application knows of reading identity providers' XML.
import type { createSamlReader } from '../sso/reader.ts';

export type SamlReader = ReturnType<typeof createSamlReader>;
