/**
 * Ids of calls, where no two may be the same. What is taken in a fork is no more than a try until `settle()`: a call that
 * fails leaves no trace.
 */
export class TakenIds {
  readonly #ids = new Set<string>();
  /** The number that the next call of the same id gets. */
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

  /** Takes the id, or one with a number behind it if it is taken. */
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

  /** What it was forked from, with all that was taken since; itself if it is no fork. */
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
