import type { Tool } from '@holdfast/agent';
import { expect, test } from 'vitest';
import { type CrewEvent, CrewExecutor, type CrewInput, type CrewMessage } from '../src/index.ts';
import { APIS, crewModel, crewOn, lastWords } from './crew-model.ts';

const CREW: CrewInput = {
  entry: 'orchestrator',
  agents: {
    orchestrator: { role: 'Send each to whom they need.', hand_offs: ['clarifier', 'executor'] },
    clarifier: { role: 'Ask what is missing.', hand_offs: ['executor'], pause: true },
    executor: { role: 'Find out and answer.', tools: ['disk'], terminal: true },
  },
};

const disk: Tool = {
  name: 'disk',
  description: 'Free space',
  input_schema: { type: 'object', properties: {} },
  run: () => '71% used',
};

test.each(Object.keys(APIS))(
  '%s: signals and the tool lead from agent to agent; tools are used; the last answers',
  async (api) => {
    const model = await crewModel({
      orchestrator: (prompt) => ({
        text: `Disk trouble. ${lastWords(prompt) === 'my disk is full' ? '[ROUTE_EXECUTOR]' : ''}`,
      }),
      executor: ({ results }) =>
        results.length === 0
          ? { text: 'I look.', calls: [{ name: 'disk', input: {} }] }
          : { text: `It is ${results[0]?.text}.` },
    });
    const crew = crewOn(model, CREW, { tools: [disk] }, api);
    const result = await crew.execute('my disk is full');
    expect(result).toMatchObject({
      status: 'complete',
      output: 'It is 71% used.',
      agent: 'executor',
      rounds: 2,
      handOffs: 1,
    });
    expect(result.history).toMatchObject([
      { role: 'user', content: 'my disk is full' },
      { role: 'assistant', name: 'orchestrator', content: 'Disk trouble. [ROUTE_EXECUTOR]' },
      {
        role: 'assistant',
        name: 'executor',
        content: 'I look.',
        tool_calls: [{ function: { name: 'disk', arguments: '{}' } }],
      },
      { role: 'tool', content: '71% used' },
      { role: 'assistant', name: 'executor', content: 'It is 71% used.' },
    ]);
    expect(result.usage.agents.executor).toMatchObject({ rounds: 1, requests: 2, calls: 1 });
    expect(result.usage.crew).toMatchObject({ rounds: 2, requests: 3, calls: 1 });
    expect(model.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  },
);

test('a pause asks the user, and the answer returns to the agent that asked, in any process', async () => {
  const asked: string[] = [];
  const model = await crewModel({
    orchestrator: () => ({ calls: [{ name: 'hand_off', input: { to: 'clarifier', message: 'Which machine?' } }] }),
    clarifier: (prompt) => {
      asked.push(lastWords(prompt));
      return lastWords(prompt).includes('web-1')
        ? { text: 'Thanks. [ROUTE_EXECUTOR]' }
        : { text: 'Which machine is it?' };
    },
    executor: (prompt) => ({ text: `done: ${lastWords(prompt)}` }),
  });
  const first = await crewOn(model, CREW, { tools: [disk] }).execute('it is slow');
  expect(first).toMatchObject({ status: 'paused', output: 'Which machine is it?', agent: 'clarifier', handOffs: 1 });
  expect(first.history[1]).toMatchObject({ name: 'orchestrator', content: 'Which machine? [ROUTE_CLARIFIER]' });
  const second = await crewOn(model, CREW, { tools: [disk] }).execute(
    'web-1',
    JSON.parse(JSON.stringify(first.history)),
  );
  expect(second).toMatchObject({ status: 'complete', agent: 'executor' });
  expect(second.output).toContain('[clarifier] Thanks.');
  expect(asked).toEqual(['it is slow\n\n[orchestrator] Which machine? [ROUTE_CLARIFIER]', 'web-1']);
});

test('a group works in parallel; its answers are joined in order, and failed agents are named', async () => {
  let open: () => void = () => {};
  const both = new Promise<void>((resolve) => {
    open = resolve;
  });
  const model = await crewModel({
    lead: (prompt) => ({
      text: lastWords(prompt).startsWith('[cpu]') ? `sum: ${lastWords(prompt)}` : '[ROUTE_CHECKS]',
    }),
    // Each waits for the other: one after the other they would wait for ever.
    cpu: async () => {
      await both;
      return { text: 'cpu fine' };
    },
    net: () => {
      open();
      return { text: 'net fine' };
    },
  });
  const crew = crewOn(model, {
    entry: 'lead',
    agents: { lead: { role: 'Lead.', hand_offs: ['checks'] }, cpu: { role: 'CPU.' }, net: { role: 'Net.' } },
    groups: { checks: { agents: ['cpu', 'net'], join: 'lead' } },
  });
  const events: CrewEvent[] = [];
  for await (const event of crew.executeStream('check')) events.push(event);
  const result = events.findLast((event) => event.type === 'result')?.result;
  expect(result).toMatchObject({
    status: 'complete',
    output: 'sum: [cpu] cpu fine\n\n[net] net fine',
    rounds: 4,
    handOffs: 1,
  });
  expect(result?.history.find((message) => message.role === 'user' && message.name === 'checks')).toBeDefined();
  expect(events.filter(({ type }) => type === 'group-start' || type === 'group-end')).toEqual([
    { type: 'group-start', group: 'checks', agents: ['cpu', 'net'] },
    { type: 'group-end', group: 'checks', failed: [] },
  ]);
});

test('between prunings, the prompt of an agent only grows at its end, so the cache hits', async () => {
  const sent: string[][] = [];
  const model = await crewModel({
    lead: () => ({ text: 'For the clerk. [ROUTE_CLERK]' }),
    clerk: ({ messages, results }) => {
      if (results.length === 0) sent.push(messages.map(({ role, text }) => `${role}: ${text}`));
      return results.length === 0 ? { text: 'I look.', calls: [{ name: 'disk', input: {} }] } : { text: 'Seen.' };
    },
  });
  const crew = crewOn(
    model,
    { entry: 'lead', agents: { lead: { role: 'x', hand_offs: ['clerk'] }, clerk: { role: 'y', tools: ['disk'] } } },
    { tools: [disk] },
  );
  let { history } = await crew.execute('first');
  for (const word of ['second', 'third']) ({ history } = await crew.execute(word, history));
  expect(sent[2]).toEqual([
    'user: first\n\n[lead] For the clerk. [ROUTE_CLERK]',
    'user: [You used disk {}]\n71% used',
    'assistant: Seen.',
    'user: second\n\n[lead] For the clerk. [ROUTE_CLERK]',
    'user: [You used disk {}]\n71% used',
    'assistant: Seen.',
    'user: third\n\n[lead] For the clerk. [ROUTE_CLERK]',
  ]);
  for (const [i, messages] of sent.entries())
    expect(sent[2]?.slice(0, messages.length)).toEqual(messages.slice(0, 3 * i + 1));
});

test('a provider that takes no history gets it in the prompt, and then only what is new', async () => {
  const prompts: string[] = [];
  const program = {
    name: 'program',
    async execute(prompt: string) {
      prompts.push(prompt);
      const output =
        prompts.length === 1
          ? 'Which one? [ROUTE_OTHER]'
          : `answer ${prompts.length}${prompts.length === 2 ? ' [ROUTE_SELF]' : ''}`;
      return {
        success: true,
        output,
        filesChanged: [],
        iterationComplete: true,
        conversationState: { turn: prompts.length },
        requests: 1,
      };
    },
  };
  const crew = new CrewExecutor(
    { entry: 'self', agents: { self: { role: 'x', hand_offs: ['other'] }, other: { role: 'y', hand_offs: ['self'] } } },
    { provider: () => program },
  );
  const history: CrewMessage[] = [
    { role: 'user', content: 'before' },
    { role: 'assistant', name: 'self', content: 'yes' },
    { role: 'assistant', name: 'other', content: 'no' },
  ];
  expect(await crew.execute('now', history)).toMatchObject({ status: 'complete', output: 'answer 3', rounds: 3 });
  expect(prompts).toEqual([
    'What was said so far:\n\nbefore\n\n[you] yes\n\nNow:\n\n[other] no\n\nnow',
    'What was said so far:\n\nbefore\n\n[self] yes\n\n[you] no\n\nNow:\n\nnow\n\n[self] Which one? [ROUTE_OTHER]',
    '[other] answer 2 [ROUTE_SELF]',
  ]);
});
