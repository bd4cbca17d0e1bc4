import { type Content, compile, type Template } from './render.ts';
import type { Store } from './store.ts';

const CACHED = 64;

/** Compiled content; equal content is stored and compiled once. */
export interface Templates {
  /** Compiles content; throws BadRequestException for syntax that is not supported. */
  of(content: Content): Template;
  /** The id under which a template's content is stored. */
  idOf(template: Template): number;
  /** The template stored under this id. */
  get(id: number): Template;
}

/** Opens a cache of the latest compiled templates. */
export function openTemplates(store: Store): Templates {
  const byKey = new Map<string, Template>();
  const byId = new Map<number, Template>();
  const ids = new WeakMap<Template, number>();

  function keep<K>(cache: Map<K, Template>, key: K, template: Template): Template {
    cache.set(key, template);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
    return template;
  }

  return {
    of(content) {
      const key = store.contentKey(content);
      return byKey.get(key) ?? keep(byKey, key, compile(content));
    },
    idOf(template) {
      let id = ids.get(template);
      if (id === undefined) {
        id = store.contentId(template.content);
        ids.set(template, id);
        keep(byId, id, template);
      }
      return id;
    },
    get: (id) => byId.get(id) ?? keep(byId, id, compile(store.content(id))),
  };
}
