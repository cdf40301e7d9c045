import { createHotelAt } from './hotels.ts'
import { createExhibitorFixtures, buildRectangle } from './companies.ts'
import { storeMemory } from './memories.ts'
import { createApiAccountAt, type PersonHandle, signInParticipantAt } from './participants.ts'
import { createSessionAt, programSections } from './programs.ts'
import { newAttendee, openSalesScenario, type SalesScenario, WORKED_EXAMPLE } from './sales-scenario.ts'
import type { ToolAnswer } from './world.ts'

/** The number of records of each kind at the large event, at which the sizes of answers are measured. */
const SIZE = { participants: 500, exhibitors: 60, fields: 40, flows: 6, products: 30, hotels: 8, sessions: 40, orders: 26, groups: 26 }

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const COUNTRIES = ['DE', 'FR', 'AT', 'GB', 'US', 'IT', 'ES', 'PT', 'NL', 'BE', 'CH', 'SE', 'PL', 'CZ', 'JP']
const FIELD_TYPES = ['text', 'country', 'choice', 'multiChoice', 'longText', 'boolean', 'date', 'number'] as const

const customFields = times(SIZE.fields, (i) => {
  const responseType = FIELD_TYPES[i % FIELD_TYPES.length]!
  const chooses = responseType === 'choice' || responseType === 'multiChoice'
  return {
    code: `question-${i}`,
    name: `Question ${i} about your visit to our congress`,
    responseType,
    ...(chooses ? { choices: times(8, (n) => ({ code: `answer-${n}`, name: `Possible answer number ${n}` })) } : {}),
  }
})

const products = times(SIZE.products, (i) => ({
  code: `extra-${i}`,
  name: `Workshop ${i}: practice of large events`,
  category: 'session',
  taxCode: 'vat-20',
  capacity: 500,
  prices: [{ amount: `${20 + i}.00` }],
}))

const pages = (from: number) => [
  {
    code: 'you',
    title: 'You',
    widgets: [
      { id: 'name', type: 'name' },
      { id: 'email', type: 'field', binding: '@participant.email', required: true },
      { id: 'company', type: 'field', binding: '@participant.company' },
      { id: 'address', type: 'address' },
    ],
  },
  {
    code: 'questions',
    title: 'Questions',
    widgets: times(20, (i) => ({ id: `q${i}`, type: 'field', binding: `@custom.question-${(from + i) % SIZE.fields}` })),
  },
  {
    code: 'extras',
    title: 'Extras',
    widgets: [
      { id: 'sale', type: 'products', products: ['pass', ...products.map(({ code }) => code)] },
      { id: 'room', type: 'housing' },
      { id: 'talks', type: 'sessions' },
      { id: 'pay', type: 'payment', methods: ['bank'] },
    ],
  },
  { code: 'done', title: 'Done', widgets: [{ id: 'end', type: 'confirmation', body: '<p>Thank you</p>' }] },
]

const FLOW_NAMES = ['attendee', 'member', 'speaker', 'press', 'student', 'exhibitor']

/** Counts the bytes of the answer's text, which the assistant reads. `structuredContent` is the same JSON. */
export const countAnswerBytes = ({ content }: ToolAnswer) => content.reduce((bytes, { text = '' }) => bytes + Buffer.byteLength(text), 0)

export interface LargeEvent extends SalesScenario {
  /** A registered participant, signed in through an assistant. */
  person: PersonHandle
}

/** Creates a large but ordinary congress, at which tests measure how large the answers of tools become. */
export async function openLargeEvent(): Promise<LargeEvent> {
  const scenario = await openSalesScenario({
    ...WORKED_EXAMPLE,
    sessions: programSections().sessions,
    housing: { enabled: true, seeAvailability: 'exact' },
    exhibitorConfig: { appointmentMinutes: 15 },
    customFields,
    products: [...WORKED_EXAMPLE.products, ...products],
    flows: FLOW_NAMES.slice(0, SIZE.flows).map((slug, i) => ({ slug, name: `Registration ${slug}`, pages: pages(i * 5) })),
    emails: times(10, (i) => ({
      code: `mail-${i}`,
      trigger: 'registration.completed',
      name: `Email ${i}`,
      subject: `News ${i} for {{participant.firstName}}`,
      blocks: [{ id: 'text', type: 'text', html: '<p>We are looking forward to seeing you at our congress.</p>' }],
    })),
  })
  await addPeople(scenario)
  await addExhibitors(scenario)
  for (let i = 0; i < SIZE.hotels; i++)
    await createHotelAt(scenario.world, scenario.event, { code: `hotel-${i}`, name: `Grand Hotel ${i}` })
  for (let i = 0; i < SIZE.sessions; i++)
    await createSessionAt(scenario.world, scenario.event, { title: `Session ${i}: what large events need` })
  for (let i = 0; i < 30; i++)
    await storeMemory(scenario.world, {
      at: scenario.event,
      by: scenario.olga,
      title: `Note ${i}`,
      text: 'The caterer needs the final number of guests ten days before the congress. '.repeat(10),
      tags: ['catering'],
    })
  return { ...scenario, person: await addSignedInPerson(scenario) }
}

