/** The files of a store, by its name; none for a server, for one in memory, or for the usual place in Holdfast's own folder. Pure. */
export function storeFiles(named: string | undefined): string[] {
  if (named === undefined || named === ':memory:' || /^[a-z][a-z0-9+.-]+:\/\//i.test(named)) return [];
  return ['', '-wal', '-shm', '-journal'].map((ending) => named + ending);
}
