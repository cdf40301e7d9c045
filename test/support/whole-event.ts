import type { BrowserContext } from 'playwright-core'
import { bookSlot } from '../../src/domains/exhibitors/book-slot.ts'
import { expect } from 'vitest'
import { editConfigDraft } from '../../src/domains/authoring/edit.ts'
import { publishEvent } from '../../src/domains/authoring/publish.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { ROOT_NODE } from '../../src/domains/configuration/schema/nodes.ts'
import { mapConfigValues } from '../../src/domains/configuration/walk.ts'
import { createBrowserSession } from '../../src/domains/sign-in/sessions.ts'
import type { ServiceTestOverrides } from '../../src/start.ts'
import { createEventContextAt } from './at-event.ts'
import { type BrowserLook, openContext } from './browser.ts'
import { readLatestCode } from './sign-in-codes.ts'
import { createExhibitorFixtures } from './companies.ts'
import { INVITE_ONLY_FLOW, FESTIVAL } from './festival.ts'
import { fillFestivalForm } from './festival-form.ts'
import { createHotelAt, buildRoomAnswers } from './hotels.ts'
import { storeMemory } from './memories.ts'
import { eventHomePath, verifyMailbox } from './own-pages.ts'
import { createApiAccountAt } from './participants.ts'
import type { KnownValues } from './route-walk.ts'
import { openSalesScenario, type SalesScenario } from './sales-scenario.ts'
import { chooseFreeBaseUrl, serve, type Served } from './server.ts'
import { createSurveyFixtures, readSurveyToken } from './surveys.ts'
import { type Visitor, visitor } from './visitor.ts'
import { createDeliveredReport } from './designed-reports.ts'
import { createReportRuns } from './report-runs.ts'
import { fillSourcing, type WholeSourcing } from './whole-sourcing.ts'

/** An event with at least one record of every kind, so that every page has content. */
export interface WholeEvent {
  sales: SalesScenario
  served: Served
  sourcing: WholeSourcing
  /** Rewrites every text of the event's document that people read, and publishes it. Returns the number of texts. */
  rewriteTexts: (write: (text: string, at: TextLocation) => string) => Promise<number>
  /** Changes every name that organizers, integrators and companies can enter. */
  rename: (nameOf: (n: number) => string) => Promise<void>
  /** Creates one visitor for each role that sees pages: anonymous, registering, registered, group administrator, exhibitor, organizer, and signer. */
  audience: (round: number, answer: (n: number) => string) => Promise<AudienceMember[]>
  /** The ids and codes that can appear in page addresses. */
  known: () => Promise<KnownValues>
}

interface TextLocation {
  /** The position of the text among all texts of the event's configuration, counted from one. */
  n: number
  html: boolean
  /** Whether the configuration schema allows this text at this location. */
  fits: (text: string) => boolean
}

export interface AudienceMember {
  name: 'anonymous' | 'begun' | 'done' | 'crew' | 'exhibitor' | 'organizer' | 'signer'
  who: Visitor
}

