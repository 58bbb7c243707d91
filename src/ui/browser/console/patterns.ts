/** How the bars of an outcome are filled, so that colours are not needed to distinguish them. */
export type Pattern = 'solid' | 'stripes' | 'grid';

const tile = 6;
const line = 2;

/** For a canvas. */
export function canvasFill(pattern: Pattern, colour: string, ground: string): CanvasPattern | string {
  const canvas = document.createElement('canvas');
  const scale = devicePixelRatio;
  canvas.width = tile * scale;
  canvas.height = tile * scale;
  const context = canvas.getContext('2d');
  if (!context || pattern === 'solid') return colour;
  context.scale(scale, scale);
  context.fillStyle = ground;
  context.fillRect(0, 0, tile, tile);
  context.strokeStyle = colour;
  context.lineWidth = line;
  // Beyond the corners too, so that tiles join.
  const slants = pattern === 'grid' ? [1, -1] : [1];
  for (const slant of slants)
    for (const shift of [-tile, 0, tile]) {
      context.moveTo(shift - tile, slant > 0 ? 2 * tile : -tile);
      context.lineTo(shift + 2 * tile, slant > 0 ? -tile : 2 * tile);
    }
  context.stroke();
  return context.createPattern(canvas, 'repeat') ?? colour;
}

/** The same for a style sheet. */
export function cssFill(pattern: Pattern, colour: string): string {
  const lines = (angle: number) =>
    `repeating-linear-gradient(${angle}deg, ${colour} 0 ${line}px, transparent ${line}px ${line * 2}px)`;
  if (pattern === 'solid') return colour;
  return pattern === 'stripes' ? lines(135) : `${lines(135)}, ${lines(45)}`;
}
