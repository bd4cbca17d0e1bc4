import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { resourceName, type StageSettings } from './stage.ts';

/** Adds the budget: the operators are told when 80% of it is spent, and when AWS expects the month to exceed it. */
export function addBudget(scope: Construct, { stage, operators }: { stage: StageSettings; operators: Topic }): void {
  const tell = (notificationType: 'ACTUAL' | 'FORECASTED', threshold: number) => ({
    notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold, thresholdType: 'PERCENTAGE' },
    subscribers: [{ subscriptionType: 'SNS', address: operators.topicArn }],
  });
  const budget = new CfnBudget(scope, 'Budget', {
    budget: {
      budgetName: resourceName(stage, 'monthly'),
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: stage.monthlyBudget, unit: 'USD' },
    },
    notificationsWithSubscribers: [tell('ACTUAL', 80), tell('FORECASTED', 100)],
  });
  // The topic's policy, without which nothing arrives.
  budget.node.addDependency(operators);
}
