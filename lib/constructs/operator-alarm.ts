import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { resourceName, type StageSettings } from '../stage.ts';

/** What the person who is woken up reads. */
export interface AlarmText {
  /** What customers notice. */
  impact: string;
  /** The first thing to do. */
  action: string;
  /** A heading of docs/runbook.md, in the form of its link. */
  runbook: string;
}

/** When an alarm rings, whom it tells, and what it says. */
export interface OperatorAlarmProps extends AlarmText {
  stage: StageSettings;
  operators: ITopic;
  metric: IMetric;
  threshold: number;
  /** @default at the threshold and above */
  comparison?: ComparisonOperator;
  /** Periods that are looked at. @default 1 */
  periods?: number;
  /** How many of them must reach the threshold. @default all */
  datapoints?: number;
  /** What a period without data means. @default that nothing is wrong */
  missing?: TreatMissingData;
}

/** An alarm on the operators' topic whose text states customer impact, what to do, and the runbook section. */
export class OperatorAlarm extends Construct {
  constructor(scope: Construct, name: string, props: OperatorAlarmProps) {
    super(scope, name);
    const alarm = new Alarm(this, 'Alarm', {
      alarmName: resourceName(props.stage, name),
      alarmDescription: `${props.impact} ${props.action} Runbook: docs/runbook.md#${props.runbook}`,
      metric: props.metric,
      threshold: props.threshold,
      evaluationPeriods: props.periods ?? 1,
      datapointsToAlarm: props.datapoints,
      comparisonOperator: props.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: props.missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(props.operators));
  }
}
