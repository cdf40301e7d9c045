import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runRecurringTask } from '../../../../test/support/room-deadlines.ts'
import { createSigningFixtures, TWO_SIGNERS } from '../../../../test/support/signing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { updateMilestoneStatuses } from '../milestone-task.ts'

let world: World
let place: EventHandle
let organizer: OrganizerHandle
let contractId: string

beforeAll(async () => {
  world = await newWorld()
  // 2027-05-11 begins in Auckland at 12:00 UTC of the day before.
  place = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13', timezone: 'Pacific/Auckland' })
  organizer = await world.organizer({ at: place })
  const signing = createSigningFixtures(world, place)
  contractId = (await signing.contract()).contractId
  await organizer.call('mark_contract_ready_for_signature', { eventCode: place.eventCode, contractId })
  const { envelope } = await organizer.call('send_contract_for_signature', { eventCode: place.eventCode, contractId, signers: TWO_SIGNERS })
  for (const { id } of await signing.signers(envelope.id)) {
    await signing.open(id)
    await signing.sign(id)
  }
})
afterAll(() => world.end())

const readStatus = async (code: string) => {
  const { rows } = await world.database.pool.query<{ status: string }>(
    'select status from milestones where contract_id = $1 and code = $2 order by due_on',
    [contractId, code],
  )
  return rows.map(({ status }) => status)
}
const countChanges = async () => {
  const { rows } = await world.database.pool.query<{ n: number }>(`select count(*)::int as n from audit_entries where tool = 'milestones'`)
  return rows[0]!.n
}
const runAt = async (instant: string) => {
  await world.clock.stopAt(instant)
  await runRecurringTask(world, updateMilestoneStatuses)
}

describe('updateMilestoneStatuses', () => {
  it('marks a milestone as due seven days before its day and as missed after it, in the zone of the event', async () => {
    await runAt('2027-05-03T11:59:00Z')
    expect(await readStatus('cutoff')).toEqual(['upcoming'])
    await runAt('2027-05-03T12:01:00Z')
    expect(await readStatus('cutoff')).toEqual(['due'])
    await runAt('2027-05-11T11:59:00Z')
    expect(await readStatus('cutoff')).toEqual(['due'])
    await runAt('2027-05-11T12:01:00Z')
    expect(await readStatus('cutoff')).toEqual(['missed'])
  })

  it('leaves contract milestones unchanged in a second run of the task, and never changes done or waived ones', async () => {
    const before = await countChanges()
    await runAt('2027-05-11T12:02:00Z')
    expect(await countChanges()).toBe(before)
    await world.database.pool.query(`update milestones set status = 'done' where contract_id = $1 and code = 'insurance'`, [contractId])
    await world.database.pool.query(`update milestones set status = 'waived' where contract_id = $1 and code = 'finalBill'`, [contractId])
    await runAt('2027-08-01T00:00:00Z')
    expect([await readStatus('insurance'), await readStatus('finalBill')]).toEqual([['done'], ['waived']])
    expect(await readStatus('pickupReport')).toEqual(['missed'])
  })
})
