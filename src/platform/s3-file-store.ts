import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { FileStore } from '../kernel/ports.ts'
import type { S3Settings } from './environment.ts'
import { probe } from './file-probe.ts'

/** What an upload holds in memory is at most this, twice: one piece on its way and one filling up. */
const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2

/** Files in a bucket of anything that speaks S3. */
export function s3FileStore({ endpoint, bucket, region, accessKeyId, secretAccessKey, pathStyle }: S3Settings): FileStore {
  const client = new S3Client({
    region,
    ...(endpoint ? { endpoint } : {}),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    maxAttempts: 3,
    // Newer checksums are unknown to many servers that speak S3; each piece is signed with its SHA-256 all the same.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, socketTimeout: 60_000 },
  })
  const at = (key: string) => ({ Bucket: bucket, Key: key })

  /** Parts of an upload that never ended are seen by nobody, but paid for. Where they may not be listed, a rule of the bucket must remove them. */
  const unfinished = async (key: string) => {
    try {
      return (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key }))).Uploads ?? []
    } catch (error) {
      if (['AccessDenied', 'NotImplemented', 'MethodNotAllowed'].includes((error as Error).name)) return []
      throw error
    }
  }

  const store: FileStore = {
    kind: 's3',
    async put(key, content) {
      const params = { ...at(key), Body: content }
      try {
        await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done()
      } catch (error) {
        content.destroy()
        throw error
      }
    },
    async open(key, range) {
      try {
        const Range = range && `bytes=${range.start}-${range.end}`
        const { Body } = await client.send(new GetObjectCommand({ ...at(key), Range }))
        return (Body as Readable | undefined) ?? null
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(at(key)))
      for (const { UploadId } of await unfinished(key)) await client.send(new AbortMultipartUploadCommand({ ...at(key), UploadId }))
    },
    async check(how) {
      if (how === 'write') return probe(store)
      await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: { $metadata?: { httpStatusCode?: number } }) => {
        // A key that may use the objects need not be allowed to look at the bucket: a refusal is an answer too.
        if (error.$metadata?.httpStatusCode !== 403) throw error
      })
    },
    close: () => client.destroy(),
  }
  return store
}

const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound'].includes((error as Error).name)
