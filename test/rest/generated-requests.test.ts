import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOpenApiDocument } from '../../src/surfaces/rest/openapi.ts'
import type { OpenApiResponse, OpenApiDocument } from '../../src/surfaces/rest/openapi-parts.ts'
import {
  type DocumentedOperation,
  type GeneratedRequest,
  listInvalidVariants,
  listOperations,
  toAddress,
  validRequests,
} from '../support/openapi-requests.ts'
import { createRegistrationAt } from '../support/participants.ts'
import { resolveRef } from '../support/json-schema.ts'
import { type RestAnswer, type RestClient, createRestClient } from '../support/rest.ts'
import { chooseFreeBaseUrl, serve } from '../support/server.ts'
import { soakRounds, soakSeed } from '../support/soak.ts'
import { createWebhookSubscription } from '../support/webhooks.ts'
import { newWorld, type World } from '../support/world.ts'

/** Per operation. The test event and the test device of the lead endpoints answer without the database. */
const [VALID, INVALID] = [soakRounds(4), soakRounds(2)]
const TEST_DEVICE = '0'

const document: OpenApiDocument = buildOpenApiDocument('https://lanyard.example')
const operations = listOperations(document)
let world: World
let api: RestClient
let device: RestClient
let known: Record<string, Record<string, readonly unknown[]>>

beforeAll(async () => {
  world = await newWorld({ baseUrl: await chooseFreeBaseUrl() })
  const event = await world.event({ code: 'spring' })
  const served = await serve(world)
  const participants = [
    await createRegistrationAt(world, event, { email: 'a@example.org' }),
    await createRegistrationAt(world, event, { email: 'b@example.org' }),
  ]
  api = await createRestClient(world, served, event.tenantId, { clients: [event] })
  device = api.with({ token: TEST_DEVICE })
  const webhooks = [
    (await createWebhookSubscription(world, event, { url: 'https://93.184.216.34/hook', accountId: api.accountId })).endpointId,
  ]
  const { rows: contacts } = await world.database.pool.query<{ id: string }>('select id from contacts')
  const codes = { tenantCode: [event.tenantCode], clientCode: [event.clientCode], eventCode: ['spring'] }
  const shared = { ...codes, url: ['https://93.184.216.34/hook'], activationCode: [TEST_DEVICE] }
  known = {
    participants: { ...shared, id: participants },
    contacts: { ...shared, id: contacts.map(({ id }) => id) },
    webhooks: { ...shared, id: webhooks },
    events: { ...shared, id: [event.eventId] },
    any: shared,
  }
})
afterAll(() => world.end())

const knownOf = ({ tags }: DocumentedOperation) => known[tags![0]!] ?? known['any']!

function send(operation: DocumentedOperation, request: GeneratedRequest): Promise<RestAnswer> {
  const client = JSON.stringify(operation.security ?? []).includes('deviceToken') ? device : api
  const type = request.body === null ? {} : { 'content-type': 'application/json' }
  return client.request(operation.method, toAddress(operation, request), { ...request.headers, ...type }, request.body ?? undefined)
}

/** A test message would be sent to the address of the webhook, which is not a server of this test. */
const skipsKnown = ({ operationId }: DocumentedOperation) => operationId === 'testWebhook'
const requestsFor = (operation: DocumentedOperation) => validRequests(document, operation, skipsKnown(operation) ? {} : knownOf(operation))

/** A few random faults of each parameter and property. */
function sampleFaults(variants: readonly GeneratedRequest[], seed: number): GeneratedRequest[] {
  const shuffled = fc.sample(fc.shuffledSubarray([...variants], { minLength: variants.length }), { numRuns: 1, seed })[0]!
  const used = new Map<string, number>()
  return shuffled.filter(({ fault }) => {
    const name = fault!.split(' ')[0]!
    used.set(name, (used.get(name) ?? 0) + 1)
    return used.get(name)! <= INVALID
  })
}

