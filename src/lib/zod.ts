// zod, except that a schema is built when it is first used: of the thousands that the modules declare, a process uses few, and
// building all of them took a fifth of the processor time of its start. Code that looks into schemas imports zod itself, and calls `built`.
import * as zod from 'zod';

export type * from 'zod';
export { NEVER } from 'zod';

/** A schema, and what builds it until then. */
interface Declared {
  build: (() => object) | undefined;
  schema: object | undefined;
}

/** Key under which a declared schema returns what it is. */
const DECLARED = Symbol('declared');

/**
 * Methods that return another schema, which is built later too. Any other use builds the schema, and a schema that zod made can't
 * be described as JSON Schema if it contains declared ones.
 */
const derivations = new Set<PropertyKey>(
  (
    'array catch check default describe extend max meta min multipleOf nullable nullish omit ' +
    'optional or overwrite partial pick pipe prefault refine regex superRefine toLowerCase transform trim url'
  ).split(' '),
);

const behavior: ProxyHandler<Declared> = {
  get(declared, key) {
    if (key === DECLARED) return declared;
    if (derivations.has(key)) return (...words: unknown[]) => derive(declared, key, words);
    const schema = build(declared);
    const value: unknown = Reflect.get(schema, key);
    return typeof value === 'function' ? value.bind(schema) : value;
  },
};

function declare(build: () => object): object {
  return new Proxy({ build, schema: undefined }, behavior);
}

function build(declared: Declared): object {
  declared.schema ??= declared.build?.() ?? {};
  // With it, everything that it was declared with.
  declared.build = undefined;
  return declared.schema;
}

function derive(declared: Declared, method: PropertyKey, words: unknown[]): unknown {
  const call = () => {
    const schema = build(declared);
    return (Reflect.get(schema, method) as (...words: unknown[]) => object).apply(schema, built(words));
  };
  // Without words, it returns what the schema is described with.
  return method === 'meta' && words.length === 0 ? call() : declare(call);
}

/** Returns the schema that zod made, or any other value with the schemas that it contains. */
export function built<T>(value: T): T {
  return withBuilt(value) as T;
}

function withBuilt(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const declared = Reflect.get(value, DECLARED) as Declared | undefined;
  if (declared !== undefined) return build(declared);
  if (Array.isArray(value)) return value.map(withBuilt);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withBuilt(field)]));
}

/** Returns a function of zod so that its schemas are built later. */
function later<Create extends (...words: never[]) => object>(create: Create): Create {
  return ((...words: never[]) => declare(() => create(...built(words)))) as Create;
}

// Each is marked as free of effects, so that the bundle of the client contains only what it uses.
export const array = /* @__PURE__ */ later(zod.array);
export const bigint = /* @__PURE__ */ later(zod.bigint);
export const boolean = /* @__PURE__ */ later(zod.boolean);
export const custom = /* @__PURE__ */ later(zod.custom);
export const discriminatedUnion = /* @__PURE__ */ later(zod.discriminatedUnion);
export const email = /* @__PURE__ */ later(zod.email);
export const guid = /* @__PURE__ */ later(zod.guid);
export const int = /* @__PURE__ */ later(zod.int);
export const literal = /* @__PURE__ */ later(zod.literal);
export const looseObject = /* @__PURE__ */ later(zod.looseObject);
export const number = /* @__PURE__ */ later(zod.number);
export const object = /* @__PURE__ */ later(zod.object);
export const preprocess = /* @__PURE__ */ later(zod.preprocess);
export const record = /* @__PURE__ */ later(zod.record);
export const strictObject = /* @__PURE__ */ later(zod.strictObject);
export const string = /* @__PURE__ */ later(zod.string);
export const tuple = /* @__PURE__ */ later(zod.tuple);
export const union = /* @__PURE__ */ later(zod.union);
export const unknown = /* @__PURE__ */ later(zod.unknown);
export const url = /* @__PURE__ */ later(zod.url);
export const uuid = /* @__PURE__ */ later(zod.uuid);
export const iso = {
  date: /* @__PURE__ */ later(zod.iso.date),
  datetime: /* @__PURE__ */ later(zod.iso.datetime),
};
const enumeration = /* @__PURE__ */ later(zod.enum);
const nothing = /* @__PURE__ */ later(zod.undefined);

export { enumeration as enum, nothing as undefined };