/** Most people are inserted directly, because only their number matters. Orders and audit entries come from real calls. */
async function addPeople({ world, event, call }: SalesScenario): Promise<void> {
  const answers = Object.fromEntries(customFields.map(({ code, responseType }) => [code, sampleAnswer(responseType)]))
  await world.database.pool.query(
    `insert into participants (tenant_id, event_id, id, status, flow_slug, first_name, last_name, email, company, country, custom_field_responses,
       confirmation_number, badge_id, completed_at, tags, created_at)
     select $1, $2, lpad(to_hex(n), 24, '0'), 'complete', 'attendee', 'Kimberley', 'Participant ' || n, 'kimberley.participant.' || n || '@example.org',
       'International Company ' || n, ($3::text[])[1 + n % 15], $4, 'K' || lpad(n::text, 6, '0'), 'badge' || n, lanyard_now() - n * interval '3 hours',
       '{member}', lanyard_now() - n * interval '3 hours' from generate_series(1, $5::int) n`,
    [event.tenantId, event.eventId, COUNTRIES, JSON.stringify(answers), SIZE.participants],
  )
  for (let i = 0; i < SIZE.groups; i++)
    await call('create_managed_group', {
      name: `Delegation ${i}`,
      code: `delegation-${i}`,
      kind: 'company',
      payBy: 'group',
      flowSlug: 'attendee',
      admins: [{ email: `lead-${i}@example.org`, name: `Lead ${i}` }],
    })
  const data = Object.fromEntries(
    customFields.slice(0, 20).map(({ code, responseType }) => [`@custom.${code}`, sampleAnswer(responseType)]),
  )
  for (let i = 0; i < SIZE.orders; i++)
    await call('add_participant', {
      flowSlug: 'attendee',
      data: {
        ...newAttendee(data),
        '@participant.company': 'International Company',
        '@participant.country': 'DE',
        '@product.pass': 1,
        '@product.extra-1': 1,
      },
    })
}

const sampleAnswer = (type: (typeof FIELD_TYPES)[number]): unknown =>
  ({
    text: 'A short answer of a few words',
    longText: 'An answer of several sentences that explains what the participant expects from this congress. '.repeat(3).trim(),
    country: 'DE',
    choice: 'answer-1',
    multiChoice: ['answer-1', 'answer-2'],
    boolean: true,
    date: '2026-09-01',
    number: 12,
  })[type]

/** Every company offers eight hours of appointments on two days. */
async function addExhibitors({ world, event }: SalesScenario): Promise<void> {
  const exhibitors = createExhibitorFixtures(world, event)
  const booths = times(SIZE.exhibitors, (i) => ({
    number: `A${i + 1}`,
    polygon: buildRectangle((i % 10) * 5, Math.floor(i / 10) * 5, 3, 3),
  }))
  await exhibitors.plan({ outline: { outer: buildRectangle(0, 0, 60, 40) } }, booths)
  for (let i = 0; i < SIZE.exhibitors; i++) {
    const { id } = await exhibitors.company({
      name: `Exhibitor ${i} International`,
      description: 'We build what large events need. '.repeat(5),
    })
    await exhibitors.assign(`A${i + 1}`, id)
  }
  await world.database.pool.query(
    `insert into offerings (tenant_id, event_id, id, company_id, is_test_data, starts_at, ends_at, capacity, approval, source)
     select c.tenant_id, c.event_id, lpad(to_hex(n), 12, '0') || right(c.id, 12), c.id, false, t.starts_at, t.starts_at + interval '15 minutes', 1, 'auto', 'import'
     from companies c cross join generate_series(0, 63) n
     cross join lateral (select '2026-09-01 08:00+02'::timestamptz + (n / 32) * interval '1 day' + (n % 32) * interval '15 minutes' as starts_at) t
     where c.event_id = $1`,
    [event.eventId],
  )
}

async function addSignedInPerson({ world, event, call }: SalesScenario): Promise<PersonHandle> {
  const data = Object.fromEntries(
    customFields.slice(0, 20).map(({ code, responseType }) => [`@custom.${code}`, sampleAnswer(responseType)]),
  )
  const { participant } = await call('add_participant', {
    flowSlug: 'attendee',
    data: { ...newAttendee(data), '@participant.country': 'DE', '@product.pass': 1 },
  })
  await call('create_managed_group', {
    name: 'Own delegation',
    code: 'own',
    kind: 'company',
    payBy: 'group',
    flowSlug: 'attendee',
    admins: [{ email: participant.email, name: 'Paula' }],
  })
  await world.database.pool.query(`update participants set visible_to_participants = true where event_id = $1`, [event.eventId])
  return signInParticipantAt(world, event, await createApiAccountAt(world, event), participant.id)
}
