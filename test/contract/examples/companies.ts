import { exhibitorsAt } from '../../support/companies.ts'
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
}
