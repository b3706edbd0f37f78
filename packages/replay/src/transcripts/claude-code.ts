import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { toChat } from '../index.ts';
import { type Builder, createBuilder, type TimedMessages } from './builder.ts';
import type { Reader, Tell } from './recording.ts';

/** What is known about a line of a Claude Code log before its messages are read. */
interface Node {
  readonly line: number;
  /** Index of its parent in the list; -1 for a root. */
  readonly parent: number;
  readonly root: number;
  readonly isMessage: boolean;
  /** Id of the response that an assistant's line belongs to. */
  readonly response?: string;
  readonly calls: readonly string[];
  readonly results: readonly string[];
}

/** Which lines of a log to read, and the conversation of each. */
interface ClaudePlan {
  /** Line → conversation. */
  readonly conversations: ReadonlyMap<number, number>;
  /** Conversation → its last line. */
  readonly ends: ReadonlyMap<number, number>;
}

/** Finds the conversations of a log by following `parentUuid`; keeps a few numbers and ids per line. */
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
    // The parent of a summary is the boundary before it, or the summary starts a conversation.
    if (isCompactSummary === true && (parent === undefined || nodes[parent]?.isMessage)) return -1;
    if (parent !== undefined && chains[parent] !== chain) return -1;
    // Messages kept over a compaction are before it; their children still continue from the summary.
    if (parent !== undefined) return parent < (boundaries.get(chain) ?? 0) ? (newest.get(chain) ?? parent) : parent;
    // Only a user's text starts a conversation; anything else continues one, though some programs write no parent.
    if (typeof parentUuid !== 'string') return isBeginning(fields) || chain === 'side' ? -1 : (newest.get(chain) ?? -1);
    tell(line, 'a previous line is missing (no line has this parentUuid): assumed to follow the line above');
    return newest.get(chain) ?? -1;
  };

  return {
    add(line, value) {
      const fields = fieldsOf(value);
      const { uuid, type, isSidechain } = fields;
      if (typeof uuid !== 'string') return;
      if (byUuid.has(uuid)) {
        tell(line, 'skipped duplicate lines');
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

/** The newest branch of each tree, with parallel results next to it. */
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
      tell(line, 'skipped a branch that the user left');
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

/** A conversation being read, and its responses, whose blocks are on several lines. */
interface Open {
  readonly builder: Builder;
  readonly responses: Map<string, { readonly said: TimedMessages; readonly blocks: unknown[] }>;
}

/** Reads the lines of a Claude Code log that the plan names; each side chain is a separate conversation. */
export function claudeReader(name: string, plan: ClaudePlan, tell: Tell): Reader {
  const open = new Map<number, Open>();
  let begun = 0;
  const opened = (conversation: number, isSide: boolean): Open => {
    const known = open.get(conversation);
    if (known) return known;
    begun += 1;
    const own = `${name}${begun === 1 ? '' : `#${begun}`}${isSide ? ' (side chain)' : ''}`;
    const made = { builder: createBuilder(own, 'claude-code', tell), responses: new Map() };
    open.set(conversation, made);
    return made;
  };
  return {
    take(line, value) {
      const conversation = plan.conversations.get(line);
      if (conversation === undefined) return [];
      const fields = fieldsOf(value);
      const one = opened(conversation, fields.isSidechain === true);
      const done = one.builder.isFull() && isAsked(fields) ? one.builder.end() : [];
      if (done.length > 0) one.responses.clear();
      addLine(one, line, fields, tell);
      if (plan.ends.get(conversation) !== line) return done;
      open.delete(conversation);
      return [...done, ...one.builder.end()];
    },
    end: () => [...open.values()].flatMap(({ builder }) => builder.end()),
  };
}

function isAsked({ type, message }: Fields): boolean {
  return type === 'user' && typeof fieldsOf(message).content === 'string';
}

/** Why a line was not part of a request; undefined if it was. */
function whySkipped({
  message,
  isApiErrorMessage,
  isVisibleInTranscriptOnly,
  isCompactSummary,
}: Fields): string | undefined {
  if (fieldsOf(message).model === '<synthetic>' || isApiErrorMessage === true)
    return 'skipped messages that Claude Code wrote in place of an answer';
  return isVisibleInTranscriptOnly === true && isCompactSummary !== true
    ? 'skipped messages that were shown but not sent'
    : undefined;
}

function addLine({ builder, responses }: Open, line: number, fields: Fields, tell: Tell): void {
  const why = whySkipped(fields);
  if (why !== undefined) {
    tell(line, why);
    return;
  }
  const message = fieldsOf(fields.message);
  const { id, model, usage, content } = message;
  builder.model(model);
  const known = typeof id === 'string' ? responses.get(id) : undefined;
  if (known && Array.isArray(content)) {
    known.blocks.push(...content);
    known.said.messages = toChat([{ role: 'assistant', content: known.blocks }]);
    known.said.usage = usage ?? known.said.usage;
    return;
  }
  builder.at(line, fields.timestamp);
  const said = builder.add(toChat([message]));
  if (fields.type !== 'assistant') return;
  said.usage = usage;
  if (typeof id === 'string' && Array.isArray(content)) responses.set(id, { said, blocks: [...content] });
}
