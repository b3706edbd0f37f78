import { parseArgs } from 'node:util';
import type { StrategyName } from 'holdfast';
import type { GeneratedDialect } from '../generate.ts';

/** What to replay and how. */
export interface Options {
  readonly seed: number;
  readonly messages: number;
  readonly maxTokens: number;
  readonly strategy: StrategyName;
  readonly dialect: GeneratedDialect;
}

/** Invalid input; the message is one line for the user. */
export class WrongInput extends Error {}

export const HELP = `Replays a long generated conversation of a coding agent through a ConversationWindow.

Usage: npm run window -- [options]

  --seed N             which conversation to generate (default 1)
  --messages N         its length in messages (default 600)
  --max-tokens N       maximum tokens per request (default 30000)
  --strategy NAME      fold, sliding, governed, two-tier or rolling (default fold)
  --dialect NAME       anthropic or openai-chat (default anthropic)
  --help               show this text`;

const STRATEGIES = ['fold', 'sliding', 'governed', 'two-tier', 'rolling'] as const;
const DIALECTS = ['anthropic', 'openai-chat'] as const;

/** The options, or undefined for --help. Throws WrongInput. */
export function readOptions(args: readonly string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  return {
    seed: whole('--seed', values.seed, 0, 4_294_967_295),
    messages: whole('--messages', values.messages, 2, 20_000),
    maxTokens: whole('--max-tokens', values['max-tokens'], 1, 10_000_000),
    strategy: oneOf('--strategy', values.strategy, STRATEGIES),
    dialect: oneOf('--dialect', values.dialect, DIALECTS),
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string', default: '1' },
        messages: { type: 'string', default: '600' },
        'max-tokens': { type: 'string', default: '30000' },
        strategy: { type: 'string', default: 'fold' },
        dialect: { type: 'string', default: 'anthropic' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (cause) {
    const [reason = 'invalid options'] = String(cause instanceof Error ? cause.message : cause).split(/\n|\. /);
    throw new WrongInput(`${reason.replace(/\.$/, '')}: see --help`, { cause });
  }
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new WrongInput(`${name} takes a whole number from ${least} to ${most}, not "${text}"`);
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text);
  if (found !== undefined) return found;
  throw new WrongInput(`${name} takes ${allowed.join(' or ')}, not "${text}"`);
}
