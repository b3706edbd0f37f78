import type { WireMessage } from '@holdfast/sessions';
import { aiSdk, type Dialect } from 'holdfast';

/** Wire messages that one of the framework becomes: a single one, or calls and their results. */
export type Wires = readonly [WireMessage, ...WireMessage[]];

/** How a framework's messages become those of a dialect. Only notes and shortened copies are converted back. */
export interface Form<N extends object> {
  /** Default: that of the AI SDK, which has a place for whatever a message may contain. */
  readonly dialect?: Dialect<WireMessage>;
  /** None if the framework leaves the message out. `messages`: the list that it is in. */
  toWire(native: N, messages: readonly N[]): WireMessage | readonly WireMessage[];
  /** `origin`: what `wires` are a shortened copy of; for a note, the last message by the same speaker. */
  fromWire(wires: Wires, origin: N | undefined): N | readonly N[];
}

/** Converts messages in both directions. */
export interface Converter<N> {
  readonly dialect: Dialect<WireMessage>;
  toWires(messages: readonly N[]): WireMessage[];
  /** A view of `said`. Messages that no fold changed come back as the very same objects. */
  toNatives(view: readonly WireMessage[], said: readonly WireMessage[]): N[];
}

/** Remembers which object became which, as long as both are in use. */
export function createConverter<N extends object>(form: Form<N>): Converter<N> {
  const { dialect = aiSdk<WireMessage>() } = form;
  const wiresOf = new WeakMap<N, readonly WireMessage[]>();
  const sources = new WeakMap<WireMessage, { readonly native: N; readonly keys: readonly string[] }>();

  return {
    dialect,
    toWires(messages) {
      return messages.flatMap((native) => {
        const wires: readonly WireMessage[] = wiresOf.get(native) ?? [form.toWire(native, messages)].flat();
        wiresOf.set(native, wires);
        for (const wire of wires) sources.set(wire, sources.get(wire) ?? { native, keys: keysIn(dialect, wire) });
        return wires;
      });
    },
    toNatives(view, said) {
      const known = said.flatMap((wire) => sources.get(wire) ?? []);
      const origins = new Map(known.flatMap(({ native, keys }) => keys.map((key) => [key, native])));
      const groups: { readonly wires: [WireMessage, ...WireMessage[]]; readonly part: N | undefined }[] = [];
      for (const wire of view) {
        const part = sources.get(wire)?.native ?? origins.get(keysIn(dialect, wire)[1] ?? '');
        const last = groups.at(-1);
        if (part && last?.part === part && last.wires.length < (wiresOf.get(part)?.length ?? 0)) last.wires.push(wire);
        else groups.push({ wires: [wire], part });
      }
      return groups.flatMap(({ wires, part }) => {
        if (part && isSame(wires, wiresOf.get(part))) return part;
        return form.fromWire(wires, part ?? origins.get(keysIn(dialect, wires[0])[0] ?? ''));
      });
    },
  };
}

/** Its speaker, then each of its calls and results; nothing of a message that cannot be read. */
function keysIn(dialect: Dialect<WireMessage>, wire: WireMessage): string[] {
  try {
    const { role, calls, results } = dialect.read(wire);
    return [role, ...[...calls, ...results].map(({ id }) => `${role} ${id}`)];
  } catch {
    return [];
  }
}

function isSame<T>(some: readonly T[], others: readonly T[] = []): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}
