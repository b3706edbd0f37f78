import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { createBuilder } from './builder.ts';
import { type Reader, some } from './reader.ts';
import type { Recording, Tell } from './recording.ts';
import { createItems } from './responses-items.ts';

/** Reads rollouts of Codex: items of the Responses API with events between them. A compaction ends a conversation. */
export function codexReader(name: string, tell: Tell): Reader {
  const builder = createBuilder(name, 'codex', tell);
  let at = { line: 0, time: undefined as unknown };
  const items = createItems((message) => void builder.add(at.line, [message], at.time));
  const end = (): readonly Recording[] => {
    items.end();
    return some(builder.end());
  };
  const addItem = (item: unknown): void => {
    const { type } = fieldsOf(item);
    if (!items.add(item) && type !== 'reasoning') tell(at.line, `items of type ${String(type)} are left out`);
  };
  const compact = ({ message, replacement_history: kept }: Fields): readonly Recording[] => {
    const done = end();
    if (Array.isArray(kept)) for (const item of kept) addItem(item);
    else if (typeof message === 'string') addItem({ type: 'message', role: 'user', content: message });
    return done;
  };
  const event = ({ type, info, num_turns: turns }: Fields): void => {
    if (type === 'token_count') {
      items.end();
      const usage = fieldsOf(info).last_token_usage;
      if (usage !== undefined) builder.usage(usage);
    } else if (type === 'thread_rolled_back' && typeof turns === 'number') {
      items.end();
      tell(at.line, 'turns that the user took back are left out');
      builder.rewind(builder.turnStart(turns));
    }
  };
  return {
    end,
    take(line, value) {
      const { type, payload, timestamp } = fieldsOf(value);
      const fields = fieldsOf(payload);
      at = { line, time: timestamp };
      if (type === 'session_meta') {
        const done = end();
        const { base_instructions: base } = fields;
        const text = typeof base === 'string' ? base : fieldsOf(base).text;
        if (typeof text === 'string' && text !== '') builder.add(line, [{ role: 'system', content: text }], timestamp);
        return done;
      }
      if (type === 'turn_context') builder.model(fields.model);
      else if (type === 'compacted') return compact(fields);
      else if (type === 'event_msg') event(fields);
      else {
        const isTime = builder.isFull() && fields.role === 'user';
        const done = isTime ? end() : [];
        addItem(payload);
        return done;
      }
      return [];
    },
  };
}
