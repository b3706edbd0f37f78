import { anthropicApi, type Tool } from '@holdfast/agent';
import { CrewExecutor, usageTable } from '@holdfast/crew';

const lookUp: Tool = {
  name: 'look_up',
  description: 'Finds where something is',
  input_schema: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  run: () => 'src/parser.ts, line 12',
};

/** Asks a crew of two agents, then asks a follow-up question. Returns the last answer. */
export async function askCrew(base_url: string, api_key: string): Promise<string> {
  const crew = new CrewExecutor(
    {
      entry: 'lead',
      agents: {
        lead: { role: 'Send each question to the agent that can answer it.', hand_offs: ['clerk'] },
        clerk: { role: 'Answer.', tools: ['look_up'], terminal: true },
      },
    },
    { provider: () => anthropicApi({ base_url, api_key, model: 'claude-sonnet-5' }), tools: [lookUp] },
  );
  const first = await crew.execute('Where is the parser?'); // status, output, history, usage
  for await (const event of crew.executeStream('And its tests?', first.history))
    if (event.type === 'text-delta') process.stdout.write(event.text);
  console.log(usageTable(first.usage)); // every agent's window, folds, tokens and cost, and the crew's
  return first.output;
}
