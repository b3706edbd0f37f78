import { type RecordedRequest, toolLoop } from '@holdfast/stand-in';
import { claudeCode } from '../claude-code.ts';
import { partName } from '../workspace.ts';
import { checked, foldsIn, type Scenario, throughProxy, unless } from './scenario.ts';

const PARTS = 40;
const DEFERRED = ['CronList', 'WebFetch'];
const REFERENCES = JSON.stringify(DEFERRED.map((tool_name) => ({ type: 'tool_reference', tool_name })));

/** Searches, reads all parts, and then calls one of the tools that it found. */
const script = toolLoop({
  calls: PARTS + 2,
  command(n) {
    if (n === 1) return { name: 'ToolSearch', input: { query: `select:${DEFERRED.join(',')}`, max_results: 5 } };
    return n === PARTS + 2 ? { name: 'CronList', input: {} } : `cat ${partName(n - 1)}`;
  },
});

/** Tools that the client loads on demand stay loaded, however often the conversation is folded. */
export const toolSearch: Scenario = {
  name: 'tool-search',
  clients: [claudeCode],
  run: (client) =>
    throughProxy(client, { calls: PARTS, script }, async (run) => {
      const end = await run.start(client);
      const { requests } = run.stand_in;
      const { problems } = checked(client, requests, PARTS, [end]);
      const folds = foldsIn(run);
      const after = requests.slice(requests.findIndex(hasReferences));
      const intact = after.filter(hasReferences).length;
      return {
        figures: `${folds} folds, the tool references in ${intact} of ${after.length} requests after the search`,
        problems: [
          ...problems,
          ...unless(folds >= 3, `only ${folds} folds`),
          ...unless(intact === after.length && intact > PARTS, 'requests without the tool references'),
        ],
      };
    }),
};

function hasReferences({ body }: RecordedRequest): boolean {
  return JSON.stringify(body).includes(`"content":${REFERENCES}`);
}
