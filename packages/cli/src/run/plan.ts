import {
  type ContextPart,
  DEFAULT_MODELS,
  type HoldfastConfig,
  loadContext,
  modelInfo,
  type Task,
} from '@holdfast/agent';
import { ConversationWindow } from 'holdfast';

/** What a run would be, for `--dry-run`. Plain data. */
export interface Plan {
  readonly task: { readonly title: string; readonly type?: string; readonly definition_of_done: readonly string[] };
  readonly workspace: string;
  readonly provider: string;
  readonly model?: { readonly name: string; readonly known: boolean; readonly window: number };
  readonly context: readonly { readonly kind: ContextPart['kind']; readonly path: string; readonly tokens: number }[];
  readonly scope: { readonly allowed?: readonly string[]; readonly forbidden: readonly string[] };
  readonly validation: readonly string[];
  readonly budgets: Pick<HoldfastConfig['execution'], 'max_iterations' | 'max_minutes' | 'max_cost'>;
  readonly conversation: HoldfastConfig['execution']['conversation'];
  readonly warnings: readonly string[];
}

/** What a run would send and keep to; asks no model. Throws BAD_CONFIG. */
export function planRun(task: Task, path: string, workspace: string, config: HoldfastConfig): Plan {
  const { provider, execution, validation, models } = config;
  const context = loadContext({ workspace, config, task, path });
  const window = new ConversationWindow<{ role: string; content: string }>();
  const name = provider.model ?? DEFAULT_MODELS[provider.type as keyof typeof DEFAULT_MODELS];
  const { max_iterations, max_minutes, max_cost, conversation } = execution;
  const texts = (rules: Task['scope']['forbidden']) => rules.map(({ text }) => text);
  const { title, type, definition_of_done, scope } = task;
  return {
    task: { title, ...(type === undefined ? {} : { type }), definition_of_done },
    workspace,
    provider: provider.type,
    ...(name === undefined ? {} : { model: modelOf(name, models) }),
    context: context.parts.map((part) => ({
      kind: part.kind,
      path: part.path,
      tokens: window.estimateTokens([{ role: 'user', content: part.text }]),
    })),
    scope: { ...(scope.allowed ? { allowed: texts(scope.allowed) } : {}), forbidden: texts(scope.forbidden) },
    validation: validation.commands,
    budgets: { max_iterations, max_minutes, max_cost },
    conversation,
    warnings: [...task.warnings, ...context.warnings],
  };
}

function modelOf(name: string, models: HoldfastConfig['models']): NonNullable<Plan['model']> {
  const { known, window } = modelInfo(name, models);
  return { name, known, window };
}

/** The plan as lines for people. Pure. */
export function planLines(plan: Plan): string[] {
  const { task, model, scope, budgets, conversation } = plan;
  const list = (entries: readonly string[]) => entries.map((entry) => `    ${entry}`);
  const limit = (value: number, unit: string) => (value === 0 ? 'no limit' : `${value} ${unit}`);
  const total = plan.context.reduce((sum, { tokens }) => sum + tokens, 0);
  const settings = Object.entries(conversation).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  const window = model && `${model.name} (${model.known ? '' : 'not in the table, assumed: '}${model.window} tokens)`;
  return [
    `task          ${task.title}${task.type ? ` (${task.type})` : ''}`,
    `workspace     ${plan.workspace}`,
    `provider      ${plan.provider}${window ? `, ${window}` : ''}`,
    `context       ~${total} tokens, pinned`,
    ...list(plan.context.map(({ kind, path, tokens }) => `${kind} ${path} (~${tokens} tokens)`)),
    `may write     ${scope.allowed ? '' : 'everything that is not forbidden'}`.trimEnd(),
    ...list(scope.allowed ?? []),
    ...(scope.forbidden.length > 0 ? ['forbidden', ...list(scope.forbidden)] : []),
    `checks        ${plan.validation.length === 0 ? 'none' : ''}`.trimEnd(),
    ...list(plan.validation),
    `done when     ${task.definition_of_done.length === 0 ? 'the model says so' : ''}`.trimEnd(),
    ...list(task.definition_of_done),
    `budgets       ${budgets.max_iterations} iterations, ${limit(budgets.max_minutes, 'minutes')} of time, ${limit(budgets.max_cost, 'dollars')} of money`,
    `conversation  ${settings.join(', ') || 'defaults'}`,
    'Nothing was sent, and nothing was written.',
  ];
}
