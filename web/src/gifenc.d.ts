// The part of gifenc that is used; the package has no types of its own.
declare module "gifenc" {
  interface Frame {
    palette?: number[][];
    delay?: number;
  }
  interface Encoder {
    writeFrame(pixels: Uint8Array, width: number, height: number, frame?: Frame): void;
    finish(): void;
    bytes(): Uint8Array;
  }
  export function GIFEncoder(): Encoder;
  export function quantize(pixels: Uint8ClampedArray, colours: number): number[][];
  export function applyPalette(pixels: Uint8ClampedArray, palette: number[][]): Uint8Array;
}
