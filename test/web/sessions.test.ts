import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventHomePath, signInVisitor } from '../support/own-pages.ts'
import { listSessionPeople, type PlannedSession, createSessionAt, createSpeakerAt, programSections } from '../support/programs.ts'
import { hiddenFieldsIn, openFormAs } from '../support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from '../support/server.ts'
import { type FormFields, type VisitedPage, visitor } from '../support/visitor.ts'

let scenario: SalesScenario
let served: Served

beforeAll(async () => {
  const program = programSections({ maxSelected: 3 })
  const flows = program.flows.map((flow) => ({ ...flow, editUntil: '2026-08-20T10:00:00Z' }))
  scenario = await openSalesScenario({ ...program, flows }, { baseUrl: await chooseFreeBaseUrl() })
  await scenario.call('update_event', { locales: ['en', 'de'] })
  await scenario.publish({})
  served = await serve(scenario.world)
})
afterAll(() => scenario.world.end())

const plan = (session: PlannedSession = {}) => createSessionAt(scenario.world, scenario.event, session)
const rows = async (query: string, values: unknown[] = []) => (await scenario.world.database.pool.query<any>(query, values)).rows
const picks = (...ids: string[]): FormFields => Object.fromEntries(ids.map((id) => [`@session.${id}`, 'true']))
const mine = (path = '') => `${eventHomePath(scenario.event)}/registration${path}`
const idOf = async (email: string) => (await rows('select id from participants where email = $1', [email]))[0].id as string
/** Every test creates its own sessions. */
const newProgram = () => rows(`update sessions set status = 'cancelled'`)

let made = 0
/** A participant on the program page. */
async function openProgramPage(products: FormFields = { '@product.pass': '1' }) {
  const email = `hearer-${++made}@example.org`
  const who = openFormAs(visitor(served), scenario.event)
  await who.begin(email)
  await who.fill('contact', { '@participant.firstName': 'Jo', '@participant.lastName': `Nr ${made}` })
  expect((await who.fill('choices', { ...products, _method: 'bank' })).location).toMatch(/\/program$/)
  return { who, email, finish: () => who.fill('summary', {}, { press: 'finish' }) }
}

async function registered(...sessions: string[]) {
  const { who, email, finish } = await openProgramPage()
  expect((await who.fill('program', picks(...sessions))).location).toMatch(/\/summary$/)
  expect((await finish()).location).toMatch(/\/done$/)
  const person = await signInVisitor(scenario.world, served, scenario.event, email)
  const fill = async (page: string, fields: FormFields): Promise<VisitedPage> => {
    const path = mine(`/edit/${page}`)
    return person.post(path, { ...hiddenFieldsIn((await person.get(path)).html), do: 'save', ...fields })
  }
  return { id: await idOf(email), email, person, fill }
}

const statuses = async (id: string) =>
  Object.fromEntries(
    (await rows('select session_id, status from session_enrolments where participant_id = $1', [id])).map((row) => [
      row.session_id,
      row.status,
    ]),
  )

