/** A text and where it begins. */
export interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const CHARACTER = 6.5;

/** A place beside each point for its text, where it covers no point and no other text; undefined where there is none. Pure. */
export function labelsFor(points: readonly Label[]): (Label | undefined)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  return points.map(({ text, x, y }) => {
    const width = text.length * CHARACTER;
    const places = [
      { x: x + 10, y: y + 4 },
      { x: x - 10 - width, y: y + 4 },
      { x: x - width / 2, y: y - 11 },
      { x: x - width / 2, y: y + 19 },
    ];
    const free = places.find((place) => !taken.some((box) => overlaps(box, boxOf(place, width))));
    if (!free) return undefined;
    taken.push(boxOf(free, width));
    return { text, ...free };
  });
}

function boxOf({ x, y }: { readonly x: number; readonly y: number }, width: number): Box {
  return { left: x, right: x + width, top: y - 10, bottom: y + 2 };
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