const EVENT = {
  ...FESTIVAL,
  housing: { enabled: true, seeAvailability: 'exact', requests: { enabled: true, acceptDays: 10 } },
  sessions: {
    submissionsOpenAt: '2026-01-01T08:00:00Z',
    submissionsCloseAt: '2026-10-01T08:00:00Z',
    tracks: [{ code: 'main', name: 'Main track' }],
    formats: [{ code: 'talk', name: 'Talk', minutes: 30 }],
    rooms: [{ code: 'hall', name: 'Hall' }],
  },
  surveys: [
    {
      code: 'after',
      name: 'After the festival',
      questions: [
        { code: 'recommend', name: 'Would you recommend us?', type: 'nps' },
        { code: 'food', name: 'How was the food?', type: 'rating', scaleMax: 7, required: true },
        { code: 'best', name: 'What was best?', type: 'choice', choices: [{ code: 'talks', name: 'Talks' }] },
        { code: 'again', name: 'What would you visit again?', type: 'multiChoice', choices: [{ code: 'expo', name: 'Expo' }] },
        { code: 'comment', name: 'Anything else?', type: 'text' },
      ],
    },
  ],
  exhibitorConfig: { appointmentMinutes: 15, meetingHours: [{ day: '2026-10-13', from: '08:00', until: '20:00' }] },
  emails: [
    {
      code: 'welcome',
      name: 'Welcome',
      trigger: 'registration.completed',
      subject: 'Welcome, {{participant.fullName}}',
      preheader: 'For {{participant.firstName}}',
      blocks: [
        { id: 'hello', type: 'heading', text: 'Hello {{participant.firstName}}' },
        { id: 'said', type: 'text', html: '<p>You come from {{participant.company}}.</p>' },
        { id: 'mark', type: 'text', markdown: 'Hello *you*' },
        { id: 'go', type: 'button', label: 'My registration', link: 'myRegistration' },
        { id: 'shop', type: 'productList', productCodes: ['full'] },
        { id: 'where', type: 'eventDetails' },
        { id: 'sum', type: 'orderSummary' },
        { id: 'badge', type: 'qrBadge', caption: 'Your badge' },
        { id: 'own', type: 'html', html: '<p>By hand</p>' },
        { id: 'foot', type: 'footer', text: 'Goodbye' },
      ],
      attachments: ['calendar'],
    },
  ],
  flows: [...FESTIVAL.flows, INVITE_ONLY_FLOW].map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) =>
      page.code === 'you'
        ? {
            ...page,
            widgets: [
              ...page.widgets,
              { id: 'prose', type: 'text', body: '<p>Read this</p>' },
              { id: 'note', type: 'notice', body: '<p>And this</p>' },
              { id: 'more-about', type: 'accordion', items: [{ id: 'one', title: 'More', body: '<p>Much</p>' }] },
              { id: 'when', type: 'countdown', until: '2026-10-13T08:00:00Z', label: 'Begins' },
              {
                id: 'street',
                type: 'field',
                binding: '@participant.preferredName',
                label: 'Called',
                help: 'By friends',
                placeholder: 'Ann',
              },
            ],
          }
        : page,
    ),
  })),
}

const CREW = 'crew@example.org'
const EXHIBITOR = 'fair@example.org'

export async function openWholeEvent(extras: Pick<ServiceTestOverrides, 'morePages'> = {}): Promise<WholeEvent> {
  const scenario = await openSalesScenario(EVENT, { baseUrl: await chooseFreeBaseUrl(), timezone: 'Europe/Vienna', startsOn: '2026-10-13' })
  const served = await serve(scenario.world, { extras })
  await fill(scenario)
  await fillProgram(scenario)
  await fillHall(scenario)
  const sourcing = await fillSourcing(scenario, served)
  await createDeliveredReport(scenario.world, (tool, args) => scenario.call(tool, { ...args }), scenario.olga.email, 'Daily figures')
  const reports = await createReportRuns(scenario.world, scenario.event, (tool, args) => scenario.call(tool, { ...args }))
  const surveys = await fillSurvey(scenario)
  const crew = await groupAdminSignedIn(scenario, served)
  const exhibitor = await exhibitorSignedIn(scenario, served)
  let clean: ConfigDocument | undefined
  return {
    sales: scenario,
    served,
    sourcing,
    async rewriteTexts(write) {
      const { world, event } = scenario
      let texts = 0
      const rewritten = (document: ConfigDocument) =>
        mapConfigValues(ROOT_NODE, document, '', (node, value) => {
          if (typeof value !== 'string' || !node.annotations.translatable) return value
          return write(value, { n: ++texts, html: Boolean(node.annotations.html), fits: (text) => node.type.safeParse(text).success })
        }) as ConfigDocument
      await world.database.transact(async (db) => {
        const ctx = await createEventContextAt(world, event, db)
        await editConfigDraft(ctx, { tool: 'test', operations: [] }, ({ document }) => rewritten((clean ??= document)))
        await publishEvent(ctx, { acceptWarnings: true })
      })
      return texts
    },
    async rename(nameOf) {
      for (const [n, [table, column]] of NAMES.entries()) {
        // The companies of an event must have different names.
        const value = table === 'companies' && column === 'name' ? `$1 || ' ' || code` : '$1'
        await scenario.world.database.pool.query(`update ${table} set ${column} = ${value}`, [nameOf(n)])
      }
    },
    audience: (round, answer) => audienceOf(scenario, served, { crew, exhibitor, signer: sourcing.signer }, round, answer),
    known: () => knownOf(scenario, sourcing, reports, surveys),
  }
}

