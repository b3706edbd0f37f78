import { budgetProblem } from '@holdfast/models';
import type { UpstreamAddresses } from '@holdfast/proxy';
import type { Keep } from '@holdfast/sessions';
import type { Preference } from 'holdfast';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { portOf } from '../flag-values.ts';
import { ownConfig } from '../load-with-flags.ts';

/** The flags of `holdfast proxy`. */
export interface ProxyFlags {
  readonly store?: string | false;
  readonly port?: string;
  readonly budget?: string;
  readonly prefer?: Preference;
  readonly anthropic?: string;
  readonly openai?: string;
  readonly gemini?: string;
  readonly keepDays?: string;
  readonly keepGb?: string;
  readonly json?: boolean;
}

/** Flags and the user's own configuration; a folder's is never read, because it could name where your keys are sent. */
export interface ProxySettings {
  readonly port: number;
  readonly max_tokens?: number;
  readonly prefer?: Preference;
  readonly upstreams: UpstreamAddresses;
  readonly keepMs: number;
  readonly maxBytes: Keep['maxBytes'];
}

export const PROXY_PORT = 4142;
const DAY_MS = 86_400_000;

/** Reads the settings. `isAlone`: without a client to start, the port is the usual one. Throws WrongUse and BAD_CONFIG. */
export function readSettings(flags: ProxyFlags, context: Context, isAlone: boolean): ProxySettings {
  const { execution, proxy } = ownConfig(context);
  const { max_tokens: usual = 0, prefer = execution.conversation.prefer } = { ...execution.conversation, ...flags };
  const max_tokens = tokensOf(flags.budget) ?? (usual > 0 ? usual : undefined);
  const { anthropic = proxy.anthropic, openai = proxy.openai, gemini = proxy.gemini } = flags;
  const named = Object.entries({ anthropic, openai, gemini }).filter(([, address]) => address !== undefined);
  return {
    port: portOf(flags.port, isAlone ? PROXY_PORT : 0),
    ...(max_tokens === undefined ? {} : { max_tokens }),
    ...(prefer === undefined ? {} : { prefer }),
    upstreams: Object.fromEntries(named),
    keepMs: DAY_MS * numberOf(flags.keepDays, '--keep-days', 30),
    maxBytes: 1e9 * numberOf(flags.keepGb, '--keep-gb', 5),
  };
}

function tokensOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, thousand] = /^([1-9]\d{0,8})(k?)$/i.exec(text) ?? [];
  if (count === undefined)
    throw new WrongUse(`invalid --budget "${text}": expected a number of tokens, such as 40000 or 40k`);
  const budget = Number(count) * (thousand === '' ? 1 : 1_000);
  const problem = budgetProblem(budget);
  if (problem) throw new WrongUse(`invalid --budget "${text}": ${problem}`);
  return budget;
}

function numberOf(text: string | undefined, flag: string, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,6}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new WrongUse(`invalid ${flag} "${text}": expected a number, 0 or more`);
}
