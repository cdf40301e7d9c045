import { recordLeadCapture } from '../../../src/domains/exhibitors/leads.ts'
import { editConfigDraft } from '../../../src/domains/authoring/edit.ts'
import { publishEvent } from '../../../src/domains/authoring/publish.ts'
import { grantLeadLicence } from '../../../src/domains/exhibitors/licences.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { createEventContextAt } from '../../support/at-event.ts'
import { createExhibitorFixtures } from '../../support/companies.ts'
import { LEAD_PRODUCTS } from '../../support/lead-requests.ts'
import { WORKED_EXAMPLE } from '../../support/worked-example.ts'
import { createRegistrationFixtures } from '../../support/registrations.ts'
import { createUploadFixtures } from '../../support/uploads.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

/** A company with active scanners. */
async function scanners({ world, home }: Stage, number = 1): Promise<{ companyId: string; deviceIds: string[] }> {
  const exhibitors = createExhibitorFixtures(world, home)
  const { id: companyId } = await exhibitors.company({ name: `Scanning company ${++made}`, appointmentsEnabled: false })
  const deviceIds: string[] = []
  for (let i = 0; i < number; i++) deviceIds.push(await exhibitors.device(companyId))
  return { companyId, deviceIds }
}

/** A company with leads that were added by hand. */
async function leads({ world, home }: Stage, number = 1): Promise<{ companyId: string; leadIds: string[]; participantIds: string[] }> {
  const { id: companyId } = await createExhibitorFixtures(world, home).company({
    name: `Company with leads ${++made}`,
    appointmentsEnabled: false,
  })
  const [leadIds, participantIds]: [string[], string[]] = [[], []]
  for (let i = 0; i < number; i++) {
    const participantId = await createRegistrationFixtures(world, home).person({ email: `lead-${++made}@contract.example` })
    participantIds.push(participantId)
    leadIds.push(
      await world.database.transact(async (db) =>
        recordLeadCapture(await createEventContextAt(world, home, db), {
          companyId,
          participantId,
          isTestData: false,
          type: 'sdk',
          at: new Date(),
        }),
      ),
    )
  }
  return { companyId, leadIds, participantIds }
}

const companyId = async (stage: Stage) => (await leads(stage, 0)).companyId

async function licenceId({ world, home }: Stage): Promise<string> {
  const { id } = await createExhibitorFixtures(world, home).company({ name: `Licensed company ${++made}` })
  return world.database.transact(async (db) =>
    grantLeadLicence(await createEventContextAt(world, home, db), {
      companyId: id,
      productCode: 'lead-app',
      grants: ['sdk'],
      seats: 1,
      reason: 'Sponsor',
    }),
  )
}

/** A spreadsheet of exhibitors in the library. */
async function storeCompanyList({ world, home }: Stage): Promise<string> {
  const content = Buffer.from(`Company,Website\nListed ${++made},listed-${made}.example\n`)
  const place = { clientId: home.clientId, eventId: home.eventId }
  return (await createUploadFixtures(world, home).file(content, { name: 'exhibitors.csv' }, place)).id
}

/** Metadata of a picture, without its bytes. */
async function storeLogo({ world, home }: Stage): Promise<string> {
  const id = newId()
  await world.database.pool.query(
    `insert into files (tenant_id, id, client_id, event_id, purpose, name, mime, size, sha256, created_by)
     values ($1, $2, $3, $4, 'library', 'logo.png', 'image/png', 4, sha256(convert_to($2::text, 'UTF8')), 'test')`,
    [home.tenantId, id, home.clientId, home.eventId],
  )
  return id
}

/** Publishes a flow for exhibitors and a product for leads, besides what the event has. */
const publishExhibitorFlow = ({ world, home }: Stage) =>
  world.database.transact(async (db) => {
    const ctx = await createEventContextAt(world, home, db)
    const [attendee] = WORKED_EXAMPLE.flows
    const flow = {
      ...attendee!,
      slug: 'exhibitors',
      kind: 'exhibitor',
      name: 'Exhibitors',
      pages: [attendee!.pages[0]!, attendee!.pages[2]!],
    }
    const added = <T extends { code: string } | { slug: string }>(all: readonly T[] | undefined, one: T) => {
      const key = (item: T) => ('code' in item ? item.code : item.slug)
      return [...(all ?? []).filter((item) => key(item) !== key(one)), one]
    }
    await editConfigDraft(ctx, { tool: 'test', operations: [] }, ({ document }) => ({
      ...document,
      details: { contactEmail: 'events@example.org', ...document.details } as never,
      flows: added(document.flows as { slug: string }[], flow) as never,
      products: added(document.products as { code: string }[], LEAD_PRODUCTS.at(-2)!) as never,
    }))
    await publishEvent(ctx, { acceptWarnings: true })
  })

/** A booth staff member of a company. */
async function addStaff({ world, home }: Stage, companyId: string): Promise<string> {
  const id = newId()
  await world.database.write
    .insertInto('exhibitor_staff')
    .values({
      tenant_id: home.tenantId,
      event_id: home.eventId,
      id,
      company_id: companyId,
      is_test_data: false,
      name: `Sam ${++made}`,
      email: `sam-${made}@contract.example`,
      role: 'staff',
      pass: 'paid',
    })
    .execute()
  return id
}

const leadId = async (stage: Stage) => (await leads(stage)).leadIds[0]

