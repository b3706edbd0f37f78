import { createProxy, type ProxyOptions } from '../src/index.ts';
import type { StartProxy } from './open-run.ts';

/** Starts Holdfast's proxy in front of an API, on any free port. */
export function startProxy(options: ProxyOptions): StartProxy {
  return async (upstream) => {
    const proxy = createProxy({ ...options, port: 0, upstreams: { anthropic: upstream, openai: upstream } });
    await proxy.listen();
    return proxy;
  };
}
