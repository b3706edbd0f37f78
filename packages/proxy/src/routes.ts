import type { IncomingMessage } from 'node:http';
import type { MessagePlace } from './body/conversation-request.ts';
import type { Vendor } from './http/api-error.ts';

/** What the proxy does with a request's path. */
export interface Route {
  readonly vendor: Vendor;
  /** How the body's messages are read; undefined for a request that is passed on as it came. */
  readonly folded?: MessagePlace;
}

/** The paths whose conversations are folded. */
const FOLDED: Readonly<Record<string, Route & Required<Pick<Route, 'folded'>>>> = {
  '/v1/messages': { vendor: 'anthropic', folded: { dialect: 'anthropic', list: 'messages' } },
  '/v1/chat/completions': { vendor: 'openai', folded: { dialect: 'openai-chat', list: 'messages' } },
  '/v1/responses': { vendor: 'openai', folded: { dialect: 'openai-responses', list: 'input' } },
};

/** Gemini's paths name the model. */
const GENERATE = /^\/v1(?:beta)?\/models\/([^/:]+):(?:g|streamG)enerateContent$/;

/** Decides which API a request is for, and whether it is folded. A key never goes to another vendor. Pure. */
export function routeOf({ method, url = '/', headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>): Route {
  const path = pathOf(url);
  const route = method === 'POST' ? (FOLDED[path] ?? generateRoute(path)) : undefined;
  const vendor = vendorOf(path, headers);
  return { ...route, vendor };
}

function generateRoute(path: string): Route | undefined {
  const [, model] = GENERATE.exec(path) ?? [];
  return model === undefined ? undefined : { vendor: 'gemini', folded: { dialect: 'gemini', list: 'contents', model } };
}

/** The path without its query and slashes at its end. Pure. */
export function pathOf(url: string): string {
  const [path = '/'] = url.split('?', 1);
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

function vendorOf(path: string, headers: IncomingMessage['headers']): Vendor {
  const bearer = /^Bearer\s+(\S*)/i.exec(headers.authorization ?? '')?.[1];
  if (bearer?.startsWith('sk-ant-')) return 'anthropic';
  if (path.startsWith('/v1beta/') || GENERATE.test(path) || headers['x-goog-api-key']) return 'gemini';
  if (/^\/v1\/messages(?:\/|$)/.test(path)) return 'anthropic';
  if (/^\/v1\/(?:chat|responses)(?:\/|$)/.test(path)) return 'openai';
  if (headers['anthropic-version'] ?? headers['x-api-key'] ?? headers['anthropic-beta']) return 'anthropic';
  if (bearer !== undefined) return 'openai';
  // Claude Code asks for some paths without a key.
  return /^claude/i.test(headers['user-agent'] ?? '') || path.startsWith('/api/') ? 'anthropic' : 'openai';
}
