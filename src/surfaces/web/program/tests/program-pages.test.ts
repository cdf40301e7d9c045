import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath } from '../../../../../test/support/own-pages.ts'
import { createSessionAt, createSpeakerAt, programSections } from '../../../../../test/support/programs.ts'
import { openSalesScenario, type SalesScenario } from '../../../../../test/support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../../test/support/server.ts'
import { visitor } from '../../../../../test/support/visitor.ts'

let scenario: SalesScenario
let served: Served
let home: string

beforeAll(async () => {
  const base = programSections()
  const sessions = { ...base.sessions, submissionsOpenAt: '2026-01-01T00:00:00Z', submissionsCloseAt: '2026-05-01T00:00:00Z' }
  scenario = await openSalesScenario({ ...base, sessions }, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  home = eventHomePath(scenario.event)
})
afterAll(() => scenario.world.end())

const rows = async (query: string) => (await scenario.world.database.pool.query<any>(query)).rows
/** The personal link in the latest email with this code. */
const latestLink = async (code: string) => {
  const [email] = await rows(`select text_body from messages where email_code = '${code}' order by id desc limit 1`)
  return /https?:\/\/[^/\s]+(\/\S*\/speaker\/[^\s)>\]]+)/.exec(email.text_body)![1]!
}
const PROPOSAL = {
  title: 'What gauges showed us',
  abstract: 'About water.',
  trackCode: 'build',
  formatCode: 'talk',
  keywords: 'water, rain',
  firstName: 'Amara',
  lastName: 'Osei',
  email: 'amara@gauge.example',
}

describe('agenda page', () => {
  it('shows the rooms and times of an agenda day, and offers each session as a calendar entry', async () => {
    const speakerId = await createSpeakerAt(scenario.world, scenario.event, 'Ines')
    await createSessionAt(scenario.world, scenario.event, {
      title: 'Opening',
      code: 'opening',
      roomCode: 'hall',
      speakers: [{ speakerId }],
    })
    await createSessionAt(scenario.world, scenario.event, { title: 'Closing', from: '2026-09-02T10:00', roomCode: 'attic' })
    const guest = visitor(served)
    const page = await guest.get(`${home}/agenda`)
    expect(page).toMatchObject({ status: 200 })
    expect(page.text).toMatch(/Great hall.*Opening.*Ines Nunes/)
    expect(page.text).not.toContain('Closing')
    expect((await guest.get(`${home}/agenda?day=2026-09-02`)).text).toContain('Closing')
    const all = await guest.get(`${home}/agenda.ics`)
    expect(all.headers.get('content-type')).toContain('text/calendar')
    expect(all.html.match(/BEGIN:VEVENT/g)).toHaveLength(2)
    expect((await guest.get(`${home}/agenda.ics?session=opening`)).html.match(/SUMMARY:(.*)/)![1]!.trim()).toBe('Opening')
    expect((await guest.get(`${home}/agenda.ics?session=none`)).status).toBe(404)
  })
})

describe('agenda filters and session pages', () => {
  it('filters the agenda by words and room without scripts, and names the days with matching sessions', async () => {
    const guest = visitor(served)
    const found = await guest.get(`${home}/agenda?q=open+ines&room=hall`)
    expect(found.text).toContain('1 session matches')
    const none = await guest.get(`${home}/agenda?q=closing`)
    expect(none.text).toContain('but 1 session on another day')
    expect(none.html).toContain('day=2026-09-02&amp;q=closing')
    expect((await guest.get(`${home}/agenda?q=nothing`)).text).toContain('No session of this programme matches')
  })

  it('shows the page of one session with its speaker, and responds with 404 to an unknown session code', async () => {
    const guest = visitor(served)
    expect((await guest.get(`${home}/agenda/opening`)).text).toMatch(/Opening.*Great hall.*Ines Nunes/)
    expect((await guest.get(`${home}/agenda/none`)).status).toBe(404)
  })
})

