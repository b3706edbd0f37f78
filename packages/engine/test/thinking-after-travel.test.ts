import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { ConversationWindow, isHoldfastError, memoryArchive, type WindowParts } from '../src/index.ts';
import { agentHistory, text } from './agent-histories.ts';
import { type Block, deepFreeze, dialectOf, type Scenario, type Step, scenarios, type Wire } from './histories.ts';
import { bare } from './promises.ts';

const run = {
  numRuns: Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 3_000 : 60)),
  seed: Number(process.env.HOLDFAST_SEED ?? (SOAK ? Date.now() % 2 ** 31 : 20261119)),
  endOnFailure: true,
};

type Deed = 'undo' | 'redo' | 'compact' | 'rest' | 'adopt' | 'restore' | 'nothing';
const deeds = fc.array(
  fc.constantFrom<Deed>('undo', 'undo', 'redo', 'compact', 'rest', 'adopt', 'restore', 'nothing', 'nothing', 'nothing'),
  { minLength: 1, maxLength: 40 },
);

/** The step, each of its thinking signed with what the model had before it. */
function signed({ messages, ...step }: Step, view: readonly Wire[], made: Map<string, string>): Step {
  const prefix = view.map(bare);
  const own = messages.map((message) => {
    const before = prefix.join();
    prefix.push(bare(message));
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return message;
    const content = message.content.map((block: Block) => {
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return block;
      const name = `s${made.size}`;
      made.set(name, before);
      return { ...block, [block.type === 'thinking' ? 'signature' : 'data']: name };
    });
    prefix[prefix.length - 1] = bare({ ...message, content });
    return deepFreeze({ ...message, content });
  });
  return { ...step, messages: own };
}

/** Thinking in a view behind messages other than those that it was made from. */
function movedIn(view: readonly Wire[], made: ReadonlyMap<string, string>): string[] {
  return view.flatMap((message, at) => {
    if (message.role !== 'assistant' || !Array.isArray(message.content)) return [];
    const names = message.content.flatMap(({ signature, data }: Block) => [signature, data].filter((one) => one));
    const before = view.slice(0, at).map(bare).join();
    return names.map(String).filter((name) => made.get(name) !== before);
  });
}

/** Plays a conversation in which something is done between an answer and the next request. */
async function play({ config, steps }: Scenario, all: readonly Deed[]): Promise<string[]> {
  const parts: WindowParts<Wire> = { dialect: dialectOf('anthropic'), logger: { warn() {} }, archive: memoryArchive() };
  let window = new ConversationWindow<Wire>(config, parts);
  const made = new Map<string, string>();
  const history: Wire[] = [];
  let view: readonly Wire[] = [];
  for (const [i, step] of steps.entries()) {
    const known = [...history];
    const { messages, ask } = signed(step, view, made);
    history.push(...messages);
    const attempt = async (doing: () => Promise<unknown>) => {
      await doing().catch((error: unknown) => {
        if (!isHoldfastError(error)) throw error;
      });
    };
    for (const deed of [all[(2 * i) % all.length], all[(2 * i + 1) % all.length]]) {
      if (deed === 'undo') await attempt(() => window.undo());
      if (deed === 'redo') await attempt(() => window.redo());
      if (deed === 'compact' && known.length > 0) await attempt(() => window.compact(known));
      if (deed === 'rest' && known.length > 0) await attempt(() => window.fit([...known], { rest: true }));
      if (deed === 'adopt') await attempt(() => window.adopt([...history]));
      if (deed === 'restore')
        window = new ConversationWindow<Wire>(config, { ...parts, state: JSON.parse(JSON.stringify(window.state())) });
    }
    if (!ask) continue;
    await attempt(async () => {
      view = (await window.fit([...history])).messages;
      const moved = movedIn(view, made);
      if (moved.length > 0) throw new Error(`${history.length} messages: ${moved.join()} follow other messages`);
    });
  }
  return [];
}

test('thinking stays only behind the view it was made from, whatever is done before the answer is seen', async () => {
  const property = fc.asyncProperty(scenarios('anthropic'), deeds, async (scenario, all) => {
    expect(await play(scenario, all)).toEqual([]);
  });
  await fc.assert(property, run);
});

test.each(['undo', 'redo', 'compact'] as const)(
  'an answer from before %s() loses its thinking, later ones keep it',
  async (deed) => {
    const config = { max_messages: 0, max_tokens: deed === 'compact' ? 30_000 : 3_000 };
    const window = new ConversationWindow<Wire>(config, { dialect: dialectOf('anthropic'), logger: { warn() {} } });
    const history: Wire[] = agentHistory('anthropic', 30, (i) => ({ result: text(600, i) }));
    history.push({ role: 'user', content: 'Well?' });
    await window.fit(history);
    if (deed === 'redo') await window.undo();
    if (deed === 'redo') await window.fit(history);
    if (deed === 'compact') await window.compact(history);
    else await window[deed]();
    const answer = (signature: string): Wire => ({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature },
        { type: 'text', text: 'Well.' },
      ],
    });
    const before = [...history, answer('before'), { role: 'user', content: 'And?' }];
    const state = JSON.parse(JSON.stringify(window.state()));
    expect(JSON.stringify((await window.fit(before)).messages)).not.toContain('signature');
    const after = [...before, answer('after'), { role: 'user', content: 'Thanks.' }];
    expect(JSON.stringify((await window.fit(after)).messages)).toContain('"signature":"after"');
    const fork = new ConversationWindow<Wire>(config, { state, logger: { warn() {} } });
    const rest = before.slice(history.length);
    expect(JSON.stringify((await fork.fit(rest, { offset: history.length })).messages)).not.toContain('signature');
  },
);
