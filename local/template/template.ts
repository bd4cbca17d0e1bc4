import { Problem } from '../problem.ts';
import { attribute, physicalName, reference } from './physical.ts';
import type { Resource, Resources, Surroundings, Template, Value } from './resource.ts';

/** A value in a template, with its intrinsic functions resolved or not. */
/** Resolves the templates of a cloud assembly; throws a Problem that names whatever it cannot resolve. */
export function resolveTemplates(templates: Template[], surroundings: Surroundings): Resources {
  const resolver = new Resolver(templates, surroundings);
  const all = templates.flatMap((template) =>
    Object.keys(template.body.Resources ?? {}).map((id) => resolver.resource(template, id)),
  );
  const assets = Object.assign({}, ...templates.map((template) => template.assets)) as Record<string, string>;
  return {
    all,
    asset(hash) {
      const folder = assets[hash];
      if (!folder) throw new Problem(`The cloud assembly has no asset ${hash}.`);
      return folder;
    },
    ofType: (...types) => all.filter((resource) => types.includes(resource.type)),
  };
}

class Resolver {
  readonly #templates: Template[];
  readonly #surroundings: Surroundings;
  readonly #resolved = new Map<string, Resource>();
  readonly #underway = new Set<string>();

  constructor(templates: Template[], surroundings: Surroundings) {
    this.#templates = templates;
    this.#surroundings = surroundings;
  }

  resource(template: Template, id: string): Resource {
    const key = `${template.stack}.${id}`;
    const known = this.#resolved.get(key);
    if (known) return known;
    const source = template.body.Resources?.[id];
    if (!source) throw new Problem(`The template of ${template.stack} refers to ${id}, which it does not define.`);
    if (this.#underway.has(key))
      throw new Problem(`The template of ${template.stack} has a circle of references through ${id}.`);
    this.#underway.add(key);
    const properties = this.resolve(template, source.Properties ?? {}) as Record<string, Value>;
    const resource = {
      id: this.#uniqueId(template, id),
      stack: template.stack,
      type: source.Type,
      properties,
      name: '',
      arn: '',
    };
    Object.assign(resource, physicalName(resource, this.#surroundings));
    this.#underway.delete(key);
    this.#resolved.set(key, resource);
    return resource;
  }

  resolve(template: Template, value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => this.resolve(template, item));
    if (value === null || typeof value !== 'object') return value;
    const keys = Object.keys(value);
    const [only] = keys;
    if (keys.length === 1 && only && (only === 'Ref' || only.startsWith('Fn::')))
      return this.#intrinsic(template, only, value[only]);
    return Object.fromEntries(keys.map((key) => [key, this.resolve(template, value[key])]));
  }

  #intrinsic(template: Template, name: string, argument: Value): Value {
    if (name === 'Ref') return this.#ref(template, argument);
    if (name === 'Fn::Sub') return this.#sub(template, argument);
    if (name === 'Fn::GetAtt') {
      const [id, attributeName] = Array.isArray(argument) ? argument : splitOnce(argument);
      return this.#attribute(template, id, this.resolve(template, attributeName));
    }
    const resolved = this.resolve(template, argument);
    switch (name) {
      case 'Fn::Join':
        return resolved[1].join(resolved[0]);
      case 'Fn::ImportValue':
        return this.#imported(resolved);
      default:
        throw new Problem(
          `The local stack does not know the intrinsic function ${name}, used in the template of ${template.stack}.`,
        );
    }
  }

  #ref(template: Template, id: string): Value {
    const { region, accountId } = this.#surroundings;
    const pseudo: Record<string, Value> = {
      'AWS::Region': region,
      'AWS::AccountId': accountId,
      'AWS::Partition': 'aws',
      'AWS::URLSuffix': 'amazonaws.com',
      'AWS::StackName': template.stack,
      'AWS::StackId': `arn:aws:cloudformation:${region}:${accountId}:stack/${template.stack}/local`,
    };
    if (id in pseudo) return pseudo[id];
    const parameter = template.body.Parameters?.[id];
    if (parameter) return parameter.Default ?? '';
    return reference(this.resource(template, id), this.#surroundings);
  }

  #attribute(template: Template, id: string, name: string): Value {
    return attribute(this.resource(template, id), name, this.#surroundings);
  }

  #sub(template: Template, text: string): string {
    return text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) =>
      name.includes('.') ? this.#attribute(template, ...splitOnce(name)) : this.#ref(template, name),
    );
  }

  #imported(name: string): Value {
    for (const template of this.#templates) {
      for (const output of Object.values(template.body.Outputs ?? {})) {
        if (output.Export && this.resolve(template, output.Export.Name) === name)
          return this.resolve(template, output.Value);
      }
    }
    throw new Problem(`No stack exports ${name}, which another one imports.`);
  }

  #uniqueId(template: Template, id: string): string {
    const shared = this.#templates.some((other) => other !== template && other.body.Resources?.[id]);
    return shared ? `${template.stack}.${id}` : id;
  }
}

function splitOnce(name: string): [string, string] {
  const dot = name.indexOf('.');
  return [name.slice(0, dot), name.slice(dot + 1)];
}
