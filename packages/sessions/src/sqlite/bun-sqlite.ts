import type { DatabaseSync } from 'node:sqlite';

type Row = Record<string, unknown>;

/** What stores need of `bun:sqlite`. */
interface BunDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  close(): void;
  prepare(sql: string): {
    get(...given: unknown[]): Row | null;
    all(...given: unknown[]): Row[];
    iterate(...given: unknown[]): Iterable<Row>;
    finalize(): void;
    run(...given: unknown[]): { readonly changes: number; readonly lastInsertRowid: number };
  };
}
type Bun = { readonly Database: new (path: string, options: Row) => BunDatabase };

/** Bun's SQLite in the form of Node's, as far as stores need it: Bun has no node:sqlite. */
export async function bunSqlite(): Promise<typeof DatabaseSync> {
  // Bun alone has this module, so a bundler must not look for it.
  const name = 'bun:sqlite';
  const { Database } = (await import(/* @vite-ignore */ name)) as Bun;
  const opened = (
    place: string | URL,
    { readOnly = false, timeout = 0 }: ConstructorParameters<typeof DatabaseSync>[1] = {},
  ) => {
    const mode = readOnly ? { readonly: true } : { readwrite: true, create: true };
    const db = withCodes(() => new Database(String(place), { ...mode, strict: true }));
    db.exec(`PRAGMA busy_timeout = ${timeout}`);
    let isOpen = true;
    return {
      get isOpen() {
        return isOpen;
      },
      get isTransaction() {
        return db.inTransaction;
      },
      exec: (sql: string) => withCodes(() => db.exec(sql)),
      close() {
        isOpen = false;
        db.close();
      },
      prepare(sql: string) {
        const statement = withCodes(() => db.prepare(sql));
        return {
          get: (...given: unknown[]) => withCodes(() => statement.get(...given)) ?? undefined,
          all: (...given: unknown[]) => withCodes(() => statement.all(...given)),
          // A statement of its own, because Bun does not reset one that was left before its last row.
          *iterate(...given: unknown[]) {
            const own = withCodes(() => db.prepare(sql));
            try {
              yield* own.iterate(...given);
            } finally {
              own.finalize();
            }
          },
          run: (...given: unknown[]) => withCodes(() => statement.run(...given)),
        };
      },
    };
  };
  // A constructor may return any object.
  return function BunDatabaseSync(place: string, options: Row) {
    return opened(place, options);
  } as unknown as typeof DatabaseSync;
}

/** Names the code of an error as Node does. */
function withCodes<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errno } = error as { readonly errno?: unknown };
    if (typeof errno === 'number') Object.assign(error as object, { errcode: errno, code: undefined });
    throw error;
  }
}
