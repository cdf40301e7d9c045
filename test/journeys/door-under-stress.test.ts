import { describe, expect, it } from 'vitest'
import { runImportJob } from '../../src/domains/imports/import-jobs.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { useJourney } from '../support/journey.ts'
import { WORKED_EXAMPLE } from '../support/sales-scenario.ts'

const journey = useJourney({ ...WORKED_EXAMPLE, onsite: { reentry: false } })
const call = (tool: string, args?: object) => journey.assistant.call(tool, { ...args })

const emailOf = (n: number) => `visitor${n}@example.org`
const [PEOPLE, CANCELLED] = [1000, 20]
const CSV = [
  'Registration ID,First name,Last name,Email,Status',
  ...Array.from({ length: PEOPLE + CANCELLED }, (_, n) => `R${n},Vera,Visitor ${n},${emailOf(n)},Confirmed`),
].join('\n')

let badges: string[]
/** 250 people whom an offline scanner admitted ten minutes before it was online: 150 who scan again, 80 others, 20 cancelled. */
const offlineFile = () =>
  [...Array(150).keys(), ...Array.from({ length: 80 + CANCELLED }, (_, n) => (n < 80 ? 900 + n : PEOPLE + n - 80))].map((n, i) => ({
    ...(i % 2 === 0 ? { badge: badges[n] } : { email: emailOf(n) }),
    at: `2026-09-01T07:${String(20 + Math.floor(i / 60)).padStart(2, '0')}:${String(i % 60).padStart(2, '0')}.000Z`,
    direction: 'in',
    deviceName: 'Handheld 2',
    nonce: `n${i}`,
    decidedOffline: 'accepted',
  }))
const summarize = () => call('get_onsite_summary')

describe('badge check-in of 1,000 visitors, online and offline', () => {
  it('expects 1,000 visitors at the door after 1,020 were imported and 20 have cancelled', async () => {
    const { setupId } = await call('setup_import_flow', { text: CSV, sourceSystem: 'legacy', flowSlug: 'attendee', save: true })
    const imported = await journey.assistant.callConfirmed('import_event', { setupId, mode: 'live', publish: true })
    // On a slow machine a job imports the last rows.
    if (imported.jobId) {
      const { world, event } = journey.scenario
      await createJobRunner(world.services)(runImportJob as Job, { tenantId: event.tenantId, jobId: imported.jobId })
    }
    for (let n = PEOPLE; n < PEOPLE + CANCELLED; n++) await call('edit_participant', { participantId: emailOf(n), status: 'cancelled' })
    const rows = await journey.rows(
      `select badge_id from participants where event_id = $1 order by substring(email_norm from '[0-9]+')::int`,
      [journey.scenario.event.eventId],
    )
    badges = rows.map(({ badge_id }) => badge_id)
    expect(new Set(badges).size).toBe(PEOPLE + CANCELLED)
    await journey.moveTo('2026-09-01T09:00:00Z')
    expect(await summarize()).toMatchObject({ expected: 1000, checkedIn: 0, notYet: 1000, insideNow: 0, enteredNotComplete: 0 })
  })

  it('checks in 900 people whose badges are scanned online, and refuses their second entry', async () => {
    const scan = (from: number, at: string) =>
      call('record_attendance', { scans: badges.slice(from, from + 100).map((badge) => ({ badge, at, deviceName: 'Door 1' })) })
    for (let from = 0; from < 900; from += 100) expect(await scan(from, '2026-09-01T07:30:00.000Z')).toMatchObject({ accepted: 100 })
    expect(await scan(0, '2026-09-01T07:40:00.000Z')).toMatchObject({ accepted: 0, refused: 100 })
    expect(await summarize()).toMatchObject({ checkedIn: 900, notYet: 100, refusals: { already_in: 100 } })
  })

  it('imports 250 offline scans once, counts the earlier of two entry times, and reports people who entered although they cancelled', async () => {
    const rows = offlineFile()
    expect(await call('import_attendance', { rows, dryRun: true })).toMatchObject({ imported: 250, dryRun: true })
    expect(await summarize()).toMatchObject({ checkedIn: 900 })
    const imported = await call('import_attendance', { rows })
    expect(imported).toMatchObject({ rows: 250, imported: 250, duplicates: 0, unmatched: [], invalid: [], conflictCount: 170 })
    const reasons = await journey.rows(
      `select flag, count(*)::int as count from attendance_scans where flag is not null group by 1 order by 1`,
    )
    expect(reasons).toEqual([
      { flag: 'cancelled', count: 20 },
      { flag: 'second_entry', count: 150 },
    ])
    const after = await summarize()
    expect(after).toMatchObject({ expected: 1000, checkedIn: 980, notYet: 20, insideNow: 980, checkedOut: 0, enteredNotComplete: 20 })
    const { people } = await call('list_attendance', { presence: 'inside', search: emailOf(0) })
    expect(people).toMatchObject([{ firstIn: '2026-09-01T07:20:00.000Z' }])

    expect(await call('import_attendance', { rows })).toMatchObject({ imported: 0, duplicates: 250, conflictCount: 0 })
    expect(await summarize()).toEqual(after)
    expect(await journey.listViolations()).toEqual([])
  })
})
