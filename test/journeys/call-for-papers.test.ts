import { describe, expect, it } from 'vitest'
import { lapseUnconfirmedSubmissions } from '../../src/domains/submissions/confirm.ts'
import { useJourney } from '../support/journey.ts'
import type { OrganizerAssistant } from '../support/organizer-assistant.ts'
import { programSections } from '../support/programs.ts'
import { buildEventPath, openFormAs } from '../support/registration-form.ts'
import { runRecurringTask } from '../support/room-deadlines.ts'
import { visitor } from '../support/visitor.ts'

const base = programSections()
const SECTIONS = {
  ...base,
  sessions: {
    ...base.sessions,
    rooms: [...base.sessions.rooms, { code: 'cellar', name: 'Cellar' }],
    submissionsOpenAt: '2026-04-01T00:00:00Z',
    submissionsCloseAt: '2026-05-01T00:00:00Z',
    reviewRubric: [
      { code: 'content', name: 'Content', weight: 50, max: 5 },
      { code: 'style', name: 'Style', weight: 30, max: 5 },
      { code: 'fit', name: 'Fit', weight: 20, max: 5 },
    ],
    blind: 'double',
  },
}
const journey = useJourney(SECTIONS)
const manage = (action: string, more: object = {}) => journey.assistant.call('manage_submission', { action, ...more })
const list = (more: object = {}) => journey.assistant.call('list_submissions', { limit: 100, ...more })
const numbersOf = (submissions: { number: string }[]) => submissions.map(({ number }) => number)

const [SUBMISSIONS, REVIEWERS] = [60, 6]
/** Every tenth author works for the company of a reviewer. */
const authorEmail = (n: number) => (n % 10 === 0 ? `author${n}@committee${n / 10}.example` : `author${n}@university${n}.example`)
let numbers: string[]
let accepted: string[]
let cancelled: { number: string; sessionId: string; title: string }

const receipts = async () => new Map((await journey.listEmails('submission.received')).map((email) => [email.to, email]))
const openPageOf = async (email: string) => {
  const link = journey.readLink((await receipts()).get(email)!, 'speaker')
  return { link, who: visitor(journey.served) }
}
const countDecided = async () => (await journey.listEmails('submission.decided')).length

