import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { allow, type Grant, policyName } from '../grants.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import { OperatorAlarm } from './operator-alarm.ts';

/** How a function is made. */
export interface ServiceFunctionProps {
  stage: StageSettings;
  grants: Grant[];
  timeout: Duration;
  /** @default 512 */
  memoryMb?: number;
  environment?: Record<string, string>;
  /** Invocations at once that it has for itself and does not exceed. @default it shares the account's */
  reservedConcurrency?: number;
  /** Tells the operators when three invocations fail within five minutes. @default no alarm */
  errorAlarm?: { operators: ITopic; impact: string };
}

const bundles = fileURLToPath(new URL('../../dist/functions/', import.meta.url));

/** A Lambda function: the bundle of its name, a role with exactly the given grants, and its own log group. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction;

  constructor(scope: Construct, name: string, props: ServiceFunctionProps) {
    super(scope, name);
    const { stage, grants, errorAlarm } = props;
    const functionName = resourceName(stage, name);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: `/aws/lambda/${functionName}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName,
      code: Code.fromAsset(bundles + name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMb ?? 512,
      timeout: props.timeout,
      reservedConcurrentExecutions: props.reservedConcurrency,
      role: this.role(logGroup, grants),
      logGroup,
      environment: {
        POWERTOOLS_SERVICE_NAME: name,
        POWERTOOLS_LOG_LEVEL: 'INFO',
        ...Object.assign({}, ...grants.map(({ environment }) => environment)),
        ...props.environment,
      },
    });
    if (errorAlarm)
      new OperatorAlarm(this, `${name}-errors`, {
        stage,
        metric: this.lambda.metricErrors({ period: Duration.minutes(5) }),
        threshold: 3,
        action: `Read the errors in the log of ${name}.`,
        runbook: 'a-worker-fails',
        ...errorAlarm,
      });
  }

  /** A metric that the function's log lines carry (`shared/aws/log.ts`), over five minutes. */
  logged(metricName: string, statistic: string, period = Duration.minutes(5)): Metric {
    const dimensionsMap = { FunctionName: this.lambda.functionName };
    return new Metric({ namespace: 'Mailwright', metricName, statistic, period, dimensionsMap });
  }

  private role({ logGroupArn }: LogGroup, grants: Grant[]): Role {
    const writeLogs = allow([logGroupArn], ['logs:CreateLogStream', 'logs:PutLogEvents']);
    const statements = [writeLogs, ...grants.flatMap((grant) => grant.statements)];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { [policyName]: new PolicyDocument({ statements }) },
    });
    Validations.of(role).acknowledge(...grants.flatMap(({ wildcards }) => wildcards ?? []));
    return role;
  }
}