export const COMPANIES_EXAMPLES: Examples = {
  import_companies: [
    (stage) => ({
      ...event(stage),
      rows: [
        { name: `Imported ${++made}`, website: 'imported.example' },
        { name: 'Zephyr', country: 'Spain' },
      ],
    }),
    async (stage) => ({ ...event(stage), fileId: await storeCompanyList(stage), match: 'name', onMatch: 'fill' }),
  ],
  manage_company: [
    async (stage) => {
      await leads(stage, 0)
      await leads(stage, 0)
      await leads(stage, 0)
      return { ...event(stage), action: 'list', search: 'Company with' }
    },
    async (stage) => ({
      ...event(stage),
      action: 'get',
      companyId: await companyId(stage),
      include: ['staff', 'licences', 'leadStats', 'points'],
    }),
    (stage) => ({
      ...event(stage),
      action: 'create',
      name: `Aurora ${++made}`,
      fields: { website: 'aurora.example', contact: { email: 'a@aurora.example' } },
    }),
    async (stage) => {
      const fileId = await storeLogo(stage)
      return { ...event(stage), action: 'update', companyId: await companyId(stage), fields: { description: 'Lights', logoFileId: fileId } }
    },
    async (stage) => ({
      ...event(stage),
      action: 'set_competitors',
      companyId: await companyId(stage),
      competitorIds: [await companyId(stage)],
    }),
    async (stage) => {
      await publishExhibitorFlow(stage)
      return { ...event(stage), action: 'invite', companyIds: [await companyId(stage)], message: 'Join us' }
    },
    async (stage) => ({ ...event(stage), action: 'rotate_activation_code', companyId: await companyId(stage) }),
    async (stage) => {
      await publishExhibitorFlow(stage)
      return {
        ...event(stage),
        action: 'grant_licence',
        companyId: await companyId(stage),
        productCode: 'lead-app',
        seats: 1,
        reason: 'Sponsor',
      }
    },
    async (stage) => ({ ...event(stage), action: 'revoke_licence', licenceId: await licenceId(stage) }),
    async (stage) => ({ ...event(stage), action: 'adjust_points', companyId: await companyId(stage), points: 5, reason: 'Sponsor' }),
    async (stage) => {
      const [keep, drop] = [await leads(stage, 1), await leads(stage, 1)]
      return { ...event(stage), action: 'merge', keepId: keep.companyId, dropId: drop.companyId }
    },
    async (stage) => ({ ...event(stage), action: 'cancel', companyId: (await scanners(stage)).companyId, reason: 'Insolvent' }),
  ],
  manage_exhibitors: [
    async (stage) => {
      const own = await companyId(stage)
      for (let i = 0; i < 3; i++) await addStaff(stage, own)
      return { ...event(stage), action: 'list', role: 'staff' }
    },
    async (stage) => ({
      ...event(stage),
      action: 'add',
      companyId: await companyId(stage),
      people: [{ firstName: 'Nia', lastName: `Nr ${++made}`, email: `nia-${made}@contract.example` }],
    }),
    async (stage) => ({
      ...event(stage),
      action: 'update',
      staffId: await addStaff(stage, await companyId(stage)),
      companyId: await companyId(stage),
      role: 'admin',
    }),
    async (stage) => ({ ...event(stage), action: 'remove', staffId: await addStaff(stage, await companyId(stage)) }),
    async (stage) => {
      await publishExhibitorFlow(stage)
      return { ...event(stage), action: 'invite', staffIds: [await addStaff(stage, await companyId(stage))] }
    },
    async (stage) => ({ ...event(stage), action: 'set_allotment', companyId: await companyId(stage), extra: 2, reason: 'Sponsor' }),
  ],
  manage_device: [
    async (stage) => {
      await scanners(stage, 3)
      return { ...event(stage), action: 'list', status: 'active' }
    },
    async (stage) => ({ ...event(stage), action: 'get', deviceId: (await scanners(stage)).deviceIds[0] }),
    async (stage) => ({ ...event(stage), action: 'rename', deviceId: (await scanners(stage)).deviceIds[0], name: 'Front desk' }),
    async (stage) => ({ ...event(stage), action: 'revoke', deviceIds: (await scanners(stage)).deviceIds }),
    async (stage) => ({ ...event(stage), action: 'reset_all', companyId: (await scanners(stage)).companyId }),
  ],
  manage_lead: [
    async (stage) => {
      await leads(stage, 3)
      return { ...event(stage), action: 'list', source: 'sdk' }
    },
    async (stage) => ({ ...event(stage), action: 'get', leadId: await leadId(stage) }),
    async (stage) => {
      const [{ companyId }, { participantIds }] = [await leads(stage, 0), await leads(stage)]
      return { ...event(stage), action: 'create', companyId, participantId: participantIds[0], note: 'Asked for a quote' }
    },
    async (stage) => {
      const { companyId, leadIds } = await leads(stage)
      const staffId = await addStaff(stage, companyId)
      return { ...event(stage), action: 'update', leadId: leadIds[0], rating: 4, notes: 'Call in May', staffId }
    },
    async (stage) => ({ ...event(stage), action: 'move', leadId: await leadId(stage), toCompanyId: (await leads(stage, 0)).companyId }),
    async (stage) => ({ ...event(stage), action: 'delete', leadId: await leadId(stage) }),
    async (stage) => {
      const restored = await leadId(stage)
      await stage.admin.call('manage_lead', { ...event(stage), action: 'delete', leadId: restored })
      return { ...event(stage), action: 'restore', leadId: restored }
    },
    async (stage) => {
      await leads(stage)
      return { ...event(stage), action: 'stats', by: 'hour' }
    },
  ],
}
