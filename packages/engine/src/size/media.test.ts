import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { audioTokens, claudeImageTokens, imageSize, openaiImageTokens, pdfTokens } from './media.ts';

const base64 = (...parts: (string | number[] | Uint8Array)[]): string =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64');

const PNG = base64('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 3, 0x20], [0, 0, 2, 0x58], [8, 6, 0, 0, 0]);
const GIF = base64('GIF89a', [0x40, 0x01], [0xc8, 0x00], [0, 0, 0]);
const FRAME = [0xff, 0xc2, 0, 17, 8, 0x04, 0x38, 0x07, 0x80, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
const APP0 = [0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0];
const exif = (length: number): Uint8Array => {
  const segment = new Uint8Array(2 + length).fill(0xc0); // bytes that look like a frame header to a careless reader
  segment.set([0xff, 0xe1, length >> 8, length & 0xff]);
  return segment;
};
const webp = (kind: string, payload: number[]): string =>
  base64('RIFF', [0, 0, 0, 0], 'WEBP', kind, [0, 0, 0, 0], payload);

describe('imageSize', () => {
  test('reads PNG and GIF', () => {
    expect(imageSize(PNG)).toEqual({ width: 800, height: 600 });
    expect(imageSize(GIF)).toEqual({ width: 320, height: 200 });
  });

  test('reads a complete PNG of one pixel', () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    expect(imageSize(pixel)).toEqual({ width: 1, height: 1 });
  });

  test('reads JPEG: progressive frame, fill bytes, and tables before it', () => {
    const table = [0xff, 0xc4, 0, 4, 1, 2];
    expect(imageSize(base64([0xff, 0xd8], APP0, table, [0xff, 0xff], FRAME))).toEqual({ width: 1920, height: 1080 });
  });

  test('reads JPEG after several large EXIF segments', () => {
    const file = base64([0xff, 0xd8], exif(65_535), exif(65_535), exif(40_001), FRAME);
    expect(imageSize(file)).toEqual({ width: 1920, height: 1080 });
  });

  test('reads the three kinds of WebP', () => {
    // VP8: frame tag, start code, 550 x 368 with scale bits set. VP8L: 14 bits each of width - 1 and height - 1.
    expect(imageSize(webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0x26, 0x42, 0x70, 0x81]))).toEqual({
      width: 550,
      height: 368,
    });
    const packed = 385 + 394 * 0x4000;
    const bits = [packed & 0xff, (packed >> 8) & 0xff, (packed >> 16) & 0xff, (packed >> 24) & 0xff];
    expect(imageSize(webp('VP8L', [0x2f, ...bits]))).toEqual({ width: 386, height: 395 });
    expect(imageSize(webp('VP8X', [0x10, 0, 0, 0, 0x0f, 0x27, 0, 0x87, 0x13, 0]))).toEqual({
      width: 10_000,
      height: 5000,
    });
  });

  test('accepts data URLs, line breaks and the URL-safe alphabet', () => {
    const size = { width: 800, height: 600 };
    expect(imageSize(`data:image/png;base64,${PNG}`)).toEqual(size);
    expect(imageSize(PNG.replace(/(.{10})/g, '$1\r\n'))).toEqual(size);
    const jpeg = base64([0xff, 0xd8], exif(300), FRAME);
    expect(jpeg).toMatch(/[+/]/);
    expect(imageSize(jpeg.replaceAll('+', '-').replaceAll('/', '_'))).toEqual({ width: 1920, height: 1080 });
  });

  test('returns undefined for anything else', () => {
    expect(imageSize('')).toBeUndefined();
    expect(imageSize('not an image')).toBeUndefined();
    expect(imageSize(PNG.slice(0, 28))).toBeUndefined();
    expect(imageSize(base64([0xff, 0xd8], exif(9000)))).toBeUndefined();
    expect(imageSize(base64([0xff, 0xd8, 0xff, 0xe1, 0, 0, 0, 0]))).toBeUndefined();
    expect(imageSize(webp('ALPH', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeUndefined();
  });

  test('does not decode the picture after the header', async () => {
    const large = PNG.slice(0, 32) + 'A'.repeat(20_000_000);
    const often = (image: string) => () => {
      for (let i = 0; i < 100; i++) imageSize(image);
    };
    expect(await timeRatio(often(large), often(large.slice(0, 20_000)), { enough: 20 })).toBeLessThan(20);
  });
});

describe('claudeImageTokens', () => {
  test('one token per 28 px square, including partial ones', () => {
    expect(claudeImageTokens({ width: 280, height: 56 })).toBe(10 * 2);
    expect(claudeImageTokens({ width: 281, height: 57 })).toBe(11 * 3);
    expect(claudeImageTokens({ width: 1, height: 1 })).toBe(1);
  });

  test('scales the long side down first', () => {
    // 5152 x 1120 becomes 2576 x 560: 92 x 20 squares.
    expect(claudeImageTokens({ width: 5152, height: 1120 })).toBe(92 * 20);
    expect(claudeImageTokens({ width: 1120, height: 5152 })).toBe(20 * 92);
  });

  test('never exceeds the limit, which an unknown size counts as', () => {
    expect(claudeImageTokens({ width: 4000, height: 4000 })).toBe(4784);
    expect(claudeImageTokens(undefined)).toBe(4784);
  });
});

describe('openaiImageTokens', () => {
  test('85, and 170 per tile after scaling', () => {
    expect(openaiImageTokens({ width: 1024, height: 1024 })).toBe(765); // 768 x 768: 2 x 2 tiles
    expect(openaiImageTokens({ width: 2048, height: 4096 })).toBe(1105); // 768 x 1536: 2 x 3 tiles
    expect(openaiImageTokens({ width: 100, height: 100 })).toBe(255); // never scaled up
    expect(openaiImageTokens({ width: 8192, height: 512 }, 'high')).toBe(85 + 170 * 4); // 2048 x 128
  });

  test('low detail is flat; an unknown size counts as 1024 x 1024', () => {
    expect(openaiImageTokens({ width: 8192, height: 512 }, 'low')).toBe(85);
    expect(openaiImageTokens(undefined, 'auto')).toBe(765);
    expect(openaiImageTokens(undefined)).toBe(765);
  });
});

describe('pdfTokens', () => {
  const page = '2 0 obj <</Type /Page /Parent 1 0 R>> endobj\n';

  test('counts page objects', () => {
    expect(pdfTokens(base64(`%PDF-1.4\n${page}${page}3 0 obj <</Type/Page>> endobj`))).toBe(9000);
  });

  test('prefers the count of the page tree, and uses the root of several', () => {
    const tree = '1 0 obj <</Type /Pages /Count 3 /Kids []>> endobj 9 0 obj <</Count 12\n/Type/Pages>> endobj';
    expect(pdfTokens(base64(`%PDF-1.4\n${page}${tree}`))).toBe(36_000);
  });

  test('does not mistake the count of an outline for pages', () => {
    expect(pdfTokens(base64(`%PDF-1.4\n4 0 obj <</Type /Outlines /Count 90>> endobj ${page}`))).toBe(3000);
  });

  test('reads /N of a linearized file, and no other /N', () => {
    expect(pdfTokens(base64('%PDF-1.5\n1 0 obj <</Linearized 1/L 9000/N 7/T 8000>> endobj'))).toBe(21_000);
    expect(pdfTokens(base64('%PDF-1.5\n1 0 obj <</Type/ObjStm/N 100/First 800>> endobj'))).toBe(3000);
  });

  test('finds a page tree at the end of a large file', () => {
    const file = base64('%PDF-1.4\n', new Uint8Array(4_000_000), '1 0 obj <</Type /Pages /Count 40>> endobj');
    expect(pdfTokens(file)).toBe(120_000);
  });

  test('otherwise one page per 50 kB; ten pages if the file is not at hand', () => {
    expect(pdfTokens(base64(new Uint8Array(120_000)))).toBe(9000);
    expect(pdfTokens('')).toBe(3000);
    expect(pdfTokens(undefined)).toBe(30_000);
  });

  test('ignores a count that no API would accept', () => {
    expect(pdfTokens(base64('1 0 obj <</Type /Pages /Count 999999999>> endobj'))).toBe(600 * 3000);
  });
});

test('audioTokens: ten per second of 8,000 bytes', () => {
  expect(audioTokens('A'.repeat(16_000))).toBe(15);
  expect(audioTokens('')).toBe(0);
  expect(audioTokens(undefined)).toBe(0);
});
