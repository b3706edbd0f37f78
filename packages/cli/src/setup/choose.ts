import { PROVIDER_TYPES, type ProviderType, providerOf } from '@holdfast/agent/config';
import { WrongUse } from '../failure.ts';
import type { Asker } from './ask.ts';

/** The provider that the user names by a flag or on the terminal. Throws WrongUse without either. */
export async function chooseProvider(
  named: string | undefined,
  usual: ProviderType,
  asker: Asker | undefined,
): Promise<ProviderType> {
  if (named !== undefined) {
    const type = meant(named);
    if (type) return type;
    throw new WrongUse(`unknown provider "${named}": expected one of ${PROVIDER_TYPES.join(', ')}`);
  }
  if (!asker)
    throw new WrongUse(`there is no terminal to ask on: pass --provider, one of ${PROVIDER_TYPES.join(', ')}`);
  asker.say('Which provider?');
  for (const [i, type] of PROVIDER_TYPES.entries()) asker.say(`  ${i + 1}  ${type.padEnd(14)} ${about(type)}`);
  for (;;) {
    const answer = await asker.line(`Number or name [${usual}]: `);
    const type = answer === '' ? usual : meant(answer);
    if (type) return type;
    asker.say(`Answer with a number from 1 to ${PROVIDER_TYPES.length}, or a name.`);
  }
}

/** By name, by number, or by the start of one name alone. */
function meant(answer: string): ProviderType | undefined {
  if (/^\d+$/.test(answer)) return PROVIDER_TYPES[Number(answer) - 1];
  const exact = PROVIDER_TYPES.find((type) => type === answer);
  const started = PROVIDER_TYPES.filter((type) => answer !== '' && type.startsWith(answer.toLowerCase()));
  return exact ?? (started.length === 1 ? started[0] : undefined);
}

function about(type: ProviderType): string {
  const { server, program, isScript } = providerOf(type) ?? {};
  if (server) return `needs an API key (${server.keys[0]})`;
  if (program) return `uses \`${program.name}\`, with its own login`;
  return isScript ? 'no key: a script plays the model' : '';
}
