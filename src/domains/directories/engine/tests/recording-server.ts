import type { IncomingMessage } from 'node:http'
import { Secret } from '../../../../kernel/secrets.ts'
import { createFetcher } from '../../../../platform/guarded-fetch.ts'
import { startHttpSite } from '../../../../../test/support/sites.ts'
import { DIRECTORY_PRESETS } from '../presets.ts'
import type { DirectoryRequest, DirectoryConnectionSpec, GetSecret } from '../spec.ts'

export interface Recorded {
  method: string
  /** Path and query of the request as sent, still encoded. */
  target: string
  path: string
  query: [string, string][]
  headers: IncomingMessage['headers']
  body: string
}

export interface Reply {
  status?: number
  headers?: Record<string, string>
  /** Response body. A string is sent verbatim, anything else as JSON. */
  body?: unknown
}

export const fetcher = createFetcher({ allowedHosts: ['127.0.0.1'] })

/** Starts a server that sends the replies of the test and records the requests. Requests whose path ends in `token` are token requests. */
export async function startRecordingServer(reply: (recorded: Recorded, requests: Recorded[]) => Reply) {
  const requests: Recorded[] = []
  const url = await startHttpSite((inbound, out) => {
    const chunks: Buffer[] = []
    inbound.on('data', (chunk: Buffer) => chunks.push(chunk))
    inbound.on('end', () => {
      const target = inbound.url ?? ''
      const at = new URL(target, 'http://host')
      const recorded: Recorded = {
        method: inbound.method ?? '',
        target,
        path: at.pathname,
        query: [...at.searchParams],
        headers: inbound.headers,
        body: Buffer.concat(chunks).toString(),
      }
      requests.push(recorded)
      const { status = 200, headers = {}, body = '' } = reply(recorded, requests)
      out.writeHead(status, { 'content-type': 'application/json', ...headers })
      out.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  })
  return { url, requests, asked: () => requests.filter(({ path }) => !path.endsWith('token')) }
}

export const secretsOf =
  (values: Readonly<Record<string, string>>): GetSecret =>
  (name) =>
    Object.hasOwn(values, name) ? new Secret(values[name]!) : null

let made = 0

/** A connection created from a preset, pointing to the recording server. */
export function connectionTo(url: string, preset: string, own: Partial<DirectoryConnectionSpec> = {}): DirectoryConnectionSpec {
  const { auth, requests, bindings, tagRules } = DIRECTORY_PRESETS.find(({ code }) => code === preset)!
  const tokenUrl = auth.settings.tokenUrl?.replace(/^https:\/\/[^/]+/, url)
  return {
    id: `connection-${++made}`,
    preset,
    baseUrl: url,
    settings: {},
    auth: { ...auth, settings: { ...auth.settings, ...(tokenUrl ? { tokenUrl } : {}) } },
    requests,
    bindings,
    tagRules,
    timeoutMs: 4000,
    ...own,
  }
}

export const lookup = (own: Partial<DirectoryRequest>): DirectoryRequest => ({
  method: 'GET',
  path: '/members',
  query: { email: '{{input.email}}' },
  headers: {},
  bodyType: 'json',
  inputs: ['email'],
  resultPath: '$.items',
  notFoundStatuses: [404],
  pick: 'only',
  ...own,
})
