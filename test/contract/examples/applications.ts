import { createExhibitorFixtures, buildRectangle } from '../../support/companies.ts'
import type { Arguments, Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { event } from './registration.ts'

let made = 0

interface Applied {
  companyId: string
  number: string
  boothNumber: string
  floorPlanCode: string
}

const call = (stage: Stage, action: string, args: Arguments) =>
  stage.admin.call('manage_booth_application', { ...event(stage), action, ...args })

/** Creates a company with an approved application, and a separate hall with two booths. */
export async function createApprovedApplication(
  stage: Stage,
  status: 'draft' | 'submitted' | 'approved' | 'offered' | 'accepted' = 'approved',
): Promise<Applied> {
  const exhibitors = createExhibitorFixtures(stage.world, stage.home)
  const boothNumber = `A${++made}-1`
  const floorPlanCode = `application-hall-${made}`
  await exhibitors.plan({ code: floorPlanCode, name: stage.text() }, [
    { number: boothNumber, polygon: buildRectangle(6, 6, 3, 3) },
    { number: `A${made}-2`, polygon: buildRectangle(9, 6, 3, 3) },
  ])
  const { id: companyId } = await exhibitors.company({ name: stage.text(), appointmentsEnabled: false })
  const { applications } = await call(stage, 'create', { companyId, wanted: { boothNumbers: [boothNumber] }, submit: status !== 'draft' })
  const { number } = applications[0]
  if (!['draft', 'submitted'].includes(status)) await call(stage, 'approve', { number })
  if (['offered', 'accepted'].includes(status)) await call(stage, 'offer', { number, boothNumbers: [boothNumber] })
  if (status === 'accepted') await call(stage, 'accept', { number })
  return { companyId, number, boothNumber, floorPlanCode }
}

/** A call with an application in the given status. */
const manage =
  (action: string, status: Parameters<typeof createApprovedApplication>[1], more: (made: Applied) => Arguments = () => ({})) =>
  async (stage: Stage) => {
    const application = await createApprovedApplication(stage, status)
    return { ...event(stage), action, number: application.number, ...more(application) }
  }

export const APPLICATIONS_EXAMPLES: Examples = {
  list_booth_applications: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await createApprovedApplication(stage, 'submitted')
      return { ...event(stage), status: ['submitted'], sort: 'submittedAt' }
    },
    async (stage) => ({ ...event(stage), applicationNumber: (await createApprovedApplication(stage)).number }),
  ],
  manage_booth_application: [
    async (stage) => {
      const { companyId, boothNumber } = await createApprovedApplication(stage, 'draft')
      return { ...event(stage), action: 'create', companyId, wanted: { boothNumbers: [boothNumber] }, additional: true, submit: true }
    },
    async (stage) => {
      const [{ number }, near, rival] = [
        await createApprovedApplication(stage),
        await createApprovedApplication(stage, 'draft'),
        await createApprovedApplication(stage, 'draft'),
      ]
      const wanted = { acceptOther: false, near: [near.companyId], awayFrom: [rival.companyId] }
      return { ...event(stage), action: 'update', number, wanted, note: 'Wants to stay here' }
    },
    manage('submit', 'draft'),
    manage('review', 'submitted'),
    manage('approve', 'submitted'),
    manage('waitlist', 'approved'),
    manage('reject', 'approved', () => ({ note: 'Not in this field' })),
    manage('offer', 'approved', ({ boothNumber }) => ({ boothNumbers: [boothNumber], notify: true })),
    async (stage) => {
      const { number, floorPlanCode } = await createApprovedApplication(stage)
      const { proposalId } = await stage.admin.call('propose_booth_assignments', {
        ...event(stage),
        floorPlanCodes: [floorPlanCode],
        applicationNumbers: [number],
      })
      return { ...event(stage), action: 'apply_proposal', proposalId, mode: 'offer', notify: true }
    },
    manage('withdraw_offer', 'offered', () => ({ reason: 'Booth is damaged' })),
    manage('accept', 'offered'),
    manage('decline', 'offered'),
    manage('withdraw', 'approved'),
    manage('cancel', 'accepted', () => ({ reason: 'Company has closed' })),
    async (stage) => ({
      ...event(stage),
      action: 'send_assignments',
      applicationNumbers: [(await createApprovedApplication(stage, 'accepted')).number],
      message: stage.text(),
    }),
  ],
}
