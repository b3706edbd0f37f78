import type { HoldfastConfig } from '@holdfast/agent';
import { credentialsFile, missingKey } from '@holdfast/agent/config';
import type { Context } from '../context.ts';
import { shownHome } from '../home.ts';
import { wrapProse } from '../view/prose.ts';
import { openAsker } from './ask.ts';
import { chooseKey } from './choose-key.ts';
import { saveKey } from './save.ts';
import { savesAnyway } from './setup.ts';
import { isAnswering } from './try-provider.ts';

/**
 * Asks for a missing key on a terminal, tries it and saves it, so that a first chat needs no other command. Does nothing without
 * a terminal. Throws Interrupted or WrongUse.
 */
export async function askForKey({ provider, models }: HoldfastConfig, context: Context): Promise<void> {
  const { type, base_url } = provider;
  const asker = missingKey(provider, context.env) ? openAsker() : undefined;
  if (!asker) return;
  const file = shownHome(credentialsFile(context.env), context.env);
  const hello = `There is no key for ${type} yet. It is asked for once, and saved in ${file}. To choose another provider, press Ctrl-C and run \`holdfast setup\`; to try without a key, add \`--provider stand-in\`.`;
  try {
    asker.say(wrapProse(hello, process.stderr.columns));
    for (;;) {
      const key = await chooseKey(type, base_url, context, asker);
      if ((await isAnswering(provider, models, key, context, asker.signal)) || (await savesAnyway(asker)))
        return saveKey(key, { ...context, print: context.tell });
    }
  } finally {
    asker.close();
  }
}
