import type { RecordedRequest } from '@holdfast/stand-in';
import { claudeCode } from '../claude-code.ts';
import { codex } from '../codex.ts';
import { checked, type Scenario, throughProxy, unless } from './scenario.ts';

const PARTS = 40;

/** Two clients with the same prompt and, on the stand-in, the same answers fold as often as one alone. */
export const twins: Scenario = {
  name: 'twins',
  clients: [claudeCode, codex],
  async run(client) {
    let alone = 0;
    const one = await throughProxy(client, { calls: PARTS }, async (run) => {
      const end = await run.start(client);
      const { measured, problems } = checked(client, run.stand_in.requests, PARTS, [end]);
      alone = measured.folds;
      return { figures: '', problems };
    });
    const two = await throughProxy(client, { calls: PARTS }, async (run) => {
      const ends = await Promise.all([run.start(client), run.start(client)]);
      const each = bySession(run.stand_in.requests).map((requests) => checked(client, requests, PARTS, ends));
      const folds = each.map(({ measured }) => measured.folds);
      return {
        figures: `${folds.join(' and ')} folds, ${alone} alone`,
        problems: [
          ...each.flatMap(({ problems }) => problems),
          ...unless(each.length === 2, `${each.length} sessions instead of 2`),
          // Codex does not always start with the same tools, so that a fold may come a request earlier.
          ...unless(alone > 0 && folds.every((count) => Math.abs(count - alone) <= 1), 'they do not fold as one alone'),
        ],
      };
    });
    return { ...two, problems: [...one.problems, ...two.problems] };
  },
};

/** The requests of each session, by the id that clients send in the body. */
function bySession(requests: readonly RecordedRequest[]): (readonly RecordedRequest[])[] {
  const sessions = new Set(requests.flatMap((request) => sessionOf(request) ?? []));
  return [...sessions].map((session) => requests.filter((request) => sessionOf(request) === session));
}

function sessionOf({ body }: RecordedRequest): string | undefined {
  const fields = (body ?? {}) as { metadata?: { user_id?: string }; prompt_cache_key?: string };
  const { metadata, prompt_cache_key: key } = fields;
  return key ?? /"session_id":"([^"]+)"/.exec(metadata?.user_id ?? '')?.[1];
}
