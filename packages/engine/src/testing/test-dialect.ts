import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { CHANGE_DEMANDS } from './change-demands.ts';
import { makeConversations } from './conversations.ts';
import type { Demand, Subject } from './demand.ts';
import type { Fixture } from './fixture.ts';
import { PAIR_DEMANDS } from './pair-demands.ts';
import { READ_DEMANDS } from './read-demands.ts';
import { RULE_DEMANDS } from './rule-demands.ts';
import { WINDOW_DEMANDS } from './window-demands.ts';
import { makeRuns, type WindowRun } from './window-runs.ts';

/** A requirement that a dialect does not meet. */
export interface Finding {
  readonly demand: string;
  /** The first places where it fails, and what was found there. */
  readonly problems: readonly string[];
  /** What to change in the dialect. */
  readonly fix: string;
}

/** `test` from vitest, node:test or Jest: registers a test by name. */
export type RegisterTest = (name: string, run: () => Promise<void>) => unknown;

const DEMANDS = [...READ_DEMANDS, ...CHANGE_DEMANDS, ...PAIR_DEMANDS, ...RULE_DEMANDS, ...WINDOW_DEMANDS];
/** More would only hide the first. */
const MOST_PROBLEMS = 3;

/** Registers one test per requirement. A failing test throws a HoldfastError that names the places and what to change. */
export function testDialect<M>(dialect: Dialect<M>, fixture: Fixture<M>, test: RegisterTest): void {
  const subject = subjectOf(dialect, fixture);
  for (const demand of DEMANDS) {
    test(`${dialect.name}: ${demand.name}`, async () => {
      const finding = await findingOf(demand, subject());
      if (finding) throw unmet(dialect.name, finding);
    });
  }
}

/** Every requirement that the dialect does not meet; empty if it is complete. Deterministic; rethrows errors of the fixture. */
export async function checkDialect<M>(dialect: Dialect<M>, fixture: Fixture<M>): Promise<Finding[]> {
  const subject = subjectOf(dialect, fixture)();
  const findings: Finding[] = [];
  for (const demand of DEMANDS) {
    const finding = await findingOf(demand, subject);
    if (finding) findings.push(finding);
  }
  return findings;
}

/** Created when the first test runs, so that an error in the fixture fails a test, not the file. */
function subjectOf<M>(dialect: Dialect<M>, fixture: Fixture<M>): () => Subject<M> {
  let subject: Subject<M> | undefined;
  let runs: Promise<readonly WindowRun<M>[]> | undefined;
  return () => {
    const conversations = subject?.conversations ?? makeConversations(fixture, dialect.systemInside);
    subject ??= {
      dialect,
      fixture,
      conversations,
      runs() {
        runs ??= makeRuns(dialect, conversations);
        return runs;
      },
    };
    return subject;
  };
}

async function findingOf<M>({ name, fix, check }: Demand, subject: Subject<M>): Promise<Finding | undefined> {
  const problems: string[] = [];
  try {
    for await (const problem of check(subject)) {
      problems.push(problem);
      if (problems.length === MOST_PROBLEMS) break;
    }
  } catch (error) {
    problems.push(`threw ${String(error)}`);
  }
  return problems.length === 0 ? undefined : { demand: name, problems, fix };
}

function unmet(dialect: string, finding: Finding): HoldfastError {
  const { demand, problems, fix } = finding;
  return new HoldfastError('BAD_DIALECT', `${dialect}: ${demand}. ${fix}\n${problems.join('\n')}`, { ...finding });
}
