/** The files of a named store; none for a server, `:memory:` or the default. Pure. */
export function storeFiles(named: string | undefined): string[] {
  if (named === undefined || named === ':memory:' || /^[a-z][a-z0-9+.-]+:\/\//i.test(named)) return [];
  return ['', '-wal', '-shm', '-journal'].map((ending) => named + ending);
}
