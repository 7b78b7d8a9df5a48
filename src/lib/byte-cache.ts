// A cache of values that can be large, limited by their bytes in all.

export class ByteCache<Value> {
  readonly #maxBytes: number;
  /** In the order in which they were added. */
  readonly #values = new Map<string, { value: Value; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of all values, as they were given. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)?.value;
  }

  /** Adds a value. Forgets those that were added first until there is room for it; one that is larger than the cache isn't added. */
  add(key: string, value: Value, bytes: number): void {
    this.#forget(key);
    if (bytes > this.#maxBytes) return;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes + bytes <= this.#maxBytes) break;
      this.#forget(oldest);
    }
    this.#values.set(key, { value, bytes });
    this.#bytes += bytes;
  }

  #forget(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }
}