/** Creates a submitted and an accepted proposal, and schedules the accepted one. */
async function fillProgram({ call }: SalesScenario): Promise<void> {
  const { speaker } = await call('manage_speaker', { action: 'create', firstName: 'Sam', lastName: 'Speaker', email: 'sam@example.org' })
  const proposal = { abstract: 'About a talk.', trackCode: 'main', formatCode: 'talk', speakers: [{ speakerId: speaker.id }] }
  await call('manage_submission', { action: 'create', title: 'Waiting talk', status: 'submitted', ...proposal })
  const { submission } = await call('manage_submission', { action: 'create', title: 'Proposed talk', status: 'accepted', ...proposal })
  await call('manage_submission', { action: 'schedule', number: submission.number, startsAt: '2026-10-13T09:00:00Z', roomCode: 'hall' })
}

/** Creates a floor plan with an entrance and three booths, one of them blocked. */
async function fillHall({ call }: SalesScenario): Promise<void> {
  await call('manage_floor_plans', { action: 'create', code: 'hall', name: 'Hall', units: 'm', width: 20, height: 12 })
  await call('manage_floor_plans', {
    action: 'update',
    floorPlanCode: 'hall',
    pois: [{ kind: 'entrance', name: 'Entrance', point: [10, 0.5], doorWidth: 3 }],
  })
  const booths = [1, 2, 3].map((n) => ({ number: `B${n}`, x: 3 * n, y: 6, width: 3, depth: 3 }))
  await call('manage_booths', { action: 'create', floorPlanCode: 'hall', booths })
  await call('manage_booths', { action: 'block', number: 'B3', reason: 'Technical area' })
}

async function fill({ world, event, olga, call, register }: SalesScenario): Promise<void> {
  await createHotelAt(world, event, {
    roomTypes: [
      {
        code: 'king',
        name: 'King',
        beds: ['king'],
        maxOccupancy: 2,
        nights: [{ from: '2026-10-12', until: '2026-10-15', rooms: 9, single: 9900 }],
      },
    ],
  })
  await createApiAccountAt(world, event)
  await storeMemory(world, { at: event, by: olga, title: 'Chairs', text: 'Bring more', tags: [] })
  await call('create_managed_group', {
    name: 'Crew',
    code: 'crew',
    kind: 'company',
    payBy: 'group',
    flowSlug: 'attendee',
    admins: [{ email: CREW, name: 'Connie' }],
  })
  await register({ full: 1 }, { groupCode: 'crew', skipRequired: true })
  const exhibitors = createExhibitorFixtures(world, event)
  await exhibitors.company({ code: 'second', contact: { name: 'Fay', email: EXHIBITOR } })
  const { id: companyId } = await exhibitors.company({ code: 'pumps', description: 'Pumps', contact: { name: 'Fay', email: EXHIBITOR } })
  await exhibitors.device(companyId)
  await call('manage_booth_application', { action: 'create', companyId, wanted: {}, submit: true })
  const people = [{ firstName: 'Stan', lastName: 'Staff', email: 'stan@example.org', role: 'staff' }]
  await call('manage_exhibitors', { action: 'add', companyId, people })
  const { participant } = await register({ full: 1 }, { skipRequired: true })
  await call('manage_lead', { action: 'create', companyId, participantId: participant.id, note: 'Wants pumps' })
  const [slot] = await exhibitors.slots(companyId)
  await world.database.transact(async (db) =>
    bookSlot(await createEventContextAt(world, event, db), { participantId: participant.id, slotId: slot!.id, message: 'Bring pumps' }),
  )
}

