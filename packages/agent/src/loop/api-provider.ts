import { answerRoom, type FoundModel, modelInfo } from '@holdfast/models';
import { HoldfastError } from 'holdfast';
import { defined } from '../defined.ts';
import { type AskedModel, createEndpointLookup } from '../providers/ask-model.ts';
import type { ServerDefinition } from '../providers/definition.ts';
import { notStarted } from '../providers/not-started.ts';
import type { ExecutionResult, HeldConversation, Provider } from '../providers/provider.ts';
import type { Api } from './api.ts';
import { type ApiOptions, type ResolvedOptions, resolveOptions, wrongOption } from './api-options.ts';
import { createDeadline, untilAborted } from './deadline.ts';
import { execute } from './execute.ts';
import type { ExecutionSetup } from './execution.ts';
import { failureOf, shortened } from './failure.ts';
import { holdConversation } from './held-conversation.ts';
import { createRedactor, knownKeys } from './redactor.ts';
import { isOpen } from './saved.ts';

/** A provider that talks to an API itself. */
export interface ApiProvider extends Provider {
  execute(prompt: string, options?: ApiOptions): Promise<ExecutionResult>;
  hold(options: ApiOptions): Promise<HeldConversation>;
}

/** An API and its client. `keys` must never be shown. */
export interface Connection<M> {
  readonly api: Api<M>;
  readonly base_url: string;
  readonly keys: readonly (string | null | undefined)[];
  /** A key sent as `authorization`, if the API usually has another place for it. */
  readonly token?: string;
}

/** What makes an API a provider. */
export interface ApiProviderSetup<M> extends Partial<Pick<ServerDefinition, 'modelRequest' | 'wrongAddress'>> {
  readonly name: string;
  readonly defaultModel: string;
  /** The wire format of its messages: a chat does not resume a session in another. */
  readonly dialect?: string;
  /** Throws if there is no key. `max_output`: maximum tokens of one answer. */
  connect(options: ResolvedOptions, info: FoundModel, max_output: number): Connection<M> | Promise<Connection<M>>;
  readonly options: ApiOptions;
}

/** A provider for one API. Executions may run concurrently. It makes no request before the first one. */
export function createApiProvider<M>(setup: ApiProviderSetup<M>): ApiProvider {
  const { name, defaultModel } = setup;
  const lookups = new Map<string, (id: string) => Promise<AskedModel>>();
  const ask = async (
    options: ResolvedOptions,
    { base_url, keys, token }: Connection<M>,
    signal: AbortSignal,
  ): Promise<AskedModel> => {
    const { modelRequest } = setup;
    if (!modelRequest || options.ask_window === false || options.models?.[options.model]?.window !== undefined)
      return {};
    const [key] = keys;
    const endpoint = `${base_url} ${key} ${token}`;
    const keyed = defined({ key: key || undefined, token });
    const lookup = lookups.get(endpoint) ?? createEndpointLookup({ modelRequest, base_url, ...keyed });
    lookups.set(endpoint, lookup);
    // Other callers may be waiting for the same answer, so do not cancel it.
    return untilAborted(lookup(options.model), signal, {});
  };
  /** Everything an execution with these options needs. Throws if there is no key. */
  const prepare = async (
    options: ResolvedOptions,
    signal: AbortSignal,
    deadline: number,
  ): Promise<ExecutionSetup<M>> => {
    const listed = modelInfo(options.model, options.models);
    const first = await setup.connect(options, listed, answerRoom(listed, options.max_output));
    const info = { ...listed, ...unlessSet(await ask(options, first, signal), listed, modelInfo(options.model)) };
    const max_output = answerRoom(info, options.max_output);
    const { api, keys, base_url } = await setup.connect(options, info, max_output);
    const place = defined({ addressDoubt: setup.wrongAddress?.(base_url), address: addressOf(base_url) });
    const redactor = createRedactor(...keys, options.api_key, ...knownKeys());
    return { name, api, options, info, signal, deadline, max_output, redactor, ...place };
  };
  return {
    name,
    ...defined({ dialect: setup.dialect }),
    takesHistory: true,
    async execute(prompt, given = {}) {
      const options = resolveOptions(setup.options, given, defaultModel);
      const redactor = createRedactor(options.api_key, ...knownKeys());
      const { conversationState, session } = options;
      const isMute = !/\S/.test(prompt) && !session?.open && !isOpen(conversationState);
      const wrong = isMute ? 'the prompt is empty' : wrongOption(options);
      if (wrong !== undefined) return notStarted('invalid_request', wrong, conversationState);
      const { signal, deadline, done } = createDeadline(options);
      try {
        return await execute(prompt.toWellFormed(), await prepare(options, signal, deadline));
      } catch (error) {
        const { category, message } = failureOf(error);
        const errorText = shortened(redactor.message(message));
        return notStarted(category === 'unknown' ? 'invalid_request' : category, errorText, conversationState);
      } finally {
        done();
      }
    },
    async hold(given) {
      const options = resolveOptions(setup.options, given, defaultModel);
      const wrong = wrongOption(options);
      if (wrong !== undefined) throw new HoldfastError('BAD_CONFIG', wrong);
      const signal = options.signal ?? new AbortController().signal;
      return holdConversation(await prepare(options, signal, Number.POSITIVE_INFINITY));
    },
  };
}

function addressOf(base_url: string): string | undefined {
  const { origin = '', pathname = '' } = URL.parse(base_url) ?? {};
  return origin === '' ? undefined : origin + (pathname === '/' ? '' : pathname);
}

/** What the server says about a model, except what the caller has set. */
function unlessSet({ window, max_output }: AskedModel, listed: FoundModel, known: FoundModel): AskedModel {
  return defined({
    window: listed.window === known.window ? window : undefined,
    max_output: listed.max_output === known.max_output ? max_output : undefined,
  });
}
