import { isRecord } from '../../json/record.ts';
import { type AnthropicMessage, blocksOf } from './wire.ts';

/** Where the results of server tools are, and by when each call needs one. */
export interface ServerCalls {
  /** By id, the indices of the assistant messages with a result, in order. */
  readonly results: ReadonlyMap<string, readonly number[]>;
  /** For each message, the index of the next one with more than results of client tools. */
  readonly ends: readonly number[];
}

/** Messages that do not change, with what was found in them. */
interface Looked {
  readonly messages: readonly AnthropicMessage[];
  served?: ServerCalls;
}

/** Indices in a message of calls to server tools that have no result in time. */
export function unansweredServerCalls(looked: Looked, index: number): number[] {
  const message = looked.messages[index];
  if (message?.role !== 'assistant' || typeof message.content === 'string') return [];
  const unanswered: number[] = [];
  for (const [at, { type, id }] of blocksOf(message).entries()) {
    if (type !== 'server_tool_use' && type !== 'mcp_tool_use') continue;
    looked.served ??= lookThrough(looked.messages);
    const { results, ends } = looked.served;
    const end = ends[index] ?? looked.messages.length;
    const answer = results.get(String(id))?.find((place) => place >= index);
    if (end < looked.messages.length && !(answer !== undefined && answer < end)) unanswered.push(at);
  }
  return unanswered;
}

/** True if any message has a result for this id. */
export function hasResult(looked: Looked, id: string | undefined): boolean {
  looked.served ??= lookThrough(looked.messages);
  return looked.served.results.has(String(id));
}

/** A server tool may finish after results of client tools, but not after anything else. */
function lookThrough(messages: readonly AnthropicMessage[]): ServerCalls {
  const results = new Map<string, number[]>();
  const ends: number[] = new Array(messages.length);
  let end = messages.length;
  for (let i = messages.length; i-- > 0; ) {
    ends[i] = end;
    const blocks = blocksOf(messages[i]).filter((block) => isRecord(block));
    const isAssistant = messages[i]?.role === 'assistant';
    for (const { tool_use_id: id } of blocks) if (id !== undefined) noteResult(results, id, isAssistant ? i : -1);
    if (isAssistant) continue;
    const called = blocksOf(messages[i - 1]).some((block) => block?.type === 'tool_use');
    if (!called || !blocks.every(({ type }) => type === 'tool_result')) end = i;
  }
  for (const places of results.values()) places.reverse();
  return { results, ends };
}

function noteResult(results: Map<string, number[]>, id: string, place: number): void {
  const places = results.get(id);
  if (places) places.push(place);
  else results.set(id, [place]);
}
