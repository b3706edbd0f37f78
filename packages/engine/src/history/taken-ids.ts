/** Unique ids of calls. A fork's ids count only after `settle()`, so that a failed call leaves no trace. */
export class TakenIds {
  readonly #ids = new Set<string>();
  /** The suffix for the next call with the same id. */
  readonly #next = new Map<string, number>();
  readonly #base: TakenIds | undefined;

  constructor(base?: TakenIds) {
    this.#base = base;
  }

  has(id: string): boolean {
    return this.#ids.has(id) || this.#base?.has(id) === true;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** Takes the id, with a numeric suffix if it is taken already. */
  take(id: string): string {
    let taken = id;
    let n = this.next(id);
    while (this.has(taken)) taken = `${id}_${n++}`;
    this.add(taken);
    if (taken !== id) this.#next.set(id, n);
    return taken;
  }

  private next(id: string): number {
    return this.#next.get(id) ?? this.#base?.next(id) ?? 2;
  }

  fork(): TakenIds {
    return new TakenIds(this);
  }

  /** The set that it was forked from, now with all ids of the fork; itself if it is not a fork. */
  settle(): TakenIds {
    const base = this.#base;
    if (!base) return this;
    for (const id of this.#ids) base.#ids.add(id);
    for (const [id, n] of this.#next) base.#next.set(id, n);
    this.#ids.clear();
    this.#next.clear();
    return base;
  }
}
