import { expect, it, onTestFinished, vi } from 'vitest';
import { instrument } from './instrument.ts';

it('counts each kind of function when it is entered, and changes no result', async () => {
  const source = `
    const double = (n) => n * 2;
    const boxed = (n) => ({ n });
    const nested = (n) => () => double(n);
    class Point {
      constructor(at = 1) { this.at = at; }
      get twice() { return double(this.at); }
      static #made() { return new Point(2); }
      static make() { return Point.#made(); }
    }
    function* upTo(n) { for (let i = 0; i < n; i++) yield i; }
    const later = async () => 'ß';
    export default [boxed(nested(3)()).n, Point.make().twice, [...upTo(2)], await later()];
  `;
  const entered: string[] = [];
  vi.stubGlobal('holdfastWalk', (file: string) => entered.push(file));
  onTestFinished(() => void vi.unstubAllGlobals());
  const code = instrument(source, 'some.ts');
  const { default: result } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  expect(result).toEqual([6, 4, [0, 1], 'ß']);
  // nested and what it returns, double, boxed; make, #made, the constructor, twice, double; upTo; later.
  expect(entered).toEqual(Array(11).fill('some.ts'));
});
