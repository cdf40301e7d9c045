import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkResponsesOf, type RestAnswer, findDocumentDifferences } from '../support/openapi-checks.ts'
import { createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let right: RestAnswer
let baseUrl: string

beforeAll(async () => {
  baseUrl = await chooseFreeBaseUrl()
  world = await newWorld({ baseUrl })
  const event = await world.event()
  right = await (await createRestClient(world, await serve(world), event.tenantId, { clients: [event] })).get('/v1/me')
})
afterAll(() => world.end())

const account = (more: object) => {
  const json = { ...right.json, ...more }
  return { json, text: JSON.stringify(json) }
}
const WRONG: Record<string, [more: () => Partial<RestAnswer>, fault: RegExp]> = {
  'a property that the schema does not know': [() => account({ mood: 'good' }), /mood is not documented/],
  'a property that is missing': [() => account({ limits: undefined }), /limits/],
  'a property of another type': [() => account({ limits: { ...right.json.limits, defaultPageSize: '50' } }), /string instead of integer/],
  'an undocumented status': [() => ({ status: 418 }), /418 is not documented/],
  'another type than documented': [
    () => ({ headers: { ...right.headers, 'content-type': 'text/html' }, json: null }),
    /text\/html is not documented/,
  ],
  'a header that is missing': [() => ({ headers: { ...right.headers, etag: undefined as never } }), /ETag is missing/],
  'a body where there is none': [() => ({ status: 304 }), /there is a body/],
}

describe('undocumented REST response', () => {
  it('accepts a REST response that the OpenAPI document describes', () => {
    expect(findDocumentDifferences(baseUrl, 'GET', '/v1/me', right)).toEqual([])
  })

  it.each(Object.keys(WRONG))('reports an undocumented REST response: %s', (what) => {
    const [more, fault] = WRONG[what]!
    expect(findDocumentDifferences(baseUrl, 'GET', '/v1/me', { ...right, ...more() }).join('; ')).toMatch(fault)
  })

  it('fails the test that received an undocumented REST response', async () => {
    const { 'content-length': _length, 'transfer-encoding': _encoding, ...sent } = right.headers
    const answers: Record<string, (response: ServerResponse) => void> = {
      '/v1/me': (response) => response.writeHead(200, sent).end(JSON.stringify({ ...right.json, mood: 'good' })),
      '/v1/participants': (response) => response.writeHead(418).end(),
      '/elsewhere': (response) => response.writeHead(418).end(),
    }
    const server = createServer((request: IncomingMessage, response) => answers[request.url!]!(response))
    await new Promise<void>((done) => server.listen(0, () => done()))
    const origin = `http://localhost:${(server.address() as AddressInfo).port}`
    const stopChecking = checkResponsesOf(origin, baseUrl)
    await expect(fetch(`${origin}/v1/me`)).rejects.toThrow('mood is not documented')
    await expect(fetch(`${origin}/v1/participants`)).rejects.toThrow('418 is not documented')
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(418)
    stopChecking()
    await new Promise((done) => server.close(done))
  })
})
