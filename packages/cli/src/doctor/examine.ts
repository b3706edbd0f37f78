import { type LoadedConfig, shownPath } from '@holdfast/agent/config';
import { isHoldfastError } from 'holdfast';
import { type ConfigFlags, loadWithFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { Finding } from './finding.ts';
import { examinePlaces } from './places.ts';
import { examinePrograms } from './programs.ts';
import { examineApi, examineModel } from './provider-api.ts';

/** Looks at everything that a task needs, in the order in which it is needed. Never throws for what is missing. */
export async function examine(context: Context, flags: ConfigFlags): Promise<Finding[]> {
  const { findings, loaded } = readConfiguration(context, flags);
  return [
    { about: 'node', status: 'ok', text: process.versions.node },
    ...findings,
    ...(loaded ? await examineProvider(loaded, context) : []),
    ...examinePlaces(loaded?.config.execution.agents_file, context),
  ];
}

async function examineProvider(loaded: LoadedConfig, context: Context): Promise<Finding[]> {
  const { provider, models } = loaded.config;
  const own: Finding = { about: 'provider', status: 'ok', text: provider.type };
  const programs = await examinePrograms(loaded.config, context);
  if (provider.type === 'anthropic-api' || provider.type === 'openai-api') {
    const model = await examineModel(provider, models);
    return [own, ...(await examineApi(provider, context)), model, ...programs];
  }
  return [own, ...programs];
}

function readConfiguration(context: Context, flags: ConfigFlags): { findings: Finding[]; loaded?: LoadedConfig } {
  const about = 'configuration';
  try {
    const loaded = loadWithFlags({ ...context, tell: () => {} }, flags);
    const text = loaded.file === undefined ? 'no file, all defaults' : shownPath(context.cwd, loaded.file);
    const advice = loaded.file === undefined ? { advice: '`holdfast init` writes one' } : {};
    const warnings = loaded.warnings.map((warning): Finding => ({ about, status: 'warning', text: warning }));
    return { findings: [{ about, status: 'ok', text, ...advice }, ...warnings], loaded };
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
    const findings = error.message.split('\n').map((text): Finding => ({ about, status: 'problem', text }));
    return { findings };
  }
}
