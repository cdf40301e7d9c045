import { createRestClient } from '../test/support/rest.ts'
import { openSalesScenario, WORKED_EXAMPLE } from '../test/support/sales-scenario.ts'
import type { EventHandle } from '../test/support/world.ts'
import type { Child } from './child.ts'
import { connectOrganizers } from './organizers.ts'
import type { SentRequest } from './servers/sender.ts'
import type { Fleet } from './servers.ts'
import { scaleRows } from './size.ts'

/**
 * The number of organizers. The clock is stopped, so the rate limit never resets, and each organizer may send 120 requests in a whole
 * benchmark.
 */
const ORGANIZERS = scaleRows(1000)

export interface Shop {
  events: readonly EventHandle[]
  processes: readonly Child[]
  /** Returns requests that order one product of these events. The requests go to the given web processes in turn. */
  orders: (events: readonly EventHandle[], processes?: readonly Child[]) => Promise<SentRequest[]>
  /** Returns requests for a page of 50 orders of an event. */
  lists: (event: EventHandle) => Promise<SentRequest[]>
  /** Returns tool calls that read one participant of the event. */
  reads: (event: EventHandle) => Promise<SentRequest[]>
  /** Updates the planner's statistics of the database, as autovacuum does after a while. */
  analyze: () => Promise<void>
  end: () => Promise<void>
}

/** Starts our product in several web processes on a new database of this server, with events that sell one product. */
export async function openShop(fleet: Fleet, server: string, size: { events: number; processes: number }): Promise<Shop> {
  process.env['TEST_DATABASE_URL'] = server
  const { world, event, olga } = await openSalesScenario()
  const events = [event]
  while (events.length < size.events)
    events.push(await world.event({ at: event, status: 'draft', timezone: 'Europe/Paris', startsOn: '2026-09-01' }))
  for (const { eventCode } of events) {
    await olga.call('configure_event', { eventCode, sections: WORKED_EXAMPLE })
    await olga.call('publish_event', { eventCode, acceptWarnings: true })
  }
  const tokens = await connectOrganizers(world, event, ORGANIZERS)
  const { baseUrl } = world.services
  const rest = await createRestClient(world, { url: (path) => baseUrl + path }, event.tenantId, { events })
  const environment = { DATABASE_URL: world.url!, LANYARD_SECRET_KEY: world.secretKey }
  const processes: Child[] = []
  while (processes.length < size.processes) processes.push(await fleet.start('product', environment))
  const portsOf = (some: readonly Child[]) => Promise.all(some.map((child) => child.ask<number>('port')))
  const headers = { host: new URL(baseUrl).host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

  /** Returns calls of a tool by all organizers, with the arguments of each call in turn. */
  const toCalls = async (name: string, calls: readonly object[], some: readonly Child[] = processes) => {
    const ports = await portsOf(some)
    return tokens.map((token, at): SentRequest => {
      const params = { name, arguments: calls[at % calls.length]! }
      return {
        method: 'POST',
        url: `http://127.0.0.1:${ports[Math.floor(at / calls.length) % ports.length]!}/api/mcp/organizer`,
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }
    })
  }
  const data = {
    '@participant.firstName': 'Paula',
    '@participant.lastName': 'Person {n}',
    '@participant.email': 'paula.{n}@example.net',
    '@product.pass': 1,
  }
  return {
    events,
    processes,
    orders: (some, at) =>
      toCalls(
        'add_participant',
        some.map(({ eventCode }) => ({ eventCode, flowSlug: 'attendee', data })),
        at,
      ),
    async lists({ eventCode }) {
      const ports = await portsOf(processes)
      const authorized = { ...headers, authorization: `Bearer ${rest.token}` }
      return ports.map((port) => ({
        method: 'GET',
        url: `http://127.0.0.1:${port}/v1/orders?limit=50&eventCode=${eventCode}`,
        headers: authorized,
      }))
    },
    async reads({ eventCode }) {
      const names = {
        '@participant.firstName': 'Rita',
        '@participant.lastName': 'Reader',
        '@participant.email': `rita@${eventCode}.example`,
      }
      const { participant } = await olga.call('add_participant', {
        eventCode,
        flowSlug: 'attendee',
        data: { ...names, '@product.pass': 1 },
      })
      return toCalls('get_participant', [{ eventCode, participantId: participant.id }])
    },
    analyze: async () => void (await world.database.pool.query('vacuum analyze')),
    async end() {
      for (const child of processes) child.stop()
      await world.end()
    },
  }
}
