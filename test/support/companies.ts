import { sql } from 'kysely'
import { assignBooth } from '../../src/domains/exhibitors/booths/assign.ts'
import { createBooths, type NewBooth } from '../../src/domains/exhibitors/floor/booths.ts'
import { createFloorPlan, type NewFloorPlan, publishFloorPlan } from '../../src/domains/exhibitors/floor/floor-plans.ts'
import { createCompany, type NewCompany } from '../../src/domains/exhibitors/companies.ts'
import { activateDevice } from '../../src/domains/exhibitors/devices/activate.ts'
import { grantLeadLicence } from '../../src/domains/exhibitors/licences.ts'
import { editConfigDraft } from '../../src/domains/authoring/edit.ts'
import { publishEvent } from '../../src/domains/authoring/publish.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { newId } from '../../src/kernel/ids.ts'
import { createEventContextAt } from './at-event.ts'
import { WORKED_EXAMPLE } from './sales-scenario.ts'
import type { EventHandle, World } from './world.ts'

/** Exhibitors at an event, created by the same domain functions that the product uses, without tools. */
export interface Exhibitors {
  /** Puts the given configuration sections into the event's draft and publishes it. */
  publish: (sections: Partial<ConfigDocument>) => Promise<void>
  company: (company?: Partial<NewCompany>) => Promise<{ id: string; code: string }>
  plan: (plan: Partial<NewFloorPlan>, booths?: readonly NewBooth[], options?: { published?: boolean }) => Promise<void>
  assign: (number: string, companyId: string) => Promise<void>
  /** Grants scanner seats to the company and activates one scanner. */
  device: (companyId: string, options?: { seats?: number; name?: string }) => Promise<string>
  /** Offers an appointment slot, as an import does. */
  offerSlot: (host: { companyId: string } | { hostParticipantId: string }, slot: SlotOptions) => Promise<string>
  slots: (companyId: string) => Promise<{ id: string; startsAt: string; booked: number }[]>
  figure: (query: string) => Promise<number>
  /** The emails that were sent, oldest first. */
  listEmails: () => Promise<{ to: string; subject: string; text: string; code: string; attached: string[] }[]>
}

export interface SlotOptions {
  startsAt: string
  endsAt: string
  capacity?: number
  location?: string
  approval?: 'auto' | 'manual'
  staffId?: string
  isTestData?: boolean
}

export const buildRectangle = (x: number, y: number, width: number, depth: number) =>
  [
    [x, y],
    [x + width, y],
    [x + width, y + depth],
    [x, y + depth],
  ] as const

let made = 0

export function createExhibitorFixtures(world: World, place: EventHandle): Exhibitors {
  const change = <T>(run: (ctx: EventContext) => Promise<T>): Promise<T> =>
    world.database.transact(async (db) => run(await createEventContextAt(world, place, db)))
  const rows = async <T extends object>(query: string, ...values: unknown[]): Promise<T[]> =>
    (await world.database.pool.query<T>(query, values)).rows
  return {
    publish: (sections) =>
      change(async (ctx) => {
        await editConfigDraft(ctx, { tool: 'test', operations: [] }, ({ document }) => {
          const details = { contactEmail: 'events@example.org', ...document.details, ...sections.details }
          return { ...(WORKED_EXAMPLE as unknown as ConfigDocument), ...document, ...sections, details }
        })
        await publishEvent(ctx, { acceptWarnings: true })
      }),
    async company(company = {}) {
      const number = ++made
      const { id, activationCode } = await change((ctx) =>
        createCompany(ctx, {
          name: `Company ${number}`,
          contact: { name: `Connie ${number}`, email: `contact-${number}@example.org` },
          status: 'active',
          appointmentsEnabled: true,
          ...company,
        }),
      )
      return { id, code: activationCode.reveal() }
    },
    async plan(plan, booths = [], { published = true } = {}) {
      const code = plan.code ?? 'hall-1'
      await change(async (ctx) => {
        await createFloorPlan(ctx, {
          name: 'Hall 1',
          units: 'm',
          outline: { outer: buildRectangle(0, 0, 30, 20) },
          pois: [
            { id: 'in', kind: 'entrance', name: 'Main entrance', point: [15, 0.5] },
            { id: 'out', kind: 'exit', name: 'Exit', point: [29.5, 10] },
          ],
          ...plan,
          code,
        })
        await createBooths(ctx, code, booths)
        if (published) await publishFloorPlan(ctx, code)
      })
    },
    assign: (number, companyId) =>
      change(async (ctx) => {
        await assignBooth(ctx, { number, companyId })
      }),
    device: (companyId, { seats = 1, name = 'Scanner' } = {}) =>
      change(async (ctx) => {
        await grantLeadLicence(ctx, { companyId, productCode: 'lead-scanner', grants: ['device'], seats, reason: 'test' })
        const device = await activateDevice(ctx, { companyId, name, platform: 'web' })
        if (typeof device === 'string') throw new Error(device)
        return device.deviceId
      }),
    async offerSlot(host, { startsAt, endsAt, capacity = 1, location, approval = 'auto', staffId, isTestData = false }) {
      const id = newId()
      await world.database.write
        .insertInto('offerings')
        .values({
          tenant_id: place.tenantId,
          event_id: place.eventId,
          id,
          company_id: 'companyId' in host ? host.companyId : null,
          host_participant_id: 'hostParticipantId' in host ? host.hostParticipantId : null,
          is_test_data: isTestData,
          starts_at: startsAt,
          ends_at: endsAt,
          capacity,
          location: location ?? null,
          approval,
          staff_id: staffId ?? null,
          source: 'import',
        })
        .execute()
      return id
    },
    async slots(companyId) {
      const found = await rows<{ id: string; starts_at: Date; booked: number }>(
        'select id, starts_at, booked from offerings where company_id = $1 and removed_at is null order by starts_at',
        companyId,
      )
      return found.map(({ id, starts_at, booked }) => ({ id, startsAt: starts_at.toISOString(), booked }))
    },
    figure: async (query) => Number((await rows<{ n: number }>(query))[0]!.n),
    async listEmails() {
      const { rows: found } = await sql<{ to: string; subject: string; text: string; code: string; attached: string[] }>`
        select to_address as to, subject, text_body as text, email_code as code, coalesce((
          select array_agg(convert_from(bytes, 'UTF8') order by position) from message_attachments a
          where a.tenant_id = m.tenant_id and a.message_id = m.id and a.mime like 'text/calendar%'), '{}') as attached
        from messages m where event_id = ${place.eventId} order by id`.execute(world.database.write)
      return found
    },
  }
}
