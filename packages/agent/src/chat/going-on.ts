import { dialectFor, isWordsAlone, type SessionInfo, type SessionStore } from '@holdfast/sessions';
import type { ProviderConfig, ProviderType } from '../config/config.ts';

/** Messages by which a wire format is known. */
const SAMPLE = 200;

/** The wire format that a session goes on in; undefined if any will do: nothing was said, or words that are the same in all. */
export async function wireFormatOf(
  store: Pick<SessionStore, 'history'>,
  { id, dialect, messages }: SessionInfo,
): Promise<string | undefined> {
  if (messages === 0) return undefined;
  // A name that nobody here knows says nothing: its messages do.
  if (dialect !== undefined && dialectFor(dialect).name === dialect) return dialect;
  const { items } = await store.history(id, { limit: SAMPLE });
  const sample = items.map(({ message }) => message);
  if (dialect === undefined && sample.every(isWordsAlone)) return undefined;
  return dialectFor(dialect, ...sample).name;
}

/** The wire format of a provider's requests; undefined for a program that keeps its own conversation. Pure. */
export function formatSpokenBy({ type, api }: Pick<ProviderConfig, 'type' | 'api'>): string | undefined {
  if (type === 'openai-api') return api === 'responses' ? 'openai-responses' : 'openai-chat';
  return type === 'anthropic-api' || type === 'stand-in' ? 'anthropic' : undefined;
}

/**
 * Why no chat in this wire format can go on with a session, and what can; undefined if one can. `spoken`: undefined for a
 * program that keeps its own conversation.
 */
export async function hindranceOf(
  store: Pick<SessionStore, 'history'>,
  info: SessionInfo,
  spoken: string | undefined,
): Promise<string | undefined> {
  const { id } = info;
  // A crew no longer knows a session in which somebody else has spoken.
  if (info.provider === 'crew')
    return `session ${id} is a crew's: holdfast crew run FILE "…" --session ${id} goes on with it`;
  const format = spoken === undefined ? undefined : await wireFormatOf(store, info);
  if (format === undefined || format === spoken) return undefined;
  return `session ${id} was held in the wire format ${format}: ${wayOn(info, format)}`;
}

const SPEAKERS: readonly { readonly format: string; readonly types: readonly ProviderType[]; readonly how: string }[] =
  [
    { format: 'anthropic', types: ['anthropic-api', 'stand-in'], how: '' },
    { format: 'openai-chat', types: ['openai-api'], how: '' },
    { format: 'openai-responses', types: ['openai-api'], how: ' and provider.api: responses in the configuration' },
  ];

/** The provider that was there before, where it speaks the format; otherwise one that does. */
function wayOn({ id, provider }: SessionInfo, format: string): string {
  const speaker = SPEAKERS.find((one) => one.format === format);
  if (!speaker) return `no provider here speaks it; holdfast sessions export ${id} gives its messages`;
  const type = speaker.types.find((one) => one === provider) ?? speaker.types[0];
  return `go on with --provider ${type}${speaker.how}`;
}
