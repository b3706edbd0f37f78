import { createProxy, type ProxyEvent, type ProxyOptions } from '../src/index.ts';
import type { StartProxy } from './open-run.ts';

/** Starts Holdfast's proxy in front of an API, on any free port. */
export function startProxy(options: ProxyOptions): StartProxy {
  return async (upstream) => {
    const events: ProxyEvent[] = [];
    const proxy = createProxy({
      ...options,
      port: 0,
      upstreams: { anthropic: upstream, openai: upstream, gemini: upstream },
      onEvent: (event) => events.push(event),
    });
    await proxy.listen();
    return { url: proxy.url, events, close: () => proxy.close() };
  };
}
