import { nearest } from '@holdfast/agent/config';
import { type CommandContext, say } from './command.ts';

/** `/model`: a list to choose from; with a name, switches to it, and asks first if nothing is known of it. */
export async function model(name: string, { chat, face, speaker, models }: CommandContext): Promise<undefined> {
  const wanted = name || (await chosen(models, chat.speaker.model, face));
  if (wanted === undefined) {
    const known = models.length > 0 ? `; known: ${models.join(', ')}` : '';
    return say(face, `${chat.speaker.model} (${chat.speaker.name}) answers${known}`);
  }
  if (name !== '' && models.length > 0 && !models.includes(name)) {
    const meant = nearest(name, models);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    if (!(await face.confirm(`Nothing is known of a model ${name}: no limits, no prices.${hint} Use ${name}?`)))
      return say(face, `${chat.speaker.model} still answers.`);
  }
  await chat.use(speaker(wanted));
  return say(face, `${chat.speaker.model} (${chat.speaker.name}) answers from now on`);
}

async function chosen(
  models: readonly string[],
  now: string,
  face: CommandContext['face'],
): Promise<string | undefined> {
  return models.length < 2 ? undefined : await face.choose('Which model answers?', models, now);
}
