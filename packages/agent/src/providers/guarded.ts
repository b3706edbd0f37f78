import type { ExecutionOptions, Logger, ProviderEvent } from './provider.ts';

/** Logger and listener of an execution. An error in either is its own: it must not end the execution. */
export function guarded(
  { logger, onEvent }: Pick<ExecutionOptions, 'logger' | 'onEvent'>,
  clean: (line: string) => string,
): { readonly log: Logger; readonly emit: (event: ProviderEvent) => void } {
  const logged = (level: keyof Logger) => (line: string) => {
    try {
      logger?.[level](clean(line));
    } catch {}
  };
  const log = { debug: logged('debug'), info: logged('info'), warn: logged('warn') };
  return {
    log,
    emit(event) {
      try {
        onEvent?.(event);
      } catch (error) {
        log.warn(`onEvent threw on ${event.type}: ${String(error)}`);
      }
    },
  };
}
