import { afterEach, describe, expect, it } from 'vitest'
import type { Db } from '../../../kernel/columns.ts'
import {
  endFlowVisit,
  recordPageVisit,
  recordPageSubmission,
  openFlowVisit,
  recordSkippedPage,
} from '../../../domains/registration/flows/visits.ts'
import { deskScenario } from './desk.ts'

const desk = deskScenario()
const summary = (args: object = {}) => desk.call('get_flow_summary', { flowSlug: 'attendee', ...args })

type At = Parameters<typeof openFlowVisit>[0]
const visiting = <T>(run: (ctx: At) => Promise<T>): Promise<T> =>
  desk.world.database.transact((db: Db) => run({ tenantId: desk.event.tenantId, event: { id: desk.event.eventId }, db }))

const open = (more: object = {}) =>
  visiting((ctx) => openFlowVisit(ctx, { flowSlug: 'attendee', versionId: null, page: 'contact', device: 'desktop', ...more }))

/** Visits the pages in order; without an outcome the visit stays on the last one. */
const visit = (codes: readonly string[], outcome?: 'completed' | 'waitlisted', more: object = {}) =>
  open({ page: codes[0], ...more }).then((id) =>
    visiting(async (ctx) => {
      for (const [at, code] of codes.entries()) {
        if (at > 0) await recordPageVisit(ctx, id, code)
        if (at < codes.length - 1) await recordPageSubmission(ctx, id, code)
      }
      if (outcome) await endFlowVisit(ctx, id, outcome)
      return id
    }),
  )

const page = (one: any, code: string) => one.pages.find((page: any) => page.code === code)

function expectToAddUp(one: any): void {
  for (const part of [one, ...one.byDevice, ...one.bySource])
    expect(part.started).toBe(part.completed + part.waitlisted + part.inProgress + part.abandoned)
  for (const { entered, advanced, stoppedHere } of one.pages) expect(entered).toBe(advanced + stoppedHere)
  expect(one.pages.reduce((sum: number, { stoppedHere }: any) => sum + stoppedHere, 0)).toBe(one.inProgress + one.abandoned)
  for (const parts of [one.byDevice, one.bySource])
    expect(parts.reduce((sum: number, { started }: any) => sum + started, 0)).toBe(one.started)
}

