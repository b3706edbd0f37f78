import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { ConversationWindow, isHoldfastError, type KeptTurn, memoryArchive, type Reminder } from '../src/index.ts';
import { restoreState } from '../src/state/restore-state.ts';
import { dialectOf, FORMATS, type Format, handlesOf, type Scenario, scenarios, type Wire } from './histories.ts';
import { bare, isSameJson, violationsOf } from './promises.ts';

const numRuns = SOAK ? 5_000 : 40;

/** One step of a person who folds, undoes, continues and comes back later. */
type Deed = 'go on' | 'compact' | 'undo' | 'redo' | 'restart' | 'pin' | 'unpin';

const deeds = fc.array(
  fc.constantFrom<Deed>(
    'go on',
    'go on',
    'go on',
    'compact',
    'undo',
    'undo',
    'redo',
    'redo',
    'restart',
    'pin',
    'unpin',
  ),
  { minLength: 10, maxLength: 60 },
);

/** What is known to be at a place of the log: the same messages and the same folds must give the same bytes, whenever. */
async function wander(scenario: Scenario, path: readonly Deed[], format: Format): Promise<string[]> {
  const complaints: string[] = [];
  const parts = {
    dialect: dialectOf(format, scenario.thinking),
    handles: handlesOf(scenario),
    archive: memoryArchive<Wire>(),
    logger: { warn() {} },
  };
  const { limit: _, ...config } = scenario.config;
  let window = new ConversationWindow<Wire>(config, parts);
  const met = new Map<string, readonly Wire[]>();
  const history: Wire[] = [];
  const steps = [...scenario.steps];
  /** What a log would keep of the view: its turns up to the last fold, undo or redo. */
  let log: { readonly told: number; readonly turns: readonly KeptTurn[] } = { told: 0, turns: [] };
  let reminders: Reminder[] = [];
  let mark = '';
  const allowed = async (doing: () => Promise<unknown>) => {
    await doing().catch((error: unknown) => {
      if (!isHoldfastError(error) || !['OVER_BUDGET', 'BAD_PIN'].includes(error.code)) throw error;
    });
  };
  for (const deed of path) {
    let added: Reminder | undefined;
    if (deed === 'go on') {
      do history.push(...(steps[0]?.messages ?? []));
      while (steps.shift()?.ask === false);
      await allowed(async () => {
        ({ reminder: added } = await window.fit([...history]));
      });
    } else if (deed === 'compact') await allowed(() => window.compact([...history]));
    else if (deed === 'undo') await allowed(() => window.undo());
    else if (deed === 'redo') await allowed(() => window.redo());
    else if (deed === 'pin') await allowed(async () => window.pin(scenario.dice % Math.max(1, history.length)));
    else if (deed === 'unpin') window.unpin(window.state().pins[0] ?? 0);
    else window = new ConversationWindow<Wire>(config, { ...parts, state: JSON.parse(JSON.stringify(window.state())) });
    const state = window.state();
    const { view, seen, pins, folds } = state;
    const { covered = 0, kept = [] } = state.log.at(-1) ?? {};
    const now = `${folds} ${covered}`;
    const isOther = deed === 'undo' || deed === 'redo' || now !== mark;
    if (deed === 'undo' || deed === 'redo') log = { told: seen, turns: state.turns };
    else if (now !== mark) log = { told: covered, turns: kept };
    reminders = [...(isOther ? [] : reminders), ...(added ? [{ at: added.at, text: added.text }] : [])];
    mark = now;
    const { view: _view, ...without } = state;
    const filled = await restoreState(
      parts.dialect,
      { ...without, ...log, reminders },
      (index) => history[index] as Wire,
    );
    if (!isSameJson([filled.view, filled.turns], [view, state.turns]))
      complaints.push(`${deed}: another state from the log`);
    const firm = scenario.thinking === 'free' ? pins.filter((pin) => pin < seen) : [];
    const stands = new Set(firm.length === 0 ? [] : view.map((message) => bare(message as Wire)));
    for (const pin of firm)
      if (!stands.has(bare(history[pin] as Wire))) complaints.push(`${deed}: pinned ${pin} is gone`);
    for (const { rule, index } of violationsOf(format, view as Wire[])) {
      if (seen > 0 && deed !== 'go on') complaints.push(`${deed}: ${rule} at ${index}`);
    }
    if (scenario.thinking === 'bound') continue;
    const place = JSON.stringify([seen, state.log, pins]);
    const first = met.get(place) ?? (view as Wire[]);
    if (!isSameJson(first, view) && first.map(bare).join() !== view.map((message) => bare(message as Wire)).join())
      complaints.push(`${deed}: another view than the first time at ${seen} messages, ${state.log.length} folds`);
    met.set(place, view as Wire[]);
  }
  return complaints;
}

test.each(FORMATS.flatMap((format) => [[format, 'free'] as const, [format, 'bound'] as const]))(
  'fold, undo, fold, redo in any order, in %s with %s thinking: each state is as it was the first time',
  async (format, thinking) => {
    const property = fc.asyncProperty(scenarios(format, thinking), deeds, async (scenario, path) => {
      expect((await wander(scenario, path, format)).slice(0, 3)).toEqual([]);
    });
    await fc.assert(property, { numRuns, ...(SOAK ? {} : { seed: 20261115 }), endOnFailure: true });
  },
  600_000,
);
