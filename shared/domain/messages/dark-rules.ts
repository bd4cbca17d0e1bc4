import { darkened, isLight, lightened } from './colors.ts';
import { dark, light } from './message-look.ts';

/** The style rules for dark mode that a message needs, each named by a class; an empty class where none is needed. */
export class DarkRules {
  readonly #rules = new Map<string, string>();

  /** The rules, in the order in which they were first needed. */
  get css(): string[] {
    return [...this.#rules.values()];
  }

  /** The class of text whose color was chosen for a light card, or for its own light background. */
  text(color: string, background: string | undefined): string {
    if (background && !isLight(background)) return '';
    const name = `mw-${[color, ...(background ? [background] : [])].map((part) => part.slice(1)).join('-on-')}`;
    const behind = background
      ? { light: background, dark: darkened(background) }
      : { light: light.card, dark: dark.card };
    this.#rules.set(name, `.${name} > div { color: ${lightened(color, behind)} !important; }`);
    return name;
  }

  /** The class of a background that would glare in dark mode. */
  background(color: string | undefined): string {
    if (!color || !isLight(color)) return '';
    const name = `mw-bg-${color.slice(1)}`;
    this.#rules.set(name, `.${name}, .${name} > table { background-color: ${darkened(color)} !important; }`);
    return name;
  }
}