describe('get_flow_summary', () => {
  afterEach(() => desk.world.clock.reset())

  it('shows on which pages of the flow ten visitors stopped', async () => {
    for (let n = 0; n < 6; n++) await visit(['contact', 'choice', 'pay'], 'completed')
    for (let n = 0; n < 2; n++) await visit(['contact', 'choice'])
    await visit(['contact'])
    await desk.world.clock.advance('24 hours')
    await visit(['contact', 'choice'])
    await desk.world.renewTokens()
    const one = await summary()
    expectToAddUp(one)
    expect(one).toMatchObject({ started: 10, completed: 6, waitlisted: 0, inProgress: 1, abandoned: 3, conversion: 66.7 })
    expect(page(one, 'contact')).toMatchObject({ title: 'Contact', entered: 10, advanced: 9, stoppedHere: 1, dropRate: 10 })
    expect(page(one, 'choice')).toMatchObject({ entered: 9, advanced: 6, stoppedHere: 3, dropRate: 33.3 })
    expect(page(one, 'pay')).toMatchObject({ entered: 6, advanced: 6, stoppedHere: 0, dropRate: 0 })
    expect(page(one, 'done')).toMatchObject({ entered: 0, dropRate: null })
  })

  it('returns no conversion rate while all visits are in progress', async () => {
    expect(await summary()).toMatchObject({ started: 0, conversion: null, medianSeconds: null, p90Seconds: null })
    await visit(['contact'])
    expect(await summary()).toMatchObject({ started: 1, inProgress: 1, conversion: null })
  })

  it("counts a page once even if a visitor goes back, and reports the visitor's current page as the last one reached", async () => {
    const id = await visit(['contact', 'choice', 'pay'])
    await visiting(async (ctx) => {
      await recordPageVisit(ctx, id, 'choice')
      await recordPageVisit(ctx, id, 'contact')
    })
    const one = await summary()
    expectToAddUp(one)
    expect(['contact', 'choice', 'pay'].map((code) => [page(one, code).entered, page(one, code).stoppedHere])).toEqual([
      [1, 1],
      [1, 0],
      [1, 0],
    ])
  })

  it('counts a return within a day as the same visit of the flow, and a later return as a new visit', async () => {
    const participantId = await desk.person({ status: 'incomplete' })
    const first = await open({ participantId })
    await desk.world.clock.advance('23 hours 59 minutes')
    expect(await open({ participantId, device: 'mobile' })).toBe(first)
    expect(await open({ visitId: first })).toBe(first)
    await desk.world.clock.advance('24 hours')
    expect(await open({ participantId, visitId: first })).not.toBe(first)
    expect(await open({ participantId, flowSlug: 'speaker' })).not.toBe(first)
    await desk.world.renewTokens()
    expect(await summary()).toMatchObject({ started: 2, inProgress: 1, abandoned: 1 })
  })

  it('counts hidden pages as skipped, and validation errors for each page', async () => {
    const id = await open()
    await visiting(async (ctx) => {
      await recordPageSubmission(ctx, id, 'contact', ['@participant.email', '@participant.lastName'])
      await recordPageSubmission(ctx, id, 'contact', ['@participant.email'])
      await recordPageSubmission(ctx, id, 'contact')
      await recordSkippedPage(ctx, id, 'choice')
      await recordSkippedPage(ctx, id, 'contact')
      await recordPageVisit(ctx, id, 'pay')
      await endFlowVisit(ctx, id, 'waitlisted')
    })
    const one = await summary()
    expectToAddUp(one)
    expect(one).toMatchObject({ waitlisted: 1, completed: 0, conversion: 0 })
    expect(page(one, 'choice')).toMatchObject({ entered: 0, skipped: 1 })
    expect(page(one, 'contact')).toMatchObject({
      entered: 1,
      skipped: 0,
      topErrors: [
        { binding: '@participant.email', count: 2 },
        { binding: '@participant.lastName', count: 1 },
      ],
    })
  })

  it('returns the duration of flow visits, and their outcomes by device and source', async () => {
    const { clock } = desk.world
    for (const [seconds, more] of [
      ['40', { device: 'mobile', utm: { source: 'newsletter' } }],
      ['20', { utm: { source: 'newsletter' } }],
      ['00', {}],
    ] as const) {
      // The last second of 3 November in Berlin.
      await clock.stopAt(`2026-11-03T22:59:${seconds}Z`)
      const id = await open(more)
      await clock.stopAt('2026-11-03T22:59:59Z')
      await visiting((ctx) => endFlowVisit(ctx, id, 'completed'))
    }
    await desk.world.renewTokens()
    const one = await summary()
    expectToAddUp(one)
    // The visits lasted 19, 39 and 59 seconds.
    expect(one).toMatchObject({ medianSeconds: 39, p90Seconds: 55 })
    expect(one.byDevice.map((row: any) => [row.device, row.started])).toEqual([
      ['desktop', 2],
      ['mobile', 1],
    ])
    expect(one.bySource.map((row: any) => [row.source, row.started])).toEqual([
      ['newsletter', 2],
      [null, 1],
    ])
    expect((await summary({ device: 'mobile' })).started).toBe(1)
    expect((await summary({ from: '2026-11-03', until: '2026-11-03' })).started).toBe(3)
    expect((await summary({ until: '2026-11-02' })).started).toBe(0)
    expect((await summary({ from: '2026-11-04' })).started).toBe(0)
  })

  it('combines visits of several versions by page code, and filters by version', async () => {
    const { versions } = await desk.call('list_versions')
    const versionId = versions[0].versionId
    await visit(['contact', 'old-page'])
    await visit(['contact'], undefined, { versionId })
    const one = await summary()
    expectToAddUp(one)
    expect(page(one, 'contact').entered).toBe(2)
    expect(one.pages.at(-1)).toMatchObject({ code: 'old-page', stoppedHere: 1 })
    expect((await summary({ versionId })).started).toBe(1)
    expect((await desk.refused('get_flow_summary', { flowSlug: 'attendee', versionId: 'f'.repeat(24) })).code).toBe('not_found')
  })

  it('includes visits of organizers, and those of test registrations only on request', async () => {
    const add = (email: string, more: object = {}) =>
      desk.call('add_participant', {
        flowSlug: 'attendee',
        data: { '@participant.firstName': 'Ada', '@participant.lastName': 'Lane', '@participant.email': email },
        ...more,
      })
    await desk.set([{ op: 'set', path: '/flows/attendee/pages/pay/visibleForTags', value: { type: 'all', required: ['vip'] } }])
    await desk.call('publish_event')
    await desk.call('update_event', { testMode: false })
    await add('ada@example.org')
    await add('ada@example.org')
    await add('grace@example.org', { tags: ['vip'] })
    await add('hedy@example.org', { status: 'incomplete' })
    await visit(['contact'], 'completed', { isTestData: true })
    const one = await summary()
    expectToAddUp(one)
    expect(one.byDevice).toEqual([expect.objectContaining({ device: 'organizer', started: 2, completed: 2 })])
    expect(page(one, 'pay')).toMatchObject({ entered: 1, skipped: 1 })
    // Organizers fill in no form, so their registrations say nothing about how long it takes.
    expect(one.medianSeconds).toBeNull()
    expect((await summary({ includeTestData: true })).started).toBe(3)
  })

  it('lists the existing flows if the requested flow is unknown', async () => {
    const { code, message } = await desk.refused('get_flow_summary', { flowSlug: 'atendee' })
    expect({ code, message }).toEqual({
      code: 'not_found',
      message: `No flow atendee at ${desk.event.eventCode} — there are attendee, speaker`,
    })
  })
})
