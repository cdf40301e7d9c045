import { Agent, request } from 'node:http'
import { serveRequests } from '../child.ts'
import { quantile } from '../measure.ts'

/** An HTTP request. Each time it is sent, `{n}` in the body is replaced by another number. */
export interface SentRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

/** Concurrent clients that send these requests in turn, each client one at a time. */
export interface Sending {
  requests: readonly SentRequest[]
  clients: number
  seconds: number
}

export interface SendingResult {
  /** Responses per second. */
  rate: number
  /** The 95th percentile of the time until the response is complete, in milliseconds. */
  p95: number
}

const agent = new Agent({ keepAlive: true })

function send({ method, url, headers, body }: SentRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        // The response of a refused tool call has status 200, so the body is checked too.
        if (response.statusCode! < 300 && !text.includes('"isError":true')) resolve()
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** The number of the next request. A measurement continues where the last one ended, so that no number is sent twice. */
let number = 0

async function run({ requests, clients, seconds }: Sending): Promise<SendingResult> {
  const started = performance.now()
  const until = started + seconds * 1000
  const times: number[] = []
  const client = async () => {
    do {
      const n = ++number
      const { body, ...next } = requests[n % requests.length]!
      const sent = performance.now()
      await send({ ...next, ...(body === undefined ? {} : { body: body.replaceAll('{n}', String(n)) }) })
      times.push(performance.now() - sent)
    } while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { rate: (times.length * 1000) / (performance.now() - started), p95: quantile(times, 0.95) }
}

serveRequests({ run })