describe('a call for papers', () => {
  it('receives 60 proposals for talks on the call for papers page, and confirms each by email', async () => {
    const { scenario, served, listEmails } = journey
    const form = `${buildEventPath(scenario.event)}/call-for-papers`
    for (let n = 0; n < SUBMISSIONS; n++) {
      const author = { firstName: 'Ada', lastName: `Author ${n}`, email: authorEmail(n), company: `Company ${n}` }
      const talk = { title: `Talk ${n}`, abstract: `What we learned in year ${n}.`, trackCode: n % 2 ? 'run' : 'build', formatCode: 'talk' }
      const sent = await visitor(served).post(form, { ...talk, ...author, do: 'submit' })
      expect([sent.status, n]).toEqual([200, n])
    }
    expect((await list()).counts).toMatchObject({ submitted: 60 })
    numbers = numbersOf((await list({ sort: 'submittedAt' })).submissions).toSorted()
    expect(await listEmails('submission.received')).toHaveLength(60)
  })

  it('assigns two of six reviewers to each proposal, 20 to each, none with an author of the same company', async () => {
    const { scenario, connect } = journey
    const reviewers = []
    for (let n = 0; n < REVIEWERS; n++)
      reviewers.push(
        await scenario.world.organizer({
          role: 'program',
          at: scenario.event,
          email: `reviewer@committee${n}.example`,
          name: `Reviewer ${n}`,
        }),
      )
    const reviewerIds = reviewers.map(({ userId }) => userId)
    const assigned = await manage('assign_reviewers', { numbers, reviewerIds, perSubmission: 2 })
    expect(assigned).toMatchObject({ assigned: 120, unassignable: [] })
    expect(assigned.load.map(({ load }: { load: number }) => load)).toEqual(Array(6).fill(20))
    expect(await manage('assign_reviewers', { numbers, reviewerIds, perSubmission: 2 })).toMatchObject({ assigned: 0 })

    for (const [n, reviewer] of reviewers.entries()) {
      const assistant: OrganizerAssistant = await connect(reviewer)
      const { submissions } = await assistant.call('list_submissions', { reviewer: 'me', limit: 100 })
      expect(submissions).toHaveLength(20)
      expect(JSON.stringify(submissions)).not.toContain('Author')
      for (const { number, title } of submissions) {
        expect(Number(title.split(' ')[1])).not.toBe(n * 10)
        // Talks with a lower number are better.
        const points = Number(title.split(' ')[1]) < 30 ? 5 : 2
        await assistant.call('manage_submission', {
          action: 'review',
          number,
          scores: { content: points, style: points, fit: points },
          recommendation: points === 5 ? 'accept' : 'reject',
        })
      }
    }
    expect((await list({ reviewsBelow: 2 })).total).toBe(0)
    expect((await list({ minScore: 100 })).total).toBe(30)
  })

  it('hides 60 decisions from submitters until they are sent with a confirmed dry run', async () => {
    const { assistant } = journey
    const { submissions } = await list({ sort: 'score' })
    const ranked = numbersOf(submissions)
    const decisions = ranked.map((number, n) => ({ number, decision: n < 30 ? 'accepted' : n < 35 ? 'backup' : 'rejected' }))
    await manage('decide', { decisions })
    expect(await countDecided()).toBe(0)
    expect((await list()).counts).toEqual(expect.objectContaining({ under_review: 60 }))
    const { link, who } = await openPageOf(authorEmail(1))
    expect((await who.get(link)).text).toContain('Under review')
    expect((await who.get(link)).html).not.toContain('value="confirm"')

    expect(await assistant.refused('manage_submission', { action: 'inform', numbers: ranked })).toContain('60 recipients')
    expect(await countDecided()).toBe(0)
    expect(await assistant.callConfirmed('manage_submission', { action: 'inform', numbers: ranked })).toMatchObject({ queued: 60 })
    expect(await countDecided()).toBe(60)
    expect((await list()).counts).toMatchObject({ accepted: 30, backup: 5, rejected: 25 })
    expect(await manage('inform', { numbers: ranked })).toMatchObject({ queued: 0, skipped: [{ reason: 'already_informed', count: 60 }] })
  })

  it('replaces two speakers who do not confirm in time with two speakers of backup proposals', async () => {
    const { scenario, moveTo, readLink, listEmails, served } = journey
    const { submissions } = await list({ status: ['accepted'] })
    const speakers = new Set(submissions.map(({ title }: { title: string }) => authorEmail(Number(title.split(' ')[1]))))
    const letters = (await listEmails('submission.decided')).filter(({ to }) => speakers.has(to))
    expect(letters).toHaveLength(30)
    for (const letter of letters.slice(0, 28)) {
      const link = readLink(letter, 'speaker')
      expect((await visitor(served).post(link, { do: 'confirm' })).status).toBe(303)
    }
    expect((await list()).counts).toMatchObject({ accepted: 2, confirmed: 28 })
    await moveTo('2026-04-25T00:00:00Z')
    await runRecurringTask(scenario.world, lapseUnconfirmedSubmissions)
    expect((await list()).counts).toMatchObject({ confirmed: 28, rejected: 27, backup: 5 })
    const backups = numbersOf((await list({ status: ['backup'], sort: 'score' })).submissions).slice(0, 2)
    await manage('decide', { decisions: backups.map((number) => ({ number, decision: 'accepted' })) })
    expect(await manage('inform', { numbers: backups })).toMatchObject({ queued: 2 })
    expect(await countDecided()).toBe(62)
    expect((await list()).counts).toMatchObject({ accepted: 2, confirmed: 28, backup: 3 })
    accepted = numbersOf((await list({ status: ['accepted', 'confirmed'] })).submissions)
  })

  it('schedules 30 talks in 3 rooms, and emails the enrolled people when a talk is cancelled', async () => {
    const { scenario, served, assistant, listEmails, rows } = journey
    const rooms = ['hall', 'attic', 'cellar']
    const startOf = (n: number) => new Date(Date.parse('2026-09-01T07:00:00Z') + Math.floor(n / 3) * 3_600_000).toISOString()
    for (const [n, number] of accepted.entries()) {
      const { submission, session, conflicts } = await manage('schedule', { number, startsAt: startOf(n), roomCode: rooms[n % 3] })
      expect([session.status, conflicts]).toEqual(['scheduled', []])
      if (n === 0) cancelled = { number, sessionId: session.sessionId, title: submission.title }
    }
    expect(
      await assistant.refused('manage_submission', { action: 'schedule', number: accepted[3], startsAt: startOf(0), roomCode: 'hall' }),
    ).toContain('hall')

    const form = openFormAs(visitor(served), scenario.event)
    await form.begin('vera@example.org')
    await form.fill('contact', { '@participant.firstName': 'Vera', '@participant.lastName': 'Visitor' })
    await form.fill('choices', { _method: 'bank' })
    await form.fill('program', { [`@session.${cancelled.sessionId}`]: 'true' })
    await form.fill('summary', {}, { press: 'finish' })
    expect(await rows(`select status from session_enrolments where session_id = $1`, [cancelled.sessionId])).toEqual([
      { status: 'enrolled' },
    ])

    const readAgenda = async () => (await visitor(served).get(`${buildEventPath(scenario.event)}/agenda`)).text
    expect(await readAgenda()).not.toContain('Cancelled')
    expect((await manage('cancel', { number: cancelled.number, reason: 'The speaker is ill' })).submission.status).toBe('cancelled')
    const speaker = authorEmail(Number(cancelled.title.split(' ')[1]))
    expect((await listEmails('session.cancelled')).map(({ to }) => to).toSorted()).toEqual([speaker, 'vera@example.org'].toSorted())
    expect(await readAgenda()).toMatch(new RegExp(`${cancelled.title} Ada Author \\d+ \\w+ Cancelled`))
    expect((await manage('schedule', { number: accepted[3], startsAt: startOf(0), roomCode: 'hall' })).session).toMatchObject({
      roomCode: 'hall',
    })
    expect(await journey.listViolations()).toEqual([])
  })
})
