import { availableParallelism } from 'node:os';
import { nearest } from '@holdfast/agent/config';
import { MODELS, type ModelOverrides, modelInfo } from '@holdfast/models';
import { POLICIES, wantsSummaries } from '@holdfast/replay';
import type { ReportPlan, Settings } from '@holdfast/replay/report';
import type { ConversationHistoryConfig } from 'holdfast';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { countOf } from '../flag-values.ts';
import { halfIn, listOf, percentIn, readPolicies, readPrices, readSummaries, tokensIn } from './flags.ts';

type Policy = 'policy' | 'policies' | 'budget' | 'reserve' | 'model' | 'prices' | 'summaries';
type Limit = 'minTokens' | 'half' | 'minKept' | 'workers';
type File = 'store' | 'html' | 'missingSummaries';
type Switch = 'probes' | 'trust' | 'json' | 'advise';

/** The flags of `holdfast replay`. */
export type ReplayFlags = { readonly [F in Policy | Limit | File]?: string } & {
  readonly [F in Switch]?: boolean;
} & { readonly session?: readonly string[] };

/** The checked flags. */
export interface Plan extends ReportPlan {
  readonly minTokens: number;
  /** Use only this half of the conversations. */
  readonly half?: 1 | 2;
  readonly workers: number;
  /** Policies that need summaries that are not recorded; the digest replaces them. */
  readonly unmeasured: readonly string[];
}

type Configs = Readonly<Record<string, ConversationHistoryConfig>>;

const BUDGETS = '20k,40k,80k';
const RESERVE = '10k';
const STRATEGIES = POLICIES.filter((name) => !name.includes('+'));

/** Checks the flags and reads the files they name. Throws WrongUse or BAD_CONFIG. */
export function planOf(flags: ReplayFlags, { cwd }: Pick<Context, 'cwd'>): Plan {
  const configs = readPolicies(flags.policies, cwd);
  const own = Object.keys(configs);
  const policies =
    flags.policy === undefined ? defaultPolicies(own) : listOf(flags.policy, '--policy', POLICIES.join(', '));
  for (const name of policies) checkPolicy(name, [...POLICIES, ...own]);
  const budgets = listOf(flags.budget ?? BUDGETS, '--budget', BUDGETS).map((text) => tokensIn(text, '--budget', 1_000));
  const { overrides, source, date } = readPrices(flags.prices, cwd);
  const { model } = flags;
  if (model !== undefined) checkModel(model, overrides);
  // --missing-summaries is the first step, before any summary is recorded.
  const summaries =
    readSummaries(flags.summaries, cwd) ?? (flags.missingSummaries === undefined ? undefined : new Map());
  if (flags.missingSummaries !== undefined) checkWantsSummaries(policies, configs);
  const half = halfIn(flags.half);
  const measured = policies.filter((policy) => summaries !== undefined || !policy.endsWith('+summary'));
  if (measured.length === 0)
    throw new WrongUse(
      `${policies.join(', ')}: pass recorded model summaries with --summaries; --missing-summaries FILE writes their prompts`,
    );
  return {
    settings: {
      combinations: measured.flatMap((policy) => combinations(policy, budgets, configs)),
      reserve: tokensIn(flags.reserve ?? RESERVE, '--reserve', 0),
      overrides,
      traced: flags.html !== undefined,
      probes: flags.probes === true,
      ...(model === undefined ? {} : { model }),
      ...(summaries ? { summaries } : {}),
    },
    minTokens: tokensIn(flags.minTokens ?? '0', '--min-tokens', 0),
    minKept: percentIn(flags.minKept ?? '95', '--min-kept'),
    workers: countOf(flags.workers, '--workers', availableParallelism(), 1, 99),
    prices: { source, date },
    unmeasured: summaries?.size ? [] : policies.filter((policy) => wantsSummaries(policy, configs[policy])),
    ...(half === undefined ? {} : { half }),
  };
}

/** The user's own policies and those to compare them with. */
function defaultPolicies(own: readonly string[]): readonly string[] {
  return own.length > 0 ? ['everything', 'fold', ...own] : STRATEGIES;
}

function combinations(policy: string, budgets: readonly number[], configs: Configs): Settings['combinations'] {
  if (policy === 'everything') return [{ policy }];
  const config = Object.hasOwn(configs, policy) ? configs[policy] : undefined;
  return budgets.map((budget) => ({ policy, budget, ...(config ? { config } : {}) }));
}

function checkPolicy(name: string, known: readonly string[]): void {
  if (known.indexOf(name) !== known.lastIndexOf(name))
    throw new WrongUse(`--policies redefines the built-in policy ${name}: choose another name`);
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  throw new WrongUse(
    `unknown --policy "${name}"${meant ? ` (did you mean ${meant}?)` : ''}: expected some of ${known.join(', ')}`,
  );
}

function checkWantsSummaries(policies: readonly string[], configs: Configs): void {
  if (policies.some((policy) => wantsSummaries(policy, configs[policy]))) return;
  throw new WrongUse(
    `--missing-summaries: none of ${policies.join(', ')} asks for summaries: add a policy that does, such as fold+summary`,
  );
}

function checkModel(model: string, overrides: ModelOverrides): void {
  const { known, prices } = modelInfo(model, overrides);
  if (prices?.input !== undefined && prices.cache_read !== undefined) return;
  const meant = known ? undefined : nearest(model, Object.keys(MODELS));
  const lacking = prices?.input === undefined ? 'input' : 'cache_read';
  const why = known || prices ? `has no known ${lacking} price` : 'is unknown';
  throw new WrongUse(
    `--model ${model} ${why}${meant ? ` (did you mean ${meant}?)` : ''}: pass its prices with --prices, a file with models: { ${model}: { prices: { input, cache_read, cache_write } } }`,
  );
}
