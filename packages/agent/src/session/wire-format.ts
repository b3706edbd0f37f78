import { dialectFor, isTextOnly, type SessionInfo, type SessionStore } from '@holdfast/sessions';
import { KEYS } from '../config/key-index.ts';
import { PROVIDERS } from '../providers/index.ts';

/** Messages that reveal a wire format. */
const SAMPLE = 200;

/** The wire format of a session; undefined if any fits: it has no messages, or plain text alone. */
export async function wireFormatOf(
  store: Pick<SessionStore, 'history'>,
  { id, dialect, messages }: SessionInfo,
): Promise<string | undefined> {
  if (messages === 0) return undefined;
  // An unknown name says nothing; the messages do.
  if (dialect !== undefined && dialectFor(dialect).name === dialect) return dialect;
  const { items } = await store.history(id, { limit: SAMPLE });
  const sample = items.map(({ message }) => message);
  if (dialect === undefined && sample.every(isTextOnly)) return undefined;
  return dialectFor(dialect, ...sample).name;
}

/**
 * Why a chat in this wire format cannot resume a session, and what can; undefined if it can. `spoken`: undefined for a program
 * that keeps its own conversation.
 */
export async function resumeProblem(
  store: Pick<SessionStore, 'history'>,
  info: SessionInfo,
  spoken: string | undefined,
): Promise<string | undefined> {
  const { id } = info;
  // A crew cannot continue a session that another provider wrote to.
  if (info.kind === 'crew')
    return `session ${id} belongs to a crew: holdfast crew run FILE "…" --session ${id} continues it`;
  if (info.kind === 'run') return `session ${id} belongs to a run: holdfast runs resume ${id} continues it`;
  if (info.kind === 'proxy')
    return `session ${id} belongs to a client of the proxy: resume it there, or copy it with holdfast sessions export`;
  if (info.kind === 'integration')
    return `session ${id} belongs to an agent framework: continue it there, or copy it with holdfast sessions export`;
  const format = spoken === undefined ? undefined : await wireFormatOf(store, info);
  if (format === undefined || format === spoken) return undefined;
  return `session ${id} was held in the wire format ${format}: ${wayOn(info, format)}`;
}

/** Providers by the wire format they speak, each with what else the configuration must say. */
const SPEAKERS = PROVIDERS.flatMap(({ type, dialect }) =>
  typeof dialect === 'object'
    ? Object.entries(dialect.formats).map(([value, format]) => ({ format, type, how: howTo(dialect.key, value) }))
    : [{ format: dialect, type, how: '' }],
);

function howTo(key: string, value: string): string {
  return value === KEYS.get(`provider.${key}`)?.default ? '' : ` and provider.${key}: ${value} in the configuration`;
}

/** The session's own provider if it speaks the format, or another that does. */
function wayOn({ id, provider }: SessionInfo, format: string): string {
  const speakers = SPEAKERS.filter((one) => one.format === format);
  const speaker = speakers.find(({ type }) => type === provider) ?? speakers[0];
  if (!speaker) return `no provider here speaks it; holdfast sessions export ${id} prints its messages`;
  return `use --provider ${speaker.type}${speaker.how}`;
}
