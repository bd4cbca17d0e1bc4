import { randomBytes } from 'node:crypto';
import { Problem } from '../problem.ts';
import { attribute, physicalName, reference } from './physical.ts';
import type { Environment, Resource, Resources, Template, Value } from './resource.ts';

/** Resolves the templates of a cloud assembly; throws a Problem that names what it cannot resolve. */
export function resolveTemplates(templates: Template[], environment: Environment): Resources {
  const resolver = new Resolver(templates, environment);
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
    ofType: (wanted) => all.filter(({ type }) => type === wanted),
  };
}

class Resolver {
  readonly #templates: Template[];
  readonly #environment: Environment;
  readonly #resolved = new Map<string, Resource>();
  readonly #resolving = new Set<string>();
  readonly #secrets = new Map<string, string>();

  constructor(templates: Template[], environment: Environment) {
    this.#templates = templates;
    this.#environment = environment;
  }

  resource(template: Template, id: string): Resource {
    const key = `${template.stack}.${id}`;
    const known = this.#resolved.get(key);
    if (known) return known;
    const source = template.body.Resources?.[id];
    if (!source) throw new Problem(`The template of ${template.stack} refers to ${id}, which it does not define.`);
    if (this.#resolving.has(key))
      throw new Problem(`The template of ${template.stack} has a circle of references through ${id}.`);
    this.#resolving.add(key);
    const properties = this.resolve(template, source.Properties ?? {}) as Record<string, Value>;
    const resource = {
      id: this.#uniqueId(template, id),
      stack: template.stack,
      type: source.Type,
      properties,
      name: '',
      arn: '',
    };
    Object.assign(resource, physicalName(resource, this.#environment));
    this.#resolving.delete(key);
    this.#resolved.set(key, resource);
    return resource;
  }

  resolve(template: Template, value: Value): Value {
    if (Array.isArray(value)) return value.map((item) => this.resolve(template, item));
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value);
    const [[name = '', argument] = []] = entries;
    if (entries.length === 1 && (name === 'Ref' || name.startsWith('Fn::')))
      return this.#intrinsic(template, name, argument);
    return Object.fromEntries(entries.map(([key, item]) => [key, this.resolve(template, item)]));
  }

  #intrinsic(template: Template, name: string, argument: Value): Value {
    switch (name) {
      case 'Ref':
        return this.#ref(template, argument);
      case 'Fn::GetAtt':
        return attribute(this.resource(template, argument[0]), argument[1], this.#environment);
      case 'Fn::Sub':
        return argument.replaceAll(/\$\{([^}]+)\}/g, (_: string, id: string) => this.#ref(template, id));
      case 'Fn::Join':
        return this.#withSecrets(this.resolve(template, argument[1]).join(argument[0]));
      case 'Fn::ImportValue':
        return this.#imported(argument);
      default:
        throw new Problem(
          `The local stack does not know the intrinsic function ${name}, used in the template of ${template.stack}.`,
        );
    }
  }

  /** The text with generated values in place of dynamic references to secrets. */
  #withSecrets(text: string): string {
    return text.replaceAll(/\{\{resolve:secretsmanager:(.+?):SecretString:[^}]*\}\}/g, (_, arn: string) => {
      const value = this.#secrets.get(arn) ?? randomBytes(32).toString('hex');
      this.#secrets.set(arn, value);
      return value;
    });
  }

  #ref(template: Template, id: string): Value {
    switch (id) {
      case 'AWS::Region':
        return this.#environment.region;
      case 'AWS::AccountId':
        return this.#environment.accountId;
      case 'AWS::Partition':
        return 'aws';
      default:
        return reference(this.resource(template, id), this.#environment);
    }
  }

  #imported(name: string): Value {
    for (const template of this.#templates) {
      for (const output of Object.values(template.body.Outputs ?? {})) {
        if (output.Export?.Name === name) return this.resolve(template, output.Value);
      }
    }
    throw new Problem(`No stack exports ${name}, which another stack imports.`);
  }

  #uniqueId(template: Template, id: string): string {
    const shared = this.#templates.some((other) => other !== template && other.body.Resources?.[id]);
    return shared ? `${template.stack}.${id}` : id;
  }
}
