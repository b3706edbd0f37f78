import { isMap, parseDocument } from 'yaml';
import { DEFAULT_PROVIDER, OWN_ROWS, type ProviderType, providerOf } from '../providers/index.ts';

/** The provider that a configuration should name. */
export interface ChosenProvider {
  readonly type: ProviderType;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
}

const HEAD = '# Your own configuration, for every folder. `holdfast config` shows what is in effect.\n';

/**
 * The text of a valid configuration with this provider. Comments and all other keys stay, except for what only fits another
 * provider. Without `model`, it keeps the one of the same provider. Pure.
 */
export function setProvider(text: string, { type, model, base_url }: ChosenProvider): string {
  const document = parseDocument(text.trim() === '' ? `${HEAD}provider: {}\n` : text);
  const isSame = (document.getIn(['provider', 'type']) ?? DEFAULT_PROVIDER) === type;
  // The empty map above, or that of an earlier file, would be written on one line.
  const before = document.get('provider');
  if (isMap(before)) before.flow = false;
  document.setIn(['provider', 'type'], type);
  const foreign = Object.keys(OWN_ROWS).filter((key) => !Object.hasOwn(providerOf(type)?.rows ?? {}, key));
  const gone = isSame ? ['base_url'] : ['base_url', 'model', ...foreign];
  for (const key of gone) document.deleteIn(['provider', key]);
  if (model !== undefined) document.setIn(['provider', 'model'], model);
  if (base_url !== undefined) document.setIn(['provider', 'base_url'], base_url);
  return document.toString({ lineWidth: 0 });
}
