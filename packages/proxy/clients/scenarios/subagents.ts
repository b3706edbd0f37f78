import { type Prompt, type RecordedRequest, type Script, toolLoop } from '@holdfast/stand-in';
import { claudeCode } from '../claude-code.ts';
import { partEdges, partName } from '../workspace.ts';
import { checked, foldsIn, type Scenario, throughProxy, unless } from './scenario.ts';

const PARTS = 25;
const SIDES = ['first', 'second'] as const;
type Side = (typeof SIDES)[number];

/** Starts the subagents at once; each reads its own half of the parts. */
function script(sides: readonly Side[]): Script {
  return (prompt) => {
    const side = sides.find((one) => isOf(one, prompt));
    if (side) return readHalf(side)(prompt);
    if (prompt.results.length > 0 || prompt.tools.length === 0) return { text: 'Done.' };
    const calls = sides.map((one) => {
      const input = { description: one, prompt: task(one), subagent_type: 'general-purpose', run_in_background: false };
      return { id: `call_agent_${one}`, name: 'Agent', input };
    });
    return { text: 'Subagents read the parts.', calls };
  };
}

function task(side: Side): string {
  return `Read the ${side} half of the parts.`;
}

function isOf(side: Side, { messages }: Prompt): boolean {
  return messages.find(({ role }) => role === 'user')?.text.includes(task(side)) ?? false;
}

function readHalf(side: Side): Script {
  const [from] = halfOf(side);
  return toolLoop({ calls: PARTS, command: (n) => `cat ${partName(from + n)}` });
}

/** The parts of a side: all after the first number, up to the second. */
function halfOf(side: Side): readonly [number, number] {
  return side === 'first' ? [0, PARTS] : [PARTS, 2 * PARTS];
}

/** Subagents share the session id of the client, and are still conversations of their own. */
export const subagents: Scenario = {
  name: 'subagents',
  clients: [claudeCode],
  async run(client) {
    let alone = 0;
    const one = await throughProxy(client, { calls: 2 * PARTS, script: script(['first']) }, async (run) => {
      const end = await run.start(client);
      const { problems } = checked(client, run.stand_in.requests, PARTS, [end]);
      alone = foldsIn(run);
      return { figures: '', problems };
    });
    const two = await throughProxy(client, { calls: 2 * PARTS, script: script(SIDES) }, async (run) => {
      const end = await run.start(client);
      const { requests } = run.stand_in;
      const { problems } = checked(client, requests, 2 * PARTS, [end]);
      const mixed = requests.filter(isMixed).length;
      const folds = foldsIn(run);
      return {
        figures: `${folds} folds of two, ${alone} of one alone; ${mixed} requests with parts of both`,
        problems: [
          ...problems,
          ...unless(folds === 2 * alone && alone > 0, `${folds} folds instead of ${2 * alone}`),
          ...unless(mixed === 0, `${mixed} requests have parts of both`),
        ],
      };
    });
    return { ...two, problems: [...one.problems, ...two.problems] };
  },
};

function isMixed({ body }: RecordedRequest): boolean {
  const text = JSON.stringify(body);
  const isIn = (side: Side) => {
    const [from, to] = halfOf(side);
    return Array.from({ length: to - from }, (_, at) => partEdges(from + at + 1)[0]).some((edge) =>
      text.includes(edge),
    );
  };
  return SIDES.every(isIn);
}
