/** A CommonJS module with its names: bundlers that split code leave it with nothing but a default export. Pure. */
export function namesOf<T extends object>(loaded: T): T {
  return 'default' in loaded && Object.keys(loaded).length === 1 ? (loaded.default as T) : loaded;
}
