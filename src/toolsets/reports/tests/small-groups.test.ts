import { describe, expect, it } from 'vitest'
import { deskScenario } from '../../registration/tests/desk.ts'

const desk = deskScenario()

/** Inserts 9 people from Germany, 6 from France and 3 from Italy; one German and one French registration is cancelled. */
async function insertPeople() {
  for (const [country, people, tagged] of [
    ['DE', 9, 6],
    ['FR', 6, 5],
    ['IT', 3, 0],
  ] as const)
    for (let number = 0; number < people; number++)
      await desk.person({
        flow_slug: 'attendee',
        country,
        tags: number < tagged ? ['vip'] : [],
        ...(number === 0 && country !== 'IT' ? { status: 'cancelled' } : {}),
      })
}

describe('counts of people by a personal field without personal.read', () => {
  async function openAnalyst() {
    await insertPeople()
    const analyst = await desk.world.organizer({ at: desk.event, role: 'analyst' })
    return async (args: object) => {
      const { rows, suppressed } = await analyst.call('query_data', { eventCode: desk.event.eventCode, groupBy: ['country'], ...args })
      return { rows: rows.map((row: object) => Object.values(row)), suppressed }
    }
  }

  it('merges groups with fewer than five people, and the next smallest group if the merged group is too small', async () => {
    const count = await openAnalyst()
    // Italy has 3 people, so France joins it.
    expect(await count({ entity: 'participant' })).toEqual({
      rows: [
        ['DE', 9],
        [null, 9, true],
      ],
      suppressed: { rows: 2, participants: 9 },
    })
  })

  it('merges groups with fewer than five people in a count that has its own filter', async () => {
    const count = await openAnalyst()
    const filtered = (filter: object) =>
      count({ entity: 'participant', aggregates: ['count', 'count as some'], aggregateFilters: { some: filter } })
    // Every group has 5 people or none with the tag, except that Italy is too small as a whole.
    expect((await filtered({ field: 'tags', op: 'contains', value: 'vip' })).rows).toEqual([
      ['DE', 9, 6],
      [null, 9, 5, true],
    ])
    // One cancellation in each of two countries must not be shown beside the number of all.
    const one = { rows: [[null, 18, 2, true]], suppressed: { rows: 3, participants: 18 } }
    expect(await filtered({ field: 'status', op: 'equals', value: 'cancelled' })).toEqual(one)
    expect(await count({ entity: 'participant', aggregates: ['count', 'count(cancelledAt)'] })).toEqual(one)
    expect(await count({ metrics: ['registrations.total', 'registrations.cancelled'] })).toEqual(one)
  })

  it('shows groups of every size to a user with personal.read', async () => {
    await insertPeople()
    const { rows } = await desk.call('query_data', { metrics: ['registrations.total', 'registrations.cancelled'], groupBy: ['country'] })
    expect(rows.map((row: object) => Object.values(row))).toEqual([
      ['DE', 9, 1],
      ['FR', 6, 1],
      ['IT', 3, 0],
    ])
  })

  it('fills no empty days if groups are merged, because the merged people may belong to those days', async () => {
    const count = await openAnalyst()
    await desk.person({ flow_slug: 'attendee', country: 'DE', completed_at: new Date('2027-01-12T10:00:00Z') })
    const filter = { field: 'completedAt', op: 'between', value: ['2027-01-10', '2027-01-12'] }
    const { rows } = await count({ entity: 'participant', groupBy: ['completedAt:day', 'country'], filter, fill: 'zero' })
    expect(rows).toEqual([
      ['2027-01-10', 'DE', 9],
      [null, null, 10, true],
    ])
  })
})
