import { handleTarget, noteLines } from 'holdfast';
import { clean } from '../../view/clean.ts';
import { wrapText } from '../../view/text.ts';
import { type CommandContext, say } from './command.ts';

/** `/memory`: the note that speaks for what was folded, each line with the handle of its message. */
export async function memory(_: string, { chat, face }: CommandContext): Promise<undefined> {
  const note = chat.note();
  if (note === undefined) return say(face, 'Nothing has been folded yet: the model sees every message.');
  const lines = noteLines(note);
  const { bold } = face.style.colours;
  let above: string | undefined;
  for (const { text, section } of lines) {
    if (section !== undefined && section !== above)
      face.print(['', ...wrapText(clean(section), face.columns).map(bold)]);
    above = section;
    face.print(wrapText(text, face.columns - 2).map((row) => `  ${row}`));
  }
  const names = lines.flatMap(({ handles }) => handles.map(({ handle }) => handle));
  const handle = names.find((name) => handleTarget(name)?.to === undefined);
  return handle === undefined ? undefined : say(face, `\n/recall ${handle} shows that message in full.`);
}