/** Creates two links of a survey: one with an answer, one without. */
async function fillSurvey({ world, event }: SalesScenario): Promise<string[]> {
  const surveys = createSurveyFixtures(world, event)
  const [answered, open] = (await surveys.list('after')).map(readSurveyToken)
  await surveys.answer(answered!, { comment: 'Too few chairs' })
  return [answered!, open!]
}

const NAMES: readonly [table: string, column: string][] = [
  ['survey_answers', 'text'],
  ['clients', 'name'],
  ['users', 'name'],
  ['api_accounts', 'name'],
  ['oauth_clients', 'name'],
  ['managed_groups', 'name'],
  ['companies', 'name'],
  ['companies', 'description'],
  ['companies', 'contact_name'],
  ['exhibitor_staff', 'name'],
  ['lead_devices', 'name'],
  ['leads', 'notes'],
  ['appointments', 'message'],
  ['event_hotels', 'name'],
  ['briefs', 'title'],
  ['suppliers', 'name'],
  ['suppliers', 'chain'],
  ['suppliers', 'note'],
  ['reports', 'name'],
  ['reports', 'description'],
  ['reports', 'owner_name'],
  ['report_deliveries', 'saved_by_name'],
  ['rfps', 'title'],
  ['rfp_questions', 'body'],
  ['rfp_recipients', 'reason'],
  ['supplier_links', 'contact_name'],
  ['contract_clauses', 'note'],
  ['milestones', 'note'],
  ['envelope_signers', 'name'],
  ['memories', 'title'],
  ['memories', 'body'],
]

/** Signs the group administrator in with the emailed code. */
async function groupAdminSignedIn({ world, event }: SalesScenario, served: Served): Promise<Visitor> {
  const who = visitor(served)
  const signIn = `${eventHomePath(event)}/group/crew/sign-in`
  await who.post(signIn, { email: CREW })
  const code = await readLatestCode(world, CREW)
  await who.post(`${signIn}/code`, { email: CREW, code }, { from: `${signIn}/code?email=${encodeURIComponent(CREW)}` })
  return who
}

/** Signs the contact of two exhibitors in to the portal with the emailed code. */
async function exhibitorSignedIn({ world, event }: SalesScenario, served: Served): Promise<Visitor> {
  const who = visitor(served)
  const portal = `${eventHomePath(event)}/exhibitor`
  await who.post(`${portal}/sign-in`, { email: EXHIBITOR })
  const code = await readLatestCode(world, EXHIBITOR)
  const from = `${portal}/sign-in/code?email=${encodeURIComponent(EXHIBITOR)}`
  await who.post(`${portal}/sign-in/code`, { email: EXHIBITOR, code }, { from })
  await who.post(`${portal}/companies`, { company: 'pumps' })
  return who
}

async function audienceOf(
  scenario: SalesScenario,
  served: Served,
  { crew, exhibitor, signer }: Record<'crew' | 'exhibitor' | 'signer', Visitor>,
  round: number,
  answer: (n: number) => string,
): Promise<AudienceMember[]> {
  const { world, olga } = scenario
  const fillForm = (email: string, from: number) =>
    fillFestivalForm(served, scenario.event, { email, answer: (n) => answer(n + round + from) })
  const started = await fillForm(`begun-${round}@example.org`, 0)
  const done = await fillForm(`done-${round}@example.org`, 9)
  expect((await done.fill('summary', {}, { press: 'finish' })).location).toMatch(/\/done$/)
  // A registration session without a verified mailbox would end when the same person signs in through an assistant.
  await verifyMailbox(world, done.who, scenario.event, `done-${round}@example.org`)
  const { rows: hotels } = await world.database.pool.query<{ id: string }>(`select id from event_hotels where code = 'grand'`)
  const data = buildRoomAnswers(hotels[0]!.id, '2026-10-12', '2026-10-14', { '@housing.requests': answer(round + 2) })
  await scenario.call('edit_participant', { participantId: `done-${round}@example.org`, data })
  const organizer = visitor(served)
  const token = await createBrowserSession(world.database.write, { userId: olga.userId, totpPending: false, userAgent: 'test' })
  organizer.cookies.set('lanyard-organizer', token.reveal())
  return [
    { name: 'anonymous', who: visitor(served) },
    { name: 'begun', who: started.who },
    { name: 'done', who: done.who },
    { name: 'crew', who: crew },
    { name: 'exhibitor', who: exhibitor },
    { name: 'organizer', who: organizer },
    { name: 'signer', who: signer },
  ]
}

