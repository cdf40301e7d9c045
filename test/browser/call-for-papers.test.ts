import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProblemsInLooks, openContext, WALKS } from '../support/browser.ts'
import { createSessionAt, createSpeakerAt, programSections } from '../support/programs.ts'
import { buildEventPath } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'

const base = programSections()
let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  const sections = {
    ...base,
    customFields: [{ code: 'slides', name: 'Slides', responseType: 'file', accept: ['application/pdf'] }],
    sessions: {
      ...base.sessions,
      submissionsOpenAt: '2026-01-01T00:00:00Z',
      submissionsCloseAt: '2026-06-01T00:00:00Z',
      submissionFields: ['slides'],
    },
  }
  scenario = await openSalesScenario(sections, { baseUrl: await chooseFreeBaseUrl() })
  served = await serve(scenario.world)
  const { world, event } = scenario
  const marta = await createSpeakerAt(world, event)
  const plan = (more: Parameters<typeof createSessionAt>[2]) => createSessionAt(world, event, more)
  await plan({
    title: 'Opening: a city that drinks its rain',
    roomCode: 'hall',
    from: '2026-09-01T09:30',
    speakers: [{ speakerId: marta }],
  })
  await plan({ title: 'What 4,000 cheap gauges taught us', roomCode: 'attic', from: '2026-09-01T10:30', trackCode: 'run', capacity: 12 })
  await plan({ title: 'Build your own gauge', roomCode: 'attic', from: '2026-09-01T13:00', formatCode: 'workshop' })
})
afterAll(() => scenario.world.end())

describe.each(WALKS)('call for papers with scripts $scripts', ({ label: kept, looks }) => {
  it('keeps the uploaded file of a proposal while speakers are added and while a refused proposal is corrected', async () => {
    const page = await (await openContext(looks[0])).newPage()
    const home = `${served.baseUrl}${buildEventPath(scenario.event)}`
    await page.goto(`${home}/agenda`)
    expect(await findProblemsInLooks(page, looks, 'papers-1-agenda')).toEqual([])
    await page.goto(`${home}/call-for-papers`)
    expect(await findProblemsInLooks(page, looks, 'papers-2-empty')).toEqual([])
    await page.setInputFiles('[name="answers.slides"]', {
      name: 'rain.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.7\n%%EOF'),
    })
    await page.fill('[name=abstract]', 'About rain.')
    const fillSpeaker = async (prefix: string, name: string) => {
      await page.fill(`[name="${prefix}firstName"]`, name)
      await page.fill(`[name="${prefix}lastName"]`, 'Osei')
      await page.fill(`[name="${prefix}email"]`, `${name.toLowerCase()}.${kept}@gauge.example`)
    }
    await fillSpeaker('', 'Amara')
    expect(await page.locator('[name="co1.firstName"]').isVisible()).toBe(false)
    await page.locator('details.add-more > summary').first().press('Enter')
    await fillSpeaker('co1.', 'Kofi')
    await page.locator('details.add-more > summary').nth(1).click()
    await fillSpeaker('co2.', 'Esi')
    expect(await findProblemsInLooks(page, looks, 'papers-3-speakers')).toEqual([])
    const submit = async (title: string) => {
      await page.fill('[name=title]', title)
      await page.click('button[value=submit]')
      await page.waitForLoadState()
    }
    await submit(' ')
    expect(await page.textContent('main')).toContain('rain.pdf has been uploaded.')
    expect(await findProblemsInLooks(page, looks, 'papers-4-refused')).toEqual([])
    await submit(`Rain ${kept}`)
    expect(await page.textContent('main')).toContain('S-0000')
    const { rows } = await scenario.world.database.pool.query<{ speakers: number; files: number }>(
      `select (select count(*)::int from submission_speakers p where p.submission_id = s.id) as speakers,
         (select count(*)::int from files f where f.id = s.answers->>'slides') as files from submissions s where s.title = $1`,
      [`Rain ${kept}`],
    )
    expect(rows).toEqual([{ speakers: 3, files: 1 }])
  })
})
