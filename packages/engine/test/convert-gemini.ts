import type { Block, Format, Wire } from './histories.ts';

type Part = Readonly<Record<string, unknown>>;

/** A recorded conversation as Gemini's contents: all results of a message with calls in one content, words in the next. Pure. */
export function toGemini(messages: readonly Wire[], format: Format): Wire[] {
  if (format === 'gemini') return [...messages];
  const names = new Map<unknown, unknown>();
  const contents: Wire[] = [];
  for (const message of messages) {
    const { role, parts, results } = (format === 'anthropic' ? fromAnthropic : fromChat)(message, names);
    const before = contents.at(-1);
    if (results.length > 0) {
      if (before && isResults(before)) contents[contents.length - 1] = joined(before, results);
      else contents.push({ role: 'user', parts: results });
    }
    if (parts.length === 0) continue;
    // One response of the model is one content.
    if (role === 'model' && before?.role === 'model' && results.length === 0)
      contents[contents.length - 1] = joined(before, parts);
    else contents.push({ role, parts });
  }
  const whole = contents.map(signed);
  return whole[0]?.role === 'model' ? [{ role: 'user', parts: [{ text: 'Go on.' }] }, ...whole] : whole;
}

interface Converted {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
  readonly results: readonly Part[];
}

function joined(before: Wire, parts: readonly Part[]): Wire {
  return { ...before, parts: [...(before.parts as Part[]), ...parts] };
}

function isResults({ parts }: Wire): boolean {
  return (parts as Part[]).every((part) => part.functionResponse);
}

/** As a model signs the first of its calls. */
function signed(content: Wire, at: number): Wire {
  const parts = content.parts as Part[];
  const first = parts.findIndex((part) => part.functionCall);
  if (first < 0) return content;
  return { ...content, parts: parts.with(first, { ...parts[first], thoughtSignature: `c2lnbmF0dXJl${at}` }) };
}

function fromAnthropic({ role, content }: Wire, names: Map<unknown, unknown>): Converted {
  const blocks: readonly Block[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Block[]);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const rest = blocks.filter(({ type }) => type !== 'tool_result');
  return {
    role: role === 'assistant' ? 'model' : 'user',
    parts: rest.flatMap((block) => anthropicPart(block, names)),
    results: results.map(({ tool_use_id: id, content: result, is_error: failed }) => {
      const list = Array.isArray(result) ? (result as Block[]) : [{ type: 'text', text: result ?? '' }];
      const text = list.flatMap((block) => (block.type === 'image' ? [] : (block.text ?? JSON.stringify(block))));
      const files = list.filter(({ type }) => type === 'image').flatMap((block) => anthropicPart(block, names));
      const response = { [failed ? 'error' : 'output']: text.join('\n') };
      return {
        functionResponse: {
          id,
          name: names.get(id) ?? 'unknown',
          response,
          ...(files.length > 0 ? { parts: files } : {}),
        },
      };
    }),
  };
}

function anthropicPart(block: Block, names: Map<unknown, unknown>): Part[] {
  const { type, id, name, input } = block;
  if (type === 'tool_use') {
    names.set(id, name);
    return [{ functionCall: { id, name, args: input } }];
  }
  if (type === 'thinking') return block.thinking ? [{ text: block.thinking, thought: true }] : [];
  if (type === 'redacted_thinking') return [];
  if (type === 'image') {
    const { data, media_type: mimeType } = block.source as { data: string; media_type: string };
    return [{ inlineData: { mimeType, data } }];
  }
  return textParts(block.text ?? JSON.stringify(block));
}

function textParts(text: unknown): Part[] {
  return text ? [{ text: String(text) }] : [];
}

function fromChat(message: Wire, names: Map<unknown, unknown>): Converted {
  const { role, content, tool_call_id: id } = message;
  const list = Array.isArray(content) ? (content as Block[]) : [{ type: 'text', text: content ?? '' }];
  const text = list.map((part) => part.text ?? '').join('\n');
  if (role === 'tool') {
    const response = { output: text };
    return {
      role: 'user',
      parts: [],
      results: [{ functionResponse: { id, name: names.get(id) ?? 'unknown', response } }],
    };
  }
  const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  const made = calls.map(({ id: call, function: { name, arguments: json } }) => {
    names.set(call, name);
    return { functionCall: { id: call, name, args: argumentsIn(json) } };
  });
  return { role: role === 'assistant' ? 'model' : 'user', parts: [...textParts(text), ...made], results: [] };
}

/** What models wrote is not always JSON; Gemini takes objects only. */
function argumentsIn(json: string): unknown {
  try {
    const args: unknown = JSON.parse(json);
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { input: args };
  } catch {
    return { input: json };
  }
}
