import { ExportFault, type ExportObject } from '../domain/campaigns/warehouse.ts';
import { lazily } from './lazily.ts';

/** Bytes of an object that a worker reads, and holds in memory, at a time. */
const partBytes = 8 * 1024 * 1024;

/** Loaded at first use, since most campaigns read no export. */
const s3 = /* @__PURE__ */ lazily(async () => {
  const { GetObjectCommand, ListObjectsV2Command, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    maxAttempts: 5,
    followRegionRedirects: true,
    disableS3ExpressSessionAuth: true,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
  return { client, GetObjectCommand, ListObjectsV2Command };
});

/** Up to `max + 1` objects under a prefix, ordered by key; throws an ExportFault when they cannot be listed. */
export async function listExports(bucket: string, prefix: string, max: number): Promise<ExportObject[]> {
  const { client, ListObjectsV2Command } = await s3();
  const found: ExportObject[] = [];
  let ContinuationToken: string | undefined;
  do {
    const page = await withFaults(`s3://${bucket}/${prefix}`, () =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken })),
    );
    for (const { Key: key = '', Size: size = 0, ETag: etag = '' } of page.Contents ?? [])
      found.push({ key, size, etag });
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined && found.length <= max);
  return found.slice(0, max + 1).sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Reads an object in parts, from an offset on; throws an ExportFault when it cannot be read or has changed. */
export async function* readExport(
  bucket: string,
  { key, size, etag }: ExportObject,
  from = 0,
): AsyncGenerator<Uint8Array> {
  const { client, GetObjectCommand } = await s3();
  for (let at = from; at < size; at += partBytes) {
    const Range = `bytes=${at}-${Math.min(size, at + partBytes) - 1}`;
    yield await withFaults(key, async () => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range, IfMatch: etag }));
      return Body!.transformToByteArray();
    });
  }
}

/** Turns the errors that the export's owner can fix into an ExportFault; throws the others as they are. */
async function withFaults<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode ?? 0;
    if (name === 'NoSuchBucket') throw new ExportFault(`${what}: there is no such bucket`);
    if (name === 'NoSuchKey' || status === 404) throw new ExportFault(`${what} was removed while it was read`);
    if (name === 'PreconditionFailed' || status === 412 || status === 416)
      throw new ExportFault(`${what} was replaced while it was read`);
    if (name === 'AccessDenied' || name === 'InvalidObjectState' || status === 403)
      throw new ExportFault(`${what} may not be read: ${name}`);
    throw error;
  }
}
