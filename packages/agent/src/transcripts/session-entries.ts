import type { SessionEntry } from '@holdfast/sessions';
import { fieldsOf } from '@holdfast/sessions/foreign';
import { createBuilder } from './builder.ts';
import { type Reader, some } from './reader.ts';
import type { Recording, Tell } from './recording.ts';
import { createItems } from './responses-items.ts';
import { chatMessages, wireOf } from './to-chat.ts';

const WIRES = ['anthropic', 'openai-chat', 'openai-responses', 'ai-sdk'] as const;

/** Reads entries of Holdfast's sessions, as `sessions export` writes them and as a store gives them. */
export function sessionReader(name: string, tell: Tell): Reader {
  const builder = createBuilder(name, 'holdfast', tell);
  let at = { line: 0, time: undefined as unknown };
  let wire: (typeof WIRES)[number] | undefined;
  // Where each message of the log begins in the conversation: results and words of one message are several there.
  let places: number[] = [];
  const items = createItems((message) => void builder.add(at.line, [message], at.time));
  const end = (): readonly Recording[] => {
    items.end();
    places = [];
    return some(builder.end());
  };
  const message = (entry: Extract<SessionEntry, { type: 'message' }>): void => {
    const own = wireOf(entry.message) ?? wire ?? 'openai-chat';
    if (own === 'openai-responses') {
      if (fieldsOf(entry.message).type?.toString().endsWith('_output')) items.end();
      places.push(builder.count());
      items.add(entry.message);
      return;
    }
    items.end();
    places.push(builder.count());
    builder.add(at.line, chatMessages(entry.message, own), at.time);
  };
  return {
    end,
    take(line, value) {
      const { holdfast, entry, time } = fieldsOf(value);
      if (holdfast === 'session') return end();
      at = { line, time };
      const one = entry as SessionEntry;
      if (one.type === 'message') message(one);
      else if (one.type === 'usage') {
        items.end();
        const { input, cache_read = 0, cache_write = 0 } = one.tokens;
        builder.usage({
          input_tokens: input,
          cache_read_input_tokens: cache_read,
          cache_creation_input_tokens: cache_write,
        });
      } else if (one.type === 'model') {
        builder.model(one.model);
        wire = WIRES.find((name) => name === one.dialect) ?? wire;
      } else if (one.type === 'rewind') {
        items.end();
        builder.rewind(places[one.to] ?? builder.count());
        places = places.slice(0, one.to);
      }
      return [];
    },
  };
}
