import { existsSync, readFileSync } from 'node:fs';
import {
  type ChosenProvider,
  credentialsFile,
  credentialsText,
  loadConfig,
  readCredentials,
  setProvider,
  sourceText,
  userConfigFile,
} from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import { shownHome } from '../home.ts';
import { locked, writePrivate } from '../private-file.ts';
import { harmless } from '../view/harmless.ts';
import { wrapProse } from '../view/prose.ts';
import type { ChosenKey } from './choose-key.ts';

/** Saves a new key and keeps those of other providers. Throws WrongUse. */
export function saveKey(key: ChosenKey | undefined, context: Context): void {
  if (key?.from !== 'user') return;
  const { env } = context;
  const file = credentialsFile(env);
  locked(file, () => {
    const keys = new Map([...readCredentials(env), [key.variable, key.key]]);
    writePrivate(file, credentialsText(keys), 'nothing was saved');
  });
  say(`Saved ${key.variable} in ${shownHome(file, env)}, which only you can read.`, context);
  if (env[key.variable]) context.tell(`warning: ${key.variable} is also set in this shell, and wins there`);
}

function say(line: string, context: Context): void {
  context.print(wrapProse(harmless(line), context.columns, '  '));
}

/** Saves a new key, and the provider in the user's configuration. Throws WrongUse. */
export function save(chosen: ChosenProvider, key: ChosenKey | undefined, context: Context): void {
  const { env } = context;
  saveKey(key, context);
  const file = userConfigFile(env);
  locked(file, () => {
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const after = setProvider(before, chosen);
    if (after !== before)
      writePrivate(file, after, key?.from === 'user' ? 'only the key was saved' : 'nothing was saved');
  });
  say(`Saved provider ${chosen.type} in ${shownHome(file, env)}.`, context);
  warnOfOthers(chosen, context);
  say('Next: `holdfast chat "what is in this folder?"`', context);
}

/** A folder's configuration or a variable may name another provider. */
function warnOfOthers({ type }: ChosenProvider, { cwd, env, tell }: Context): void {
  try {
    const { config, sources } = loadConfig({ cwd, env, user: userConfigFile(env), trusted: false });
    const source = sources['provider.type'];
    if (config.provider.type !== type && source)
      tell(`warning: here, ${sourceText(source, cwd)} sets ${config.provider.type}, which overrides your choice`);
  } catch {
    // A broken configuration of this folder is reported by the commands that use it.
  }
}
