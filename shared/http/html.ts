/** A template of HTML without its line breaks and indentation; values are inserted as they are. */
export const html = (parts: TemplateStringsArray, ...values: unknown[]): string =>
  String.raw({ raw: parts.map((part) => part.replace(/\n\s*/g, '')) }, ...values);

/** A template of CSS without its line breaks and indentation. */
export const css = html;
