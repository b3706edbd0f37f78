export {
  anyClient,
  CLIENTS,
  type ClientRun,
  type ClientSettings,
  clientOf,
} from './clients/client-settings.ts';
export type { ProxyEvent } from './events.ts';
export type { ProxyLimits, ProxyOptions } from './options.ts';
export { createProxy, type HoldfastProxy } from './proxy.ts';
export { type RecallWays, recallSentence } from './recall-sentence.ts';
export type { ProxyStatus } from './status.ts';
export type { UpstreamAddresses } from './upstream/upstreams.ts';
export type { ConversationAccount, Costs, Totals } from './usage/accounts.ts';
