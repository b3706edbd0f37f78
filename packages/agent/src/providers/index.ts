import type { ProviderConfig } from '../config/config.ts';
import type { Row, Values } from '../config/row.ts';
import { anthropicApiDefinition } from './anthropic-api/index.ts';
import { claudeCliDefinition } from './claude-cli/index.ts';
import { cursorCliDefinition } from './cursor-cli/index.ts';
import type { ProviderDefinition } from './definition.ts';
import { geminiApiDefinition } from './gemini-api/index.ts';
import { openaiApiDefinition } from './openai-api/index.ts';
import { standInDefinition } from './stand-in/index.ts';

/** All providers, the default first. To add one, write its folder and name it here. */
const LIST = [
  anthropicApiDefinition,
  openaiApiDefinition,
  geminiApiDefinition,
  claudeCliDefinition,
  cursorCliDefinition,
  standInDefinition,
] as const;

export type ProviderType = (typeof LIST)[number]['type'];

type RowsOf<D> = D extends { readonly rows: infer R } ? R : never;
type All<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer A) => void ? A : never;

/** The rows of the providers' own keys. */
type OwnRows = All<RowsOf<(typeof LIST)[number]>>;

/** The values of the providers' own keys. */
export type OwnSettings = Values<OwnRows>;

/** A listed provider. */
export interface ListedProvider extends Omit<ProviderDefinition, 'rows'> {
  readonly type: ProviderType;
  readonly rows?: Readonly<Record<string, Row>>;
}

/** Everything known about each provider, the default first. */
export const PROVIDERS: readonly ListedProvider[] = LIST;

/** The rows of the providers' own keys, each with the providers that have it. */
export const OWN_ROWS = ownRows() as unknown as OwnRows;

function ownRows(): Readonly<Record<string, Row>> {
  const owned = PROVIDERS.flatMap(({ type, rows = {} }) =>
    Object.entries(rows).map(([key, row]) => ({ type, key, row })),
  );
  return Object.fromEntries(
    owned.map(({ key, row }) => {
      const same = owned.filter((one) => one.key === key);
      const types = same.map(({ type }) => `\`${type}\``).join(' and ');
      const about = `For ${types}: ${row.about.charAt(0).toLowerCase()}${row.about.slice(1)}`;
      const otherwise = same.flatMap((one) => one.row.otherwise ?? []).join(', ');
      return [key, { ...(same[0]?.row ?? row), about, ...(otherwise === '' ? {} : { otherwise }) }];
    }),
  );
}

/** The type if the configuration names none. */
export const DEFAULT_PROVIDER = LIST[0].type;

export const PROVIDER_TYPES: readonly ProviderType[] = LIST.map(({ type }) => type);

/** Whose APIs they speak. */
export const MAKERS: readonly string[] = [...new Set(PROVIDERS.flatMap(({ server }) => server?.maker ?? []))];

/** What is known about a provider; undefined if there is none of this type. Pure. */
export function providerOf(type: string): ListedProvider | undefined {
  return PROVIDERS.find((one) => one.type === type);
}

/** True if it runs a program that keeps its own conversation and has its own tools. Pure. */
export function keepsConversation({ type }: Pick<ProviderConfig, 'type'>): boolean {
  return providerOf(type)?.dialect === undefined;
}

/** The format of a provider's messages; undefined if it keeps its own conversation. Pure. */
export function dialectOf(config: ProviderConfig): string | undefined {
  const dialect = providerOf(config.type)?.dialect;
  return typeof dialect === 'object' ? dialect.formats[Object.values(formatChoice(config))[0] ?? ''] : dialect;
}

/** The key of the provider's own that decides the format of its messages, with its value; empty if none does. Pure. */
export function formatChoice(config: ProviderConfig): Readonly<Record<string, string>> {
  const dialect = providerOf(config.type)?.dialect;
  if (typeof dialect !== 'object') return {};
  const settings: Readonly<Record<string, unknown>> = { ...config };
  return { [dialect.key]: String(settings[dialect.key]) };
}

/** The usual key variable of each server. */
export const KEY_VARIABLES: readonly string[] = PROVIDERS.flatMap(({ server }) => server?.keys[0] ?? []);
