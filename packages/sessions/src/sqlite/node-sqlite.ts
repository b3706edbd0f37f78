import { HoldfastError } from 'holdfast';

/** Node's own SQLite. Throws BAD_CONFIG where this Node has none: importing the package must work all the same. */
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
