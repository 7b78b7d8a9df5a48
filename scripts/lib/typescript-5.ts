// Preloaded into the generator, which builds on the programming interface of TypeScript 5. TypeScript 7, which this project
// compiles with, has none, so the generator gets the copy of version 5 that another package carries.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'typescript') return next(specifier, context);
    return { url: import.meta.resolve('@ts-morph/common/dist/typescript.js'), format: 'commonjs', shortCircuit: true };
  },
});
