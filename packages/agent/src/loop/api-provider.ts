import { HoldfastError } from 'holdfast';
import { type AskedModel, createEndpointLookup } from '../models/ask-model.ts';
import type { FoundModel } from '../models/model.ts';
import { modelInfo } from '../models/model-info.ts';
import type { ServerDefinition } from '../providers/definition.ts';
import type { ExecutionResult, HeldConversation, Provider } from '../providers/provider.ts';
import type { Api } from './api.ts';
import { type ApiOptions, type ResolvedOptions, resolveOptions, wrongOption } from './api-options.ts';
import { createDeadline, untilAborted } from './deadline.ts';
import { execute } from './execute.ts';
import type { ExecutionSetup } from './execution.ts';
import { failureOf, shortened } from './failure.ts';
import { holdConversation } from './held-conversation.ts';
import { knownKeys } from './known-keys.ts';
import { createRedactor } from './redactor.ts';
import { isOpen } from './saved.ts';
import { wellFormed } from './well-formed.ts';
import { outputOf } from './window-config.ts';

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
    const lookup =
      lookups.get(endpoint) ??
      createEndpointLookup({ modelRequest, base_url, ...(key ? { key } : {}), ...(token ? { token } : {}) });
    lookups.set(endpoint, lookup);
    // Others may wait for the same answer, so do not cancel it.
    return untilAborted(lookup(options.model), signal, {});
  };
  /** Everything an execution with these options needs. Throws if there is no key. */
  const prepare = async (
    options: ResolvedOptions,
    signal: AbortSignal,
    deadline: number,
  ): Promise<ExecutionSetup<M>> => {
    const listed = modelInfo(options.model, options.models);
    const first = await setup.connect(options, listed, outputOf(options.max_output, listed));
    const info = { ...listed, ...unlessSet(await ask(options, first, signal), listed, modelInfo(options.model)) };
    const connection = await setup.connect(options, info, outputOf(options.max_output, info));
    const doubt = setup.wrongAddress?.(connection.base_url);
    return {
      name,
      api: connection.api,
      options,
      info,
      signal,
      deadline,
      ...(doubt === undefined ? {} : { addressDoubt: doubt }),
      ...(URL.canParse(connection.base_url) ? { address: addressOf(new URL(connection.base_url)) } : {}),
      max_output: outputOf(options.max_output, info),
      redactor: createRedactor(...connection.keys, options.api_key, ...knownKeys()),
    };
  };
  return {
    name,
    ...(setup.dialect === undefined ? {} : { dialect: setup.dialect }),
    takesHistory: true,
    async execute(prompt, given = {}) {
      const options = resolveOptions(setup.options, given, defaultModel);
      const redactor = createRedactor(options.api_key, ...knownKeys());
      const { conversationState } = options;
      const isMute = !/\S/.test(prompt) && !isOpen(conversationState);
      const wrong = isMute ? 'the prompt is empty' : wrongOption(options);
      if (wrong !== undefined) return failed('invalid_request', wrong, conversationState);
      const { signal, deadline, done } = createDeadline(options);
      try {
        return await execute(wellFormed(prompt), await prepare(options, signal, deadline));
      } catch (error) {
        const { category, message } = failureOf(error);
        const errorText = shortened(redactor.message(message));
        return failed(category === 'unknown' ? 'invalid_request' : category, errorText, conversationState);
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

function addressOf({ origin, pathname }: URL): string {
  return origin + (pathname === '/' ? '' : pathname);
}

/** What the server says about a model, except what the caller has set. */
function unlessSet({ window, max_output }: AskedModel, listed: FoundModel, known: FoundModel): AskedModel {
  return {
    ...(window !== undefined && listed.window === known.window ? { window } : {}),
    ...(max_output !== undefined && listed.max_output === known.max_output ? { max_output } : {}),
  };
}

/** Nothing was sent because prompt, options, state or key are wrong. The conversation is unchanged. */
function failed(
  errorCategory: NonNullable<ExecutionResult['errorCategory']>,
  error: string,
  conversationState: unknown,
): ExecutionResult {
  const state = conversationState === undefined ? {} : { conversationState };
  return { success: false, output: '', error, errorCategory, filesChanged: [], iterationComplete: false, ...state };
}