describe('OpenAPI document', () => {
  it.each(operations.map((operation) => [operation.operationId, operation] as const))(
    'documents exactly the requests for %s that the server accepts',
    async (_, operation) => {
      const wrong: string[] = []
      const note = ({ status, text }: RestAnswer, request: GeneratedRequest) =>
        wrong.push(
          `${operation.method} ${toAddress(operation, request)} ${request.body ?? ''} ${JSON.stringify(request.headers)}: ${request.fault ?? 'valid'}, ${status} ${text.slice(0, 200)}`,
        )
      const seed = soakSeed(20_270_601)
      const valid = fc.sample(requestsFor(operation), { numRuns: VALID, seed })
      for (const request of valid) {
        const answer = await send(operation, request)
        if (![200, 201, 202, 204, 304, 401, 404, 409].includes(answer.status)) note(answer, request)
        if (answer.status === 401 && operation.address.startsWith('/v1/')) note(answer, request)
      }
      const variants = valid.flatMap((request) => listInvalidVariants(document, operation, request))
      for (const request of sampleFaults(variants, seed)) {
        const answer = await send(operation, request)
        if (answer.status < 400 || answer.status >= 500) note(answer, request)
      }
      expect(wrong).toEqual([])
    },
  )
})

describe('requests generated from the OpenAPI document', () => {
  it('generates invalid requests with days instead of instants, other words for true and false, and unknown properties', () => {
    const byId = (id: string) => operations.find(({ operationId }) => operationId === id)!
    const faultsOf = (id: string) =>
      fc
        .sample(requestsFor(byId(id)), { numRuns: 1, seed: 1 })
        .flatMap((valid) => listInvalidVariants(document, byId(id), valid).map(({ fault }) => fault))
    expect(faultsOf('listOrders')).toEqual(
      expect.arrayContaining(['updatedSince is "2026-01-01"', 'includeTestData is "TRUE"', 'participantId is "x"', 'cursor is "x"']),
    )
    expect(faultsOf('createWebhook')).toEqual(expect.arrayContaining(['kinds is "x"', 'url is missing', 'colour is unknown']))
  })
})

describe('OpenAPI links', () => {
  const answersOf = ({ responses }: DocumentedOperation) =>
    Object.entries(responses).flatMap(([status, answer]) =>
      status.startsWith('2') && 'links' in answer ? [answer as OpenApiResponse] : [],
    )
  const all = operations.flatMap((operation) =>
    answersOf(operation).flatMap(({ links, content }) =>
      Object.entries(links!).map(([name, link]) => ({ operation, name, link, content })),
    ),
  )

  /** Follows a pointer into the schema of the response. */
  const findPart = (schema: any, [key, ...rest]: string[]): unknown => {
    const at = schema?.$ref ? resolveRef(document, schema.$ref) : schema
    if (key === undefined) return at
    return findPart(/^\d+$/.test(key) ? at?.items : at?.properties?.[key], rest)
  }

  it('refers in OpenAPI links only to existing operations, their parameters and properties of the response', () => {
    expect(all.length).toBeGreaterThan(40)
    for (const { operation, name, link, content } of all) {
      const target = operations.find(({ operationId }) => operationId === link.operationId)
      expect([operation.operationId, name, target?.operationId]).toEqual([operation.operationId, name, link.operationId])
      for (const [parameter, expression] of Object.entries(link.parameters)) {
        expect(target!.parameters!.map((one) => one.name)).toContain(parameter)
        const [place, pointer] = expression.split('#/')
        if (place === '$response.body') expect(findPart(content!['application/json']!.schema, pointer!.split('/'))).toBeDefined()
        else expect(operation.address).toContain(`{${expression.replace('$request.path.', '')}}`)
      }
    }
  })

  it('links from a page to the next page and to its records', async () => {
    const first = await api.get('/v1/participants?limit=1')
    const { links } = document.paths['/v1/participants']!.get!.responses['200'] as OpenApiResponse
    expect(links!['next']!.parameters).toEqual({ cursor: '$response.body#/pageInfo/nextCursor' })
    const next = await api.get(`/v1/participants?limit=1&cursor=${first.json.pageInfo.nextCursor}`)
    expect(next.json.data).toHaveLength(1)
    expect(next.json.data[0].id).not.toBe(first.json.data[0].id)
    expect((await api.get(`/v1/participants/${first.json.data[0].id}`)).status).toBe(200)
  })
})
