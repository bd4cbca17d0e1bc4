import { DeleteObjectCommand, ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { OperatorCommand } from '../../functions/operator-commands.ts';
import { operate } from './operate.ts';
import { awsOf } from './stack.ts';
import type { Team } from './team.ts';

type Owner = Pick<Team, 'id'>;

/** A stack's bucket for exports and its operators' commands. */
export interface Warehouse {
  /** Runs an operator's command. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  operate(command: OperatorCommand, input: object): Promise<any>;
  /** Puts an object under the team's own prefix. */
  put(team: Owner, name: string, body: string | Buffer): Promise<void>;
  remove(team: Owner, name: string): Promise<void>;
}

/** Connects to the stack of a data folder. */
export function warehouseOf(data: string): Warehouse {
  const s3 = new S3Client({ ...awsOf(data), forcePathStyle: true });
  const at = async ({ id }: Owner, name: string) => {
    bucket ??= (await s3.send(new ListBucketsCommand({}))).Buckets!.find(({ Name }) => /Exports/.test(Name!))!.Name!;
    return { Bucket: bucket, Key: `teams/${id}/${name}` };
  };
  let bucket: string | undefined;
  return {
    operate: (command, input) => operate(data, command, input),
    put: async (team, name, Body) => void (await s3.send(new PutObjectCommand({ ...(await at(team, name)), Body }))),
    remove: async (team, name) => void (await s3.send(new DeleteObjectCommand(await at(team, name)))),
  };
}

/** Creates a campaign to the team's warehouse audience that passes every gate; returns its id. */
export async function warehouseCampaign(team: Team, html = '', fields: object = {}): Promise<number> {
  const { body } = await team.api('POST', '/campaigns', {
    name: 'Export',
    subject: 'Hello {{first_name | default: "there"}}',
    from_email: `news@${team.domain}`,
    audience_source: 'warehouse',
    ...fields,
  });
  const { id } = body.data;
  const html_content = `${html}<a href="{{unsubscribe_url}}">Unsubscribe</a>`;
  const { status } = await team.api('PUT', `/campaigns/${id}/content`, { html_content });
  if (status !== 200) throw new Error(`the content was refused: ${status}`);
  return id;
}
