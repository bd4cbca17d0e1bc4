import { type App, Stack } from 'aws-cdk-lib';
import { addCampaigns, type Campaigns } from './campaigns.ts';
import { addCanary } from './canary.ts';
import type { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { addDomainEventHandler, addDomainEventQueue } from './domain-events.ts';
import { addFeedback } from './feedback.ts';
import { addJobs } from './jobs.ts';
import { addOperations } from './operations.ts';
import { addSequences } from './sequences.ts';
import { stackProps } from './stage.ts';
import { addWebhooks, type Webhooks } from './webhooks.ts';

/** What happens behind the API: the queues, workers and workflows of every subject. */
export class PipelineStack extends Stack {
  readonly campaigns: Campaigns;
  readonly webhooks: Webhooks;
  /** What changed in a team's records, for those who react to it. */
  readonly domainEvents: WorkQueue;
  /** The shards of sequences in which somebody is due. */
  readonly sequences: WorkQueue;

  constructor(app: App, data: DataStack) {
    super(app, 'Pipeline', stackProps(data.stage, 'pipeline', 'campaign workflow, queues and workers.'));
    this.webhooks = addWebhooks(this, data);
    // Sequences publish domain events and domain events start sequences: the queue is made first, its handler last.
    this.domainEvents = addDomainEventQueue(this, data);
    this.sequences = addSequences(this, data, this.domainEvents);
    this.campaigns = addCampaigns(this, data, this.domainEvents);
    const { webhooks, domainEvents, sequences, campaigns } = this;
    const feedback = addFeedback(this, data, { domainEvents, webhooks });
    addDomainEventHandler(domainEvents, data, { sequences, webhooks });
    const jobs = addJobs(this, data, { campaigns, webhooks, domainEvents, sequences });
    const queues = [webhooks.queue, domainEvents, sequences, campaigns.sendQueue, feedback, jobs];
    addOperations(this, data, { campaigns, domainEvents, queues });
    if (data.stage.canary) addCanary(this, data);
  }
}
