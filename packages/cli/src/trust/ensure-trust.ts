import { resolve } from 'node:path';
import type { Task } from '@holdfast/agent';
import { realPath } from '@holdfast/agent/tools';
import { loadCrew } from '@holdfast/crew';
import type { ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { Interrupted, WrongUse } from '../failure.ts';
import { loadWithFlags } from '../load-with-flags.ts';
import { shellWord } from '../view/clean.ts';
import { askTrust, hasTerminalToAsk, pendingLines, wrapSentences } from './question.ts';
import { configItem, crewItem, instructionItems, keptText, type TrustItem } from './trust-items.ts';
import { addTrust, readTrust } from './trust-store.ts';
import { visible } from './visible.ts';

/** What a command is about to use from the folder. */
export interface TrustNeeds {
  /** The configuration keys that matter to it. Default: all. */
  readonly keys?: (key: string) => boolean;
  /** Set if it uses rules, role and skills; `roles`: those that a task suggests. */
  readonly instructions?: Pick<Task, 'roles'>;
  /** The task that suggests them. */
  readonly task?: string;
  /** A crew file. */
  readonly crew?: string | undefined;
  /** Whether it can continue without what is not trusted. */
  readonly optional?: boolean;
}

/** A file that is not trusted yet; `before`: what the user saw when they last trusted it. */
export interface Pending {
  readonly item: TrustItem;
  readonly before?: string;
}

/** Which files of a folder are trusted. */
export interface TrustStatus {
  /** Its real path. */
  readonly folder: string;
  readonly pending: readonly Pending[];
  /** Whether the folder's whole configuration may be used. */
  readonly trusts: boolean;
  /** Hashes of everything that the command would use, by real path. */
  readonly hashes: ReadonlyMap<string, string>;
}

export interface TrustFlags extends Pick<ConfigFlags, 'config'> {
  readonly trust?: boolean;
}

/** Finds what a command would use here that is not trusted yet. Does not ask. Throws BAD_CONFIG or WrongUse. */
export function trustStatusOf(context: Context, flags: TrustFlags, needs: TrustNeeds): TrustStatus {
  const { keys = () => true, instructions, crew } = needs;
  const { config } = flags;
  const loaded = loadWithFlags({ ...context, trusts: true, tell: () => {} }, { config });
  const folder = realPath(context.cwd);
  const known = readTrust(context)[folder] ?? {};
  const wanted = loaded.claims.some(({ key }) => keys(key)) ? configItem(loaded, context) : undefined;
  const texts = instructions ? instructionItems(loaded, context, instructions.roles) : [];
  const items = [
    ...(wanted ? [wanted] : []),
    ...texts.filter(({ own }) => !own),
    ...(crew === undefined ? [] : [crewItem(loadCrew(crew, context.cwd), resolve(context.cwd, crew), context)]),
  ];
  const pending = items.flatMap((item): Pending[] => {
    const record = known[item.path];
    if (record?.hash === item.hash) return [];
    return [{ item, ...(record?.text ? { before: record.text } : {}) }];
  });
  // Settings that do not matter to the command were not shown, so they are not trusted.
  const isSeen = wanted !== undefined || loaded.claims.length === 0;
  const trusts = isSeen && !pending.some(({ item }) => item === wanted);
  const hashes = new Map([...items, ...texts].map(({ path, hash }) => [path, hash]));
  return { folder, pending, trusts, hashes };
}

/** Whether the flag or the environment trusts everything for this run. Pure. */
export function isTrustedByFlag({ env }: Pick<Context, 'env'>, { trust = false }: TrustFlags): boolean {
  return trust || /^(?:1|true|yes)$/i.test(env.HOLDFAST_TRUST ?? '');
}

/** Saves that the user trusts these files. Throws WrongUse. */
export function remember(context: Context, { folder, pending }: TrustStatus): void {
  const since = new Date().toISOString();
  const records = pending.map(({ item }) => [item.path, { hash: item.hash, since, text: keptText(item) }] as const);
  addTrust(context, folder, Object.fromEntries(records));
}

/**
 * The context of a command that uses these files, with `trusts` decided. Asks once on a terminal; without one, refuses what is
 * not trusted. Throws WrongUse, Interrupted or BAD_CONFIG.
 */
export async function ensureTrust(context: Context, flags: TrustFlags, needs: TrustNeeds): Promise<Context> {
  if (isTrustedByFlag(context, flags)) return { ...context, trusts: true };
  const standing = trustStatusOf(context, flags, needs);
  if (standing.pending.length === 0) return { ...context, trusts: standing.trusts, trustedHashes: standing.hashes };
  if (!hasTerminalToAsk(process)) throw new WrongUse(refusal(standing, flags, needs));
  const lines = pendingLines(standing.folder, standing.pending, process.stderr);
  process.stderr.write(`${wrapSentences(lines, process.stderr.columns)}\n`);
  const answer = await askTrust(process, needs.optional);
  if (answer === 'quit') throw new Interrupted('not trusted; nothing was done');
  if (answer === 'no' && !needs.optional) throw new WrongUse('not trusted; nothing was done');
  if (answer === 'no') return { ...context, trusts: false };
  remember(context, standing);
  // Check again: files may have changed while the question was open.
  return await ensureTrust(context, flags, needs);
}

/** The names of the files that are not trusted yet, for a sentence. Pure. */
export function pendingNames(pending: TrustStatus['pending']): string {
  return pending
    .map(({ item, before }) => `${visible(item.name)}${before === undefined ? '' : ' (changed)'}`)
    .join(', ');
}

function refusal({ folder, pending }: TrustStatus, { config }: TrustFlags, { task, crew }: TrustNeeds): string {
  const flags = Object.entries({ config, task, crew }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  );
  return [
    `${visible(folder)} is not trusted: ${pendingNames(pending)}`,
    `there is no terminal to ask on: review it there with \`${['holdfast trust', ...flags].join(' ')}\`, or pass --trust (HOLDFAST_TRUST=1) for this run`,
  ].join('\n');
}
