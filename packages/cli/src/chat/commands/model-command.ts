import { nearest } from '@holdfast/agent/config';
import { type CommandContext, say } from './command.ts';

const OFFERED = 4;

/** `/model`: a list to choose from; with a name, switches to it, and asks first if nothing is known of it. */
export async function model(name: string, { chat, face, speaker, models }: CommandContext): Promise<undefined> {
  const { speaker: now } = chat;
  if (name === '' && (models.length < 2 || !face.choose)) {
    const known = models.length > 0 ? `; known: ${models.join(', ')}` : '';
    return say(face, `${now.model} (${now.name}) answers${known}`);
  }
  // A part of a name, such as `haiku`, or none: all that have it.
  const meant = models.includes(name) ? [] : models.filter((one) => one.includes(name));
  const isOffered = meant.length > 0 && face.choose !== undefined;
  const wanted = isOffered ? await face.choose?.('Which model answers?', meant, now.model) : name;
  if (wanted === undefined) return say(face, `${now.model} still answers.`);
  // First: some providers refuse what they do not know.
  const next = speaker(wanted);
  if (!isOffered && models.length > 0 && !models.includes(name)) {
    const near = nearest(name, models) ?? meant.slice(0, OFFERED).join(' or ');
    const hint = near === '' ? '' : ` Did you mean ${near}?`;
    if (
      !(await face.confirm(`${name} is not a known model, so its limits and prices are unknown.${hint} Use ${name}?`))
    )
      return say(face, `${now.model} still answers.`);
  }
  await chat.use(next);
  return say(face, `${chat.speaker.model} (${chat.speaker.name}) answers from now on`);
}
