import { type Content, compile, type Template } from './render.ts';
import type { Store } from './store.ts';

const CACHED = 64;

/** Compiled content, stored once and compiled once however many messages are made of it. */
export interface Templates {
  /** Compiles content and keeps it; throws BadRequestException for syntax that is not supported. */
  of(content: Content): Template;
  /** The id under which a template's content is stored. */
  idOf(template: Template): number;
  /** The template stored under this id. */
  get(id: number): Template;
}

/** Keeps the latest templates compiled. */
export function openTemplates(store: Store): Templates {
  const byKey = new Map<string, Template>();
  const byId = new Map<number, Template>();
  const ids = new WeakMap<Template, number>();

  function remember<K>(cache: Map<K, Template>, key: K, template: Template): Template {
    cache.set(key, template);
    if (cache.size > CACHED) cache.delete(cache.keys().next().value!);
    return template;
  }

  return {
    of(content) {
      const key = store.contentKey(content);
      return byKey.get(key) ?? remember(byKey, key, compile(content));
    },
    idOf(template) {
      let id = ids.get(template);
      if (id === undefined) {
        id = store.contentId(template.content);
        ids.set(template, id);
        remember(byId, id, template);
      }
      return id;
    },
    get: (id) => byId.get(id) ?? remember(byId, id, compile(store.content(id))),
  };
}
