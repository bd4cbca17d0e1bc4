import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Team } from './team.ts';

/** A stack's bucket for exports, and the operators' commands, over the stack's AWS endpoint. */
export interface Warehouse {
  /** Runs an operator's command. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  operate(command: string, input: object): Promise<any>;
  /** Puts an object under the team's own prefix. */
  put(team: Team, name: string, body: string | Buffer): Promise<void>;
  remove(team: Team, name: string): Promise<void>;
}

/** Connects to the stack that runs on a data folder. */
export function warehouseOf(data: string): Warehouse {
  const { aws_endpoint: endpoint } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'));
  const options = {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
    forcePathStyle: true,
  };
  const lambda = new LambdaClient(options);
  const s3 = new S3Client(options);
  const operate: Warehouse['operate'] = async (command, input) => {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: 'mailwright-dev-operate', Payload: JSON.stringify({ command, ...input }) }),
    );
    const answer = Buffer.from(Payload!).toString();
    if (FunctionError) throw new Error(answer);
    return JSON.parse(answer);
  };
  const at = async (team: Team, name: string) => {
    bucket ??= (await operate('warehouse set', { team_id: team.id })).bucket as string;
    return { Bucket: bucket, Key: `teams/${team.id}/${name}` };
  };
  let bucket: string | undefined;
  return {
    operate,
    put: async (team, name, Body) => void (await s3.send(new PutObjectCommand({ ...(await at(team, name)), Body }))),
    remove: async (team, name) => void (await s3.send(new DeleteObjectCommand(await at(team, name)))),
  };
}
