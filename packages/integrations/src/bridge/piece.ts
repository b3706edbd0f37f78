import type { WireMessage } from '@holdfast/sessions';
import { aiSdk } from 'holdfast';
import type { Form } from './bridge.ts';
import { callsIn } from './parts.ts';

/** A wire message, and the framework's message that it is, or is part of. */
export interface Piece<N> {
  readonly wire: WireMessage;
  readonly native?: N;
  /** Of a shortened copy: the message that it shortens. Of a note: the last one by the same speaker. */
  readonly origin?: N | undefined;
}

/** For frameworks whose copies need more than their wire message, such as the message that they are copies of. */
export function pieceForm<N>(): Form<Piece<N>, WireMessage> {
  return { dialect: aiSdk<WireMessage>(), toWire: ({ wire }) => wire, fromWire: (wire) => ({ wire }) };
}

/** A view with the origins of what a fold made, which have the same calls. `all`: what the view is of. Pure. */
export function withOrigins<N>(view: readonly Piece<N>[], all: readonly Piece<N>[]): Piece<N>[] {
  const origins = new Map<string, N | undefined>();
  for (const { wire, native } of all)
    for (const key of [wire.role, ...callsIn(wire).map((call) => `${wire.role} ${call}`)])
      origins.set(String(key), native);
  return view.map(({ wire, native }) => {
    if (native) return { wire, native };
    const [call] = callsIn(wire);
    return { wire, origin: origins.get(call === undefined ? String(wire.role) : `${wire.role} ${call}`) };
  });
}
