type Rgb = readonly [red: number, green: number, blue: number];

/** Text needs 4.5 (WCAG 2.2, 1.4.3); more than 11 glares on a dark background. */
const [minContrast, maxContrast] = [4.5, 11];

const hex = (parts: readonly number[]) =>
  `#${parts.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function rgb(color: string): Rgb {
  const digits = color.length === 4 ? color.replaceAll(/[0-9a-f]/gi, '$&$&') : color;
  const value = Number.parseInt(digits.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Relative luminance, 0 to 1 (WCAG 2.2). */
function luminance(color: string): number {
  const [red, green, blue] = rgb(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colors, 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** The color with the best contrast to a background; the first of equal ones. */
export const mostReadable = (background: string, colors: readonly string[]): string =>
  colors.reduce((best, color) => (contrast(color, background) > contrast(best, background) ? color : best));

/** A color made lighter until its contrast to a dark background equals that to a light one. */
export function lightened(color: string, from: { light: string; dark: string }): string {
  const wanted = Math.min(maxContrast, Math.max(minContrast, contrast(color, from.light)));
  for (let white = 0; ; white += 0.1) {
    const found = hex(rgb(color).map((part) => part + (255 - part) * Math.min(white, 1)));
    if (white >= 1 || contrast(found, from.dark) >= wanted) return found;
  }
}

/** Whether a background glares in dark mode. */
export const isLight = (color: string): boolean => luminance(color) > 0.4;

/** A light background's counterpart in dark mode: its hue and saturation (at most a half) at a lightness of 18%. */
export function darkened(color: string): string {
  const parts = rgb(color).map((part) => part / 255);
  const [high, low] = [Math.max(...parts), Math.min(...parts)];
  const saturation = high === low ? 0 : (high - low) / (1 - Math.abs(high + low - 1));
  const spread = 2 * 0.18 * Math.min(saturation, 0.5);
  const floor = 0.18 - spread / 2;
  return hex(parts.map((part) => 255 * (floor + (high === low ? 0 : ((part - low) / (high - low)) * spread))));
}
