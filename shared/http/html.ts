/** A template of HTML on one line: a line break between words becomes a space. Inserts values as they are. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): string {
  const raw = parts.map((part) => part.replace(/(?<=[^>\s])\n\s*(?=[^<\s])/g, ' ').replace(/\n\s*/g, ''));
  return String.raw({ raw }, ...values);
}

/** A template of CSS on one line. */
export const css = (parts: TemplateStringsArray): string => parts.join('').replace(/\n\s*/g, '');
