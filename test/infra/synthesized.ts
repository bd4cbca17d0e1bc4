import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { addMailwright } from '../../lib/mailwright.ts';

/** A resource of one of the three templates. */
export interface Resource {
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties
  properties: any;
  deletionPolicy?: string;
}

const plainStages = new Map<string, Promise<Synthesized>>();

interface Template {
  Resources: Record<string, { Type: string; Properties?: unknown; DeletionPolicy?: string }>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
}

/** An output of a stack; `exportName` when other stacks import it. */
export interface Output {
  stack: string;
  id: string;
  exportName?: string;
}

/** The app of a stage, synthesized without an AWS account. */
export class Synthesized {
  /** The resources of each stack by its id: Data, Pipeline, Api. */
  readonly stacks: Record<string, Resource[]> = {};
  /** The names of the deployed stacks, by id. */
  readonly stackNames: Record<string, string> = {};
  readonly outputs: Output[] = [];
  private readonly exports = new Map<string, unknown>();

  private constructor(stacks: readonly { id: string; stackName: string; template: Template }[]) {
    for (const { id: stack, stackName, template } of stacks) {
      this.stackNames[stack] = stackName;
      this.stacks[stack] = Object.entries(template.Resources).map(([id, { Type, Properties, DeletionPolicy }]) => ({
        id,
        type: Type,
        properties: Properties ?? {},
        deletionPolicy: DeletionPolicy,
      }));
      for (const [id, { Value, Export }] of Object.entries(template.Outputs ?? {})) {
        this.outputs.push({ stack, id, exportName: Export?.Name });
        if (Export) this.exports.set(Export.Name, Value);
      }
    }
  }

  /**
   * Synthesizes the app of a stage, without options once per process; `prepare` may add to the
   * app first, `context` is as for `cdk -c`.
   */
  static stage(
    stage: string,
    prepare?: (app: App) => void,
    context: Record<string, string> = {},
  ): Promise<Synthesized> {
    if (prepare || Object.keys(context).length > 0) return Synthesized.synthesize(stage, context, prepare);
    const known = plainStages.get(stage) ?? Synthesized.synthesize(stage, context);
    plainStages.set(stage, known);
    return known;
  }

  private static async synthesize(
    stage: string,
    context: Record<string, string>,
    prepare?: (app: App) => void,
  ): Promise<Synthesized> {
    const outdir = mkdtempSync(join(tmpdir(), 'mailwright-infra-'));
    try {
      const app = new App({ outdir, context: { ...context, stage }, builtinCloudFormationValidation: false });
      addMailwright(app);
      prepare?.(app);
      return new Synthesized(app.synth().stacks);
    } finally {
      rmSync(outdir, { recursive: true });
    }
  }

  /** Every resource of a type, over all stacks. */
  all(type: string): Resource[] {
    return Object.values(this.stacks).flatMap((resources) => resources.filter((resource) => resource.type === type));
  }

  /** The resource that a Ref, Fn::GetAtt or Fn::ImportValue leads to. */
  target(reference: unknown): Resource {
    const id = this.text(reference);
    const found = Object.values(this.stacks)
      .flat()
      .find((resource) => resource.id === id);
    if (!found) throw new Error(`${JSON.stringify(reference)} leads to no resource`);
    return found;
  }

  /** A value as text, with logical ids in place of references. */
  text(value: unknown): string {
    if (typeof value !== 'object' || value === null) return String(value);
    const [[intrinsic, argument]] = Object.entries(value) as [[string, unknown]];
    switch (intrinsic) {
      case 'Ref':
        return String(argument);
      case 'Fn::GetAtt':
        return (argument as string[])[0]!;
      case 'Fn::ImportValue':
        return this.text(this.exports.get(this.text(argument)));
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown[]];
        return parts.map((part) => this.text(part)).join(separator);
      }
      default:
        throw new Error(`${intrinsic} is not expected here`);
    }
  }

  /** The name of a function without `mailwright-<stage>-`. */
  functionName(lambda: Resource): string {
    return lambda.properties.FunctionName.replace(/^mailwright-[a-z]+-/, '');
  }

  /** The statements of each function's role, by function name. */
  grants(): Map<string, Statement[]> {
    return new Map(
      this.all('AWS::Lambda::Function').map((lambda) => {
        const role = this.target(lambda.properties.Role);
        const policies: { PolicyDocument: { Statement: RawStatement[] } }[] = role.properties.Policies;
        const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
        return [
          this.functionName(lambda),
          statements.map(({ Action, Resource }) => ({
            actions: [Action].flat(),
            resources: [Resource].flat().map((resource) => this.text(resource)),
          })),
        ];
      }),
    );
  }
}

/** A statement of a role. */
export interface Statement {
  actions: string[];
  resources: string[];
}

interface RawStatement {
  Action: string | string[];
  Resource: unknown;
}
