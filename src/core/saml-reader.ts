// What the application knows of reading identity providers' XML.
import type { createSamlReader } from '../saml/reader.ts';

export type SamlReader = ReturnType<typeof createSamlReader>;
