import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programSections } from '../../../../../test/support/programs.ts'
import { buildEventPath } from '../../../../../test/support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../../../../../test/support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../../../../../test/support/server.ts'
import { signedInVisitor, visitor } from '../../../../../test/support/visitor.ts'
import type { OrganizerHandle } from '../../../../../test/support/world.ts'

const base = programSections()
const file = (code: string, more: object = {}) => ({ code, name: code, responseType: 'file', ...more })
const SECTIONS = {
  ...base,
  customFields: [
    file('slides', { name: 'Slides', accept: ['application/pdf'], maxBytes: 2000, personal: false }),
    file('cv', { name: 'Curriculum', personal: true }),
    file('passport', { name: 'Not asked' }),
  ],
  sessions: {
    ...base.sessions,
    submissionsOpenAt: '2026-01-01T00:00:00Z',
    submissionsCloseAt: '2026-06-01T00:00:00Z',
    submissionFields: ['slides', 'cv'],
    blind: 'double',
  },
}
const PDF = (text = '') => `%PDF-1.7\n${text}\n%%EOF`
const upload = (content: string, name: string) => new File([content], name)
let author = 0
const proposal = () => {
  const n = ++author
  const talk = { title: `Talk ${n}`, abstract: 'About rain.', trackCode: 'build', formatCode: 'talk', do: 'submit' }
  return { ...talk, firstName: 'Ines', lastName: 'Nunes', email: `ines${n}@university.example` }
}

const speakerFields = (n: number, address: string): [string, string][] => [
  [`co${n}.firstName`, 'Kofi'],
  [`co${n}.lastName`, `Mensah ${n}`],
  [`co${n}.email`, address],
]

