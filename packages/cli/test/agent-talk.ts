/** A message as Anthropic's API has it. */
interface Message {
  readonly role: string;
  readonly content: unknown;
}

/** A conversation of a coding agent that reads files and edits some, of `turns` turns: the same for the same number. Pure. */
export function agentTalk(number: number, turns: number): Message[] {
  const file = (n: number) => `src/area_${(number + n) % 5}/part_${n % 7}.ts`;
  const line = (n: number) => `export const value_${number}_${n} = compute_${n % 11}(${n * 37 + number});`;
  const talk: Message[] = [{ role: 'user', content: `Improve ${file(0)}. You must never change the public names.` }];
  for (let n = 0; n < turns; n++) {
    const edits = n % 4 === 3;
    const input = edits
      ? { path: file(n - 2), old_string: line(10 * (n - 2)), new_string: line(n) }
      : { path: file(n) };
    const lines = Array.from({ length: 25 }, (_, at) => line(10 * n + at));
    talk.push(
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${number}_${n}`, name: edits ? 'edit' : 'read', input }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${number}_${n}`, content: edits ? 'ok' : lines.join('\n') }],
      },
    );
  }
  return [...talk, { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }];
}

/** A conversation of many words and no tools. Pure. */
export function plainTalk(exchanges: number): Message[] {
  return Array.from({ length: exchanges }, (_, n) => [
    { role: 'user', content: `What of item_${n}? ${'It has been on the list for long. '.repeat(8)}` },
    { role: 'assistant', content: `item_${n} is done. ${'It took some time and some care. '.repeat(8)}` },
  ]).flat();
}

/** As JSON lines, behind a line that names the model. Pure. */
export function jsonLines(messages: readonly unknown[], meta: object = {}): string {
  return [{ meta: { format: 'anthropic', ...meta } }, ...messages]
    .map((value) => `${JSON.stringify(value)}\n`)
    .join('');
}
