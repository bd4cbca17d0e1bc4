import { Validations } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { allow, policyName, wildcard } from '../grants.ts';
import type { OptionalStep } from './optional-step.ts';

const logAndTrace = [
  'logs:CreateLogDelivery',
  'logs:GetLogDelivery',
  'logs:UpdateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:DescribeResourcePolicies',
  'logs:DescribeLogGroups',
  'xray:PutTraceSegments',
  'xray:PutTelemetryRecords',
  'xray:GetSamplingRules',
  'xray:GetSamplingTargets',
];

/** The role of a step loop: it may call its steps, write its log and trace its executions. */
export function stepLoopRole(scope: Construct, step: IFunction, optionalStep: OptionalStep | undefined): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('states.amazonaws.com'),
    inlinePolicies: {
      [policyName]: new PolicyDocument({
        statements: [
          allow([step.functionArn], ['lambda:InvokeFunction']),
          ...(optionalStep?.statements ?? []),
          allow(['*'], logAndTrace),
        ],
      }),
    },
  });
  Validations.of(role).acknowledge(
    wildcard('*', 'Log delivery and tracing name no resources.'),
    ...(optionalStep?.wildcards ?? []),
  );
  return role;
}
