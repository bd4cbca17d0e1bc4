import { Duration } from 'aws-cdk-lib';
import { Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { ConfigurationSet, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { OperatorAlarm } from './constructs/operator-alarm.ts';
import type { Grant } from './grants.ts';
import { sendBulkMail, sendDirectMail } from './mail-grants.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** How mail leaves and its feedback arrives. */
export interface Mail {
  /** Where SES publishes what became of each message. */
  feedback: Topic;
  /** Send campaigns and sequences, whose opens and clicks are tracked. */
  sendBulk: Grant;
  /** Send messages to one person at a time, which report back but track neither opens nor clicks. */
  sendDirect: Grant;
}

/** What both configuration sets and the alarms need. */
interface MailProps {
  stage: StageSettings;
  operators: Topic;
}

/** Adds SES's configuration sets, the topic of its feedback, and the alarms on the account's reputation. */
export function addMail(scope: Construct, props: MailProps): Mail {
  const { stage } = props;
  const feedback = new Topic(scope, 'Feedback', { topicName: resourceName(stage, 'feedback'), enforceSSL: true });
  const tracked = addConfigurationSet(scope, 'Mail', { stage, name: 'mail' }, feedback, [
    EmailSendingEvent.OPEN,
    EmailSendingEvent.CLICK,
  ]);
  const direct = addConfigurationSet(scope, 'DirectMail', { stage, name: 'direct-mail' }, feedback, []);
  addReputationAlarm(scope, props, 'bounce', 'Reputation.BounceRate', 0.05);
  addReputationAlarm(scope, props, 'complaint', 'Reputation.ComplaintRate', 0.001);
  return { feedback, sendBulk: sendBulkMail(tracked), sendDirect: sendDirectMail(direct) };
}

/** What is not listed in `tracked` SES does not add to messages: no pixel, no rewritten links. */
function addConfigurationSet(
  scope: Construct,
  id: string,
  { stage, name }: { stage: StageSettings; name: string },
  feedback: Topic,
  tracked: EmailSendingEvent[],
): ConfigurationSet {
  const configurationSet = new ConfigurationSet(scope, id, {
    configurationSetName: resourceName(stage, name),
    reputationMetrics: true,
    // Bounds how long a message can be under way, and so how long its recipient can be unknown.
    maxDeliveryDuration: Duration.hours(4),
  });
  // Messages that were sent through it still report, and their links are tracked.
  configurationSet.applyRemovalPolicy(stage.dataRemoval);
  configurationSet.addEventDestination('Feedback', {
    configurationSetEventDestinationName: 'feedback',
    destination: EventDestination.snsTopic(feedback),
    // Not SEND: it would cost a dollar a million and say nothing that the response to the call has not said.
    events: [
      EmailSendingEvent.REJECT,
      EmailSendingEvent.BOUNCE,
      EmailSendingEvent.COMPLAINT,
      EmailSendingEvent.DELIVERY,
      EmailSendingEvent.RENDERING_FAILURE,
      EmailSendingEvent.DELIVERY_DELAY,
      ...tracked,
    ],
  });
  return configurationSet;
}

/** Rings at the rate where AWS puts an account under review. */
function addReputationAlarm(
  scope: Construct,
  props: MailProps,
  kind: string,
  metricName: string,
  threshold: number,
): void {
  new OperatorAlarm(scope, `${kind}-rate`, {
    ...props,
    metric: new Metric({ namespace: 'AWS/SES', metricName, statistic: 'avg', period: Duration.hours(1) }),
    threshold,
    // SES measures while mail is sent: without data the rate is as it was.
    missing: TreatMissingData.IGNORE,
    impact: `The account's ${kind} rate has reached the level at which AWS reviews it and may stop all sending.`,
    action: 'Find the team that causes it and suspend its sending.',
    runbook: 'sending-reputation',
  });
}
