import { type Fields, fieldsOf } from '@holdfast/sessions/foreign';
import { createBuilder } from './builder.ts';
import type { Reader, Recording, Tell } from './recording.ts';

/** Reads rollouts of Codex: items of the Responses API with events between them. A compaction ends a conversation. */
export function codexReader(name: string, tell: Tell): Reader {
  const builder = createBuilder(name, 'codex', tell);
  const addItem = (line: number, item: unknown): void => {
    const { type } = fieldsOf(item);
    if (!builder.addItem(item) && type !== 'reasoning') tell(line, `skipped items of type ${String(type)}`);
  };
  const compact = (line: number, { message, replacement_history: kept }: Fields): readonly Recording[] => {
    const done = builder.end();
    if (Array.isArray(kept)) for (const item of kept) addItem(line, item);
    else if (typeof message === 'string') addItem(line, { type: 'message', role: 'user', content: message });
    return done;
  };
  const event = (line: number, { type, info, num_turns: turns }: Fields): void => {
    const usage = fieldsOf(info).last_token_usage;
    if (type === 'token_count') builder.endItems();
    if (type === 'token_count' && usage !== undefined) builder.usage(usage);
    if (type !== 'thread_rolled_back' || typeof turns !== 'number') return;
    tell(line, 'skipped turns that the user rolled back');
    builder.rewindTurns(turns);
  };
  return {
    end: builder.end,
    take(line, value) {
      const { type, payload, timestamp } = fieldsOf(value);
      const fields = fieldsOf(payload);
      builder.at(line, timestamp);
      if (type === 'session_meta') {
        const done = builder.end();
        const { base_instructions: base } = fields;
        const text = typeof base === 'string' ? base : fieldsOf(base).text;
        if (typeof text === 'string' && text !== '') builder.add([{ role: 'system', content: text }]);
        return done;
      }
      if (type === 'compacted') return compact(line, fields);
      if (type === 'turn_context') builder.model(fields.model);
      else if (type === 'event_msg') event(line, fields);
      else {
        const done = builder.isFull() && fields.role === 'user' ? builder.end() : [];
        addItem(line, payload);
        return done;
      }
      return [];
    },
  };
}
