import { randomBytes } from 'node:crypto';
import { HoldfastError } from 'holdfast';
import type { SessionStore } from '../store.ts';
import type { OpenStore, StoreDemand } from './demand.ts';
import { HISTORY_DEMANDS } from './history-demands.ts';
import { LIST_DEMANDS } from './list-demands.ts';
import { LOG_DEMANDS } from './log-demands.ts';
import { SEARCH_DEMANDS } from './search-demands.ts';
import { SHARING_DEMANDS } from './sharing-demands.ts';

export type { OpenStore } from './demand.ts';

/** A demand that a store does not meet. */
export interface StoreFinding {
  readonly demand: string;
  /** What was found. */
  readonly problems: readonly string[];
  /** What to change in the store. */
  readonly fix: string;
}

/** `test` of vitest, node:test or Jest. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

const DEMANDS = [...LOG_DEMANDS, ...HISTORY_DEMANDS, ...LIST_DEMANDS, ...SEARCH_DEMANDS, ...SHARING_DEMANDS];
/** More would push the first off the screen. */
const MOST_PROBLEMS = 3;

/** Registers one test for each demand on a store. A failing test throws a HoldfastError with the problem and the fix. */
export function testStore(name: string, open: OpenStore, test: RegisterTest): void {
  for (const demand of DEMANDS) {
    test(`${name}: ${demand.name}`, async () => {
      const finding = await findingOf(demand, open);
      if (finding) throw unmet(name, finding);
    });
  }
}

/** Every demand that the store does not meet; empty if it meets all. */
export async function checkStore(open: OpenStore): Promise<StoreFinding[]> {
  const findings: StoreFinding[] = [];
  for (const demand of DEMANDS) {
    const finding = await findingOf(demand, open);
    if (finding) findings.push(finding);
  }
  return findings;
}

async function findingOf({ name, fix, check }: StoreDemand, open: OpenStore): Promise<StoreFinding | undefined> {
  const place = `demand_${randomBytes(6).toString('hex')}`;
  const opened: SessionStore[] = [];
  const another = async () => {
    const store = await open(place);
    opened.push(store);
    return store;
  };
  const problems: string[] = [];
  try {
    for await (const problem of check({ store: await another(), another })) {
      problems.push(problem);
      if (problems.length === MOST_PROBLEMS) break;
    }
  } catch (error) {
    problems.push(`threw ${String(error)}`);
  } finally {
    for (const store of opened) await store.close();
  }
  return problems.length === 0 ? undefined : { demand: name, problems, fix };
}

function unmet(name: string, finding: StoreFinding): HoldfastError {
  const { demand, problems, fix } = finding;
  return new HoldfastError('BAD_STORE', `${name}: ${demand}. ${fix}\n${problems.join('\n')}`, { ...finding });
}
