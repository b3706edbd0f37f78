import type { Violation } from '../dialect.ts';
import { sameValue } from '../json/same-value.ts';
import { readTurns } from '../turns/read-turns.ts';
import { show } from './compare.ts';
import type { Conversation } from './conversations.ts';
import { type Demand, eachMessage, refusal, type Subject } from './demand.ts';

/** Requirements for `validate`, `recognizes` and turns. */
export const RULE_DEMANDS: readonly Demand[] = [
  {
    name: 'turns keep together what belongs together',
    fix: 'Check role, calls, results and `joined` in `read`, and `resultsTogether`, `splitResponses` and `systemInside`.',
    *check({ dialect, conversations }) {
      for (const { seed, said, history } of conversations) {
        const inside = (kind: string) =>
          kind === 'results' || (kind === 'system' && dialect.systemInside === 'after-user');
        const wanted = said.filter(({ kind }) => !inside(kind)).map(({ at }) => at);
        const starts = readTurns(dialect, history).map(({ from }) => from);
        if (!sameValue(starts, wanted))
          yield `conversation ${seed}: turns start at ${show(starts)}, not ${show(wanted)}`;
      }
    },
  },
  {
    name: 'validate accepts valid conversations',
    fix: 'Refuse only what the API refuses.',
    *check({ dialect, conversations }) {
      for (const { seed, said, history } of conversations) {
        for (const { kind, at, messages } of said) {
          if (kind === 'assistant') continue;
          const end = at + messages.length;
          yield* refusals(`conversation ${seed} up to message ${end - 1}`, dialect.validate(history.slice(0, end)));
        }
      }
    },
  },
  {
    name: 'validate accepts every part of a valid conversation',
    fix: 'With `part: true`, skip the rules about the first message and about totals.',
    *check(subject) {
      const { dialect } = subject;
      for (const { seed, history } of subject.conversations) {
        for (const start of turnStarts(subject, history)) {
          for (const from of [start, Math.max(0, start - 1)])
            yield* refusals(
              `conversation ${seed} from message ${from}`,
              dialect.validate(history.slice(from), { part: true }),
            );
        }
      }
    },
  },
  {
    name: 'validate refuses broken messages',
    fix: 'Return a violation with the index of the message, the name of the rule and the fix.',
    *check({ dialect, fixture }) {
      for (const [i, { rule, index, messages }] of (fixture.broken ?? []).entries()) {
        const found = dialect.validate(messages);
        if (!found.some((one) => one.rule === rule && one.index === index))
          yield `broken ${i}: "${rule}" at ${index} is not among ${show(found)}`;
        for (const one of found) {
          const isPlace = Number.isInteger(one.index) && one.index >= -1 && one.index < messages.length;
          if (!isPlace || !one.rule || !one.fix) yield `broken ${i}: ${show(one)} lacks a place, a rule or a fix`;
        }
      }
    },
  },
  {
    name: 'a call without its result, and a result without its call, are noticed',
    fix: 'Let `read` return the same id for a call and its result.',
    *check(subject) {
      const { dialect, fixture } = subject;
      const call = { id: 'call_x', name: 'search', input: { pattern: 'x' } };
      const [ask, calls, results] = [
        [fixture.user('Go.')],
        fixture.assistant('', [call]),
        fixture.results([{ id: 'call_x', name: 'search', content: 'found' }]),
      ];
      const cases = [
        ['a call without a result', [...ask, ...calls, ...ask], false],
        ['a call at the end', [...ask, ...calls], false],
        ['a result without a call', [...ask, ...results], false],
        ['a second result', [...ask, ...calls, ...results, ...results], false],
        ['a call with its result', [...ask, ...calls, ...results], true],
      ] as const;
      for (const [name, messages, isWhole] of cases) {
        const error = refusal(dialect, messages);
        if (isWhole !== (error === undefined))
          yield `${name} is ${error === undefined ? 'accepted' : `refused: ${error}`}`;
      }
    },
  },
  {
    name: 'a note is valid between any two turns',
    fix: 'Make the note a plain message of its role.',
    *check(subject) {
      const { dialect } = subject;
      for (const { seed, history } of subject.conversations) {
        const first = history.findIndex((message) => dialect.read(message).role === 'user');
        for (const at of turnStarts(subject, history).filter((start) => start > first)) {
          const [before, next] = [history[at - 1], history[at]].map((message) => message && dialect.read(message).role);
          const instructed = before === 'system' && dialect.systemInside === 'after-user';
          const note = dialect.note(next === 'user' || instructed ? 'assistant' : 'user', 'What was said before.');
          const error = refusal(dialect, [...history.slice(0, at), note, ...history.slice(at)]);
          if (error) yield `conversation ${seed}, a note before message ${at}: ${error}`;
        }
      }
    },
  },
  {
    name: 'recognizes accepts its own messages',
    fix: 'Return true for what only this format has, undefined for what other formats have, too, and false otherwise.',
    *check(subject) {
      const { dialect } = subject;
      for (const { message, place } of eachMessage(subject)) {
        const verdict: unknown = dialect.recognizes(message);
        if (verdict !== true && verdict !== undefined) yield `${place}: ${show(verdict)} for ${show(message)}`;
      }
      for (const foreign of [null, undefined, 3, 'text', true, []])
        if (dialect.recognizes(foreign) !== false) yield `recognizes(${show(foreign)}) is not false`;
      if (dialect.recognizes({}) === true) yield 'recognizes({}) is true';
    },
  },
];

function* refusals(place: string, violations: readonly Violation[]): Generator<string> {
  for (const { index, rule, fix } of violations) yield `${place}: "${rule}" at ${index} (${fix})`;
}

function turnStarts<M>({ dialect }: Subject<M>, history: Conversation<M>['history']): number[] {
  return readTurns(dialect, history).map(({ from }) => from);
}
