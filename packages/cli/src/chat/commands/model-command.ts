import { type CommandContext, say } from './command.ts';

export async function model(name: string, { chat, face, speaker, models }: CommandContext): Promise<undefined> {
  if (name !== '') await chat.use(speaker(name));
  const { speaker: now } = chat;
  const known = name === '' && models.length > 0 ? `; known: ${models.join(', ')}` : '';
  return say(face, `${now.model} (${now.name}) answers${name === '' ? '' : ' from now on'}${known}`);
}
