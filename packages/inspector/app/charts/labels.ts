/** A text and its start position. */
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

/** The width of a character, with a share of the space between two labels. */
const CHARACTER = 7.5;

/** What labels avoid. */
interface Surroundings {
  /** Points of lines, covered only if there is no other place. */
  readonly lines?: readonly { readonly x: number; readonly y: number }[];
  /** Labels must be inside. */
  readonly inside?: Box;
}

/** A place next to each point where its text covers no point or other text and, if possible, no line; else undefined. Pure. */
export function labelsFor(points: readonly Label[], { lines = [], inside }: Surroundings = {}): (Label | undefined)[] {
  const taken: Box[] = points.map(({ x, y }) => ({ left: x - 7, right: x + 7, top: y - 7, bottom: y + 7 }));
  const drawn = lines.map(({ x, y }) => ({ left: x, right: x, top: y, bottom: y }));
  return points.map((point) => {
    const width = point.text.length * CHARACTER;
    const free = placesOf(point, width).filter((place) => {
      const box = boxOf(place, width);
      return !taken.some((other) => overlaps(other, box)) && (!inside || holds(inside, box));
    });
    const best = free.find((place) => !drawn.some((dot) => overlaps(dot, boxOf(place, width)))) ?? free[0];
    if (!best) return undefined;
    taken.push(boxOf(best, width));
    return { text: point.text, ...best };
  });
}

function placesOf({ x, y }: Label, width: number): { readonly x: number; readonly y: number }[] {
  const [right, left, middle] = [x + 13, x - 13 - width, x - width / 2];
  return [
    { x: right, y: y + 4 },
    { x: left, y: y + 4 },
    { x: middle, y: y - 14 },
    { x: middle, y: y + 23 },
    { x: right - 2, y: y - 8 },
    { x: right - 2, y: y + 16 },
    { x: left + 2, y: y - 8 },
    { x: left + 2, y: y + 16 },
  ];
}

function holds(outer: Box, { left, right, top, bottom }: Box): boolean {
  return outer.left <= left && right <= outer.right && outer.top <= top && bottom <= outer.bottom;
}

function boxOf({ x, y }: { readonly x: number; readonly y: number }, width: number): Box {
  return { left: x, right: x + width, top: y - 10, bottom: y + 2 };
}

function overlaps(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
