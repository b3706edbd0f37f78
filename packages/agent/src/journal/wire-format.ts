import { dialectFor, isWordsAlone, type SessionInfo, type SessionStore } from '@holdfast/sessions';
import { KEYS } from '../config/keys.ts';
import { PROVIDERS } from '../providers/index.ts';

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
  if (info.kind === 'crew') return `session ${id} is a crew's: holdfast crew run FILE "…" --session ${id} continues it`;
  if (info.kind === 'run')
    return `session ${id} is a run's: holdfast run TASK.md --resume continues it, in the folder of its task`;
  const format = spoken === undefined ? undefined : await wireFormatOf(store, info);
  if (format === undefined || format === spoken) return undefined;
  return `session ${id} was held in the wire format ${format}: ${wayOn(info, format)}`;
}

/** Providers by the wire format they speak, each with what else the configuration must say. */
const SPEAKERS = PROVIDERS.flatMap(({ type, dialect }) =>
  typeof dialect === 'object'
    ? Object.entries(dialect).map(([api, format]) => ({ format, type, how: howTo(api) }))
    : [{ format: dialect, type, how: '' }],
);

function howTo(api: string): string {
  return api === KEYS.get('provider.api')?.default ? '' : ` and provider.api: ${api} in the configuration`;
}

/** The provider that was there before, where it speaks the format; otherwise one that does. */
function wayOn({ id, provider }: SessionInfo, format: string): string {
  const speakers = SPEAKERS.filter((one) => one.format === format);
  const speaker = speakers.find(({ type }) => type === provider) ?? speakers[0];
  if (!speaker) return `no provider here speaks it; holdfast sessions export ${id} gives its messages`;
  return `go on with --provider ${speaker.type}${speaker.how}`;
}
