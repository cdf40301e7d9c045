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
import { probeFileStore } from './file-probe.ts'

/** Size of an upload part. An upload holds at most twice this in memory: one part in transfer and one being filled. */
const PART_BYTES = 8 * 1024 * 1024
const CONCURRENT_PARTS = 2

/** Creates a file store in a bucket of any S3-compatible service. */
export function createS3FileStore({ endpoint, bucket, region, accessKeyId, secretAccessKey, pathStyle }: S3Settings): FileStore {
  const client = new S3Client({
    region,
    ...(endpoint ? { endpoint } : {}),
    forcePathStyle: pathStyle,
    credentials: { accessKeyId, secretAccessKey: secretAccessKey.reveal() },
    maxAttempts: 3,
    // Many S3-compatible servers do not support newer checksums; each part is still signed with its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, socketTimeout: 60_000 },
  })
  const at = (key: string) => ({ Bucket: bucket, Key: key })

  /**
   * Lists the unfinished uploads of a key, whose parts are invisible but billed. If they cannot be listed, a lifecycle rule of the bucket
   * must remove them.
   */
  const listUnfinishedUploads = async (key: string) => {
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
        await new Upload({ client, params, partSize: PART_BYTES, queueSize: CONCURRENT_PARTS }).done()
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
      for (const { UploadId } of await listUnfinishedUploads(key))
        await client.send(new AbortMultipartUploadCommand({ ...at(key), UploadId }))
    },
    async check(how) {
      if (how === 'write') return probeFileStore(store)
      await client.send(new HeadBucketCommand({ Bucket: bucket })).catch((error: { $metadata?: { httpStatusCode?: number } }) => {
        // Status 403 also proves that the store responds: an access key for the objects may have no right to read the bucket.
        if (error.$metadata?.httpStatusCode !== 403) throw error
      })
    },
    close: () => client.destroy(),
  }
  return store
}

const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound'].includes((error as Error).name)
