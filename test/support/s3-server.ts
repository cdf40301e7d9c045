import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Secret } from '../../src/kernel/secrets.ts'
import type { S3Settings } from '../../src/platform/environment.ts'

export interface S3Server {
  settings: S3Settings
  objects: Map<string, Buffer>
  /** Multipart uploads that were neither completed nor aborted, with their parts. */
  uploads: Map<string, { key: string; parts: Map<number, Buffer> }>
  /** One line for each authorized request. */
  receivedRequests: string[]
  /** Replaces the normal response, to simulate errors of a bucket. */
  overrideResponse: (how: (request: IncomingMessage) => { status: number; code: string } | null) => void
  /** Counts bytes without storing them, for uploads that would not fit in memory. */
  discardBodies: () => void
  stop: () => Promise<void>
}

const BUCKET = 'lanyard-files'
const REGION = 'eu-test-1'
const ACCESS_KEY = 'AKTEST'
const SECRET_KEY = 'a secret that only the two sides know'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** A bucket on this computer that implements the S3 calls that the product uses and rejects requests without a valid signature. */
export async function startS3(): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map()
  const uploads: S3Server['uploads'] = new Map()
  const asked: string[] = []
  let behave: Parameters<S3Server['overrideResponse']>[0] = () => null
  let keep = true

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: Error) => response.destroy(error))
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { body, hash, size } = await bodyOf(request, keep)
    const url = new URL(request.url!, 'http://s3')
    const problem = findSignatureProblem(request, url, hash)
    if (problem) return refuse(response, 403, 'SignatureDoesNotMatch', problem)
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/')
    const key = rest.join('/')
    const query = url.searchParams
    asked.push(
      `${request.method} ${key ? '<key>' : ''}${[...query.keys()]
        .filter((name) => name !== 'x-id')
        .toSorted()
        .join(',')}`,
    )
    const bad = behave(request)
    if (bad) return refuse(response, bad.status, bad.code, 'scripted error')
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket', bucket!)
    const uploadId = query.get('uploadId')

    switch (request.method) {
      case 'HEAD':
        return send(response, 200)
      case 'POST': {
        if (query.has('uploads')) {
          const id = randomUUID()
          uploads.set(id, { key, parts: new Map() })
          return send(response, 200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
        }
        const { parts } = uploads.get(uploadId!)!
        const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number))
        objects.set(key, Buffer.concat(wanted.map((number) => parts.get(number)!)))
        uploads.delete(uploadId!)
        return send(response, 200, `<CompleteMultipartUploadResult><ETag>"done"</ETag></CompleteMultipartUploadResult>`)
      }
      case 'PUT': {
        if (uploadId) uploads.get(uploadId)!.parts.set(Number(query.get('partNumber')), body)
        else objects.set(key, body)
        return send(response, 200, '', { etag: `"${hash.slice(0, 32)}"`, 'x-received': String(size) })
      }
      case 'DELETE': {
        if (uploadId) uploads.delete(uploadId)
        else objects.delete(key)
        return send(response, 204)
      }
      default: {
        if (query.has('uploads')) {
          const found = [...uploads].filter(([, upload]) => upload.key.startsWith(query.get('prefix') ?? ''))
          const list = found.map(([id, upload]) => `<Upload><Key>${upload.key}</Key><UploadId>${id}</UploadId></Upload>`).join('')
          return send(response, 200, `<ListMultipartUploadsResult>${list}</ListMultipartUploadsResult>`)
        }
        const object = objects.get(key)
        if (!object) return refuse(response, 404, 'NoSuchKey', key)
        const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
        const part = range ? object.subarray(Number(range[1]), Number(range[2]) + 1) : object
        return send(response, range ? 206 : 200, part, { 'content-type': 'application/octet-stream' })
      }
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: BUCKET,
      region: REGION,
      accessKeyId: ACCESS_KEY,
      secretAccessKey: new Secret(SECRET_KEY),
      pathStyle: true,
    },
    objects,
    uploads,
    receivedRequests: asked,
    overrideResponse: (how) => (behave = how),
    discardBodies: () => (keep = false),
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function bodyOf(request: IncomingMessage, keep: boolean): Promise<{ body: Buffer; hash: string; size: number }> {
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
    if (keep || request.method === 'POST') chunks.push(chunk)
  }
  return { body: Buffer.concat(chunks), hash: hash.digest('hex'), size }
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/** Verifies AWS Signature Version 4 as Amazon documents it. Returns what is wrong with the request's signature, or null. */
function findSignatureProblem(request: IncomingMessage, url: URL, bodyHash: string): string | null {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    )
  if (!match) return 'not signed'
  const [, accessKey, day, region, names, signature] = match as unknown as [string, string, string, string, string, string]
  if (accessKey !== ACCESS_KEY || region !== REGION) return 'another key or region'
  const signedNames = names.split(';')
  for (const name of ['host', 'x-amz-date', 'x-amz-content-sha256', ...(request.headers.range ? ['range'] : [])])
    if (!signedNames.includes(name)) return `${name} is not signed`
  const date = String(request.headers['x-amz-date'])
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!date.startsWith(day) || !(Math.abs(Date.now() - at) < 15 * 60_000)) return 'too old'
  // A signature only covers the body if its hash was sent.
  if (request.headers['x-amz-content-sha256'] !== bodyHash) return 'the body differs from the signed one'

  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&')
  const headers = signedNames.map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, ' ')}\n`).join('')
  const canonical = [request.method, url.pathname, query, headers, names, bodyHash].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${SECRET_KEY}`)
  return hmac(key, toSign).toString('hex') === signature ? null : 'the signature is wrong'
}

function send(response: ServerResponse, status: number, body: string | Buffer = '', headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/xml', ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

const refuse = (response: ServerResponse, status: number, code: string, message: string) =>
  send(response, status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`)
