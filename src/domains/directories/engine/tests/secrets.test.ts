import { inspect } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { stopSites } from '../../../../../test/support/sites.ts'
import { queryDirectory } from '../query-directory.ts'
import { DIRECTORY_PRESETS } from '../presets.ts'
import { AUTH_KINDS, type DirectoryConnectionSpec } from '../spec.ts'
import { buildRequest, previewRequest } from '../template.ts'
import { connectionTo, fetcher, lookup, startRecordingServer, type Reply, secretsOf } from './recording-server.ts'

afterEach(stopSites)

const SECRET = 'hush-4f1c'
const PERSON = 'person-77@x.org'
const names = ['apiKey', 'token', 'username', 'password', 'clientId', 'clientSecret', 'own']
const secretOf = secretsOf(Object.fromEntries(names.map((name) => [name, `${SECRET}-${name}`])))

/** Replies of a directory that repeats everything it received. */
const REPLIES: Reply[] = [
  ...[200, 301, 400, 401, 403, 404, 418, 429, 500].map((status) => ({
    status,
    headers: { location: `/${SECRET}`, 'x-said': SECRET },
    body: { error: SECRET, error_description: `${SECRET} ${PERSON}`, message: PERSON },
  })),
  { body: `${SECRET} ${PERSON}` },
  { body: `{"access_token":"${SECRET}","items":[{"a":1},{"b":2}],"next":"http://${SECRET}.example.org/"}` },
]

it.each(AUTH_KINDS)('shows no secret or personal data in steps, errors and messages with the auth kind %s', async (kind) => {
  for (const reply of REPLIES) {
    const server = await startRecordingServer(() => reply)
    const request = lookup({
      method: 'POST',
      query: { email: '{{input.email}}', key: '{{secret.own}}' },
      headers: { 'X-Own': '{{secret.own}}' },
      body: '{"key":"{{secret.own}}"}',
      notFoundStatuses: [],
      paging: { kind: 'next', itemPath: '$.items', nextPath: '$.next', maxPages: 5 },
    })
    const auth: DirectoryConnectionSpec['auth'] = {
      kind,
      settings: { tokenUrl: '{base}/token', ...(kind.startsWith('apiKey') ? { header: 'X-Key' } : {}) },
    }
    const spec = connectionTo(server.url, 'generic-rest', { auth, requests: { lookup: request } })
    const { record: _, ...answer } = await queryDirectory(fetcher, spec, secretOf, { email: PERSON })
    expect(JSON.stringify(server.requests)).toContain(SECRET)
    const shown = inspect(answer, { depth: 10 }) + JSON.stringify(answer)
    expect(shown).not.toContain(SECRET)
    expect(shown).not.toContain(PERSON)
  }
})

it('shows no secret or personal data in errors of requests that cannot be built', () => {
  const broken = [
    lookup({ path: '/{{secret.own}}' }),
    lookup({ headers: { 'X-Line': '{{input.email}}' } }),
    lookup({ path: '/{{input.email}}' }),
    lookup({ query: { q: 'a = {{input.email}}' } }),
  ]
  for (const request of broken) {
    for (const email of [`${PERSON}\r\nx`, '..', PERSON.repeat(100)]) {
      try {
        buildRequest(request, { baseUrl: 'https://x.org', settings: {}, inputs: { email }, secretOf })
      } catch (error) {
        expect(inspect(error)).not.toMatch(new RegExp(`${SECRET}|${PERSON}`))
      }
    }
  }
})

it('shows secrets only by name in the preview of a request', () => {
  const request = lookup({
    method: 'POST',
    query: { key: '{{secret.own}}' },
    headers: { 'X-Own': 'Key {{ secret.own }}' },
    body: '{"k":"{{secret.own}}","e":"{{input.email}}"}',
  })
  expect(previewRequest(request, { baseUrl: 'https://x.org/api/', settings: {} })).toEqual({
    method: 'POST',
    url: 'https://x.org/api/members?key={{secret.own}}',
    headers: { accept: 'application/json', 'content-type': 'application/json', 'x-own': 'Key {{secret.own}}' },
    body: '{"k":"{{secret.own}}","e":"anna.muster@example.org"}',
  })
  for (const { requests } of DIRECTORY_PRESETS)
    for (const one of Object.values(requests))
      if (one) expect(previewRequest(one, { baseUrl: 'https://x.org', settings: {} }).url).toMatch(/^https:\/\/x\.org\//)
})
