import { Agent, request } from 'node:http'
import { serveRequests } from '../child.ts'
import { quantile } from '../measure.ts'

/** One HTTP request. Its body is sent with a number of its own in place of `{n}`. */
export interface SentRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

/** Clients that send these requests in turn, each of them one at a time. */
export interface Sending {
  requests: readonly SentRequest[]
  clients: number
  seconds: number
}

export interface SendingResult {
  /** Responses a second. */
  rate: number
  /** The time to the complete response that 95 % of the requests stayed within, in milliseconds. */
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
        // A tool reports its refusals in the body.
        if (response.statusCode! < 300 && !text.includes('"isError":true')) resolve()
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Continues where the last window ended, so that every request has another number. */
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
