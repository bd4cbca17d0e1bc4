import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { allow, type Right } from '../rights.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import { type AlarmText, OperatorAlarm } from './operator-alarm.ts';

/** How a function is made. */
export interface ServiceFunctionProps {
  stage: StageSettings;
  rights: Right[];
  timeout: Duration;
  /** @default 512 */
  memoryMb?: number;
  environment?: Record<string, string>;
}

const bundles = fileURLToPath(new URL('../../dist/functions/', import.meta.url));

/** A Lambda function of ours: the bundle of its name, a role with exactly the given rights, and its own log group. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;
  private readonly name: string;
  private readonly stage: StageSettings;
  private readonly rights: PolicyDocument;

  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    super(scope, name);
    this.name = name;
    this.stage = props.stage;
    const functionName = resourceName(props.stage, name);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLogs = allow([logGroup.logGroupArn], ['logs:CreateLogStream', 'logs:PutLogEvents']);
    this.rights = new PolicyDocument({
      statements: [writeLogs, ...props.rights.flatMap((right) => right.statements)],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { rights: this.rights },
    });
    Validations.of(role).acknowledge(...props.rights.flatMap((right) => right.wildcards ?? []));
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      code: Code.fromAsset(bundles + name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMb ?? 512,
      timeout: props.timeout,
      role,
      logGroup,
      environment: {
        POWERTOOLS_SERVICE_NAME: name,
        POWERTOOLS_LOG_LEVEL: 'INFO',
        ...Object.assign({}, ...props.rights.map((right) => right.environment)),
        ...props.environment,
      },
    });
  }

  /** Gives the function a right to what was not there yet when it was made. */
  give({ statements, environment = {} }: Right): void {
    this.rights.addStatements(...statements);
    for (const [name, value] of Object.entries(environment)) this.lambda.addEnvironment(name, value);
  }

  /** Tells the operators when three invocations fail within five minutes. */
  alarmOnErrors(operators: ITopic, text: AlarmText): void {
    new OperatorAlarm(this, `${this.name}-errors`, {
      stage: this.stage,
      operators,
      metric: this.lambda.metricErrors({ period: Duration.minutes(5) }),
      threshold: 3,
      ...text,
    });
  }
}
