import { type LoadedConfig, providerOf, shownPath } from '@holdfast/agent/config';
import { isHoldfastError } from 'holdfast';
import type { ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { loadWithFlags } from '../load-with-flags.ts';
import { isTrustedByFlag, type TrustStatus, trustStatusOf } from '../trust/ensure-trust.ts';
import { visible } from '../trust/visible.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { examinePlaces } from './places.ts';
import { examinePrograms } from './programs.ts';
import { examineModel, examineServer } from './provider-api.ts';
import { examineStore } from './store.ts';

/** Checks everything a task needs, in the order it is needed. Reports what is missing instead of throwing. */
export async function examine(context: Context, flags: ConfigFlags): Promise<Finding[]> {
  const { findings, loaded } = readConfiguration(context, flags);
  return [
    ok('node', process.versions.node),
    ...findings,
    ...(loaded ? await examineProvider(loaded, context) : []),
    ...examinePlaces(loaded?.config.execution.agents_file, context),
    await examineStore(context),
  ];
}

async function examineProvider(loaded: LoadedConfig, context: Context): Promise<Finding[]> {
  const { provider, models } = loaded.config;
  const claimed = loaded.claims.find(({ key }) => key.startsWith('provider.'));
  if (!loaded.trusted && claimed)
    return [
      warning(
        'provider',
        `skipped: ${claimed.key} is not trusted yet`,
        '`holdfast trust`, then `holdfast doctor` again',
      ),
    ];
  const own = ok('provider', provider.type);
  const programs = await examinePrograms(loaded.config, context);
  const { server, defaultModel } = providerOf(provider.type) ?? {};
  const { model = defaultModel ?? '' } = provider;
  if (!server) return [own, ...programs];
  const answers = await examineServer(provider, server, model, context);
  return [own, ...answers, examineModel(model, models), ...programs];
}

function readConfiguration(context: Context, flags: ConfigFlags): { findings: Finding[]; loaded?: LoadedConfig } {
  const about = 'configuration';
  try {
    const isVouched = isTrustedByFlag(context, flags);
    const standing = trustStatusOf(context, flags, { instructions: { roles: [] } });
    const trusts = isVouched || standing.trusts;
    const loaded = loadWithFlags({ ...context, trusts, tell: () => {} }, flags);
    const files = [loaded.file, loaded.userFile].flatMap((file) => (file ? [shownPath(context.cwd, file)] : []));
    const none = { ...ok(about, 'no file, all defaults'), advice: '`holdfast init` writes a file' };
    const found = files.length === 0 ? none : ok(about, files.join(', over your own '));
    const warnings = loaded.warnings.map((text) => warning(about, text, '`holdfast config` shows what is in effect'));
    return { findings: [found, ...warnings, ...(isVouched ? [] : trustFindings(standing))], loaded };
  } catch (error) {
    if (!isHoldfastError(error) && !(error instanceof WrongUse)) throw error;
    const advice = 'correct it, then run `holdfast doctor` again';
    return { findings: error.message.split('\n').map((text) => problem(about, text, advice)) };
  }
}

function trustFindings({ pending }: TrustStatus): Finding[] {
  if (pending.length === 0) return [];
  const names = pending.map(
    ({ item }) => `${visible(item.name)}${item.kind === 'values' ? ` (${shortened(item.lines)})` : ''}`,
  );
  const advice =
    '`holdfast trust` shows it all and asks; until then other commands ask too, or refuse if there is no terminal';
  return [warning('trust', `not trusted yet: ${names.join(', ')}`, advice)];
}

/** Keeps the last lines, which can do the most harm. */
function shortened(lines: readonly string[]): string {
  const shown = lines
    .slice(-MOST_LINES)
    .map((line) => (line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line));
  return [...(lines.length > MOST_LINES ? ['…'] : []), ...shown].join('; ');
}

const MOST_LINES = 10;
const MOST_CHARS = 200;