describe('program page of a form', () => {
  it('shows one table of program sessions per day in event time, with rooms, speakers and remaining capacity', async () => {
    await newProgram()
    const speaker = await createSpeakerAt(scenario.world, scenario.event)
    await plan({ title: 'Opening', roomCode: 'hall', speakers: [{ speakerId: speaker }] })
    await plan({ title: 'Night walk', from: '2026-09-01T23:30', until: '2026-09-02T00:30', capacity: 12, trackCode: 'run' })
    await plan({ title: 'Second day', from: '2026-09-02T09:00' })
    const page = await (await openProgramPage()).who.open('program')
    expect(page.html.match(/<caption>[^<]*/g)).toEqual(['<caption>Tuesday, 1 September 2026', '<caption>Wednesday, 2 September 2026'])
    for (const expected of [
      'Opening Marta Nunes · Building',
      'Great hall',
      '10:00 – 10:40',
      '23:30 – 00:30',
      '12 left',
      'Central European Summer Time',
    ])
      expect(page.text).toContain(expected)
    expect(page.text).not.toContain('Full')
    expect(page.text.indexOf('Night walk')).toBeLessThan(page.text.indexOf('Wednesday'))
  })

  it('enrolls in sessions with the registration, and shows them in the summary, the registration and the calendar', async () => {
    await newProgram()
    const [talk, later] = [await plan({ title: 'Rain, kept', roomCode: 'hall' }), await plan({ title: 'Later', from: '2026-09-01T14:00' })]
    const { who, email, finish } = await openProgramPage()
    await who.fill('program', picks(talk, later))
    expect((await who.open('summary')).text).toMatch(/1 September 2026.*10:00.*Rain, kept · Great hall/)
    expect(await rows('select from session_enrolments where session_id = $1', [talk])).toEqual([])
    expect((await finish()).location).toMatch(/\/done$/)
    const id = await idOf(email)
    expect(await statuses(id)).toEqual({ [talk]: 'enrolled', [later]: 'enrolled' })
    const person = await signInVisitor(scenario.world, served, scenario.event, email)
    expect((await person.get(mine())).text).toMatch(/Your sessions.*10:00.*Rain, kept · Great hall.*Later/)
    const calendar = async () => (await person.get(mine('/calendar.ics'))).html.split('\r\n')
    const before = await calendar()
    const uid = before.find((line) => line.startsWith(`UID:${talk}.${id}@`))!
    const entry = (lines: string[]) => lines.slice(lines.indexOf(uid), lines.indexOf('END:VEVENT', lines.indexOf(uid)))
    expect(entry(before)).toEqual(
      expect.arrayContaining(['DTSTART:20260901T080000Z', 'DTEND:20260901T084000Z', 'SUMMARY:Rain\\, kept', 'STATUS:CONFIRMED']),
    )
    // The calendar only requires that the sequence number increases.
    const sequenceIn = (lines: string[]) => Number(lines.find((line) => line.startsWith('SEQUENCE:'))!.slice('SEQUENCE:'.length))
    await rows(`update sessions set starts_at = starts_at + interval '1 hour', ends_at = ends_at + interval '1 hour' where id = $1`, [talk])
    const moved = entry(await calendar())
    expect(moved).toContain('DTSTART:20260901T090000Z')
    expect(sequenceIn(moved)).toBeGreaterThan(sequenceIn(entry(before)))
    const path = mine('/edit/program')
    await person.post(path, { ...hiddenFieldsIn((await person.get(path)).html), do: 'save', ...picks(later) })
    const left = entry(await calendar())
    expect(left).toContain('STATUS:CANCELLED')
    expect(sequenceIn(left)).toBeGreaterThan(sequenceIn(moved))
  })

  it('names two overlapping sessions, saves neither and shows the choice again; accepts adjacent sessions', async () => {
    await newProgram()
    const [a, b, c] = [
      await plan({ title: 'Pipes' }),
      await plan({ title: 'Gauges', from: '2026-09-01T10:30' }),
      await plan({ title: 'Deltas', from: '2026-09-01T10:40' }),
    ]
    const { who, finish, email } = await openProgramPage()
    const refused = await who.fill('program', picks(a, b))
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('“Pipes” and “Gauges” take place at the same time. Choose one of them.')
    expect(refused.html).toContain(`href="#@session.${b}"`)
    for (const id of [a, b]) expect(refused.html).toMatch(new RegExp(`id="@session.${id}-pick"[^>]*checked`))
    expect((await who.open('program')).html).not.toMatch(/type="checkbox"[^>]*checked/)
    expect((await who.fill('program', picks(a, c))).location).toMatch(/\/summary$/)
    await finish()
    expect(await statuses(await idOf(email))).toEqual({ [a]: 'enrolled', [c]: 'enrolled' })
  })

  it('shows the program page of the form in German', async () => {
    await newProgram()
    const [a, b] = [await plan({ title: 'Rohre' }), await plan({ title: 'Pegel' })]
    const { who } = await openProgramPage()
    await who.who.get(`${eventHomePath(scenario.event)}?lang=de`)
    const refused = await who.fill('program', picks(a, b))
    expect(refused.text).toContain('„Pegel“ und „Rohre“ finden zur selben Zeit statt. Wählen Sie einen der beiden Programmpunkte.')
    expect(refused.text).toMatch(/Dienstag, 1. September 2026.*10:00 – 10:40/)
  })

  it('limits the number of program sessions that a participant can choose', async () => {
    await newProgram()
    const all = []
    for (const time of ['08:00', '09:00', '11:00', '12:00']) all.push(await plan({ from: `2026-09-01T${time}` }))
    const { who } = await openProgramPage()
    const refused = await who.fill('program', picks(...all))
    expect(refused.text).toContain('Choose at most 3')
    expect((await who.fill('program', picks(...all.slice(1)))).location).toMatch(/\/summary$/)
  })

  it('offers the waiting list of a full session, and asks again if the session has filled up since the page was opened', async () => {
    await newProgram()
    const talk = await plan({ title: 'Small room', capacity: 1 })
    const late = await openProgramPage()
    const first = await registered(talk)
    // The page that this participant opened earlier still shows a free seat.
    const base = `${eventHomePath(scenario.event)}/register/attendee/program`
    const stale = { ...hiddenFieldsIn((await late.who.open('program')).html), _full: [], do: 'next', ...picks(talk) }
    const refused = await late.who.who.post(base, stale, { csrf: null })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('“Small room” is now full. Choose it again to join the waiting list, or choose another session.')
    expect(refused.text).toMatch(/Small room.*Full Waiting list open/)
    expect((await late.who.fill('program', picks(talk))).location).toMatch(/\/summary$/)
    expect((await late.finish()).location).toMatch(/\/done$/)
    const id = await idOf(late.email)
    expect(await statuses(id)).toEqual({ [talk]: 'waitlisted' })
    const person = await signInVisitor(scenario.world, served, scenario.event, late.email)
    expect((await person.get(mine())).text).toMatch(/On the waiting list Small room Position 1/)
    expect((await person.get(mine('/edit/program'))).text).toContain('On the waiting list')
    expect((await person.get(mine('/calendar.ics'))).html).not.toContain('Small room')
    await first.fill('program', {})
    expect(await listSessionPeople(scenario.world, talk)).toEqual({ enrolled: [id], waiting: [], sold: 1 })
    expect((await person.get(mine())).text).toMatch(/Your sessions.*Small room/)
  })

  it('restricts a session that requires a product to participants who chose the product', async () => {
    await newProgram()
    const lab = await plan({ title: 'Lab', productCode: 'workshop' })
    const without = await openProgramPage()
    const page = await without.who.open('program')
    expect(page.text).toContain('Only with Workshop A')
    expect(page.html).toMatch(new RegExp(`id="@session.${lab}-pick"[^>]*disabled`))
    expect((await without.who.fill('program', picks(lab))).text).toContain('“Lab” is only available with “Workshop A”')
    const { who, email, finish } = await openProgramPage({ '@product.pass': '1', '@product.workshop': '1' })
    await who.fill('program', picks(lab))
    // If the participant removes the required product afterwards, the last page of the form reports it.
    await who.fill('choices', { '@product.pass': '1', _method: 'bank' })
    const refused = await finish()
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('“Lab” is only available with “Workshop A”')
    await who.fill('choices', { '@product.pass': '1', '@product.workshop': '1', _method: 'bank' })
    expect((await finish()).location).toMatch(/\/done$/)
    expect(await statuses(await idOf(email))).toEqual({ [lab]: 'enrolled' })
  })

  it('selects the session whose ticket is a chosen product, and shows the same number of seats for session and product', async () => {
    await newProgram()
    const lab = await plan({ title: 'Lab', productCode: 'workshop', capacity: 2 })
    const bought = { '@product.pass': '1', '@product.workshop': '1' }
    const { who, email, finish } = await openProgramPage(bought)
    const page = await who.open('program')
    expect(page.text).toContain('Included in Workshop A')
    expect(page.html).toMatch(new RegExp(`id="@session.${lab}-pick"[^>]*checked[^>]*disabled`))
    // A browser does not send a disabled checkbox.
    expect((await who.fill('program', {})).location).toMatch(/\/summary$/)
    expect((await who.open('summary')).text).toMatch(/Program Edit Program .*Lab/)
    expect((await finish()).location).toMatch(/\/done$/)
    expect((await who.open('done')).text).toMatch(/Your sessions .*Lab/)
    expect(await statuses(await idOf(email))).toEqual({ [lab]: 'enrolled' })
    // The session has one seat left, so the product has no more, although it has no limit of its own.
    const other = await openProgramPage()
    expect((await other.who.open('choices')).text).toMatch(/Workshop A .{0,60}1 left/)
    const { participant } = await scenario.register({ workshop: 1 })
    expect(await statuses(participant.id)).toEqual({ [lab]: 'enrolled' })
    expect((await other.who.open('choices')).text).toMatch(/Workshop A .{0,60}Sold out/)
    // Without seats an organizer is refused, as for a session that was chosen by itself.
    const { participant: late } = await scenario.register({ pass: 1 })
    const edit = { participantId: late.id, data: { '@product.workshop': 1 } }
    expect((await scenario.refused('edit_participant', edit)).message).toMatch(/^Lab is full/)
    await scenario.call('edit_participant', { participantId: participant.id, data: { '@product.workshop': 0 } })
    expect(await statuses(participant.id)).toEqual({ [lab]: 'cancelled' })
    await scenario.call('edit_participant', edit)
    expect(await statuses(late.id)).toEqual({ [lab]: 'enrolled' })
    // Other changes keep the session, also without its checkbox.
    const person = await signInVisitor(scenario.world, served, scenario.event, email)
    const own = await person.get(mine('/edit/program'))
    await person.post(mine('/edit/program'), { ...hiddenFieldsIn(own.html), do: 'save' }, { csrf: null })
    expect(await statuses(await idOf(email))).toEqual({ [lab]: 'enrolled' })
  })

  it('lets the participant choose if several program sessions require the chosen product', async () => {
    await newProgram()
    const [one, two] = [
      await plan({ title: 'Lab one', productCode: 'workshop' }),
      await plan({ title: 'Lab two', productCode: 'workshop', from: '2026-09-02T10:00' }),
    ]
    const { who, email, finish } = await openProgramPage({ '@product.pass': '1', '@product.workshop': '1' })
    expect((await who.open('program')).text).not.toContain('Included in')
    await who.fill('program', picks(two!))
    await finish()
    expect(await statuses(await idOf(email))).toEqual({ [two!]: 'enrolled' })
    expect(one).not.toBe(two)
  })

  it('ignores submitted sessions that the form does not offer', async () => {
    await newProgram()
    const { who } = await openProgramPage()
    expect((await who.open('program')).text).toContain('The sessions have not been announced yet')
    const strange = { _session: ['f'.repeat(24), '../x'], ...picks('f'.repeat(24), '../x') }
    const talk = await plan()
    const refused = await who.fill('program', { ...strange, ...picks(talk) })
    expect(refused.text).toContain('This session is no longer offered')
    expect((await who.fill('program', picks(talk))).location).toMatch(/\/summary$/)
  })
})

