import type { ConversationHistoryConfig } from '../packages/engine/src/index.ts';
import { DIALS, type Dial, foldStrategy, VALUES, type Values } from '../packages/engine/src/strategies/fold.ts';
import { createPolicy, type ReplayResult, replay, summarize } from '../packages/replay/src/index.ts';
import { recordedConversations } from './recorded-folds.ts';

/*
 * npm run tune: for each source of recorded conversations, the rule that is best on all other sources, and what it does on the
 * one left out, as tables for docs/decisions/0036. HOLDFAST_TRANSCRIPTS_MORE is a folder of recordings, with a folder for each
 * source. Takes some minutes.
 */

const BUDGET = 40_000;
const RESERVE = 10_000;
/** Points of cost (hundredths of sending everything) that a point of spans and of coverage may cost: the slope of `balance`. */
const SPANS = 0.6;
const COVERAGE = 1;

/** A change to the rules, by which a fold is measured. */
interface Rule {
  readonly name: string;
  readonly dial?: Partial<Dial>;
  readonly values?: Partial<Values>;
  readonly config?: ConversationHistoryConfig;
}

const scaled = (key: keyof Values, by: number): Rule => ({
  name: `${key} × ${by}`,
  values: { [key]: { ...VALUES[key], worth: by * VALUES[key].worth } },
});

const RULES: readonly Rule[] = [
  { name: 'as it is' },
  ...(Object.keys(VALUES) as (keyof Values)[]).flatMap((key) => [scaled(key, 0.3), scaled(key, 3)]),
  { name: 'keeps more', dial: { least: 0.8 * DIALS.balance.least } },
  { name: 'keeps less', dial: { least: 1.2 * DIALS.balance.least } },
  { name: 'folds earlier', dial: { patience: 0.5 * DIALS.balance.patience } },
  { name: 'folds later', dial: { patience: 2 } },
  { name: 'no reminders', config: { reminders: false } },
];

type Results = ReadonlyMap<string, readonly ReplayResult[]>;

/** The results of a rule, or of sending everything, by source. */
async function measured(folder: string, rule?: Rule): Promise<Results> {
  const bySource = new Map<string, ReplayResult[]>();
  const strategy = foldStrategy({ ...DIALS.balance, ...rule?.dial }, { ...VALUES, ...rule?.values });
  const bounds = { budget: BUDGET, reserve: RESERVE };
  const config = { strategy, max_messages: 0, ...rule?.config };
  const policy = () => (rule ? createPolicy('own', { ...bounds, config }) : createPolicy('everything', bounds));
  for (const one of recordedConversations(folder, BUDGET)) {
    const source = one.name.split(/[\\/]/)[0] ?? '';
    bySource.set(source, [...(bySource.get(source) ?? []), await replay(one, policy)]);
  }
  return bySource;
}

/** A rule's figures on these sources. */
function figures(sources: readonly string[], results: Results, whole: Results) {
  const of = (all: Results) => sources.flatMap((source) => all.get(source) ?? []);
  const { relativeCost = 1, spans = 100, coverage = 100 } = summarize(of(results), of(whole));
  return { relativeCost, spans, coverage, score: SPANS * spans + COVERAGE * coverage - 100 * relativeCost };
}

const show = ({ relativeCost, spans, coverage }: ReturnType<typeof figures>) =>
  `${relativeCost.toFixed(3)} / ${coverage.toFixed(1)} / ${spans.toFixed(1)}`;

const { HOLDFAST_TRANSCRIPTS_MORE: folder } = process.env;
if (!folder) throw new Error('set HOLDFAST_TRANSCRIPTS_MORE to a folder with a folder of recordings for each source');
const whole = await measured(folder);
const tried = new Map<string, Results>();
for (const rule of RULES) {
  tried.set(rule.name, await measured(folder, rule));
  console.error(`${tried.size} of ${RULES.length}: ${rule.name}`);
}
const sources = [...whole.keys()];
const [asItIs = new Map()] = tried.values();
console.log(
  '| left out | best rule on the others | gain there | on the one left out | as it is |\n|---|---|---|---|---|',
);
for (const source of sources) {
  const others = sources.filter((one) => one !== source);
  const scores = [...tried].map(([name, results]) => ({ name, results, ...figures(others, results, whole) }));
  const best = scores.reduce((first, next) => (next.score > first.score ? next : first));
  const gain = best.score - figures(others, asItIs, whole).score;
  const [there, before] = [best.results, asItIs].map((results) => show(figures([source], results, whole)));
  console.log(`| ${source} | ${best.name} | ${gain.toFixed(2)} | ${there} | ${before} |`);
}
console.log('\n| rule | cost / coverage / spans | better on | worse on |\n|---|---|---|---|');
for (const [name, results] of tried) {
  const change = (source: string) => figures([source], results, whole).score - figures([source], asItIs, whole).score;
  const count = (is: (change: number) => boolean) => sources.filter((source) => is(change(source))).length;
  console.log(
    `| ${name} | ${show(figures(sources, results, whole))} | ${count((one) => one > 0.1)} | ${count((one) => one < -0.1)} |`,
  );
}