describe('call for papers page', () => {
  it('names the invalid fields of a proposal, saves the corrected proposal, and emails a link to it', async () => {
    const guest = visitor(served)
    const wrong = await guest.post(`${home}/call-for-papers`, { ...PROPOSAL, title: '', email: 'nobody' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('href="#title"')
    expect(wrong.html).toContain('href="#email"')
    const linked = await guest.post(`${home}/call-for-papers`, { ...PROPOSAL, title: 'Buy at https://spam.example' })
    expect(linked.status).toBe(400)
    const sent = await guest.post(`${home}/call-for-papers`, PROPOSAL)
    expect(sent.text).toContain('S-000001')
    expect(await rows(`select title, keywords, status from submissions`)).toEqual([
      { title: PROPOSAL.title, keywords: ['water', 'rain'], status: 'submitted' },
    ])
    const own = await guest.get(await latestLink('submission.received'))
    expect(own.text).toContain('Under review')
  })

  it('shows no proposal form before the call for papers opens and after it closes', async () => {
    const guest = visitor(served)
    await scenario.world.clock.stopAt('2026-06-01T00:00:00Z')
    expect((await guest.get(`${home}/call-for-papers`)).text).toContain('The call for papers is closed')
    await scenario.world.clock.stopAt('2025-12-01T00:00:00Z')
    expect((await guest.get(`${home}/call-for-papers`)).text).toContain('opens on')
    await scenario.world.clock.stopAt('2026-04-10T10:00:00Z')
  })
})

describe('speaker page', () => {
  it('shows the decision about a proposal only after the speaker was informed, and accepts one confirmation', async () => {
    const guest = visitor(served)
    const number = (await rows(`select number from submissions where status = 'submitted'`))[0].number
    await scenario.call('manage_submission', { action: 'decide', decisions: [{ number, decision: 'accepted' }], force: true })
    const link = await latestLink('submission.received')
    expect((await guest.get(link)).text).toContain('Under review')
    await scenario.call('manage_submission', { action: 'inform', numbers: [number] })
    expect(await latestLink('submission.decided')).toBe(link)
    expect((await guest.get(link)).text).toMatch(/Your talk was accepted.*Please confirm by/)
    const status = async () => (await rows(`select status from submissions where number = '${number}'`))[0].status
    expect(await status()).toBe('accepted')
    await guest.post(link, { do: 'confirm' })
    expect((await guest.get(link)).text).toContain('You are speaking')
    await guest.post(link, { do: 'decline' }, { from: `${home}/call-for-papers` })
    expect(await status()).toBe('confirmed')
    const forged = await guest.get(link.replace(/.{4}$/, 'AAAA'))
    expect(forged).toMatchObject({ status: 410 })
  })

  it('refuses the confirmation of a speaker after the deadline', async () => {
    const guest = visitor(served)
    await guest.post(`${home}/call-for-papers`, { ...PROPOSAL, title: 'Late', email: 'late@gauge.example' })
    const { number } = (await rows(`select number from submissions where title = 'Late'`))[0]
    await scenario.call('manage_submission', { action: 'decide', decisions: [{ number, decision: 'accepted' }], force: true })
    await scenario.call('manage_submission', { action: 'inform', numbers: [number] })
    const link = await latestLink('submission.decided')
    await rows(`update submissions set confirm_by = lanyard_now() - interval '1 hour' where number = '${number}'`)
    expect((await guest.get(link)).text).toContain('The deadline to confirm has passed')
    await guest.post(link, { do: 'confirm' }, { from: `${home}/call-for-papers` })
    expect((await rows(`select status from submissions where number = '${number}'`))[0].status).toBe('accepted')
  })

  it('lets an invited speaker decline, and shows no question when the link is opened again', async () => {
    const { speaker } = await scenario.call('manage_speaker', {
      action: 'create',
      firstName: 'Kofi',
      lastName: 'Mensah',
      email: 'kofi@leak.example',
    })
    await scenario.call('manage_speaker', { action: 'invite', speakerIds: [speaker.id] })
    const guest = visitor(served)
    const link = await latestLink('speaker.invited')
    expect((await guest.get(link)).text).toContain('You are invited to speak')
    await guest.post(link, { do: 'decline' })
    expect((await guest.get(link)).text).toContain('You have answered this invitation')
    expect((await rows(`select status from speakers where id = '${speaker.id}'`))[0].status).toBe('declined')
  })
})

// Last, because the other tests expect the first number of the series.
describe('drafts of proposals', () => {
  it('saves a draft of a proposal with a co-speaker, and continues it by the emailed link', async () => {
    const guest = visitor(served)
    const draft = { ...PROPOSAL, title: 'Draft talk', abstract: '', email: 'dora@gauge.example' }
    const more = { 'co1.firstName': 'Kofi', 'co1.lastName': 'Mensah', 'co1.email': 'kofi@gauge.example' }
    expect((await guest.post(`${home}/call-for-papers`, { ...draft, ...more, do: 'draft' })).text).toContain('Your draft is saved')
    const link = await latestLink('proposal-draft')
    expect((await guest.get(link)).text).toMatch(/Draft.*Kofi Mensah/)
    const edit = { title: 'Draft talk', abstract: '', trackCode: 'build', formatCode: 'talk', do: 'submit' }
    expect((await guest.post(`${link}/edit`, edit, { from: `${link}/edit` })).status).toBe(400)
    await guest.post(`${link}/edit`, { ...edit, abstract: 'Now complete.' }, { from: `${link}/edit` })
    const stored = `select status, abstract from submissions where title = 'Draft talk'`
    expect(await rows(stored)).toEqual([{ status: 'submitted', abstract: 'Now complete.' }])
  })
})