describe('changing the chosen program sessions', () => {
  it('saves changes of several sessions together, or none of them if one is invalid', async () => {
    await newProgram()
    const [a, b, full] = [
      await plan({ title: 'A' }),
      await plan({ title: 'B', from: '2026-09-01T10:20' }),
      await plan({ title: 'Full', from: '2026-09-02T10:00', capacity: 0 }),
    ]
    const { id, fill, person } = await registered(a)
    const page = await person.get(mine('/edit/program'))
    expect(page.html).toMatch(new RegExp(`id="@session.${a}-pick"[^>]*checked`))
    expect((await person.get(mine('/edit'))).text).toMatch(/Program.*10:00.*A/)
    expect((await fill('program', picks(a, b))).text).toContain('“A” and “B” take place at the same time')
    expect((await fill('program', { ...picks(b, full), _full: [] })).text).toContain('“Full” is now full')
    expect(await statuses(id)).toEqual({ [a]: 'enrolled' })
    expect(await fill('program', picks(b, full))).toMatchObject({ status: 303, location: mine('?done=saved') })
    expect(await statuses(id)).toEqual({ [a]: 'cancelled', [b]: 'enrolled', [full]: 'waitlisted' })
    expect(await fill('program', {})).toMatchObject({ status: 303 })
    expect(await statuses(id)).toEqual({ [a]: 'cancelled', [b]: 'cancelled', [full]: 'cancelled' })
  })

  it('removes a session when its required product is returned', async () => {
    await newProgram()
    const lab = await plan({ title: 'Lab', productCode: 'workshop' })
    const { who, email, finish } = await openProgramPage({ '@product.pass': '1', '@product.workshop': '1' })
    await who.fill('program', picks(lab))
    await finish()
    const person = await signInVisitor(scenario.world, served, scenario.event, email)
    const path = mine('/edit/choices')
    const asked = await person.post(path, {
      ...hiddenFieldsIn((await person.get(path)).html),
      do: 'save',
      '@product.pass': '1',
      '@product.workshop': '0',
    })
    expect(asked.status).toBe(200)
    expect(await statuses(await idOf(email))).toEqual({ [lab]: 'enrolled' })
    await person.post(path, { ...hiddenFieldsIn(asked.html), do: 'confirm' }, { csrf: null })
    expect(await statuses(await idOf(email))).toEqual({ [lab]: 'cancelled' })
  })
})

describe('program page of the event', () => {
  it('shows one day of the event’s program at a time, with links to the other days', async () => {
    await newProgram()
    const speaker = await createSpeakerAt(scenario.world, scenario.event, 'Inês')
    await plan({ title: 'Opening <b>', roomCode: 'hall', speakers: [{ speakerId: speaker }], abstract: 'What it is about' })
    await plan({ title: 'Next day', from: '2026-09-02T09:00' })
    const home = await visitor(served).get(eventHomePath(scenario.event))
    expect(home.text).toMatch(/Programme.*10:00 – 10:40 Opening <b> Inês Nunes · Great hall · Building/)
    expect(home.text).toContain('What it is about')
    expect(home.text).not.toContain('Next day')
    expect(home.html).toContain('href="?day=2026-09-02#agenda"')
    const other = await visitor(served).get(`${eventHomePath(scenario.event)}?day=2026-09-02`)
    expect(other.text).toContain('Next day')
    await newProgram()
    expect((await visitor(served).get(eventHomePath(scenario.event))).text).not.toContain('Programme')
  })
})
