/** The exports of a CommonJS module; bundlers that split code leave only a default export. Pure. */
export function namesOf<T extends object>(loaded: T): T {
  return 'default' in loaded && Object.keys(loaded).length === 1 ? (loaded.default as T) : loaded;
}
