import { HoldfastError } from 'holdfast';

/** Node's own SQLite, loaded on use, so that importing the package works on any Node. Throws BAD_CONFIG if there is none. */
export async function nodeSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite');
  } catch (error) {
    const { node } = process.versions;
    throw new HoldfastError(
      'BAD_CONFIG',
      `SQLite needs Node 22.16 or newer, and this is ${node} (${process.execPath}): update Node, or keep sessions in Postgres`,
      { node },
      error,
    );
  }
}
