/** One server-sent event. */
export interface Sent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** Reads a stream of server-sent events until it ends or breaks. */
export async function* readStream(response: Response): AsyncGenerator<Sent, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (reader) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
    if (done) return;
    rest += value;
    for (let at = rest.indexOf('\n\n'); at >= 0; at = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, at).split('\n');
      rest = rest.slice(at + 2);
      yield { id: fieldOf(lines, 'id'), type: fieldOf(lines, 'event'), data: fieldOf(lines, 'data') };
    }
  }
}

function fieldOf(lines: readonly string[], name: string): string {
  const found = lines.filter((line) => line.startsWith(`${name}: `));
  return found.map((line) => line.slice(name.length + 2)).join('\n');
}
