import { openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from './sales-scenario.ts'
import { type RestClient, createRestClient } from './rest.ts'
import { chooseFreeBaseUrl, serve, type Served } from './server.ts'
import type { EventHandle } from './world.ts'

type Data = Record<string, string>

export interface MultiEventScenario extends SalesScenario {
  served: Served
  /** A REST client of an API account with access to the client and all its events. */
  api: RestClient
  /** Creates another event of the same client with the same registration flow. */
  addEvent: (startsOn: string) => Promise<EventHandle>
  /** Registers a participant with the given answers, at the first event by default. */
  registerPerson: (data: Data, at?: EventHandle, more?: object) => Promise<string>
  /** The participant as the REST API returns it. */
  participant: (id: string) => Promise<any>
  contactOf: (participantId: string) => Promise<any>
  rows: (text: string, ...values: unknown[]) => Promise<any[]>
}

const bindings = (data: Data) => Object.fromEntries(Object.entries(data).map(([name, value]) => [`@participant.${name}`, value]))

/** A client with several events, and people who register at more than one of them. */
export async function openMultiEventScenario(): Promise<MultiEventScenario> {
  const scenario = await openSalesScenario(WORKED_EXAMPLE, { baseUrl: await chooseFreeBaseUrl(), startsOn: '2026-09-01' })
  const { world, olga, event } = scenario
  const served = await serve(world)
  const api = await createRestClient(world, served, event.tenantId, { clients: [event] })
  const participant = async (id: string) => (await api.get(`/v1/participants/${id}`)).json
  return {
    ...scenario,
    served,
    api,
    participant,
    async addEvent(startsOn) {
      const next = await world.event({ at: event, status: 'draft', timezone: 'Europe/Paris', startsOn })
      const here = { eventCode: next.eventCode }
      await olga.call('configure_event', { ...here, sections: WORKED_EXAMPLE })
      await olga.call('publish_event', { ...here, acceptWarnings: true })
      await olga.call('update_event', { ...here, testMode: false })
      return next
    },
    async registerPerson(data, at = event, more = {}) {
      const args = { eventCode: at.eventCode, flowSlug: 'attendee', data: bindings({ lastName: 'Lima', ...data }), ...more }
      return (await olga.call('add_participant', args)).participant.id
    },
    async contactOf(participantId) {
      const { contactId } = await participant(participantId)
      return contactId === null ? null : (await api.get(`/v1/contacts/${contactId}`)).json
    },
    rows: async (text, ...values) => (await world.database.pool.query(text, values)).rows,
  }
}
