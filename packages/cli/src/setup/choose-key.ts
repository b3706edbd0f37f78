import { findKey, type ProviderType, providerOf } from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import type { Asker } from './ask.ts';

/** The key to try. */
export type ChosenKey =
  | { readonly from: 'user' | 'file'; readonly variable: string; readonly key: string }
  | { readonly from: 'environment'; readonly variable: string };

/** Sent to a server that needs no key: clients insist on one. */
const NO_KEY = 'not-needed';

/**
 * The key of a provider: typed, from standard input if that is not a terminal, from the environment, or as saved. Undefined if the
 * provider needs none. Throws WrongUse.
 */
export async function chooseKey(
  type: ProviderType,
  base_url: string | undefined,
  { env, tell }: Context,
  asker: Asker | undefined,
): Promise<ChosenKey | undefined> {
  const usual = providerOf(type)?.server?.keys[0];
  if (usual === undefined) return undefined;
  const found = findKey({ type }, env);
  const known: ChosenKey | undefined =
    found && (found.file ? { ...found, from: 'file' } : { variable: found.variable, from: 'environment' });
  if (asker) {
    const kept = found && (found.file ? 'Enter keeps the saved one' : `Enter uses ${found.variable}`);
    const hint = kept ?? (base_url === undefined ? 'stays hidden' : 'Enter if none is needed');
    for (;;) {
      const typed = await asker.secret(`API key (${hint}): `);
      if (typed !== '') return { variable: usual, key: checkedKey(typed), from: 'user' };
      if (known) return known;
      if (base_url !== undefined) return { variable: usual, key: NO_KEY, from: 'user' };
      asker.say('Paste your key, or press Ctrl-C to leave.');
    }
  }
  if (known?.from === 'environment') {
    tell(`using ${known.variable} of the environment; it is not saved`);
    return known;
  }
  const piped = (await textOf(process.stdin)).trim();
  if (piped !== '') return { variable: usual, key: checkedKey(piped), from: 'user' };
  if (known) return known;
  throw new WrongUse(
    `no key: pass it on standard input (holdfast setup --provider ${type} < key.txt), or set ${usual}`,
  );
}

function checkedKey(key: string): string {
  if (/^[\x21-\x7e]{1,4096}$/.test(key)) return key;
  throw new WrongUse('a key has no spaces, line breaks or special characters: pass the key alone');
}

const MOST_CHARS = 65_536;

async function textOf(stdin: NodeJS.ReadStream): Promise<string> {
  let text = '';
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_CHARS) break;
  }
  return text;
}
