// What Node.js 18 lacks of the language and the library that the client commands use. Imported first by the JavaScript client.

URL.parse ??= (address: string | URL, base?: string | URL): URL | null => {
  try {
    return new URL(address, base);
  } catch {
    return null;
  }
};

Promise.withResolvers ??= <T>(): PromiseWithResolvers<T> => {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => undefined;
  let reject: PromiseWithResolvers<T>['reject'] = () => undefined;
  const promise = new Promise<T>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  return { promise, resolve, reject };
};

Array.prototype.toSorted ??= function toSorted<T>(this: T[], compare?: (a: T, b: T) => number): T[] {
  return [...this].sort(compare);
};