let scenario: SalesScenario
let served: Served
let form: string
let reviewer: OrganizerHandle
beforeAll(async () => {
  scenario = await openSalesScenario(SECTIONS, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  form = `${buildEventPath(scenario.event)}/call-for-papers`
  reviewer = await scenario.world.organizer({ role: 'program', at: scenario.event, email: 'rita@committee.example' })
})
afterAll(() => scenario.world.end())

const rows = async (query: string) => (await scenario.world.database.pool.query<any>(query)).rows
const countFiles = async () => (await rows(`select count(*)::int as n from files where deleted_at is null`))[0].n
const countUploads = async () => (await rows(`select count(*)::int as n from file_uploads where swept_at is null`))[0].n
const latest = async () => (await rows('select number from submissions order by number desc limit 1'))[0].number as string
const answersFor = async (who: OrganizerHandle, number: string) =>
  (await who.call('get_submission', { eventCode: scenario.event.eventCode, number })).submission.answers
const download = async (url: string) => {
  const response = await fetch(url)
  return { text: await response.text(), disposition: response.headers.get('content-disposition') ?? '' }
}

describe('files of proposals', () => {
  it('stores files with the proposal, without the names that the author gave them', async () => {
    const guest = visitor(served)
    expect((await guest.get(form)).html).toMatch(/name="answers.slides" type="file" accept="application\/pdf"/)
    const files = { 'answers.slides': upload(PDF('rain'), 'ines-nunes.pdf'), 'answers.cv': upload(PDF('life'), 'me.pdf') }
    expect((await guest.post(form, proposal(), { files })).status).toBe(200)
    const number = await latest()
    const answers = await answersFor(scenario.olga, number)
    expect(answers).toMatchObject([
      { code: 'slides', value: { name: `${number}-slides.pdf` } },
      { code: 'cv', value: { name: `${number}-cv.pdf` } },
    ])
    const { text, disposition } = await download(answers[0].value.url)
    expect(text).toBe(PDF('rain'))
    expect(disposition).not.toContain('ines')
    const desk = await signedInVisitor(scenario.world, served, await scenario.world.organizer({ at: scenario.event }))
    const { clientCode, eventCode } = scenario.event
    const page = await desk.get(`/console/events/${clientCode}/${eventCode}/program/${number}`)
    expect(page.html).toMatch(new RegExp(`<a href="[^"]*/files/[^"]*">${number}-slides.pdf</a>`))
  })

  it('shows the files of a proposal to a reviewer who must not know the author, except files of personal questions', async () => {
    const number = await latest()
    await scenario.call('manage_submission', {
      action: 'assign_reviewers',
      numbers: [number],
      reviewerIds: [reviewer.userId],
      perSubmission: 1,
    })
    const shown = await answersFor(reviewer, number)
    expect(shown.map(({ code }: { code: string }) => code)).toEqual(['slides'])
    expect(JSON.stringify(shown)).not.toMatch(/ines|nunes/i)
  })

  it('refuses files of a wrong type or size in the language of the page, and stores nothing of a refused form', async () => {
    const [before, guest] = [await countFiles(), visitor(served)]
    const send = (files: Record<string, File>, more: object = {}) => guest.post(form, { ...proposal(), ...more }, { files })
    const picture = await send({ 'answers.slides': upload('\u0089PNG\r\n\u001a\n', 'x.png') })
    expect([picture.status, picture.text]).toEqual([400, expect.stringContaining('This type of file is not accepted')])
    expect(picture.html).toContain('href="#answers.slides"')
    const large = await send({ 'answers.slides': upload(PDF('x'.repeat(3000)), 'x.pdf') })
    expect(large.text).toContain('The file is too large')
    expect((await send({ 'answers.passport': upload(PDF(), 'x.pdf') })).status).toBe(400)
    // One file of the form is valid, and the other one is not.
    const both = await send({ 'answers.cv': upload(PDF(), 'cv.pdf'), 'answers.slides': upload(PDF('x'.repeat(3000)), 'x.pdf') })
    expect([both.status, both.html.includes('name="kept.')]).toEqual([400, false])
    expect([await countFiles(), await countUploads()]).toEqual([before, 0])
  })

  it('keeps the files of a refused proposal, and stores them with the corrected one', async () => {
    const [before, guest, correct] = [await countFiles(), visitor(served), proposal()]
    const keptIn = (html: string) =>
      Object.fromEntries([...html.matchAll(/name="(kept\.\w+)" value="([^"]+)"/g)].map(([, name, value]) => [name!, value!]))
    const files = { 'answers.slides': upload(PDF('slides'), 'my talk.pdf'), 'answers.cv': upload(PDF('life'), 'me.pdf') }
    const refused = await guest.post(form, { ...correct, title: '' }, { files })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('my talk.pdf has been uploaded.')])
    expect([Object.keys(keptIn(refused.html)), await countFiles(), await countUploads()]).toEqual([['kept.slides', 'kept.cv'], before, 2])
    // Refused again, now with another file for one of the questions.
    const again = await guest.post(
      form,
      { ...correct, email: 'none', ...keptIn(refused.html) },
      { files: { 'answers.slides': upload(PDF('better'), 'better.pdf') } },
    )
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('better.pdf has been uploaded.')])
    expect(await countUploads()).toBe(2)
    expect((await guest.post(form, { ...correct, ...keptIn(again.html) })).status).toBe(200)
    const answers = await answersFor(scenario.olga, await latest())
    expect(await Promise.all(answers.map(async ({ value }: any) => (await download(value.url)).text))).toEqual([PDF('better'), PDF('life')])
    expect(await countUploads()).toBe(0)
    // A file that was used already, or a value of another question, is no file.
    const { 'kept.slides': slides, 'kept.cv': cv } = keptIn(again.html)
    const used = { 'kept.slides': slides!, 'kept.cv': cv! }
    expect((await guest.post(form, { ...proposal(), ...used })).status).toBe(200)
    expect(await answersFor(scenario.olga, await latest())).toEqual([])
    const third = await guest.post(form, { ...proposal(), title: '' }, { files: { 'answers.cv': upload(PDF('life'), 'me.pdf') } })
    expect((await guest.post(form, { ...proposal(), 'kept.slides': keptIn(third.html)['kept.cv']! })).status).toBe(200)
    expect(await answersFor(scenario.olga, await latest())).toEqual([])
    await rows(`delete from file_uploads`)
  })

  it('keeps chosen files while speakers are added, because the form has the fields of all speakers', async () => {
    const guest = visitor(served)
    const { html } = await guest.get(form)
    expect(html).not.toContain('value="add-speaker"')
    for (const n of [1, 9]) expect(html).toContain(`name="co${n}.email"`)
    expect(html).not.toContain('name="co10.email"')
    const others = (...numbers: number[]) => Object.fromEntries(numbers.flatMap((n) => speakerFields(n, `co${n}-${author}@gauge.example`)))
    // A speaker in the middle may be left out.
    const sent = await guest.post(form, { ...proposal(), ...others(1, 3) }, { files: { 'answers.slides': upload(PDF('both'), 'a.pdf') } })
    expect(sent.status).toBe(200)
    const number = await latest()
    const [answer] = await answersFor(scenario.olga, number)
    expect((await download(answer.value.url)).text).toBe(PDF('both'))
    const { submission } = await scenario.call('get_submission', { number })
    expect(submission.speakers).toHaveLength(3)
    const refused = await guest.post(form, { ...proposal(), ...others(2), 'co2.email': 'none' })
    expect([refused.status, refused.html.match(/<details class="add-more" open/g)?.length]).toEqual([400, 2])
    expect(refused.html).toContain('href="#co2.email"')
  })

  it('replaces files while the proposal can be changed, and keeps them if no other file is chosen', async () => {
    const guest = visitor(served)
    await guest.post(form, { ...proposal(), do: 'draft' }, { files: { 'answers.slides': upload(PDF('first'), 'a.pdf') } })
    const number = await latest()
    const [{ text }] = await rows(
      `select text_body as text from messages where email_code is null or email_code = 'proposal-draft' order by id desc limit 1`,
    )
    const edit = `${new URL(/https?:\S+\/speaker\/\S+/.exec(text)![0]).pathname}/edit`
    const shown = await guest.get(edit)
    expect(shown.text).toContain(`${number}-slides.pdf has been uploaded.`)
    const before = await countFiles()
    const fields = { title: 'Better', abstract: 'About rain.', trackCode: 'build', formatCode: 'talk', keywords: '' }
    expect((await guest.post(edit, { ...fields, do: 'save' })).status).toBe(303)
    const [kept] = await answersFor(scenario.olga, number)
    expect((await download(kept.value.url)).text).toBe(PDF('first'))
    await guest.post(edit, { ...fields, do: 'save' }, { files: { 'answers.slides': upload(PDF('second'), 'b.pdf') } })
    const [replaced] = await answersFor(scenario.olga, number)
    expect((await download(replaced.value.url)).text).toBe(PDF('second'))
    expect((await fetch(kept.value.url)).status).toBe(404)
    expect(await countFiles()).toBe(before)
  })

  it('treats the id of a file of another owner in an answer as text, which gives no access to the file', async () => {
    const [foreign] = await rows(`select id from files where deleted_at is null order by id limit 1`)
    await visitor(served).post(form, proposal())
    const number = await latest()
    await scenario.call('manage_submission', { action: 'update', number, answers: { slides: foreign.id } })
    expect(await answersFor(scenario.olga, number)).toMatchObject([{ code: 'slides', value: foreign.id }])
  })
})
