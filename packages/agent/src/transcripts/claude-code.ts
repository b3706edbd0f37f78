import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { toChat } from 'holdfast/replay';
import { type Builder, createBuilder, type Said } from './builder.ts';
import type { ClaudePlan } from './claude-index.ts';
import { type Reader, some } from './reader.ts';
import type { Tell } from './recording.ts';

/** A conversation that is being read, and its responses, whose blocks come in several lines. */
interface Open {
  readonly builder: Builder;
  readonly responses: Map<string, { readonly said: Said; readonly blocks: unknown[] }>;
}

/** Reads the lines of a Claude Code log that the plan names; each side chain is a conversation of its own. */
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
      const done = one.builder.isFull() && isAsked(fields) ? some(one.builder.end()) : [];
      if (done.length > 0) one.responses.clear();
      addLine(one, line, fields, tell);
      if (plan.ends.get(conversation) !== line) return done;
      open.delete(conversation);
      return [...done, ...some(one.builder.end())];
    },
    end: () => [...open.values()].flatMap(({ builder }) => some(builder.end())),
  };
}

function isAsked({ type, message }: Fields): boolean {
  return type === 'user' && typeof fieldsOf(message).content === 'string';
}

/** Why a line is no part of what was sent; undefined if it is. */
function leftOut({
  message,
  isApiErrorMessage,
  isVisibleInTranscriptOnly,
  isCompactSummary,
}: Fields): string | undefined {
  if (fieldsOf(message).model === '<synthetic>' || isApiErrorMessage === true)
    return 'messages that the program itself put in the place of an answer are left out';
  return isVisibleInTranscriptOnly === true && isCompactSummary !== true
    ? 'messages that were shown and not sent are left out'
    : undefined;
}

function addLine({ builder, responses }: Open, line: number, fields: Fields, tell: Tell): void {
  const why = leftOut(fields);
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
  const said = builder.add(line, toChat([message]), fields.timestamp);
  if (fields.type !== 'assistant') return;
  said.usage = usage;
  if (typeof id === 'string' && Array.isArray(content)) responses.set(id, { said, blocks: [...content] });
}