async function knownOf(
  { world, event: { tenantCode, clientCode, eventCode } }: SalesScenario,
  sourcing: WholeSourcing,
  reports: { runs: string[]; token: string },
  surveys: readonly string[],
): Promise<KnownValues> {
  const { rows } = await world.database.pool.query<{ value: string }>(
    `(select id as value from messages where html_body is not null order by id desc limit 3)
     union all (select badge_id from participants where badge_id is not null order by id desc limit 1)
     union all (select id from participants where group_id is not null limit 1)
     union all (select id from participants order by id desc limit 2) union all (select id from api_accounts limit 1)
     union all (select id from users limit 1) union all (select id from memories limit 1) union all (select id from companies limit 1)`,
  )
  const invoices = await world.database.pool.query<{ file: string }>(
    `(select number || '.pdf' as file from invoices order by id limit 1)
     union (select number || '.pdf' from invoices order by id desc limit 3)`,
  )
  const stays = await world.database.pool.query<{ id: string }>(
    `select id from reservations where status = 'confirmed' order by id desc limit 2`,
  )
  const members = await world.database.pool.query<{ id: string }>('select id from participants where group_id is not null limit 1')
  const idsOf = async (table: 'briefs' | 'suppliers') =>
    (await world.database.pool.query<{ id: string }>(`select id from ${table} limit 1`)).rows.map(({ id }) => id)
  return {
    named: {
      brief: await idsOf('briefs'),
      supplier: await idsOf('suppliers'),
      file: invoices.rows.map(({ file }) => file),
      reservation: stays.rows.map(({ id }) => id),
      tenant: [tenantCode],
      client: [clientCode],
      event: [eventCode],
      flow: ['attendee', 'board'],
      page: ['you', 'tickets', 'consent', 'end'],
      code: [clientCode, 'crew'],
      position: ['0'],
      number: ['1'],
      order: ['R-000001'],
      slug: ['attendee'],
      plan: ['hall'],
      hotel: ['grand'],
      report: ['daily-figures', 'revenue-by-product'],
      run: reports.runs,
      rfp: sourcing.rfps,
      recipient: sourcing.recipients,
      contract: sourcing.contracts,
      token: [...sourcing.tokens, reports.token, ...surveys],
      survey: ['after'],
      proposal: ['S-000001', 'S-000002'],
      application: ['A-000001'],
      session: ['proposed-talk'],
      group: ['crew'],
      member: members.rows.map(({ id }) => id),
      email: ['waitlist.offered', 'payment.received'],
    },
    any: rows.map(({ value }) => value),
  }
}

const DESK: BrowserLook = { width: 1280, scheme: 'light', scripts: true }

/** A browser context with the cookies of a visitor. */
export async function openContextOf({ baseUrl }: Pick<Served, 'baseUrl'>, who: Visitor, look: BrowserLook = DESK): Promise<BrowserContext> {
  const context = await openContext(look)
  // Behind a proxy, cookies are limited to secure connections. Browsers treat loopback as secure.
  const urlOf = (name: string) => (name.startsWith('__Host-') ? baseUrl.replace('http:', 'https:') : baseUrl)
  await context.addCookies([...who.cookies].map(([name, value]) => ({ name, value: encodeURIComponent(value), url: urlOf(name) })))
  return context
}
