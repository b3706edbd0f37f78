/** Keeps the values that were used last. */
export interface BoundedCache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
}

/** A cache of at most so many values. */
export function createCache<T>(most: number): BoundedCache<T> {
  const values = new Map<string, T>();
  return {
    get(key) {
      const value = values.get(key);
      if (value === undefined) return undefined;
      values.delete(key);
      values.set(key, value);
      return value;
    },
    set(key, value) {
      values.delete(key);
      values.set(key, value);
      const [oldest] = values.keys();
      if (values.size > most && oldest !== undefined) values.delete(oldest);
    },
    delete(key) {
      values.delete(key);
    },
  };
}
