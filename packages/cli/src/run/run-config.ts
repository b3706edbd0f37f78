import type { HoldfastConfig, SavedRun } from '@holdfast/agent';
import { type FlagValue, formatChoice, type LoadedConfig } from '@holdfast/agent/config';
import type { RunSpeaker } from '@holdfast/agent/run';
import type { ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { loadWithFlags } from '../load-with-flags.ts';
import { modelNameOf } from './connected-model.ts';

/** The flags of a run that override its configuration. */
export interface RunConfigFlags extends ConfigFlags {
  readonly maxCost?: string;
}

/** The limits given as flags, by the keys they override. Pure. */
export function limitFlags({ maxCost }: RunConfigFlags): Readonly<Record<string, FlagValue>> {
  return { 'execution.max_cost': { value: maxCost, flag: '--max-cost' } };
}

/** A configuration, and the provider settings to save with the run. */
export interface LoadedForRun extends LoadedConfig {
  readonly speaker: RunSpeaker;
}

/**
 * The configuration of a run. A resumed run keeps its provider and model, and its server if the user named it; flags override
 * them, and a line says what changed. Throws BAD_CONFIG.
 */
export function loadForRun(context: Context, flags: RunConfigFlags, saved: SavedRun | undefined): LoadedForRun {
  const now = loadWithFlags(context, flags, limitFlags(flags));
  if (!saved) return { ...now, speaker: speakerOf(now) };
  const { model, base_url, ...format } = saved.speaker ?? {};
  const isSame = flags.provider === undefined || flags.provider === saved.provider;
  const kept: ConfigFlags = {
    provider: saved.provider,
    ...(isSame && model !== undefined ? { model } : {}),
    ...(isSame && base_url !== undefined ? { baseUrl: base_url } : {}),
    ...flags,
  };
  const more = Object.entries(format).map(([key, value]) => [`provider.${key}`, { value, flag: '--resume' }] as const);
  const own = { ...limitFlags(flags), ...(isSame ? Object.fromEntries(more) : {}) };
  const loaded = loadWithFlags({ ...context, tell: () => {} }, kept, own);
  const speaker = speakerOf(loaded);
  for (const line of changes(saved, now, loaded, flags)) context.tell(line);
  return { ...loaded, speaker };
}

/** The provider settings to save. A URL with a password is not saved. */
function speakerOf({ config, sources }: LoadedConfig): RunSpeaker {
  const { base_url } = config.provider;
  const model = modelNameOf(config);
  const source = sources['provider.base_url']?.type;
  const isOwn = base_url !== undefined && (source === 'flag' || source === 'environment');
  return {
    ...(model === undefined ? {} : { model }),
    ...formatChoice(config.provider),
    ...(isOwn && !/\/\/[^/]*@/.test(base_url) ? { base_url } : {}),
  };
}

function changes(saved: SavedRun, now: LoadedConfig, loaded: LoadedConfig, flags: ConfigFlags): string[] {
  const before = [saved.provider, saved.speaker?.model].filter(Boolean).join(', ');
  const [wanted, used] = [nameOf(now.config), nameOf(loaded.config)];
  const isFlagged = flags.provider !== undefined || flags.model !== undefined;
  const { base_url: address } = loaded.config.provider;
  return [
    ...(isFlagged && used !== before
      ? [`this run started with ${before}; it continues with ${used}, as the flags say`]
      : []),
    ...(!isFlagged && used !== wanted
      ? [
          `continuing with ${used}, as the run started; the configuration says ${wanted}: --provider and --model override`,
        ]
      : []),
    ...(address !== now.config.provider.base_url && saved.speaker?.base_url !== undefined
      ? [`continuing with ${address}, as the run started: --base-url overrides`]
      : []),
  ];
}

function nameOf(config: HoldfastConfig): string {
  return [config.provider.type, modelNameOf(config)].filter(Boolean).join(', ');
}
