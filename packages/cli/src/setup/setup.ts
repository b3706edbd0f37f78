import {
  type ChosenProvider,
  type HoldfastConfig,
  holdsKey,
  KEY_ADVICE,
  loadConfig,
  type ProviderConfig,
  providerOf,
  readCredentials,
  userConfigFile,
  userFolder,
} from '@holdfast/agent/config';
import { isInside } from '@holdfast/agent/tools';
import type { Context } from '../context.ts';
import { writable } from '../doctor/places.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { type Asker, openAsker } from './ask.ts';
import { chooseProvider } from './choose.ts';
import { type ChosenKey, chooseKey } from './choose-key.ts';
import { save } from './save.ts';
import { isAnswering } from './try-provider.ts';

/** The flags of `holdfast setup`. */
export interface SetupFlags {
  readonly provider?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  /** False with `--no-check`. */
  readonly check?: boolean;
  readonly key?: string | true;
}

/**
 * Asks for provider and key, tries them, and saves them. Writes nothing before the last answer. Throws WrongUse, BAD_CONFIG or
 * Interrupted.
 */
export async function setup(flags: SetupFlags, context: Context): Promise<void> {
  checkFlags(flags);
  refuseProject(context);
  refuseUnwritable(context);
  // A damaged file of the user's is reported before any question.
  const { config } = loadConfig({ cwd: context.cwd, user: userConfigFile(context.env), userOnly: true });
  readCredentials(context.env);
  const asker = openAsker();
  try {
    await ask(flags, config, context, asker);
  } finally {
    asker?.close();
  }
}

async function ask(
  flags: SetupFlags,
  config: HoldfastConfig,
  context: Context,
  asker: Asker | undefined,
): Promise<void> {
  const type = await chooseProvider(flags.provider, config.provider.type, asker);
  const chosen: ChosenProvider = { type, model: flags.model, base_url: flags.baseUrl };
  for (;;) {
    const key = await chooseKey(type, flags.baseUrl, context, asker);
    const isGood = flags.check === false || (await attempt(chosen, key, config, context, asker?.signal));
    if (isGood || (await savesAnyway(asker))) return save(chosen, key, context);
    if (!asker || !key) {
      context.tell('nothing was saved; --no-check saves without trying');
      return context.end(EXIT.failed);
    }
  }
}

function checkFlags({ key, baseUrl }: SetupFlags): void {
  if (key !== undefined)
    throw new WrongUse('a key on the command line stays in your shell history: pass it on standard input, or type it');
  if (baseUrl === undefined) return;
  if (!/^https?:\/\/[^/]/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new WrongUse('invalid --base-url: expected a URL that starts with http:// or https://');
  if (holdsKey(baseUrl)) throw new WrongUse(`--base-url contains what looks like a key: ${KEY_ADVICE}`);
}

/** Keys must not lie among the files of a project. */
function refuseProject({ cwd, env }: Context): void {
  const folder = userFolder(env);
  if (env.HOLDFAST_HOME && isInside(folder, cwd))
    throw new WrongUse(`${folder} is inside this folder, where keys do not belong: unset HOLDFAST_HOME, or change it`);
}

/** Nobody should type a key that cannot be saved. */
function refuseUnwritable({ env }: Context): void {
  const { status, text } = writable('', userFolder(env), '');
  if (status === 'problem') throw new WrongUse(`${text}: set HOLDFAST_HOME to a folder you can write to`);
}

/** True if the provider answered one request, or is only a script. */
async function attempt(
  { type, ...given }: ChosenProvider,
  key: ChosenKey | undefined,
  { provider: before, models }: HoldfastConfig,
  context: Context,
  left: AbortSignal | undefined,
): Promise<boolean> {
  if (providerOf(type)?.isScript) return true;
  const { base_url: _, ...kept }: Partial<ProviderConfig> = before.type === type ? before : {};
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return await isAnswering({ ...kept, type, ...Object.fromEntries(set) }, models, key, context, left);
}

/** Asks whether to save what did not answer. Throws Interrupted. */
export async function savesAnyway(asker: Asker | undefined): Promise<boolean> {
  // Somebody may paste another key here: no more of it may show than an answer needs.
  return asker !== undefined && /^y(?:es)?$/i.test(await asker.line('Save it anyway? [y/N]: ', 3));
}
