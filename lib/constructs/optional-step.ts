import type { Acknowledgment } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CustomState } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** A state that runs when the step names it in `next`; the step is then called again with its result. */
export interface OptionalStep {
  name: string;
  /** The state to run; it leaves its result, or its error, in `$.<name>`. */
  state(scope: Construct): CustomState;
  statements: PolicyStatement[];
  wildcards: Acknowledgment[];
}
