import { attribute, physicalName, reference } from './physical.ts';
import { Problem } from './problem.ts';

/** A value in a template, with its intrinsic functions resolved or not. */
// biome-ignore lint/suspicious/noExplicitAny: templates are JSON of any shape
export type Value = any;

/** A stack's template as the cloud assembly holds it. */
export interface Template {
  stack: string;
  body: {
    Resources?: Record<string, { Type: string; Properties?: Record<string, Value>; Condition?: string }>;
    Outputs?: Record<string, { Value: Value; Export?: { Name: Value } }>;
    Parameters?: Record<string, { Default?: string }>;
    Conditions?: Record<string, Value>;
    Mappings?: Record<string, Record<string, Record<string, Value>>>;
  };
  /** Asset hash → folder with the unpacked asset. */
  assets: Record<string, string>;
}

/** One resource with every intrinsic function in its properties resolved. */
export interface Resource {
  /** The logical id, with the stack's name in front where two stacks use the same one. */
  id: string;
  stack: string;
  type: string;
  name: string;
  arn: string;
  properties: Record<string, Value>;
}

/** What the pseudo parameters and generated addresses resolve to. */
export interface Surroundings {
  region: string;
  accountId: string;
  /** Address of the AWS endpoint, for queue URLs. */
  awsEndpoint: string;
  /** Address that an HTTP API answers on. */
  apiEndpoint: string;
}

const absent = Symbol('AWS::NoValue');

/** Every resource of the templates, resolved, and the resources of a type. */
export interface Resources {
  all: Resource[];
  /** The folder of the asset with the hash. */
  asset(hash: string): string;
  ofType(...types: string[]): Resource[];
}

/** Resolves the templates of a cloud assembly; throws a Problem that names whatever it cannot resolve. */
export function resolveTemplates(templates: Template[], surroundings: Surroundings): Resources {
  const resolver = new Resolver(templates, surroundings);
  const all = templates.flatMap((template) =>
    Object.keys(template.body.Resources ?? {})
      .filter((id) => resolver.exists(template, id))
      .map((id) => resolver.resource(template, id)),
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

  exists(template: Template, id: string): boolean {
    const condition = template.body.Resources?.[id]?.Condition;
    return condition === undefined || this.#condition(template, condition);
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
    if (Array.isArray(value))
      return value.map((item) => this.resolve(template, item)).filter((item) => item !== absent);
    if (value === null || typeof value !== 'object') return value;
    const keys = Object.keys(value);
    const [only] = keys;
    if (keys.length === 1 && only && (only === 'Ref' || only.startsWith('Fn::')))
      return this.#intrinsic(template, only, value[only]);
    const entries = keys.map((key) => [key, this.resolve(template, value[key])] as const);
    return Object.fromEntries(entries.filter(([, item]) => item !== absent));
  }

  #intrinsic(template: Template, name: string, argument: Value): Value {
    if (name === 'Ref') return this.#ref(template, argument);
    if (name === 'Fn::If') {
      return this.resolve(template, this.#condition(template, argument[0]) ? argument[1] : argument[2]);
    }
    if (name === 'Fn::Sub') return this.#sub(template, argument);
    if (name === 'Fn::GetAtt') {
      const [id, attributeName] = Array.isArray(argument) ? argument : splitOnce(argument);
      return this.#attribute(template, id, this.resolve(template, attributeName));
    }
    const resolved = this.resolve(template, argument);
    switch (name) {
      case 'Fn::Join':
        return resolved[1].join(resolved[0]);
      case 'Fn::Select':
        return resolved[1][Number(resolved[0])];
      case 'Fn::Split':
        return String(resolved[1]).split(resolved[0]);
      case 'Fn::Base64':
        return Buffer.from(resolved).toString('base64');
      case 'Fn::ImportValue':
        return this.#imported(resolved);
      case 'Fn::FindInMap':
        return template.body.Mappings?.[resolved[0]]?.[resolved[1]]?.[resolved[2]];
      case 'Fn::GetAZs':
        return ['a', 'b', 'c'].map((zone) => this.#surroundings.region + zone);
      case 'Fn::Equals':
        return resolved[0] === resolved[1];
      case 'Fn::Not':
        return !resolved[0];
      case 'Fn::And':
        return resolved.every(Boolean);
      case 'Fn::Or':
        return resolved.some(Boolean);
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
      'AWS::NotificationARNs': [],
      'AWS::NoValue': absent,
    };
    if (id in pseudo) return pseudo[id];
    const parameter = template.body.Parameters?.[id];
    if (parameter) return parameter.Default ?? '';
    return reference(this.resource(template, id), this.#surroundings);
  }

  #attribute(template: Template, id: string, name: string): Value {
    return attribute(this.resource(template, id), name, this.#surroundings);
  }

  #sub(template: Template, argument: Value): string {
    const [text, variables] = Array.isArray(argument) ? argument : [argument, {}];
    return text.replaceAll(/\$\{(!?)([^}]+)\}/g, (_: string, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (name in variables) return this.resolve(template, variables[name]);
      return name.includes('.') ? this.#attribute(template, ...splitOnce(name)) : this.#ref(template, name);
    });
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

  #condition(template: Template, condition: Value): boolean {
    if (typeof condition !== 'string') return Boolean(this.resolve(template, condition));
    const expression = template.body.Conditions?.[condition];
    if (expression === undefined) throw new Problem(`The template of ${template.stack} has no condition ${condition}.`);
    return Boolean(this.resolve(template, expression));
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
