import type { AnthropicBlock, AnthropicMessage, SignatureFault } from 'holdfast/rules';
import { canonical, hashOf, textOf } from '../json.ts';
import type { State } from '../state.ts';
import type { AnthropicBody } from './body.ts';
import { isThinking, placeBlocks } from './prompt.ts';

/** The conversation before an answer, to which its thinking is bound. */
export interface Prefix {
  readonly system: string;
  readonly tools: string;
  /** Hash of all blocks except thinking, because thinking may be removed from the front. */
  readonly blocks: string;
  /** The last thinking block; empty if there is none. */
  readonly thinking: string;
}

/** What is wrong with the thinking blocks of a request, and the prefix of the answer. */
export interface ThinkingReport {
  readonly faults: ReadonlyMap<AnthropicBlock, SignatureFault>;
  readonly prefix: Prefix;
}

const UNBOUND = ['cache_control'];
const GAP = 'Thinking before this block differs from when it was created.';

/** Checks each thinking block of a request against its signature and the prefix it was created after. */
export function checkPrefixes(body: AnthropicBody, state: State, latest: AnthropicMessage | undefined): ThinkingReport {
  const system = hashOf(canonical(body.system, UNBOUND));
  const bound = body.tools.filter((tool) => tool.defer_loading !== true);
  const tools = hashOf(canonical(bound, UNBOUND));
  const faults = new Map<AnthropicBlock, SignatureFault>();
  const last = body.messages.findLastIndex(({ role }) => role === 'assistant');
  let blocks = hashOf(system, tools);
  let thinking = '';
  const chain = [blocks];
  // All thinking in a message has the prefix with which the message began.
  let start = { index: -1, blocks, length: 1 };
  for (const { block, role, path, index } of placeBlocks(body.messages)) {
    if (role === 'assistant' && index !== start.index) start = { index, blocks, length: chain.length };
    if (isThinking(block)) {
      const at = { system, tools, blocks: start.blocks, thinking };
      const fault = faultOf(block, at, chain.slice(0, start.length), path, state, index === last ? latest : undefined);
      if (fault) faults.set(block, fault);
      thinking = keyOf(block);
      continue;
    }
    const next = hashOf(blocks, role, canonical(block, UNBOUND));
    if (!state.prefixes.get(next)) state.prefixes.set(next, { parent: blocks, path });
    blocks = next;
    chain.push(blocks);
  }
  return { faults, prefix: { system, tools, blocks, thinking } };
}

/** A thinking block bound to `prefix`. */
export function signThinking(text: string, redacted: boolean, prefix: Prefix, state: State): AnthropicBlock {
  if (redacted) return { type: 'redacted_thinking', data: state.thinking.close({ ...prefix, text }) };
  return { type: 'thinking', thinking: text, signature: state.thinking.close({ ...prefix }, text) };
}

/** The key of a thinking block. */
export function keyOf(block: AnthropicBlock): string {
  return hashOf(block.signature ?? block.data ?? '');
}

function faultOf(
  block: AnthropicBlock,
  now: Prefix,
  chain: readonly string[],
  path: string,
  state: State,
  latest: AnthropicMessage | undefined,
): SignatureFault | undefined {
  const sealed = block.signature ?? block.data ?? '';
  // For the latest message, the API reports changed text in other words, and the rules check that.
  const made = latest ? state.thinking.peek(sealed) : state.thinking.open(sealed, textOf(block.thinking));
  if (made === undefined) return 'tampered';
  if (made.system !== now.system)
    return { cause: 'The `system` prompt differs from the one this block was created with.' };
  if (made.tools !== now.tools) return { cause: 'The `tools` differ from the ones this block was created with.' };
  if (made.blocks !== now.blocks) return { cause: causeOf(textOf(made.blocks), chain, path, state) };
  // The first thinking block left may have had others before it.
  return now.thinking !== '' && made.thinking !== now.thinking ? { cause: GAP } : undefined;
}

/** Names the first block that differs, if the original prefix is still known. */
function causeOf(made: string, chain: readonly string[], path: string, state: State): string {
  const known = new Set(chain);
  let at = made;
  // If the whole prefix is still there, something was inserted after it.
  let first = state.prefixes.get(chain[chain.indexOf(made) + 1] ?? '')?.path ?? path;
  while (!known.has(at)) {
    const step = state.prefixes.get(at);
    if (!step) return 'Content before this block differs from when it was created.';
    first = step.path;
    at = step.parent;
  }
  return `Content before this block differs from when it was created, first at \`${first}\`.`;
}
