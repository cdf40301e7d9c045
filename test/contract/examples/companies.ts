import { recordCapture } from '../../../src/domains/exhibitors/leads.ts'
import { newId } from '../../../src/kernel/ids.ts'
import { contextAt } from '../../support/at-event.ts'
import { exhibitorsAt } from '../../support/companies.ts'
import { registrationsAt } from '../../support/registrations.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

/** A company with active scanners. */
async function scanners({ world, home }: Stage, number = 1): Promise<{ companyId: string; deviceIds: string[] }> {
  const exhibitors = exhibitorsAt(world, home)
  const { id: companyId } = await exhibitors.company({ name: `Scanning company ${++made}`, appointmentsEnabled: false })
  const deviceIds: string[] = []
  for (let i = 0; i < number; i++) deviceIds.push(await exhibitors.device(companyId))
  return { companyId, deviceIds }
}

/** A company with leads that were added by hand. */
async function leads({ world, home }: Stage, number = 1): Promise<{ companyId: string; leadIds: string[]; participantIds: string[] }> {
  const { id: companyId } = await exhibitorsAt(world, home).company({ name: `Company with leads ${++made}`, appointmentsEnabled: false })
  const [leadIds, participantIds]: [string[], string[]] = [[], []]
  for (let i = 0; i < number; i++) {
    const participantId = await registrationsAt(world, home).person({ email: `lead-${++made}@contract.example` })
    participantIds.push(participantId)
    leadIds.push(
      await world.database.transact(async (db) =>
        recordCapture(await contextAt(world, home, db), { companyId, participantId, isTestData: false, type: 'sdk', at: new Date() }),
      ),
    )
  }
  return { companyId, leadIds, participantIds }
}

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
