import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventHandle, newWorld, type World } from '../../../../test/support/world.ts'
import { newId } from '../../../kernel/ids.ts'

let world: World
let at: EventHandle
beforeAll(async () => {
  world = await newWorld()
  at = await world.event()
})
afterAll(() => world.end())

const row = async <T extends object>(text: string, values: unknown[]) => (await world.database.pool.query<T>(text, values)).rows[0]!
const figure = async (text: string, values: unknown[]) => Number((await row<{ figure: string }>(`select ${text} as figure`, values)).figure)

interface Known {
  first?: string | null
  last?: string | null
  email?: string
  company?: string
  phone?: string
  linkedin?: string
  city?: string
  country?: string
  ids?: Record<string, string>
  /** Events where the contact has a complete registration. */
  events?: readonly EventHandle[]
}

async function contact({
  first = null,
  last = null,
  email,
  company,
  phone,
  linkedin,
  city,
  country,
  ids = {},
  events = [],
}: Known): Promise<string> {
  const id = newId()
  await world.database.pool.query(
    `insert into contacts (tenant_id, client_id, id, first_name, last_name, company, phones, linkedin, city, country, external_ids)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [at.tenantId, at.clientId, id, first, last, company, phone ? [phone] : [], linkedin, city, country, ids],
  )
  if (email)
    await world.database.pool.query(
      `insert into contact_emails (tenant_id, client_id, contact_id, address, place, is_primary)
       values ($1, $2, $3, $4, (select count(*) + 1 from contact_emails where address_norm = lower($4)), true)`,
      [at.tenantId, at.clientId, id, email],
    )
  for (const { tenantId, eventId } of events)
    await world.database.pool.query(
      `insert into participants (tenant_id, event_id, id, status, completed_at, confirmation_number, contact_id) values ($1, $2, $3, 'complete', lanyard_now(), $3, $4)`,
      [tenantId, eventId, newId(), id],
    )
  return id
}

/** Returns the match weights of two contacts, and the possible-duplicate pair, if any. */
async function weighed(one: Known, other: Known) {
  const [a, b] = [await contact(one), await contact(other)]
  const { rows } = await world.database.pool.query<{ name: string; weight: string; veto: boolean }>(
    'select name, weight, veto from contact_features($1, $2, $3, null)',
    [at.tenantId, a, b],
  )
  await world.database.pool.query('select contact_pair_up($1, $2, $3, $4, null)', [at.tenantId, at.clientId, a, b])
  const { rows: pairs } = await world.database.pool.query<{ weight: string; score: string; survivor: string; status: string }>(
    'select weight, score, suggested_survivor as survivor, status from contact_pairs where a = $1 and b = $2',
    [a, b],
  )
  return {
    ids: [a, b],
    features: Object.fromEntries(rows.map(({ name, weight }) => [name, Number(weight)])),
    sum: rows.reduce((sum, { weight }) => sum + Number(weight), 0),
    pair: pairs[0] ? { weight: Number(pairs[0].weight), score: Number(pairs[0].score), survivor: pairs[0].survivor } : null,
  }
}

describe('name weights', () => {
  it.each([
    ['Katherine', 'Kate', 3],
    ['Kate', 'Kathy', 3],
    ['Jürgen', 'JUERGEN', 3],
    ['Jürgen', 'Jurgen', 3],
    ['Dr. Anna', 'anna', 3],
    ['Bill', 'William', 3],
    ['Jonathon', 'Jonathan', 1.5],
    ['K.', 'Katherine', 1],
    ['J. P.', 'Jean', 1],
    ['K.', 'Mary', -3],
    ['John', 'Mary', -3],
    ['Anna', 'Anja', -3],
    ['', 'Mary', 0],
    [null, 'Mary', 0],
  ])('gives first names %s and %s the match weight %s', async (a, b, weight) => {
    expect(await figure('contact_first_name_weight($1, $2)', [a, b])).toBe(weight)
    expect(await figure('contact_first_name_weight($1, $2)', [b, a])).toBe(weight)
  })

  it.each([
    ['Müller', 'Mueller', 4],
    ['Müller', 'MULLER', 4],
    ['Dickson', 'Dixon', 0],
    ['Martha', 'Marhta', 2],
    ['Smith', 'Lima', -4],
    [null, 'Lima', 0],
  ])('gives last names %s and %s the match weight %s', async (a, b, weight) => {
    expect(await figure('contact_last_name_weight($1, $2)', [a, b])).toBe(weight)
  })

  it.each([
    ['Acme GmbH', 'ACME', 2],
    ['Acme Labs Ltd', 'Acme Labs Europe', 1],
    ['Acme Labs', 'Acme Labs Northern Europe', 1],
    ['Acme Labs', 'Acme Labs Far Northern Europe', -0.5],
    ['Acme', 'Borealis', -0.5],
    ['Acme', null, 0],
  ])('gives companies %s and %s the match weight %s', async (a, b, weight) => {
    expect(await figure('contact_company_weight($1, $2)', [a, b])).toBe(weight)
  })

  // The expected values are from Winkler's papers on string similarity.
  it.each([
    ['martha', 'marhta', 0.961],
    ['dixon', 'dicksonx', 0.813],
    ['dwayne', 'duane', 0.84],
    ['jones', 'johnson', 0.832],
    ['abc', 'abc', 1],
    ['abc', 'xyz', 0],
  ])('calculates the Jaro-Winkler similarity of %s and %s as %s', async (a, b, near) => {
    expect(await figure('jaro_winkler($1, $2)', [a, b])).toBeCloseTo(near, 3)
  })

  it.each([
    ['ann@x.example', 'ANN@x.example', 8],
    ['info@x.example', 'info@x.example', 2],
    ['ann+events@x.example', 'ann@x.example', 6],
    ['a.nn@gmail.com', 'ann@googlemail.com', 6],
    ['a.nn@x.example', 'ann@x.example', -1],
    ['ann@x.example', 'ann@y.example', 2],
    ['info@x.example', 'info@y.example', -1],
  ])('gives addresses %s and %s the match weight %s', async (a, b, weight) => {
    expect(await figure('contact_email_weight(array[$1], array[$2])', [a, b])).toBe(weight)
  })
})

describe('contact pairs', () => {
  it('gives the four example pairs of contacts of the specification the specified match weights', async () => {
    const katherine = { first: 'Katherine', last: 'Müller', email: 'k.mueller@acme.com', company: 'Acme GmbH', phone: '+49 30 123456' }
    const kate = { first: 'Kate', last: 'Mueller', email: 'kate@gmail.com', company: 'ACME', phone: '+4930123456' }
    const first = await weighed(katherine, kate)
    expect(first.features).toEqual({ email: -1, phone: 5, lastName: 4, firstName: 3, company: 2 })
    expect(first.pair).toEqual({ weight: 13, score: 0.97, survivor: first.ids[0] })
    expect(
      (await weighed({ first: 'Jane', last: 'Doe', email: 'jane@x.org' }, { first: 'Jane', last: 'Doe', email: 'jane@x.org' })).sum,
    ).toBe(15)
    const shared = { email: 'info@acme.com', company: 'Acme' }
    const third = await weighed({ first: 'Ann', last: 'Wood', ...shared }, { first: 'Bob', last: 'Lima', ...shared })
    expect([third.sum, third.pair]).toEqual([-3, null])
    const smiths = await weighed(
      { first: 'John', last: 'Smith', email: 's@gmail.com' },
      { first: 'Mary', last: 'Smith', email: 's@gmail.com' },
    )
    expect(smiths.pair).toEqual({ weight: 9, score: 0.667, survivor: smiths.ids[0] })
  })

  it('queues two contacts as possible duplicates from a weight of 8, not 7.5', async () => {
    const [one, other] = [
      { first: 'Ann', last: 'Wood', email: 'a@x.example' },
      { first: 'Ann', last: 'Wood', email: 'b@y.example' },
    ]
    expect((await weighed({ ...one, company: 'Acme' }, { ...other, company: 'Acme' })).pair).toMatchObject({ weight: 8, score: 0.5 })
    const phones = { phone: '+49 30 999888' }
    // The weights are 8 for the address, 4 for the last name, -3 for the first name, -0.5 for the company and -1 for the country: 7.5 in
    // total.
    const [john, mary] = [
      { first: 'John', last: 'Smith', email: 'j@z.example' },
      { first: 'Mary', last: 'Smith', email: 'j@z.example' },
    ]
    expect((await weighed({ ...john, company: 'Acme', country: 'DE' }, { ...mary, company: 'Borealis', country: 'FR' })).sum).toBe(7.5)
    expect((await weighed({ ...john, company: 'Acme', country: 'DE' }, { ...mary, company: 'Borealis', country: 'FR' })).pair).toBeNull()
    expect((await weighed({ ...john, ...phones }, { ...mary, ...phones })).pair).toMatchObject({ weight: 14 })
  })

  it('subtracts 3 from the match weight of contacts at the same event, and merges into the contact with an external id or more events', async () => {
    const [spring, autumn] = [await world.event({ at }), await world.event({ at })]
    const [john, mary] = [
      { first: 'John', last: 'Hill', email: 'h@h.example' },
      { first: 'Mary', last: 'Hill', email: 'h@h.example' },
    ]
    const together = await weighed({ ...john, events: [spring] }, { ...mary, events: [spring] })
    expect([together.features['sameEvent'], together.pair]).toEqual([-3, null])
    const apart = await weighed({ ...john, events: [spring] }, { ...mary, events: [autumn] })
    expect([apart.features['sameEvent'], apart.pair?.survivor]).toEqual([undefined, apart.ids[0]])
    const more = await weighed(john, { ...mary, events: [autumn] })
    expect(more.pair?.survivor).toBe(more.ids[1])
    const known = await weighed({ ...john, events: [spring] }, { ...mary, ids: { crm: '7' } })
    expect(known.pair?.survivor).toBe(known.ids[1])
  })

  it('merges contacts with the same external id, and never pairs contacts with different ones', async () => {
    const [one, other] = [
      { first: 'Ann', last: 'Lake', email: 'l@l.example' },
      { first: 'Ann', last: 'Lake', email: 'l@l.example' },
    ]
    expect((await weighed({ ...one, ids: { crm: '1' } }, { ...other, ids: { crm: '1' } })).sum).toBe(25)
    expect((await weighed({ ...one, ids: { crm: '1' } }, { ...other, ids: { crm: '2' } })).pair).toBeNull()
    expect((await weighed({ ...one, ids: { crm: '1' } }, { ...other, ids: { erp: '2' } })).pair).toMatchObject({ weight: 15 })
  })

  it('never pairs contacts again once they are declared different people', async () => {
    const { ids } = await weighed(
      { first: 'John', last: 'Fox', email: 'f@f.example' },
      { first: 'Mary', last: 'Fox', email: 'f@f.example' },
    )
    await world.database.pool.query(
      `update contact_pairs set status = 'not_duplicate', decided_at = lanyard_now(), weight = 9 where a = $1`,
      [ids[0]],
    )
    await world.database.pool.query(`update contacts set company = 'Acme' where id = any($1)`, [ids])
    await world.database.pool.query('select contact_pair_up($1, $2, $3, $4, null)', [at.tenantId, at.clientId, ...ids])
    expect(await row('select status, weight::float8 as weight from contact_pairs where a = $1', [ids[0]])).toEqual({
      status: 'not_duplicate',
      weight: 9,
    })
  })
})
