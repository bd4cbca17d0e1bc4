import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api';
import { addMailwright } from '../../lib/mailwright.ts';

/** A resource of one of the three templates. */
export interface Resource {
  id: string;
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation properties
  properties: any;
  deletionPolicy?: string;
  replacePolicy?: string;
}

const plainStages = new Map<string, Promise<Synthesized>>();

interface Template {
  Resources: Record<
    string,
    { Type: string; Properties?: unknown; DeletionPolicy?: string; UpdateReplacePolicy?: string }
  >;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
}

/** An output of a stack; `exportName` when other stacks import it. */
export interface Output {
  stack: string;
  id: string;
  exportName?: string;
  value: unknown;
}

/** The app of a stage, synthesized without an AWS account. */
export class Synthesized {
  /** The resources of each stack by its id: Data, Pipeline, Api. */
  readonly stacks: Record<string, Resource[]> = {};
  readonly outputs: Output[] = [];
  /** The names of the exports that stacks import. */
  readonly imports: Set<string>;
  readonly stage: string;
  /** The stacks that CloudFormation does not delete until somebody says so. */
  readonly protectedStacks: string[] = [];
  private readonly exports = new Map<string, unknown>();

  private constructor(stage: string, stacks: readonly CloudFormationStackArtifact[]) {
    this.stage = stage;
    const imports = stacks.map(({ template }) => JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g));
    this.imports = new Set(imports.flatMap((found) => [...found].map(([, name]) => name!)));
    for (const artifact of stacks) {
      const { id: stack, terminationProtection } = artifact;
      const template: Template = artifact.template;
      if (terminationProtection) this.protectedStacks.push(stack);
      this.stacks[stack] = Object.entries(template.Resources).map(([id, resource]) => ({
        id,
        type: resource.Type,
        properties: resource.Properties ?? {},
        deletionPolicy: resource.DeletionPolicy,
        replacePolicy: resource.UpdateReplacePolicy,
      }));
      for (const [id, { Value, Export }] of Object.entries(template.Outputs ?? {})) {
        this.outputs.push({ stack, id, exportName: Export?.Name, value: Value });
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
      // What only the files beside the templates need takes most of the time.
      const quick = { stackTraces: false, treeMetadata: false, builtinCloudFormationValidation: false };
      const app = new App({ outdir, context: { ...context, stage, 'aws:cdk:disable-asset-staging': true }, ...quick });
      addMailwright(app);
      prepare?.(app);
      return new Synthesized(stage, app.synth().stacks);
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
          statements.map(({ Effect, Action, Resource, Condition }) => ({
            denies: Effect === 'Deny',
            condition: Condition,
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
  denies: boolean;
  condition?: Record<string, Record<string, string | string[]>>;
  actions: string[];
  resources: string[];
}

interface RawStatement {
  Effect: string;
  Condition?: Statement['condition'];
  Action: string | string[];
  Resource: unknown;
}
