import type { DemoScenario } from '../demo-scenario.ts'
import { type Examples, SUMMIT_SCOPE } from './example.ts'

/** Creates an approved application of an exhibitor of the demo. */
export async function approveApplication(stage: DemoScenario): Promise<string> {
  const { companies } = await stage.call('manage_company', { ...SUMMIT_SCOPE, action: 'list' })
  const { applications } = await stage.call('manage_booth_application', {
    ...SUMMIT_SCOPE,
    action: 'create',
    companyId: companies[0].id,
    wanted: { acceptOther: true },
    additional: true,
    submit: true,
  })
  await stage.call('manage_booth_application', { ...SUMMIT_SCOPE, action: 'approve', number: applications[0].number })
  return applications[0].number
}

export const APPLICATIONS_EXAMPLES: Examples = {
  list_booth_applications: async (stage) => {
    await approveApplication(stage)
    return { ...SUMMIT_SCOPE, unplaced: true }
  },
  manage_booth_application: async (stage) => ({
    ...SUMMIT_SCOPE,
    action: 'waitlist',
    number: await approveApplication(stage),
    note: 'Waits for hall 2',
  }),
}
