import { type Exhibitors, createExhibitorFixtures, buildRectangle } from '../../support/companies.ts'
import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'

const registration = ({ person }: Stage) => ({ participantId: person.participantIds[0] })

let made = 0

/** Companies belong to the event, so their names carry the event's number and not the word of the stage's participant. */
async function company(stage: Stage, exhibitors: Exhibitors, number: number): Promise<string> {
  const [, host] = stage.admin.email.split('@')
  return (await exhibitors.company({ name: `${host} company ${number}`, appointmentsEnabled: false })).id
}

/** Every slot has a time of its own, so that appointments never overlap. */
async function slot(stage: Stage): Promise<{ companyId: string; slotId: string }> {
  const exhibitors = createExhibitorFixtures(stage.world, stage.home)
  const number = ++made
  const companyId = await company(stage, exhibitors, number)
  const starts = Date.parse('2027-05-11T08:00:00Z') + number * 600_000
  const times = { startsAt: new Date(starts).toISOString(), endsAt: new Date(starts + 600_000).toISOString() }
  return { companyId, slotId: await exhibitors.offerSlot({ companyId }, times) }
}

/** Deletes the participant's appointments: after many example bookings no free time would be left. */
async function clearAppointments({ world, home, person }: Stage): Promise<void> {
  await world.database.pool.query(
    `update appointments set status = 'cancelled', cancelled_at = lanyard_now() where event_id = $1 and participant_id = any($2) and status = 'booked'`,
    [home.eventId, person.participantIds],
  )
}

async function appointment(stage: Stage): Promise<string> {
  const { slotId } = await slot(stage)
  return (await stage.person.call('book_exhibitor_appointment', { ...registration(stage), slotId })).appointment.id
}

async function booth(stage: Stage): Promise<{ floorPlanCode: string; companyId: string; number: string }> {
  const exhibitors = createExhibitorFixtures(stage.world, stage.home)
  const order = ++made
  const companyId = await company(stage, exhibitors, order)
  const [floorPlanCode, number] = [`hall-${order}`, `B${order}`]
  await exhibitors.plan({ code: floorPlanCode, name: `Hall ${order}`, outline: { outer: buildRectangle(0, 0, 30, 20) } }, [
    { number, polygon: buildRectangle(6, 6, 3, 3) },
  ])
  await exhibitors.assign(number, companyId)
  return { floorPlanCode, companyId, number }
}

export const EXHIBITOR_EXAMPLES: Examples = {
  get_booth_map: [
    async (stage) => {
      const { floorPlanCode, companyId } = await booth(stage)
      return { floorPlanCode, companyIds: [companyId], from: 'in' }
    },
    async (stage) => ({ boothNumbers: [(await booth(stage)).number] }),
    async (stage) => {
      await booth(stage)
      return { search: stage.admin.email.split('@')[1] }
    },
  ],
  list_exhibitor_availability: [
    async (stage) => {
      for (let i = 0; i < 3; i++) await slot(stage)
      return {}
    },
    async (stage) => ({ companyId: (await slot(stage)).companyId, from: '00:00', until: '23:59' }),
  ],
  book_exhibitor_appointment: async (stage) => {
    await clearAppointments(stage)
    return { ...registration(stage), slotId: (await slot(stage)).slotId, message: stage.text() }
  },
  list_my_appointments: [
    async (stage) => {
      await clearAppointments(stage)
      for (let i = 0; i < 3; i++) await appointment(stage)
      return registration(stage)
    },
    async (stage) => {
      await clearAppointments(stage)
      await appointment(stage)
      return { ...registration(stage), includePast: true, includeCancelled: true }
    },
  ],
  recommend_companies: async (stage) => {
    await slot(stage)
    return { ...registration(stage), limit: 5, excludeMet: false }
  },
  cancel_my_appointment: async (stage) => {
    await clearAppointments(stage)
    return { ...registration(stage), appointmentId: await appointment(stage), reason: stage.text() }
  },
}
