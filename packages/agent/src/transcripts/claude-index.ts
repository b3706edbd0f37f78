import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import type { Tell } from './recording.ts';

/** What is known of a line of a Claude Code log before its messages are read. */
interface Node {
  readonly line: number;
  /** Place of its parent in the list; -1 for a root. */
  readonly parent: number;
  readonly root: number;
  readonly isMessage: boolean;
  /** Of the response that an assistant's line belongs to. */
  readonly response?: string;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** Which lines of a log are to be read, and to which conversation each belongs. */
export interface ClaudePlan {
  /** Line → conversation. */
  readonly conversations: ReadonlyMap<number, number>;
  /** Conversation → its last line. */
  readonly ends: ReadonlyMap<number, number>;
}

/** Finds the conversations of a log by following `parentUuid`; holds a few numbers and names a line. */
export function createClaudeIndex(tell: Tell): { add(line: number, value: unknown): void; plan(): ClaudePlan } {
  const nodes: Node[] = [];
  const byUuid = new Map<string, number>();
  const newest = new Map<string, number>(); // chain → its newest line
  const chains: string[] = [];
  const boundaries = new Map<string, number>(); // chain → its newest compaction

  const parentOf = (line: number, fields: Fields, chain: string): number => {
    const { parentUuid, type, subtype, isCompactSummary } = fields;
    if (type === 'system' && subtype === 'compact_boundary') return -1;
    const parent = typeof parentUuid === 'string' ? byUuid.get(parentUuid) : undefined;
    // A summary that begins anew has the boundary before it as its parent, or nothing that it goes on from.
    if (isCompactSummary === true && (parent === undefined || nodes[parent]?.isMessage)) return -1;
    if (parent !== undefined && chains[parent] !== chain) return -1;
    // What was kept over a compaction stands before it; what follows it still goes on from the summary.
    if (parent !== undefined) return parent < (boundaries.get(chain) ?? 0) ? (newest.get(chain) ?? parent) : parent;
    // Only the user's words begin a conversation: what is less goes on, though some programs write no parent.
    if (typeof parentUuid !== 'string') return isBeginning(fields) || chain === 'side' ? -1 : (newest.get(chain) ?? -1);
    tell(line, 'a line before this one is missing (its parentUuid is in no line): it is taken to follow the one above');
    return newest.get(chain) ?? -1;
  };

  return {
    add(line, value) {
      const fields = fieldsOf(value);
      const { uuid, type, isSidechain } = fields;
      if (typeof uuid !== 'string') return;
      if (byUuid.has(uuid)) {
        tell(line, 'lines that were written twice are read once');
        return;
      }
      const chain = isSidechain === true ? 'side' : 'main';
      const parent = parentOf(line, fields, chain);
      const place = nodes.length;
      if (type === 'system' && fields.subtype === 'compact_boundary') boundaries.set(chain, place);
      const isMessage = type === 'user' || type === 'assistant';
      const { id, content } = fieldsOf(fields.message);
      const blocks = isMessage && Array.isArray(content) ? content.map(fieldsOf) : [];
      nodes.push({
        line,
        parent,
        root: parent < 0 ? place : (nodes[parent]?.root ?? place),
        isMessage,
        ...(type === 'assistant' && typeof id === 'string' ? { response: id } : {}),
        calls: idsOf(blocks, 'tool_use', 'id'),
        results: idsOf(blocks, 'tool_result', 'tool_use_id'),
      });
      byUuid.set(uuid, place);
      chains.push(chain);
      newest.set(chain, place);
    },
    plan: () => planOf(nodes, tell),
  };
}

/** Of each tree the branch that was spoken on last, with the parallel results that hang beside it. */
function planOf(nodes: readonly Node[], tell: Tell): ClaudePlan {
  const leaves = new Map<number, number>();
  for (const [place, { root, isMessage }] of nodes.entries()) if (isMessage) leaves.set(root, place);
  const chosen = new Set<number>();
  for (const leaf of leaves.values())
    for (let place = leaf; place >= 0; place = nodes[place]?.parent ?? -1) chosen.add(place);
  const responses = new Set([...chosen].flatMap((place) => nodes[place]?.response ?? []));
  const calls = new Set<string>();
  const answered = new Set<string>();
  for (const [place, node] of nodes.entries()) {
    if (node.response !== undefined && responses.has(node.response)) chosen.add(place);
    if (!chosen.has(place)) continue;
    for (const id of node.calls) calls.add(id);
    for (const id of node.results) answered.add(id);
  }
  const conversations = new Map<number, number>();
  const ends = new Map<number, number>();
  for (const [place, { line, root, isMessage, results }] of nodes.entries()) {
    if (!isMessage) continue;
    const isBeside = results.some((id) => calls.has(id) && !answered.has(id));
    if (!chosen.has(place) && !isBeside) {
      tell(line, 'a branch that the user went back from is left out');
      continue;
    }
    for (const id of results) answered.add(id);
    conversations.set(line, root);
    ends.set(root, line);
  }
  return { conversations, ends };
}

function isBeginning({ type, message }: Fields): boolean {
  const { content } = fieldsOf(message);
  if (type !== 'user' || !Array.isArray(content)) return type === 'user';
  return !content.some((block) => fieldsOf(block).type === 'tool_result');
}

function idsOf(blocks: readonly Fields[], type: string, key: string): string[] {
  return blocks.flatMap((block) => (block.type === type && typeof block[key] === 'string' ? [block[key]] : []));
}
