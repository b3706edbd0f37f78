import { parsedJson } from '@holdfast/sessions/foreign';
import type { Fetch } from '../../loop/fetch.ts';

/** A `fetch` that names each event of a stream by the type in its data, if the server did not: the client ignores others. */
export function withEventNames(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body || !response.ok) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(nameEvents());
    return new Response(body.pipeThrough(new TextEncoderStream()), { status, statusText, headers });
  };
}

function nameEvents(): TransformStream<string, string> {
  let rest = '';
  let isNamed = false;
  const named = (line: string): string => {
    if (line === '') isNamed = false;
    if (isNamed || !/^(?:data|event):/.test(line)) return line;
    isNamed = true;
    const { type } = (line.startsWith('data:') && (parsedJson(line.slice(5)) as { type?: unknown } | null)) || {};
    return typeof type === 'string' ? `event: ${type}\n${line}` : line;
  };
  return new TransformStream({
    transform(chunk, controller) {
      // A carriage return at the end may be half of a line end.
      const lines = (rest + chunk).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (lines.length > 0) controller.enqueue(`${lines.map(named).join('\n')}\n`);
    },
    flush(controller) {
      controller.enqueue(named(rest));
    },
  });
}
