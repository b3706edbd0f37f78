import { claudeCode } from '../claude-code.ts';
import { codex } from '../codex.ts';
import { checked, foldsIn, readsHead, type Scenario, throughProxy, unless } from './scenario.ts';

/** A cut stream has sent nothing whole: Codex keeps whole reasoning of an answer, which the API then refuses without the rest. */
const FAULTS = [
  'overloaded',
  { kind: 'mid-reset', after: 2 },
  'server-error',
  { kind: 'early-end', after: 2 },
  'reset',
] as const;

/** Requests fail and streams break off, before and after folds. Clients retry, some with a changed last message. */
export const brokenAnswers: Scenario = {
  name: 'broken-answers',
  clients: [claudeCode, codex],
  run: (client) =>
    throughProxy(client, { calls: 40 }, async (run) => {
      const fine = Array.from({ length: 10 }, () => undefined);
      const faults = FAULTS.flatMap((fault) => [fault, undefined]);
      run.stand_in.fail(...fine, ...faults, ...fine, ...faults);
      const end = await run.start(client);
      const { requests } = run.stand_in;
      const { measured, problems } = checked(client, requests, 40, [end]);
      const retries = requests.flatMap(({ fault }, at) => (fault ? [at + 1] : []));
      const cached = retries.filter((at) => readsHead(requests, at)).length;
      return {
        figures: `${foldsIn(run)} folds, ${measured.refused.length} refused, the head cached at ${cached} of ${retries.length} retries`,
        problems: [
          ...problems,
          ...unless(retries.length === 2 * FAULTS.length, `${retries.length} of ${2 * FAULTS.length} faults met`),
          ...unless(foldsIn(run) > 0, 'no folds'),
          ...unless(cached === retries.length, 'the head was not read from the cache'),
        ],
      };
    }),
};
