import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Salvaged, salvageStore, sqlite, storeFiles } from '@holdfast/sessions';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { counted } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import { jsonText } from '../view/harmless.ts';

/** `sessions salvage`. Exits with 1 if anything is lost. Throws WrongUse, and BAD_STATE if nothing can be read. */
export async function salvage(
  from: string,
  to: string,
  { json }: { readonly json?: boolean },
  context: Context,
): Promise<void> {
  const [damaged, fresh] = [from, to].map((path) => resolve(context.cwd, path)) as [string, string];
  if (!existsSync(damaged)) throw new WrongUse(`there is no store ${damaged}`);
  if (existsSync(fresh)) throw new WrongUse(`${fresh} already exists: choose another name for the new store`);
  const store = await sqlite(fresh);
  const salvaged: Salvaged[] = [];
  try {
    for await (const one of salvageStore(damaged, store)) {
      salvaged.push(one);
      if (!json) context.print(lineOf(one, context));
    }
  } finally {
    await store.close();
    if (salvaged.every(({ info }) => !info)) for (const file of storeFiles(fresh)) rmSync(file, { force: true });
  }
  const whole = salvaged.filter(({ problem }) => problem === undefined).length;
  const parts = salvaged.filter(({ info, problem }) => info && problem !== undefined).length;
  if (json) context.print(jsonText({ store: fresh, whole, parts, sessions: salvaged }));
  else
    context.say(
      `Wrote ${fresh}: ${counted(whole, 'whole session')}, ${counted(parts, 'session')} up to the damage. ${damaged} is as it was; pass --store ${fresh}, or replace the damaged file and delete its -wal and -shm.`,
    );
  context.end(whole === salvaged.length ? EXIT.done : EXIT.failed);
}

function lineOf({ info, id, entries, problem }: Salvaged, { paint }: Context): string {
  const name = clean(info?.id ?? id ?? 'a session without id');
  if (!info) return `${paint.red('lost   ')} ${name}: ${clean(problem ?? '')}`;
  const what = `${name}: ${counted(info.messages, 'message')}, ${entries} entries`;
  return problem === undefined
    ? `${paint.green('whole  ')} ${what}`
    : `${paint.red('part   ')} ${what} before the damage: ${clean(problem)}`;
}
