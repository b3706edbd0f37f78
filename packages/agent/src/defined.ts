type Optional<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };
type Required<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };

/** The object without its fields that are undefined: an optional field is absent, or it has a value. Pure. */
export function defined<const T extends object>(fields: T): Required<T> & Optional<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Required<T> & Optional<T>;
}
