import { HoldfastError } from 'holdfast';
import { bunSqlite } from './bun-sqlite.ts';

/** The runtime's own SQLite, loaded on use, so that importing the package works on any Node. Throws BAD_CONFIG if there is none. */
export async function nodeSqlite(): Promise<Pick<typeof import('node:sqlite'), 'DatabaseSync'>> {
  if (process.versions.bun !== undefined) return { DatabaseSync: await bunSqlite() };
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
