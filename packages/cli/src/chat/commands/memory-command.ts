import { clean } from '../../view/clean.ts';
import { wrapText } from '../../view/text.ts';
import { type CommandContext, say } from './command.ts';

/** `/memory`: the note that speaks for what was folded, each line with the handle of its message. */
export async function memory(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const note = chat.note();
  if (note === undefined) return say(face, 'Nothing was folded away yet: the model sees every message.');
  const { bold } = face.style.colours;
  for (const line of note.trim().split('\n')) {
    const [, heading] = /^## (.*)$/.exec(line) ?? [];
    if (heading !== undefined) face.print(['', ...wrapText(clean(heading), face.columns).map(bold)]);
    else face.print(wrapText(line, face.columns - 2).map((row) => `  ${row}`));
  }
  const [handle] = /\bm\d+(?:~\d+)?\b/.exec(note) ?? [];
  return handle === undefined ? undefined : say(face, `\n/recall ${handle} shows the message of a handle.`);
}
