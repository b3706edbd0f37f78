import type { HoldfastConfig, Task } from '@holdfast/agent';
import { keepsConversation, tokenBudget } from '@holdfast/agent/config';
import { type ContextPart, loadContext, plannedBudget, proposedChecks, uncheckedWarnings } from '@holdfast/agent/run';
import { modelInfo } from '@holdfast/models';
import { Conversation } from '@holdfast/sessions';
import { openaiChat } from 'holdfast';
import { harmless } from '../view/harmless.ts';
import type { CheckFlags } from './checks.ts';
import { modelNameOf } from './connected-model.ts';

/** What `--dry-run` shows. Plain data. */
export interface Plan {
  readonly task: { readonly title: string; readonly type?: string; readonly definitionOfDone: readonly string[] };
  readonly workspace: string;
  readonly provider: string;
  readonly model?: { readonly name: string; readonly known: boolean; readonly window: number };
  readonly context: readonly { readonly kind: ContextPart['kind']; readonly path: string; readonly tokens: number }[];
  /** `allowed`: what may be written; `readOnly`: entries of that list that may only be read. */
  readonly scope: {
    readonly allowed?: readonly string[];
    readonly readOnly: readonly string[];
    readonly forbidden: readonly string[];
  };
  readonly validation: readonly string[];
  /** Commands of the Definition of Done that a run would check if you agree. */
  readonly proposed: readonly string[];
  readonly budgets: Pick<HoldfastConfig['execution'], 'max_iterations' | 'max_minutes' | 'max_cost'>;
  readonly conversation: HoldfastConfig['execution']['conversation'];
  /** Exceeding this triggers a fold at the latest; 0 = no limit. Absent if the provider keeps its own conversation. */
  readonly window?: { readonly max_messages: number; readonly max_tokens: number; readonly why: string };
  readonly warnings: readonly string[];
}

/** Plans a run without calling a model. Throws BAD_CONFIG. */
export function planRun(
  task: Task,
  path: string,
  workspace: string,
  config: HoldfastConfig,
  { checks }: CheckFlags = {},
): Plan {
  const { provider, execution, models } = config;
  const open = checks === false ? [] : proposedChecks(task, config.validation.commands);
  const commands = [...config.validation.commands, ...(checks ? open : [])];
  const proposed = checks ? [] : open;
  const unchecked = uncheckedWarnings({ task, config: { ...config, validation: { ...config.validation, commands } } });
  const context = loadContext({ workspace, config, task, path });
  const inMemory = new Conversation<{ role: string; content: string }>({ dialect: openaiChat(), config: {} });
  const name = modelNameOf(config);
  const { max_iterations, max_minutes, max_cost, conversation } = execution;
  const { title, type, definitionOfDone, scope } = task;
  return {
    task: { title, ...(type === undefined ? {} : { type }), definitionOfDone },
    workspace,
    provider: provider.type,
    ...(name === undefined ? {} : { model: modelOf(name, models) }),
    context: context.parts.map((part) => ({
      kind: part.kind,
      path: part.path,
      tokens: inMemory.estimate([{ role: 'user', content: part.text }]),
    })),
    scope: scopeOf(scope),
    validation: commands,
    proposed,
    budgets: { max_iterations, max_minutes, max_cost },
    conversation,
    ...(name === undefined || keepsConversation(provider) ? {} : { window: windowOf(config, name) }),
    warnings: [...task.warnings, ...context.warnings, ...(proposed.length > 0 ? [] : unchecked)],
  };
}

function scopeOf({ allowed, forbidden }: Task['scope']): Plan['scope'] {
  const texts = (rules: Task['scope']['forbidden'] = []) => rules.map(({ text }) => text);
  return {
    ...(allowed ? { allowed: texts(allowed.filter(({ readOnly }) => !readOnly)) } : {}),
    readOnly: texts(allowed?.filter(({ readOnly }) => readOnly)),
    forbidden: texts(forbidden),
  };
}

function windowOf(config: HoldfastConfig, name: string): NonNullable<Plan['window']> {
  const { provider, execution, models } = config;
  const { messages, tokens } = plannedBudget(execution.conversation, modelInfo(name, models), provider.max_output);
  const { why = '' } = tokenBudget(config) ?? {};
  return { max_messages: Number.isFinite(messages) ? messages : 0, max_tokens: tokens, why };
}

function modelOf(name: string, models: HoldfastConfig['models']): NonNullable<Plan['model']> {
  const { known, window } = modelInfo(name, models);
  return { name, known, window };
}

/** The plan as text. Pure. */
export function planLines(plan: Plan): string[] {
  const { task, model, scope, budgets, conversation } = plan;
  const list = (entries: readonly string[]) => entries.map((entry) => `    ${entry}`);
  const limit = (value: number, unit: string) => (value === 0 ? 'no limit' : `${value} ${unit}`);
  const total = plan.context.reduce((sum, { tokens }) => sum + tokens, 0);
  const settings = Object.entries(conversation).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  const window = model && `${model.name} (${model.known ? '' : 'unknown model, assuming '}${model.window} tokens)`;
  return [
    `task          ${task.title}${task.type ? ` (${task.type})` : ''}`,
    `workspace     ${plan.workspace}`,
    `provider      ${plan.provider}${window ? `, ${window}` : ''}`,
    `context       ~${total} tokens, pinned`,
    ...list(plan.context.map(({ kind, path, tokens }) => `${kind} ${path} (~${tokens} tokens)`)),
    `may write     ${scope.allowed ? (scope.allowed.length > 0 ? '' : 'nothing') : 'anything not forbidden'}`.trimEnd(),
    ...list(scope.allowed ?? []),
    ...(scope.readOnly.length > 0 ? ['may only read', ...list(scope.readOnly)] : []),
    ...(scope.forbidden.length > 0 ? ['forbidden', ...list(scope.forbidden)] : []),
    `checks        ${plan.validation.length === 0 ? (plan.proposed.length === 0 ? 'none: the result is not checked' : 'none yet') : ''}`.trimEnd(),
    ...list(plan.validation),
    ...(plan.proposed.length > 0 ? ['would ask to run as checks (--checks does not ask)', ...list(plan.proposed)] : []),
    `done when     ${task.definitionOfDone.length === 0 ? 'the model says so' : ''}`.trimEnd(),
    ...list(task.definitionOfDone),
    `budgets       ${budgets.max_iterations} iterations, ${limit(budgets.max_minutes, 'minutes')} (time), ${limit(budgets.max_cost, 'dollars')} (cost)`,
    `conversation  ${foldText(plan)}`,
    ...list(settings),
    'Dry run: nothing was sent or written.',
  ].map(harmless);
}

function foldText({ window, conversation: { strategy = 'fold' } }: Plan): string {
  if (!window) return 'kept by the program itself';
  const { max_messages, max_tokens, why } = window;
  const messages = max_messages > 0 ? `${max_messages} messages or ` : '';
  return `folds above ${messages}${max_tokens} tokens (${why}), or earlier; strategy: ${[strategy].flat().join(', ')}`;
}
